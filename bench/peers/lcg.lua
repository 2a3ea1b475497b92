local function lcg(n)
  local state = 1
  for _ = 1, n do
    state = state * 48271 % 2147483647
  end
  return state
end

print(string.format("%d", lcg(tonumber(arg[1]))))
