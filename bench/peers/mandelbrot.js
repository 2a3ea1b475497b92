function iterations(cr, ci) {
  let zr = 0, zi = 0, rr = 0, ii = 0, k = 0;
  while (k < 50 && rr + ii <= 4) {
    zi = 2 * zr * zi + ci;
    zr = rr - ii + cr;
    rr = zr * zr;
    ii = zi * zi;
    k++;
  }
  return k;
}

function mandelbrot(n) {
  const step = 2 / n;
  let total = 0;
  for (let row = 0; row < n; row++)
    for (let column = 0; column < n; column++)
      total += iterations(step * column - 1.5, step * row - 1.0);
  return total;
}

console.log(String(mandelbrot(Number(process.argv[2]))));
