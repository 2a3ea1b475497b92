function sort(a, low, high) {
  if (low >= high) return;
  const pivot = a[Math.floor((low + high) / 2)];
  let i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot) i++;
    while (a[j] > pivot) j--;
    if (i <= j) {
      const t = a[i];
      a[i++] = a[j];
      a[j--] = t;
    }
  }
  sort(a, low, j);
  sort(a, i, high);
}

function quicksort(n) {
  const a = [];
  let state = 1;
  for (let i = 0; i < n; i++) {
    state = (state * 48271) % 2147483647;
    a.push(state);
  }
  sort(a, 0, n - 1);
  let checksum = 0;
  for (const x of a) checksum = (checksum * 31 + x) % 1000000007;
  return checksum;
}

console.log(String(quicksort(Number(process.argv[2]))));
