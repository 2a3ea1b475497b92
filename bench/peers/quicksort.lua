local function sort(a, low, high)
  if low >= high then return end
  local pivot = a[math.floor((low + high) / 2)]
  local i, j = low, high
  while i <= j do
    while a[i] < pivot do
      i = i + 1
    end
    while a[j] > pivot do
      j = j - 1
    end
    if i <= j then
      a[i], a[j] = a[j], a[i]
      i, j = i + 1, j - 1
    end
  end
  sort(a, low, j)
  sort(a, i, high)
end

local function quicksort(n)
  local a, state = {}, 1
  for i = 0, n - 1 do
    state = state * 48271 % 2147483647
    a[i] = state
  end
  sort(a, 0, n - 1)
  local checksum = 0
  for i = 0, n - 1 do
    checksum = (checksum * 31 + a[i]) % 1000000007
  end
  return checksum
end

print(string.format("%d", quicksort(tonumber(arg[1]))))
