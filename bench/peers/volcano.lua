local POINTS = 400

local function nearest(a, b, at)
  if at < 0.5 then return a end
  return b
end

local function linear(a, b, at) return a + (b - a) * at end

local function smooth(a, b, at) return a + (b - a) * ((3.0 - 2.0 * at) * (at * at)) end

local function erupt(heights, phase)
  for i = 0, POINTS - 1 do
    local h = (37 * i + 11 * phase) % 64
    if phase ~= 3 then h = h * 0.5 end
    heights[i] = h
  end
end

local function shade(heights, interpolate)
  local sum = 0.0
  for i = 1, POINTS - 1 do
    local left, right = heights[i - 1], heights[i]
    local difference = interpolate(left, right, 0.25) - (left + right) * 0.5
    sum = sum + difference * difference
  end
  return sum
end

local function volcano(n)
  local interpolations = {[0] = nearest, linear, smooth, nearest}
  local heights, sum = {}, 0.0
  for phase = 0, 3 do
    erupt(heights, phase)
    for _ = 1, n do
      sum = sum + shade(heights, interpolations[phase])
    end
  end
  return sum
end

print(string.format("%.17g", volcano(tonumber(arg[1]))))
