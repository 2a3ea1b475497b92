function element(i, j) {
  const d = i + j;
  return 1 / ((d * (d + 1)) / 2 + i + 1);
}

function times(v, result) {
  const n = v.length;
  for (let i = 0; i < n; i++) {
    let s = 0;
    for (let j = 0; j < n; j++) s += element(i, j) * v[j];
    result[i] = s;
  }
}

function timesTransposed(v, result) {
  const n = v.length;
  for (let i = 0; i < n; i++) {
    let s = 0;
    for (let j = 0; j < n; j++) s += element(j, i) * v[j];
    result[i] = s;
  }
}

function timesTransposedTimes(v, result, t) {
  times(v, t);
  timesTransposed(t, result);
}

function spectralNorm(n) {
  const u = new Array(n).fill(1.0), v = new Array(n).fill(1.0), t = new Array(n).fill(1.0);
  for (let round = 0; round < 10; round++) {
    timesTransposedTimes(u, v, t);
    timesTransposedTimes(v, u, t);
  }
  let uv = 0, vv = 0;
  for (let i = 0; i < n; i++) {
    uv += u[i] * v[i];
    vv += v[i] * v[i];
  }
  return uv / vv;
}

console.log(String(spectralNorm(Number(process.argv[2]))));
