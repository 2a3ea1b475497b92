// A function before it has versions: statements with their structure. All versions of a function
// are written from one tree, so that what one version leaves out or does earlier is known to be
// right by construction, and a gap of the tree (the place before a node) is the same state in
// each of them.
#pragma once

#include "sourir/bisim/generate/random_types.h"
#include "sourir/syntax/ast.h"

#include <optional>
#include <vector>

namespace sourir::random {

using VarIndex = std::uint32_t; // in Tree::vars; stands in the tree's instructions as Var{index}
using NodeId = std::uint32_t;
inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

inline Var as_var(VarIndex k) { return Var{k}; }

struct Variable {
  Type type;
  std::uint32_t name = 0;       // number of its name in the base
  bool assigned = false;        // after its declaration
  bool pinned = false;          // not to be assigned or dropped at will
  std::optional<Literal> known; // the literal it is declared with
  VarIndex inside = kNone;      // it is always an index inside of this array
};

struct Block {
  NodeId first = kNone, last = kNone;
};

enum class Shape : std::uint8_t { Plain, If, While };

struct Node {
  Shape shape = Shape::Plain;
  Instruction instr; // If and While: a branch without labels
  NodeId next = kNone;
  NodeId owner = kNone; // the If or While that it stands in
  Block first, second;  // If: when true, when false; While: the body
};

// Control does not go on after such a node.
inline bool ends_body(const Node& node) {
  return std::holds_alternative<Return>(node.instr) || std::holds_alternative<Stop>(node.instr);
}

struct Tree {
  FunName name;
  Signature signature;
  std::vector<Variable> vars; // the parameters first
  std::vector<Node> nodes;
  Block body;
  std::uint32_t returns = 0;

  std::uint32_t params() const { return static_cast<std::uint32_t>(signature.params.size()); }
  bool ends_body(const Block& block) const {
    return block.last != kNone && sourir::random::ends_body(nodes[block.last]);
  }
  // Constant from its declaration on, and which.
  const Literal* constant(VarIndex k) const {
    const Variable& v = vars[k];
    return v.known && !v.assigned ? &*v.known : nullptr;
  }
};

} // namespace sourir::random
