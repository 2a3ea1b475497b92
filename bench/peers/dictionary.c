#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { FREE = -1 };

struct dictionary {
  int64_t *keys, *values;
  int64_t capacity, size;
};

static void allocate(struct dictionary *d, int64_t capacity) {
  d->keys = malloc(capacity * sizeof *d->keys);
  d->values = malloc(capacity * sizeof *d->values);
  d->capacity = capacity;
  for (int64_t i = 0; i < capacity; i++)
    d->keys[i] = FREE;
}

static int64_t slot(const struct dictionary *d, int64_t key) {
  int64_t i = key * 40503 % d->capacity;
  while (d->keys[i] != FREE && d->keys[i] != key)
    if (++i == d->capacity) i = 0;
  return i;
}

static void grow(struct dictionary *d) {
  struct dictionary old = *d;
  allocate(d, 2 * old.capacity);
  for (int64_t i = 0; i < old.capacity; i++) {
    if (old.keys[i] == FREE) continue;
    int64_t j = slot(d, old.keys[i]);
    d->keys[j] = old.keys[i];
    d->values[j] = old.values[i];
  }
  free(old.keys);
  free(old.values);
}

static void increment(struct dictionary *d, int64_t key) {
  int64_t i = slot(d, key);
  if (d->keys[i] == key) {
    d->values[i]++;
    return;
  }
  d->keys[i] = key;
  d->values[i] = 1;
  d->size++;
  if (3 * d->size >= 2 * d->capacity) grow(d);
}

static int64_t lookup(const struct dictionary *d, int64_t key) {
  int64_t i = slot(d, key);
  return d->keys[i] == FREE ? 0 : d->values[i];
}

static int64_t dictionary(int64_t n) {
  struct dictionary d = {0};
  allocate(&d, 16);
  int64_t state = 42, range = n / 1024 + 100;
  for (int64_t i = 0; i < n; i++) {
    state = state * 16807 % 2147483647;
    increment(&d, state % range);
  }
  int64_t checksum = 0;
  for (int64_t key = 0; key < range; key++) {
    int64_t count = lookup(&d, key);
    if (count != 0) checksum = (checksum + count * key) % 1000000007;
  }
  checksum = checksum * 1000 + d.size % 1000;
  free(d.keys);
  free(d.values);
  return checksum;
}

int main(int argc, char **argv) {
  printf("%lld\n", (long long)dictionary(argc > 1 ? atoll(argv[1]) : 0));
  return 0;
}
