function countFlips(p, q) {
  const n = p.length;
  for (let i = 0; i < n; i++) q[i] = p[i];
  let flips = 0;
  for (let first = q[0]; first !== 0; first = q[0]) {
    for (let low = 0, high = first; low < high; low++, high--) {
      const t = q[low];
      q[low] = q[high];
      q[high] = t;
    }
    flips++;
  }
  return flips;
}

function rotate(a, r) {
  const first = a[0];
  for (let i = 0; i < r; i++) a[i] = a[i + 1];
  a[r] = first;
}

function fannkuch(n) {
  const current = [], flipped = [], counters = [];
  for (let i = 0; i < n; i++) {
    current.push(i);
    flipped.push(0);
    counters.push(0);
  }
  let checksum = 0, most = 0, sign = 1, r = n;
  for (;;) {
    for (; r !== 1; r--) counters[r - 1] = r;
    const flips = countFlips(current, flipped);
    if (flips > most) most = flips;
    checksum += sign * flips;
    sign = -sign;
    for (;;) {
      if (r === n) return checksum * 1000 + most;
      rotate(current, r);
      if (--counters[r] > 0) break;
      r++;
    }
  }
}

console.log(String(fannkuch(Number(process.argv[2]))));
