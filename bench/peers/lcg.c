#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t lcg(int64_t n) {
  int64_t state = 1;
  for (int64_t i = 0; i < n; i++)
    state = state * 48271 % 2147483647;
  return state;
}

int main(int argc, char **argv) {
  printf("%lld\n", (long long)lcg(argc > 1 ? atoll(argv[1]) : 0));
  return 0;
}
