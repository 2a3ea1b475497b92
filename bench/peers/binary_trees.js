class Node {
  constructor(left, right) {
    this.left = left;
    this.right = right;
  }
}

function tree(depth) {
  if (depth === 0) return new Node(null, null);
  return new Node(tree(depth - 1), tree(depth - 1));
}

function count(node) {
  if (node.left === null) return 1;
  return count(node.left) + count(node.right) + 1;
}

function binaryTrees(n) {
  let total = count(tree(n + 1));
  const longLived = tree(n);
  let trees = 2 ** n;
  for (let depth = 4; depth <= n; depth += 2) {
    for (let i = 0; i < trees; i++) total += count(tree(depth));
    trees /= 4;
  }
  return total + count(longLived);
}

console.log(String(binaryTrees(Number(process.argv[2]))));
