#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t rsa(int64_t n) {
  int64_t sum = 0;
  for (int64_t message = 1; message <= n; message++) {
    int64_t power = 1;
    for (int i = 0; i < 17; i++)
      power = power * message % 371893;
    sum = (sum + power) % 1000003;
  }
  return sum;
}

int main(int argc, char **argv) {
  printf("%lld\n", (long long)rsa(argc > 1 ? atoll(argv[1]) : 0));
  return 0;
}
