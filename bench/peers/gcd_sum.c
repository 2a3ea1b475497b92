#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t gcd(int64_t a, int64_t b) {
  while (b != 0) {
    int64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}

static int64_t gcd_sum(int64_t n) {
  int64_t sum = 0;
  for (int64_t a = 1; a <= n; a++)
    for (int64_t b = 1; b <= n; b++) {
      int64_t d = gcd(a, b);
      sum += d;
      if (d == 1) sum++;
    }
  return sum;
}

int main(int argc, char **argv) {
  printf("%lld\n", (long long)gcd_sum(argc > 1 ? atoll(argv[1]) : 0));
  return 0;
}
