#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t count_flips(int64_t n, const int64_t *p, int64_t *q) {
  for (int64_t i = 0; i < n; i++)
    q[i] = p[i];
  int64_t flips = 0;
  for (int64_t first = q[0]; first != 0; first = q[0]) {
    for (int64_t low = 0, high = first; low < high; low++, high--) {
      int64_t t = q[low];
      q[low] = q[high];
      q[high] = t;
    }
    flips++;
  }
  return flips;
}

static void rotate(int64_t *a, int64_t r) {
  int64_t first = a[0];
  for (int64_t i = 0; i < r; i++)
    a[i] = a[i + 1];
  a[r] = first;
}

static int64_t fannkuch(int64_t n) {
  int64_t *current = malloc(n * sizeof *current);
  int64_t *flipped = malloc(n * sizeof *flipped);
  int64_t *counters = malloc(n * sizeof *counters);
  for (int64_t i = 0; i < n; i++)
    current[i] = i;
  int64_t checksum = 0, most = 0, sign = 1, r = n;
  while (1) {
    for (; r != 1; r--)
      counters[r - 1] = r;
    int64_t flips = count_flips(n, current, flipped);
    if (flips > most) most = flips;
    checksum += sign * flips;
    sign = -sign;
    while (1) {
      if (r == n) {
        free(current);
        free(flipped);
        free(counters);
        return checksum * 1000 + most;
      }
      rotate(current, r);
      if (--counters[r] > 0) break;
      r++;
    }
  }
}

int main(int argc, char **argv) {
  printf("%lld\n", (long long)fannkuch(argc > 1 ? atoll(argv[1]) : 0));
  return 0;
}
