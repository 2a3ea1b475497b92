// What is known of variables at the position being written, and how it is taken back at the end of
// a block.
#pragma once

#include "sourir/bisim/generate/version_output.h"

namespace sourir::random {

// The type of a literal; none: a variable.
std::optional<Kind> literal_kind(const SimpleExpr& e);

// Whether all that a position of the target relies on is known in `env`.
bool implied(const BodyEnv& env, const WrittenVersion& target, FactId facts);

class FactTrail {
public:
  explicit FactTrail(VersionOutput& out) : out_(out) {}

  // From here on the variable equals the literal, or else is of the type.
  void learn(BodyEnv& env, VarIndex k, std::optional<Literal> equals, Kind kind);
  // Takes back what was learnt of `env` since mark() gave `mark`.
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

} // namespace sourir::random
