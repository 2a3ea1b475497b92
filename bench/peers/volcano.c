#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 400 };

typedef double interpolation(double a, double b, double at);

static double nearest(double a, double b, double at) {
  return at < 0.5 ? a : b;
}

static double linear(double a, double b, double at) {
  return a + (b - a) * at;
}

static double smooth(double a, double b, double at) {
  return a + (b - a) * ((3 - 2 * at) * (at * at));
}

static void erupt(double *heights, int phase) {
  for (int i = 0; i < POINTS; i++) {
    int h = (37 * i + 11 * phase) % 64;
    heights[i] = phase == 3 ? h : h * 0.5;
  }
}

static double shade(const double *heights, interpolation *interpolate) {
  double sum = 0;
  for (int i = 1; i < POINTS; i++) {
    double left = heights[i - 1], right = heights[i];
    double difference = interpolate(left, right, 0.25) - (left + right) * 0.5;
    sum += difference * difference;
  }
  return sum;
}

static double volcano(int64_t n) {
  interpolation *interpolations[] = {nearest, linear, smooth, nearest};
  double heights[POINTS];
  double sum = 0;
  for (int phase = 0; phase < 4; phase++) {
    erupt(heights, phase);
    for (int64_t i = 0; i < n; i++)
      sum += shade(heights, interpolations[phase]);
  }
  return sum;
}

int main(int argc, char **argv) {
  printf("%.17g\n", volcano(argc > 1 ? atoll(argv[1]) : 0));
  return 0;
}
