local function gcd(a, b)
  while b ~= 0 do
    a, b = b, a % b
  end
  return a
end

local function gcd_sum(n)
  local sum = 0
  for a = 1, n do
    for b = 1, n do
      local d = gcd(a, b)
      sum = sum + d
      if d == 1 then sum = sum + 1 end
    end
  end
  return sum
end

print(string.format("%d", gcd_sum(tonumber(arg[1]))))
