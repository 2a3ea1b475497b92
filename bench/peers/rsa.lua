local function rsa(n)
  local sum = 0
  for message = 1, n do
    local power = 1
    for _ = 1, 17 do
      power = power * message % 371893
    end
    sum = (sum + power) % 1000003
  end
  return sum
end

print(string.format("%d", rsa(tonumber(arg[1]))))
