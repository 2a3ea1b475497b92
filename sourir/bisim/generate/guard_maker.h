// Tests for guards and contexts of versions, and the facts that they establish.
#pragma once

#include "sourir/bisim/generate/version_output.h"

namespace sourir::random {

// The type of a literal; none: a variable.
std::optional<Kind> literal_kind(const SimpleExpr& e);

// Whether all that a position of the target relies on is known in `env`.
bool implied(const BodyEnv& env, const WrittenVersion& target, FactId facts);

// The facts known at the position being written; they are withdrawn at the end of a block.
class FactTrail {
public:
  explicit FactTrail(VersionOutput& out) : out_(out) {}

  // From here on the variable equals the literal, or else is of the type.
  void learn(BodyEnv& env, VarIndex k, std::optional<Literal> equals, Kind kind);
  // forget() withdraws the facts about `env` since mark() returned `mark`.
  std::size_t mark() const { return trail_.size(); }
  void forget(BodyEnv& env, std::size_t mark);

private:
  struct UndoFact {
    VarIndex variable;
    Slot old;
    FactId facts;
    const BodyEnv* env;
  };
  VersionOutput& out_;
  std::vector<UndoFact> trail_;
};

struct Guard {
  Expr test;
  VarIndex variable = kNone; // of the fact that the test establishes; kNone: no fact
  std::optional<Literal> equals = {};
  Kind kind = Kind::Nil; // of the variable, where `equals` is empty
};

class GuardMaker {
public:
  explicit GuardMaker(VersionOutput& out) : out_(out) {}

  Guard guard(const BodyEnv& env);

private:
  Guard fact_guard(const BodyEnv& env, VarIndex k);
  Expr some_test(const BodyEnv& env);
  Kind element_type();
  FunName member(std::uint8_t family);

  VersionOutput& out_;
};

} // namespace sourir::random
