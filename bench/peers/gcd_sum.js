function gcd(a, b) {
  while (b !== 0) {
    const r = a % b;
    a = b;
    b = r;
  }
  return a;
}

function gcdSum(n) {
  let sum = 0;
  for (let a = 1; a <= n; a++)
    for (let b = 1; b <= n; b++) {
      const d = gcd(a, b);
      sum += d;
      if (d === 1) sum++;
    }
  return sum;
}

console.log(String(gcdSum(Number(process.argv[2]))));
