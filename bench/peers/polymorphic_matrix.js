function fill(a, factor, offset) {
  for (let i = 0; i < a.length; i++) a[i] = ((factor * i) % 11) + offset;
}

function mix(a) {
  for (let i = 0; i < a.length; i++) a[i] = i % 3 === 0 ? 0.5 * (i % 8) : i % 8;
}

function multiply(matrix, vector, result) {
  const n = vector.length;
  let p = 0;
  for (let row = 0; row < n; row++) {
    let s = 0;
    for (let column = 0; column < n; column++) s += matrix[p++] * vector[column];
    result[row] = s;
  }
}

function phase(matrix, vector, rounds) {
  const result = new Array(vector.length).fill(0);
  let total = 0;
  for (let round = 0; round < rounds; round++) {
    multiply(matrix, vector, result);
    total += result[round % vector.length];
  }
  return total;
}

function polymorphicMatrix(rounds) {
  const matrix = new Array(1600).fill(0), vector = new Array(40).fill(0);
  fill(matrix, 3, 5);
  fill(vector, 7, 1);
  let total = phase(matrix, vector, rounds);
  fill(matrix, 3, 5.5);
  fill(vector, 7, 1.25);
  total += phase(matrix, vector, rounds);
  mix(matrix);
  mix(vector);
  return total + phase(matrix, vector, rounds);
}

console.log(String(polymorphicMatrix(Number(process.argv[2]))));
