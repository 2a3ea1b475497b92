local SIZE = 8192

local function sieve(n)
  local composite, primes = {}, 0
  for _ = 1, n do
    for i = 0, SIZE - 1 do
      composite[i] = false
    end
    for i = 2, SIZE - 1 do
      if not composite[i] then
        primes = primes + 1
        for multiple = i * i, SIZE - 1, i do
          composite[multiple] = true
        end
      end
    end
  end
  return primes
end

print(string.format("%d", sieve(tonumber(arg[1]))))
