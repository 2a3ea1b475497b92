// Versions of functions while they are written, and what exits to them need to know: positions of
// the tree's nodes, and the facts that each position relies on.
#pragma once

#include "sourir/bisim/generate/random_tree.h"

#include <deque>

namespace sourir::random {

// What a version relies on since some assume or context: a chain, so that a position remembers its
// facts at no cost. An exit may enter that position only where these facts hold.
using FactId = std::uint32_t;
struct Fact {
  VarIndex variable;
  std::optional<Literal> equals; // else: it is of this type
  Kind kind;
  FactId before; // kNone: the first one
};

// A position of a version with the facts that it relies on.
struct Spot {
  std::uint32_t position = kNone; // in the body; kNone: the version does not have it
  FactId facts = kNone;
};

// A position in an inlined body, by the calls that lead there, innermost first.
struct InlinedSpot {
  struct Level {
    NodeId call = kNone; // in the caller; kNone in the version's own function
    Var result = {};     // of that call
    FactId facts = kNone;
    std::vector<std::pair<VarIndex, Var>> names; // in scope
  };
  NodeId node = kNone;
  std::uint32_t position = 0;
  std::vector<Level> levels;
};

struct WrittenVersion {
  Version out;
  bool finished = false;
  bool targeted = false;              // an exit names it
  std::vector<Var> real;              // the names of the tree's variables here
  std::vector<std::uint8_t> left_out; // constants that are no variables here
  std::vector<Spot> at;               // by node: where it stands
  std::vector<Spot> exit;             // by node: the exit before it, if there is one
  std::vector<Spot> after;            // by call: the position after it
  std::vector<InlinedSpot> inlined;
  std::vector<Fact> facts;
  std::vector<Label> exit_labels; // by position: the label for exits that come here
  std::uint32_t next_label = 0, next_var = 0;
  NodeId entry = kNone; // of a continuation
  Label entry_label = {};
  std::vector<VarIndex> entry_scope;
};

struct WrittenFunction {
  Tree tree;
  std::deque<WrittenVersion> versions; // base, then as they were begun
  std::uint32_t conts = 0;
};

// A variable of the tree as a version knows it.
struct Slot {
  Var name;
  SimpleExpr value; // the name, or a literal that it is known to have
  bool absent = false;
  std::optional<Kind> kind;
};

// A body being written: the function's own, or one that is inlined.
struct BodyEnv {
  WrittenFunction& function;
  std::vector<Slot> slots; // by variable of the tree
  std::vector<VarIndex> scope = {};
  BodyEnv* caller = nullptr; // of an inlined body
  NodeId call = kNone;       // the caller's
  Var result = {};           // its name in the version being written
  std::optional<Label> join = {};
  FactId facts = kNone;
  // The first of the nodes without effect that end here, and the size of the scope before it.
  NodeId run = kNone;
  std::size_t run_scope = 0;

  const Tree& tree() const { return function.tree; }
};

} // namespace sourir::random
