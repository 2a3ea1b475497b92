function sieve(n) {
  const composite = new Array(n + 1).fill(false);
  let primes = 0;
  for (let i = 2; i <= n; i++) {
    if (composite[i]) continue;
    primes++;
    for (let multiple = i * i; multiple <= n; multiple += i) composite[multiple] = true;
  }
  return primes;
}

console.log(String(sieve(Number(process.argv[2]))));
