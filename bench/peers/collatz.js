function collatz(n) {
  let longest = 0, start = 0;
  for (let i = 1; i < n; i++) {
    let length = 0;
    for (let x = i; x !== 1; length++) {
      if (x % 2 === 0) x = x / 2;
      else x = 3 * x + 1;
    }
    if (length > longest) {
      longest = length;
      start = i;
    }
  }
  return start * 1000 + longest;
}

console.log(String(collatz(Number(process.argv[2]))));
