#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int64_t function(int64_t);
typedef bool predicate(int64_t);
typedef int64_t joiner(int64_t, int64_t);

static int64_t *map(const int64_t *a, int64_t n, function *f) {
  int64_t *result = malloc(n * sizeof *result);
  for (int64_t i = 0; i < n; i++)
    result[i] = f(a[i]);
  return result;
}

/* The elements that are to be kept; sets *kept to how many there are. */
static int64_t *filter(const int64_t *a, int64_t n, predicate *keep, int64_t *kept) {
  int64_t *result = malloc(n * sizeof *result);
  *kept = 0;
  for (int64_t i = 0; i < n; i++)
    if (keep(a[i])) result[(*kept)++] = a[i];
  return result;
}

static int64_t fold(const int64_t *a, int64_t n, joiner *join, int64_t start) {
  int64_t result = start;
  for (int64_t i = 0; i < n; i++)
    result = join(result, a[i]);
  return result;
}

static int64_t pipeline(const int64_t *numbers, int64_t n, function *f, predicate *keep,
                        joiner *join) {
  int64_t kept;
  int64_t *mapped = map(numbers, n, f);
  int64_t *filtered = filter(mapped, n, keep, &kept);
  int64_t result = fold(filtered, kept, join, 0);
  free(mapped);
  free(filtered);
  return result;
}

static int64_t square(int64_t x) { return x * x; }
static int64_t triple_plus_one(int64_t x) { return 3 * x + 1; }
static int64_t half(int64_t x) { return x / 2; }
static bool is_even(int64_t x) { return x % 2 == 0; }
static bool is_multiple_of_5(int64_t x) { return x % 5 == 0; }
static int64_t add(int64_t a, int64_t b) { return a + b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t mixed(int64_t a, int64_t b) { return (a * 31 + b) % 65521; }

static int64_t map_reduce(int64_t n) {
  int64_t numbers[1000];
  for (int64_t i = 0; i < 1000; i++)
    numbers[i] = i;
  int64_t checksum = 0;
  for (int64_t i = 0; i < n; i++) {
    checksum += pipeline(numbers, 1000, square, is_even, add);
    checksum += pipeline(numbers, 1000, triple_plus_one, is_multiple_of_5, larger);
    checksum += pipeline(numbers, 1000, half, is_even, mixed);
    checksum %= 1000000007;
  }
  return checksum;
}

int main(int argc, char **argv) {
  printf("%lld\n", (long long)map_reduce(argc > 1 ? atoll(argv[1]) : 0));
  return 0;
}
