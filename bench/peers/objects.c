#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct shape;

struct class {
  int64_t (*area)(const struct shape *);
  void (*grow)(struct shape *, int64_t);
  int64_t (*describe)(const struct shape *);
};

struct shape {
  const struct class *class;
  int64_t width, height;
};

static int64_t describe(const struct shape *self) {
  return self->class->area(self) * 10 + self->width;
}

static int64_t rectangle_area(const struct shape *self) {
  return self->width * self->height;
}

static int64_t triangle_area(const struct shape *self) {
  return self->width * self->height / 2;
}

static int64_t frame_area(const struct shape *self) {
  return self->width * self->height - (self->width - 2) * (self->height - 2);
}

static void rectangle_grow(struct shape *self, int64_t by) {
  self->width = (self->width + by) % 50 + 3;
}

static void frame_grow(struct shape *self, int64_t by) {
  self->height = (self->height + by) % 40 + 3;
}

static const struct class rectangle = {rectangle_area, rectangle_grow, describe};
static const struct class triangle = {triangle_area, rectangle_grow, describe};
static const struct class frame = {frame_area, frame_grow, describe};

static int64_t objects(int64_t n) {
  const struct class *classes[] = {&rectangle, &triangle, &frame};
  struct shape *shapes[60];
  for (int i = 0; i < 60; i++) {
    shapes[i] = malloc(sizeof *shapes[i]);
    *shapes[i] = (struct shape){classes[i % 3], i % 7 + 3, i % 11 + 3};
  }
  int64_t checksum = 0;
  for (int64_t round = 0; round < n; round++) {
    for (int i = 0; i < 60; i++) {
      struct shape *shape = shapes[i];
      shape->class->grow(shape, round);
      checksum += shape->class->describe(shape);
    }
    checksum %= 1000000007;
  }
  for (int i = 0; i < 60; i++)
    free(shapes[i]);
  return checksum;
}

int main(int argc, char **argv) {
  printf("%lld\n", (long long)objects(argc > 1 ? atoll(argv[1]) : 0));
  return 0;
}
