-- For LuaJIT, which does not know //.
local function map(a, f)
  local result = {}
  for i = 1, #a do
    result[i] = f(a[i])
  end
  return result
end

local function filter(a, keep)
  local result, kept = {}, 0
  for i = 1, #a do
    local x = a[i]
    if keep(x) then
      kept = kept + 1
      result[kept] = x
    end
  end
  return result
end

local function fold(a, join, start)
  local result = start
  for i = 1, #a do
    result = join(result, a[i])
  end
  return result
end

local function pipeline(numbers, f, keep, join)
  return fold(filter(map(numbers, f), keep), join, 0)
end

local function square(x) return x * x end
local function triple_plus_one(x) return 3 * x + 1 end
local function half(x) return (x - x % 2) / 2 end
local function is_even(x) return x % 2 == 0 end
local function is_multiple_of_5(x) return x % 5 == 0 end
local function add(a, b) return a + b end
local function larger(a, b) if a > b then return a end return b end
local function mixed(a, b) return (a * 31 + b) % 65521 end

local function map_reduce(n)
  local numbers = {}
  for i = 1, 1000 do
    numbers[i] = i - 1
  end
  local checksum = 0
  for _ = 1, n do
    checksum = checksum + pipeline(numbers, square, is_even, add)
    checksum = checksum + pipeline(numbers, triple_plus_one, is_multiple_of_5, larger)
    checksum = checksum + pipeline(numbers, half, is_even, mixed)
    checksum = checksum % 1000000007
  end
  return checksum
end

print(string.format("%d", map_reduce(tonumber(arg[1]))))
