#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 40 };

/* A number of either kind, for the third phase; the first two have arrays of one kind. */
struct number {
  enum { INTEGER, FLOAT } kind;
  union {
    int64_t i;
    double f;
  };
};

static struct number integer(int64_t i) {
  return (struct number){.kind = INTEGER, .i = i};
}

static struct number floating(double f) {
  return (struct number){.kind = FLOAT, .f = f};
}

static double value(struct number x) {
  return x.kind == INTEGER ? (double)x.i : x.f;
}

static struct number add(struct number a, struct number b) {
  if (a.kind == INTEGER && b.kind == INTEGER) return integer(a.i + b.i);
  return floating(value(a) + value(b));
}

static struct number multiply(struct number a, struct number b) {
  if (a.kind == INTEGER && b.kind == INTEGER) return integer(a.i * b.i);
  return floating(value(a) * value(b));
}

static int64_t integers(int64_t rounds) {
  static int64_t matrix[N * N], vector[N], result[N];
  for (int i = 0; i < N * N; i++)
    matrix[i] = 3 * i % 11 + 5;
  for (int i = 0; i < N; i++)
    vector[i] = 7 * i % 11 + 1;
  int64_t total = 0;
  for (int64_t round = 0; round < rounds; round++) {
    for (int row = 0; row < N; row++) {
      int64_t s = 0;
      for (int column = 0; column < N; column++)
        s += matrix[N * row + column] * vector[column];
      result[row] = s;
    }
    total += result[round % N];
  }
  return total;
}

static double floats(int64_t rounds) {
  static double matrix[N * N], vector[N], result[N];
  for (int i = 0; i < N * N; i++)
    matrix[i] = 3 * i % 11 + 5.5;
  for (int i = 0; i < N; i++)
    vector[i] = 7 * i % 11 + 1.25;
  double total = 0;
  for (int64_t round = 0; round < rounds; round++) {
    for (int row = 0; row < N; row++) {
      double s = 0;
      for (int column = 0; column < N; column++)
        s += matrix[N * row + column] * vector[column];
      result[row] = s;
    }
    total += result[round % N];
  }
  return total;
}

static void mix(struct number *a, int n) {
  for (int i = 0; i < n; i++)
    a[i] = i % 3 == 0 ? floating(0.5 * (i % 8)) : integer(i % 8);
}

static double mixed(int64_t rounds) {
  static struct number matrix[N * N], vector[N], result[N];
  mix(matrix, N * N);
  mix(vector, N);
  struct number total = integer(0);
  for (int64_t round = 0; round < rounds; round++) {
    for (int row = 0; row < N; row++) {
      struct number s = integer(0);
      for (int column = 0; column < N; column++)
        s = add(s, multiply(matrix[N * row + column], vector[column]));
      result[row] = s;
    }
    total = add(total, result[round % N]);
  }
  return value(total);
}

static double polymorphic_matrix(int64_t n) {
  return integers(n) + floats(n) + mixed(n);
}

int main(int argc, char **argv) {
  printf("%.17g\n", polymorphic_matrix(argc > 1 ? atoll(argv[1]) : 0));
  return 0;
}
