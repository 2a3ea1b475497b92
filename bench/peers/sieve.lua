local function sieve(n)
  local composite = {}
  for i = 0, n do
    composite[i] = false
  end
  local primes = 0
  for i = 2, n do
    if not composite[i] then
      primes = primes + 1
      for multiple = i * i, n, i do
        composite[multiple] = true
      end
    end
  end
  return primes
end

print(string.format("%d", sieve(tonumber(arg[1]))))
