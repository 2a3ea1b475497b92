local function iterations(cr, ci)
  local zr, zi, rr, ii = 0.0, 0.0, 0.0, 0.0
  local k = 0
  while k < 50 and rr + ii <= 4.0 do
    zi = 2.0 * zr * zi + ci
    zr = rr - ii + cr
    rr = zr * zr
    ii = zi * zi
    k = k + 1
  end
  return k
end

local function mandelbrot(n)
  local total, step = 0, 2.0 / n
  for row = 0, n - 1 do
    for column = 0, n - 1 do
      total = total + iterations(step * column - 1.5, step * row - 1.0)
    end
  end
  return total
end

print(string.format("%d", mandelbrot(tonumber(arg[1]))))
