class Body {
  constructor(x, y, z, vx, vy, vz, mass) {
    this.x = x;
    this.y = y;
    this.z = z;
    this.vx = vx;
    this.vy = vy;
    this.vz = vz;
    this.mass = mass;
  }
}

// The sun, Jupiter, Saturn, Uranus, Neptune; units: AU, days, 4 pi^2 solar masses.
const bodies = [
  new Body(0, 0, 0, 0, 0, 0, 39.47841760435743),
  new Body(4.8414314424647209, -1.1603200440274284, -0.10362204447112311, 0.606326392995832,
    2.81198684491626, -0.02521836165988763, 0.03769367487038949),
  new Body(8.34336671824458, 4.124798564124305, -0.4035234171143214, -1.01077434617879,
    1.8256623712304119, 0.008415761376584154, 0.011286326131968767),
  new Body(12.894369562139131, -15.111151401698631, -0.22330757889265573, 1.08279100644154,
    0.868713018169608, -0.010832637401363636, 0.0017237240570597112),
  new Body(15.379697114850917, -25.919314609987964, 0.17925877295037118, 0.979090732243898,
    0.594698998647676, -0.034755955550407975, 0.0020336868699246304),
];

// The square root of a > 0 by Newton's iteration, as in the other languages.
function root(a) {
  let r = (a + 1) * 0.5;
  for (let next = (r + a / r) * 0.5; next < r; next = (r + a / r) * 0.5) r = next;
  return r;
}

function rest() {
  let px = 0, py = 0, pz = 0;
  for (const b of bodies.slice(1)) {
    px += b.vx * b.mass;
    py += b.vy * b.mass;
    pz += b.vz * b.mass;
  }
  const sun = bodies[0];
  sun.vx = -(px / sun.mass);
  sun.vy = -(py / sun.mass);
  sun.vz = -(pz / sun.mass);
}

function attract(dt) {
  for (let i = 0; i < bodies.length; i++) {
    const a = bodies[i];
    for (let j = i + 1; j < bodies.length; j++) {
      const b = bodies[j];
      const dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
      const d = dx * dx + dy * dy + dz * dz;
      const magnitude = dt / (d * root(d));
      let m = b.mass * magnitude;
      a.vx -= dx * m;
      a.vy -= dy * m;
      a.vz -= dz * m;
      m = a.mass * magnitude;
      b.vx += dx * m;
      b.vy += dy * m;
      b.vz += dz * m;
    }
  }
}

function move(dt) {
  for (const b of bodies) {
    b.x += dt * b.vx;
    b.y += dt * b.vy;
    b.z += dt * b.vz;
  }
}

function energy() {
  let e = 0;
  for (let i = 0; i < bodies.length; i++) {
    const a = bodies[i];
    e += a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz) * 0.5;
    for (let j = i + 1; j < bodies.length; j++) {
      const b = bodies[j];
      const dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
      e -= (a.mass * b.mass) / root(dx * dx + dy * dy + dz * dz);
    }
  }
  return e;
}

function nbody(n) {
  rest();
  for (let i = 0; i < n; i++) {
    attract(0.01);
    move(0.01);
  }
  return energy();
}

console.log(String(nbody(Number(process.argv[2]))));
