-- A key that is false marks a free slot.
local function new_dictionary(capacity)
  local keys, values = {}, {}
  for i = 0, capacity - 1 do
    keys[i], values[i] = false, 0
  end
  return {keys = keys, values = values, capacity = capacity, size = 0}
end

local function slot(d, key)
  local keys, capacity = d.keys, d.capacity
  local i = key * 40503 % capacity
  while keys[i] and keys[i] ~= key do
    i = i + 1
    if i == capacity then i = 0 end
  end
  return i
end

local function grow(d)
  local wide = new_dictionary(2 * d.capacity)
  for i = 0, d.capacity - 1 do
    local key = d.keys[i]
    if key then
      local j = slot(wide, key)
      wide.keys[j], wide.values[j] = key, d.values[i]
    end
  end
  d.keys, d.values, d.capacity = wide.keys, wide.values, wide.capacity
end

local function increment(d, key)
  local i = slot(d, key)
  if d.keys[i] then
    d.values[i] = d.values[i] + 1
    return
  end
  d.keys[i], d.values[i] = key, 1
  d.size = d.size + 1
  if 3 * d.size >= 2 * d.capacity then grow(d) end
end

local function lookup(d, key)
  local i = slot(d, key)
  return d.keys[i] and d.values[i] or 0
end

local function dictionary(n)
  local d = new_dictionary(16)
  local state, range = 42, math.floor(n / 1024) + 100
  for _ = 1, n do
    state = state * 16807 % 2147483647
    increment(d, state % range)
  end
  local checksum = 0
  for key = 0, range - 1 do
    local count = lookup(d, key)
    if count ~= 0 then checksum = (checksum + count * key) % 1000000007 end
  end
  return checksum * 1000 + d.size % 1000
end

print(string.format("%d", dictionary(tonumber(arg[1]))))
