function place(row, n, columns, rising, falling) {
  if (row === n) return 1;
  let ways = 0;
  for (let column = 0; column < n; column++) {
    const up = row + column, down = row - column + n;
    if (columns[column] || rising[up] || falling[down]) continue;
    columns[column] = rising[up] = falling[down] = true;
    ways += place(row + 1, n, columns, rising, falling);
    columns[column] = rising[up] = falling[down] = false;
  }
  return ways;
}

function queens(n) {
  const flags = (size) => new Array(size).fill(false);
  return place(0, n, flags(n), flags(2 * n), flags(2 * n));
}

console.log(String(queens(Number(process.argv[2]))));
