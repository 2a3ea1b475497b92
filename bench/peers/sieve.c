#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdbool.h>

static int64_t sieve(int64_t n) {
  bool *composite = calloc(n + 1, sizeof *composite);
  int64_t primes = 0;
  for (int64_t i = 2; i <= n; i++) {
    if (composite[i]) continue;
    primes++;
    for (int64_t multiple = i * i; multiple <= n; multiple += i)
      composite[multiple] = true;
  }
  free(composite);
  return primes;
}

int main(int argc, char **argv) {
  printf("%lld\n", (long long)sieve(argc > 1 ? atoll(argv[1]) : 0));
  return 0;
}
