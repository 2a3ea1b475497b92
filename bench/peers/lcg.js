function lcg(n) {
  let state = 1;
  for (let i = 0; i < n; i++) state = (state * 48271) % 2147483647;
  return state;
}

console.log(String(lcg(Number(process.argv[2]))));
