#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static bool *columns, *rising, *falling;

static int64_t place(int64_t row, int64_t n) {
  if (row == n) return 1;
  int64_t ways = 0;
  for (int64_t column = 0; column < n; column++) {
    int64_t up = row + column, down = row - column + n;
    if (columns[column] || rising[up] || falling[down]) continue;
    columns[column] = rising[up] = falling[down] = true;
    ways += place(row + 1, n);
    columns[column] = rising[up] = falling[down] = false;
  }
  return ways;
}

static int64_t queens(int64_t n) {
  columns = calloc(n, sizeof *columns);
  rising = calloc(2 * n, sizeof *rising);
  falling = calloc(2 * n, sizeof *falling);
  int64_t ways = place(0, n);
  free(columns);
  free(rising);
  free(falling);
  return ways;
}

int main(int argc, char **argv) {
  printf("%lld\n", (long long)queens(argc > 1 ? atoll(argv[1]) : 0));
  return 0;
}
