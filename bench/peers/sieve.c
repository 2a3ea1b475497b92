#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 8192 };

static int64_t sieve(int64_t n) {
  static bool composite[SIZE];
  int64_t primes = 0;
  for (int64_t round = 0; round < n; round++) {
    for (int64_t i = 0; i < SIZE; i++)
      composite[i] = false;
    for (int64_t i = 2; i < SIZE; i++) {
      if (composite[i]) continue;
      primes++;
      for (int64_t multiple = i * i; multiple < SIZE; multiple += i)
        composite[multiple] = true;
    }
  }
  return primes;
}

int main(int argc, char **argv) {
  printf("%lld\n", (long long)sieve(argc > 1 ? atoll(argv[1]) : 0));
  return 0;
}
