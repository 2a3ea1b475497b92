#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void sort(int64_t *a, int64_t low, int64_t high) {
  if (low >= high) return;
  int64_t pivot = a[(low + high) / 2];
  int64_t i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot)
      i++;
    while (a[j] > pivot)
      j--;
    if (i <= j) {
      int64_t t = a[i];
      a[i++] = a[j];
      a[j--] = t;
    }
  }
  sort(a, low, j);
  sort(a, i, high);
}

static int64_t quicksort(int64_t n) {
  int64_t *a = malloc(n * sizeof *a);
  int64_t state = 1;
  for (int64_t i = 0; i < n; i++) {
    state = state * 48271 % 2147483647;
    a[i] = state;
  }
  sort(a, 0, n - 1);
  int64_t checksum = 0;
  for (int64_t i = 0; i < n; i++)
    checksum = (checksum * 31 + a[i]) % 1000000007;
  free(a);
  return checksum;
}

int main(int argc, char **argv) {
  printf("%lld\n", (long long)quicksort(argc > 1 ? atoll(argv[1]) : 0));
  return 0;
}
