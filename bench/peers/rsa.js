function rsa(n) {
  let sum = 0;
  for (let message = 1; message <= n; message++) {
    let power = 1;
    for (let i = 0; i < 17; i++) power = (power * message) % 371893;
    sum = (sum + power) % 1000003;
  }
  return sum;
}

console.log(String(rsa(Number(process.argv[2]))));
