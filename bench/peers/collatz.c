#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t collatz(int64_t n) {
  int64_t longest = 0, start = 0;
  for (int64_t i = 1; i < n; i++) {
    int64_t length = 0;
    for (int64_t x = i; x != 1; length++) {
      if (x % 2 == 0)
        x = x / 2;
      else
        x = 3 * x + 1;
    }
    if (length > longest) {
      longest = length;
      start = i;
    }
  }
  return start * 1000 + longest;
}

int main(int argc, char **argv) {
  printf("%lld\n", (long long)collatz(argc > 1 ? atoll(argv[1]) : 0));
  return 0;
}
