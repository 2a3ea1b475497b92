local function count_flips(n, p, q)
  for i = 0, n - 1 do
    q[i] = p[i]
  end
  local flips, first = 0, q[0]
  while first ~= 0 do
    local low, high = 0, first
    while low < high do
      q[low], q[high] = q[high], q[low]
      low, high = low + 1, high - 1
    end
    flips = flips + 1
    first = q[0]
  end
  return flips
end

local function rotate(a, r)
  local first = a[0]
  for i = 0, r - 1 do
    a[i] = a[i + 1]
  end
  a[r] = first
end

local function fannkuch(n)
  local current, flipped, counters = {}, {}, {}
  for i = 0, n - 1 do
    current[i], flipped[i], counters[i] = i, 0, 0
  end
  local checksum, most, sign, r = 0, 0, 1, n
  while true do
    while r ~= 1 do
      counters[r - 1] = r
      r = r - 1
    end
    local flips = count_flips(n, current, flipped)
    if flips > most then most = flips end
    checksum = checksum + sign * flips
    sign = -sign
    while true do
      if r == n then return checksum * 1000 + most end
      rotate(current, r)
      counters[r] = counters[r] - 1
      if counters[r] > 0 then break end
      r = r + 1
    end
  end
end

print(string.format("%d", fannkuch(tonumber(arg[1]))))
