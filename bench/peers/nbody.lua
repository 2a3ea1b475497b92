local function body(x, y, z, vx, vy, vz, mass)
  return {x = x, y = y, z = z, vx = vx, vy = vy, vz = vz, mass = mass}
end

-- The sun, Jupiter, Saturn, Uranus, Neptune; units: AU, days, 4 pi^2 solar masses.
local bodies = {
  body(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 39.47841760435743),
  body(4.8414314424647209, -1.1603200440274284, -0.10362204447112311, 0.606326392995832,
    2.81198684491626, -0.02521836165988763, 0.03769367487038949),
  body(8.34336671824458, 4.124798564124305, -0.4035234171143214, -1.01077434617879,
    1.8256623712304119, 0.008415761376584154, 0.011286326131968767),
  body(12.894369562139131, -15.111151401698631, -0.22330757889265573, 1.08279100644154,
    0.868713018169608, -0.010832637401363636, 0.0017237240570597112),
  body(15.379697114850917, -25.919314609987964, 0.17925877295037118, 0.979090732243898,
    0.594698998647676, -0.034755955550407975, 0.0020336868699246304),
}

-- The square root of a > 0 by Newton's iteration, as in the other languages.
local function root(a)
  local r = (a + 1.0) * 0.5
  local next = (r + a / r) * 0.5
  while next < r do
    r = next
    next = (r + a / r) * 0.5
  end
  return r
end

local function rest()
  local px, py, pz = 0.0, 0.0, 0.0
  for i = 2, #bodies do
    local b = bodies[i]
    px = px + b.vx * b.mass
    py = py + b.vy * b.mass
    pz = pz + b.vz * b.mass
  end
  local sun = bodies[1]
  sun.vx, sun.vy, sun.vz = -(px / sun.mass), -(py / sun.mass), -(pz / sun.mass)
end

local function attract(dt)
  for i = 1, #bodies do
    local a = bodies[i]
    for j = i + 1, #bodies do
      local b = bodies[j]
      local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
      local d = dx * dx + dy * dy + dz * dz
      local magnitude = dt / (d * root(d))
      local m = b.mass * magnitude
      a.vx = a.vx - dx * m
      a.vy = a.vy - dy * m
      a.vz = a.vz - dz * m
      m = a.mass * magnitude
      b.vx = b.vx + dx * m
      b.vy = b.vy + dy * m
      b.vz = b.vz + dz * m
    end
  end
end

local function move(dt)
  for i = 1, #bodies do
    local b = bodies[i]
    b.x = b.x + dt * b.vx
    b.y = b.y + dt * b.vy
    b.z = b.z + dt * b.vz
  end
end

local function energy()
  local e = 0.0
  for i = 1, #bodies do
    local a = bodies[i]
    e = e + a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz) * 0.5
    for j = i + 1, #bodies do
      local b = bodies[j]
      local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
      e = e - a.mass * b.mass / root(dx * dx + dy * dy + dz * dz)
    end
  end
  return e
end

local function nbody(n)
  rest()
  for _ = 1, n do
    attract(0.01)
    move(0.01)
  end
  return energy()
end

print(string.format("%.17g", nbody(tonumber(arg[1]))))
