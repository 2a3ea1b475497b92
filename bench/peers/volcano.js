const POINTS = 400;

const nearest = (a, b, at) => (at < 0.5 ? a : b);
const linear = (a, b, at) => a + (b - a) * at;
const smooth = (a, b, at) => a + (b - a) * ((3 - 2 * at) * (at * at));

function erupt(heights, phase) {
  for (let i = 0; i < POINTS; i++) {
    const h = (37 * i + 11 * phase) % 64;
    heights[i] = phase === 3 ? h : h * 0.5;
  }
}

function shade(heights, interpolate) {
  let sum = 0;
  for (let i = 1; i < POINTS; i++) {
    const left = heights[i - 1], right = heights[i];
    const difference = interpolate(left, right, 0.25) - (left + right) * 0.5;
    sum += difference * difference;
  }
  return sum;
}

function volcano(n) {
  const interpolations = [nearest, linear, smooth, nearest];
  const heights = new Array(POINTS).fill(0);
  let sum = 0;
  for (let phase = 0; phase < 4; phase++) {
    erupt(heights, phase);
    for (let i = 0; i < n; i++) sum += shade(heights, interpolations[phase]);
  }
  return sum;
}

console.log(String(volcano(Number(process.argv[2]))));
