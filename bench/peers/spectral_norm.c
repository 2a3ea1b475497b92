#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static double element(int64_t i, int64_t j) {
  return 1.0 / ((i + j) * (i + j + 1) / 2 + i + 1);
}

static void times(int64_t n, const double *v, double *result) {
  for (int64_t i = 0; i < n; i++) {
    double s = 0;
    for (int64_t j = 0; j < n; j++)
      s += element(i, j) * v[j];
    result[i] = s;
  }
}

static void times_transposed(int64_t n, const double *v, double *result) {
  for (int64_t i = 0; i < n; i++) {
    double s = 0;
    for (int64_t j = 0; j < n; j++)
      s += element(j, i) * v[j];
    result[i] = s;
  }
}

static void times_transposed_times(int64_t n, const double *v, double *result, double *t) {
  times(n, v, t);
  times_transposed(n, t, result);
}

static double spectral_norm(int64_t n) {
  double *u = malloc(n * sizeof *u);
  double *v = malloc(n * sizeof *v);
  double *t = malloc(n * sizeof *t);
  for (int64_t i = 0; i < n; i++)
    u[i] = 1;
  for (int round = 0; round < 10; round++) {
    times_transposed_times(n, u, v, t);
    times_transposed_times(n, v, u, t);
  }
  double uv = 0, vv = 0;
  for (int64_t i = 0; i < n; i++) {
    uv += u[i] * v[i];
    vv += v[i] * v[i];
  }
  free(u);
  free(v);
  free(t);
  return uv / vv;
}

int main(int argc, char **argv) {
  printf("%.17g\n", spectral_norm(argc > 1 ? atoll(argv[1]) : 0));
  return 0;
}
