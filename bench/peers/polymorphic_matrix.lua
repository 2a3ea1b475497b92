local function fill(a, n, factor, offset)
  for i = 0, n - 1 do
    a[i] = factor * i % 11 + offset
  end
end

local function mix(a, n)
  for i = 0, n - 1 do
    if i % 3 == 0 then
      a[i] = 0.5 * (i % 8)
    else
      a[i] = i % 8
    end
  end
end

local function multiply(n, matrix, vector, result)
  local p = 0
  for row = 0, n - 1 do
    local s = 0
    for column = 0, n - 1 do
      s = s + matrix[p] * vector[column]
      p = p + 1
    end
    result[row] = s
  end
end

local function phase(n, matrix, vector, rounds)
  local total, result = 0, {}
  for round = 0, rounds - 1 do
    multiply(n, matrix, vector, result)
    total = total + result[round % n]
  end
  return total
end

local function polymorphic_matrix(rounds)
  local n, matrix, vector = 40, {}, {}
  fill(matrix, n * n, 3, 5)
  fill(vector, n, 7, 1)
  local total = phase(n, matrix, vector, rounds)
  fill(matrix, n * n, 3, 5.5)
  fill(vector, n, 7, 1.25)
  total = total + phase(n, matrix, vector, rounds)
  mix(matrix, n * n)
  mix(vector, n)
  return total + phase(n, matrix, vector, rounds)
end

print(string.format("%.17g", polymorphic_matrix(tonumber(arg[1]))))
