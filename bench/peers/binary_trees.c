#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
  struct node *left, *right;
};

static struct node *tree(int64_t depth) {
  struct node *node = malloc(sizeof *node);
  node->left = depth == 0 ? NULL : tree(depth - 1);
  node->right = depth == 0 ? NULL : tree(depth - 1);
  return node;
}

static int64_t count(const struct node *node) {
  if (node->left == NULL) return 1;
  return count(node->left) + count(node->right) + 1;
}

static void release(struct node *node) {
  if (node == NULL) return;
  release(node->left);
  release(node->right);
  free(node);
}

static int64_t binary_trees(int64_t n) {
  struct node *stretch = tree(n + 1);
  int64_t total = count(stretch);
  release(stretch);
  struct node *long_lived = tree(n);
  int64_t trees = (int64_t)1 << n;
  for (int64_t depth = 4; depth <= n; depth += 2) {
    for (int64_t i = 0; i < trees; i++) {
      struct node *t = tree(depth);
      total += count(t);
      release(t);
    }
    trees /= 4;
  }
  total += count(long_lived);
  release(long_lived);
  return total;
}

int main(int argc, char **argv) {
  printf("%lld\n", (long long)binary_trees(argc > 1 ? atoll(argv[1]) : 0));
  return 0;
}
