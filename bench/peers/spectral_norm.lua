local function element(i, j)
  local d = i + j
  return 1.0 / (d * (d + 1) / 2 + i + 1)
end

local function times(n, v, result)
  for i = 0, n - 1 do
    local s = 0.0
    for j = 0, n - 1 do
      s = s + element(i, j) * v[j]
    end
    result[i] = s
  end
end

local function times_transposed(n, v, result)
  for i = 0, n - 1 do
    local s = 0.0
    for j = 0, n - 1 do
      s = s + element(j, i) * v[j]
    end
    result[i] = s
  end
end

local function times_transposed_times(n, v, result, t)
  times(n, v, t)
  times_transposed(n, t, result)
end

local function spectral_norm(n)
  local u, v, t = {}, {}, {}
  for i = 0, n - 1 do
    u[i] = 1.0
  end
  for _ = 1, 10 do
    times_transposed_times(n, u, v, t)
    times_transposed_times(n, v, u, t)
  end
  local uv, vv = 0.0, 0.0
  for i = 0, n - 1 do
    uv = uv + u[i] * v[i]
    vv = vv + v[i] * v[i]
  end
  return uv / vv
end

print(string.format("%.17g", spectral_norm(tonumber(arg[1]))))
