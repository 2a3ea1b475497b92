// Expressions of the tree as expressions of the version: its names, with known values substituted.
#pragma once

#include "sourir/bisim/generate/version_output.h"

namespace sourir::random {

class TreeRewriter {
public:
  explicit TreeRewriter(const VersionOutput& out) : out_(out) {}

  SimpleExpr simple(const BodyEnv& env, const SimpleExpr& e) const;
  Expr expr(const BodyEnv& env, const Expr& e) const;
  std::vector<Expr> exprs(const BodyEnv& env, const std::vector<Expr>& es) const;
  Var name(const BodyEnv& env, Var x) const { return env.slots[x.id].name; }
  // The value of the expression where it is known.
  std::optional<Literal> known(const BodyEnv& env, const Expr& e) const;

  // Values that variables have after instructions that an exit does instead of the version; null:
  // there is none of the variable. Those that simple() meets must be simple.
  const Expr* deferred(VarIndex k) const;
  void defer(VarIndex k, Expr value);
  void clear_deferred() { deferred_.clear(); }

private:
  const VersionOutput& out_;
  std::vector<std::pair<VarIndex, Expr>> deferred_;
};

} // namespace sourir::random
