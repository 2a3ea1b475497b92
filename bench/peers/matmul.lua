local function matmul(n)
  local a, b, c = {}, {}, {}
  for i = 0, n * n - 1 do
    a[i] = i % 7
    b[i] = i % 5
  end
  for i = 0, n - 1 do
    for j = 0, n - 1 do
      local s = 0
      for k = 0, n - 1 do
        s = s + a[i * n + k] * b[k * n + j]
      end
      c[i * n + j] = s
    end
  end
  local total = 0
  for i = 0, n * n - 1 do
    total = total + c[i]
  end
  return total
end

print(string.format("%d", matmul(tonumber(arg[1]))))
