function map(a, f) {
  const result = [];
  for (let i = 0; i < a.length; i++) result.push(f(a[i]));
  return result;
}

function filter(a, keep) {
  const result = [];
  for (let i = 0; i < a.length; i++) if (keep(a[i])) result.push(a[i]);
  return result;
}

function fold(a, join, start) {
  let result = start;
  for (let i = 0; i < a.length; i++) result = join(result, a[i]);
  return result;
}

function pipeline(numbers, f, keep, join) {
  return fold(filter(map(numbers, f), keep), join, 0);
}

const square = (x) => x * x;
const triplePlusOne = (x) => 3 * x + 1;
const half = (x) => Math.trunc(x / 2);
const isEven = (x) => x % 2 === 0;
const isMultipleOf5 = (x) => x % 5 === 0;
const add = (a, b) => a + b;
const larger = (a, b) => (a > b ? a : b);
const mixed = (a, b) => (a * 31 + b) % 65521;

function mapReduce(n) {
  const numbers = [];
  for (let i = 0; i < 1000; i++) numbers.push(i);
  let checksum = 0;
  for (let i = 0; i < n; i++) {
    checksum += pipeline(numbers, square, isEven, add);
    checksum += pipeline(numbers, triplePlusOne, isMultipleOf5, larger);
    checksum += pipeline(numbers, half, isEven, mixed);
    checksum %= 1000000007;
  }
  return checksum;
}

console.log(String(mapReduce(Number(process.argv[2]))));
