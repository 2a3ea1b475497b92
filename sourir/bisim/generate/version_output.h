// Versions of functions while they are written: their plan, names and instructions so far;
// positions of the tree's nodes and the facts that each relies on, which exits to them need.
#pragma once

#include "sourir/bisim/generate/random_context.h"
#include "sourir/bisim/generate/random_tree.h"

#include <deque>

namespace sourir::random {

// What a version relies on since some assume or context: a chain, so that a position holds its
// facts as one number. An exit may enter that position only where these facts hold.
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

// A variable of the tree in a version.
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

class VersionOutput {
public:
  VersionOutput(Generation& generation, std::deque<WrittenFunction>& functions,
                WrittenFunction& function, std::size_t number)
      : generation_(generation), functions_(functions), function_(function),
        version_(function.versions[number]), number_(number) {}

  Generation& generation() { return generation_; }
  ChoiceSequence& choices() { return generation_.choices; }
  bool has(Feature f) const { return generation_.policy.has(f); }
  std::deque<WrittenFunction>& functions() { return functions_; }
  WrittenFunction& function() { return function_; }
  WrittenVersion& version() { return version_; }
  std::size_t number() const { return number_; } // in function().versions
  bool is_base() const { return number_ == 0; }
  bool is_continuation() const { return version_.entry != kNone; }

  void push(Instruction instr);
  // Puts a label, or a scope annotation, before the next instruction.
  void place(Label label) { pending_.labels.push_back(label); }
  void annotate(ScopeNote note) { pending_.scopes.push_back(std::move(note)); }
  void finish();
  Label fresh_label() { return generation_.names.label(version_.next_label++); }
  Var fresh_var() { return generation_.names.var(version_.next_var++); }

  Spot here(const BodyEnv& env) const {
    return {static_cast<std::uint32_t>(version_.out.body.size()), env.facts};
  }
  // Whether this is the version's only position for the gaps of its own tree.
  bool in_place(const BodyEnv& env) const { return !env.caller && nesting.peeling == 0; }
  // Instructions that may be written besides those of the tree. Where none remain, versions become
  // short, not wrong.
  std::int64_t room() const {
    return generation_.left - static_cast<std::int64_t>(function_.tree.nodes.size());
  }
  // Whether a literal may stand for the variable. Arrays have none, and neither has what may be
  // used as an array. With errors, a function may be called with a wrong number of arguments, which
  // its name does not allow.
  bool may_be_literal(const Tree& tree, VarIndex k) const;

  struct Nesting { // of what is being written
    std::uint32_t peeling = 0, loops = 0, inlined = 0;
  };
  Nesting nesting;

private:
  Generation& generation_;
  std::deque<WrittenFunction>& functions_;
  WrittenFunction& function_;
  WrittenVersion& version_;
  std::size_t number_;
  LeadingTrivia pending_;
};

// Plans the last version of the function: its names, the constants that are no variables there,
// and, with `when`, a context that it is specialized for.
void plan_version(Generation& generation, std::deque<WrittenFunction>& functions,
                  WrittenFunction& function, bool when);

// The function's own body in a version that was planned, with nothing in scope yet.
BodyEnv own_env(VersionOutput& out);

} // namespace sourir::random
