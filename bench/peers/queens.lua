local columns, rising, falling = {}, {}, {}

local function place(row, n)
  if row == n then return 1 end
  local ways = 0
  for column = 0, n - 1 do
    local up, down = row + column, row - column + n
    if not columns[column] and not rising[up] and not falling[down] then
      columns[column], rising[up], falling[down] = true, true, true
      ways = ways + place(row + 1, n)
      columns[column], rising[up], falling[down] = false, false, false
    end
  end
  return ways
end

local function queens(n)
  for i = 0, n - 1 do
    columns[i] = false
  end
  for i = 0, 2 * n - 1 do
    rising[i], falling[i] = false, false
  end
  return place(0, n)
end

print(string.format("%d", queens(tonumber(arg[1]))))
