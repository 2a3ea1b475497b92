#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t iterations(double cr, double ci) {
  double zr = 0, zi = 0, rr = 0, ii = 0;
  int64_t k = 0;
  while (k < 50 && rr + ii <= 4) {
    zi = 2 * zr * zi + ci;
    zr = rr - ii + cr;
    rr = zr * zr;
    ii = zi * zi;
    k++;
  }
  return k;
}

static int64_t mandelbrot(int64_t n) {
  int64_t total = 0;
  double step = 2.0 / n;
  for (int64_t row = 0; row < n; row++)
    for (int64_t column = 0; column < n; column++)
      total += iterations(step * column - 1.5, step * row - 1.0);
  return total;
}

int main(int argc, char **argv) {
  printf("%lld\n", (long long)mandelbrot(argc > 1 ? atoll(argv[1]) : 0));
  return 0;
}
