local function tree(depth)
  if depth == 0 then return {} end
  return {tree(depth - 1), tree(depth - 1)}
end

local function count(node)
  if not node[1] then return 1 end
  return count(node[1]) + count(node[2]) + 1
end

local function binary_trees(n)
  local total = count(tree(n + 1))
  local long_lived = tree(n)
  local trees = 2 ^ n
  for depth = 4, n, 2 do
    for _ = 1, trees do
      total = total + count(tree(depth))
    end
    trees = trees / 4
  end
  return total + count(long_lived)
end

print(string.format("%d", binary_trees(tonumber(arg[1]))))
