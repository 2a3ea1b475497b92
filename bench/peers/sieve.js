const SIZE = 8192;

function sieve(n) {
  const composite = new Array(SIZE).fill(false);
  let primes = 0;
  for (let round = 0; round < n; round++) {
    composite.fill(false);
    for (let i = 2; i < SIZE; i++) {
      if (composite[i]) continue;
      primes++;
      for (let multiple = i * i; multiple < SIZE; multiple += i) composite[multiple] = true;
    }
  }
  return primes;
}

console.log(String(sieve(Number(process.argv[2]))));
