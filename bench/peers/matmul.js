function matmul(n) {
  const a = [], b = [], c = [];
  for (let i = 0; i < n * n; i++) {
    a.push(i % 7);
    b.push(i % 5);
  }
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      let s = 0;
      for (let k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
      c.push(s);
    }
  let total = 0;
  for (const x of c) total += x;
  return total;
}

console.log(String(matmul(Number(process.argv[2]))));
