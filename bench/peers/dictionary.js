class Dictionary {
  constructor(capacity) {
    this.allocate(capacity);
    this.size = 0;
  }

  allocate(capacity) {
    this.capacity = capacity;
    this.keys = new Array(capacity).fill(-1);
    this.values = new Array(capacity).fill(0);
  }

  slot(key) {
    let i = (key * 40503) % this.capacity;
    while (this.keys[i] !== -1 && this.keys[i] !== key)
      if (++i === this.capacity) i = 0;
    return i;
  }

  grow() {
    const { keys, values, capacity } = this;
    this.allocate(2 * capacity);
    for (let i = 0; i < capacity; i++) {
      if (keys[i] === -1) continue;
      const j = this.slot(keys[i]);
      this.keys[j] = keys[i];
      this.values[j] = values[i];
    }
  }

  increment(key) {
    const i = this.slot(key);
    if (this.keys[i] === key) {
      this.values[i]++;
      return;
    }
    this.keys[i] = key;
    this.values[i] = 1;
    this.size++;
    if (3 * this.size >= 2 * this.capacity) this.grow();
  }

  lookup(key) {
    const i = this.slot(key);
    return this.keys[i] === -1 ? 0 : this.values[i];
  }
}

function dictionary(n) {
  const d = new Dictionary(16);
  const range = Math.floor(n / 1024) + 100;
  let state = 42;
  for (let i = 0; i < n; i++) {
    state = (state * 16807) % 2147483647;
    d.increment(state % range);
  }
  let checksum = 0;
  for (let key = 0; key < range; key++) {
    const count = d.lookup(key);
    if (count !== 0) checksum = (checksum + count * key) % 1000000007;
  }
  return checksum * 1000 + (d.size % 1000);
}

console.log(String(dictionary(Number(process.argv[2]))));
