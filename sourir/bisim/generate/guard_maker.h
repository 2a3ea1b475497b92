// Tests for guards and contexts of versions, and what is known where they hold.
#pragma once

#include "sourir/bisim/generate/fact_trail.h"

namespace sourir::random {

struct Guard {
  Expr test;
  VarIndex variable = kNone; // of which something is known where the test holds; kNone: nothing
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
  FunName member(std::uint8_t family);

  VersionOutput& out_;
};

} // namespace sourir::random
