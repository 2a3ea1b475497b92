#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BODIES = 5 };

struct body {
  double x, y, z, vx, vy, vz, mass;
};

/* The sun, Jupiter, Saturn, Uranus, Neptune; units: AU, days, 4 pi^2 solar masses. */
static struct body bodies[BODIES] = {
    {0, 0, 0, 0, 0, 0, 39.47841760435743},
    {4.8414314424647209, -1.1603200440274284, -0.10362204447112311, 0.606326392995832,
     2.81198684491626, -0.02521836165988763, 0.03769367487038949},
    {8.34336671824458, 4.124798564124305, -0.4035234171143214, -1.01077434617879,
     1.8256623712304119, 0.008415761376584154, 0.011286326131968767},
    {12.894369562139131, -15.111151401698631, -0.22330757889265573, 1.08279100644154,
     0.868713018169608, -0.010832637401363636, 0.0017237240570597112},
    {15.379697114850917, -25.919314609987964, 0.17925877295037118, 0.979090732243898,
     0.594698998647676, -0.034755955550407975, 0.0020336868699246304},
};

/* The square root of a > 0 by Newton's iteration, as in the other languages. */
static double root(double a) {
  double r = (a + 1) * 0.5;
  for (double next = (r + a / r) * 0.5; next < r; next = (r + a / r) * 0.5)
    r = next;
  return r;
}

static void rest(void) {
  double px = 0, py = 0, pz = 0;
  for (int i = 1; i < BODIES; i++) {
    px += bodies[i].vx * bodies[i].mass;
    py += bodies[i].vy * bodies[i].mass;
    pz += bodies[i].vz * bodies[i].mass;
  }
  bodies[0].vx = -(px / bodies[0].mass);
  bodies[0].vy = -(py / bodies[0].mass);
  bodies[0].vz = -(pz / bodies[0].mass);
}

static void attract(double dt) {
  for (int i = 0; i < BODIES; i++) {
    struct body *a = &bodies[i];
    for (int j = i + 1; j < BODIES; j++) {
      struct body *b = &bodies[j];
      double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
      double d = dx * dx + dy * dy + dz * dz;
      double magnitude = dt / (d * root(d));
      double m = b->mass * magnitude;
      a->vx -= dx * m;
      a->vy -= dy * m;
      a->vz -= dz * m;
      m = a->mass * magnitude;
      b->vx += dx * m;
      b->vy += dy * m;
      b->vz += dz * m;
    }
  }
}

static void move(double dt) {
  for (int i = 0; i < BODIES; i++) {
    bodies[i].x += dt * bodies[i].vx;
    bodies[i].y += dt * bodies[i].vy;
    bodies[i].z += dt * bodies[i].vz;
  }
}

static double energy(void) {
  double e = 0;
  for (int i = 0; i < BODIES; i++) {
    const struct body *a = &bodies[i];
    e += a->mass * (a->vx * a->vx + a->vy * a->vy + a->vz * a->vz) * 0.5;
    for (int j = i + 1; j < BODIES; j++) {
      const struct body *b = &bodies[j];
      double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
      e -= a->mass * b->mass / root(dx * dx + dy * dy + dz * dz);
    }
  }
  return e;
}

static double nbody(int64_t n) {
  rest();
  for (int64_t i = 0; i < n; i++) {
    attract(0.01);
    move(0.01);
  }
  return energy();
}

int main(int argc, char **argv) {
  printf("%.17g\n", nbody(argc > 1 ? atoll(argv[1]) : 0));
  return 0;
}
