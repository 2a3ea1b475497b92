local function collatz(n)
  local longest, start = 0, 0
  for i = 1, n - 1 do
    local length, x = 0, i
    while x ~= 1 do
      if x % 2 == 0 then
        x = x // 2
      else
        x = 3 * x + 1
      end
      length = length + 1
    end
    if length > longest then
      longest, start = length, i
    end
  end
  return start * 1000 + longest
end

print(string.format("%d", collatz(tonumber(arg[1]))))
