#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t matmul(int64_t n) {
  int64_t *a = malloc(n * n * sizeof *a);
  int64_t *b = malloc(n * n * sizeof *b);
  int64_t *c = malloc(n * n * sizeof *c);
  for (int64_t i = 0; i < n * n; i++) {
    a[i] = i % 7;
    b[i] = i % 5;
  }
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) {
      int64_t s = 0;
      for (int64_t k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
  int64_t total = 0;
  for (int64_t i = 0; i < n * n; i++)
    total += c[i];
  free(a);
  free(b);
  free(c);
  return total;
}

int main(int argc, char **argv) {
  printf("%lld\n", (long long)matmul(argc > 1 ? atoll(argv[1]) : 0));
  return 0;
}
