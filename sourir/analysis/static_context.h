// The static context of a call (dissertation 3.2): what the facts before it say about its
// arguments, and the version that dispatch takes whatever else they are. The callee must outlive
// it.
#pragma once

#include "sourir/analysis/facts.h"
#include "sourir/syntax/ast.h"
#include "sourir/syntax/context.h"

#include <span>
#include <vector>

namespace sourir {

class StaticContext {
public:
  // Precondition: the call has as many arguments as the callee has parameters. `before`: the facts
  // before the call.
  StaticContext(const Call& call, const Function& callee, const Facts& before);

  const Function& callee() const { return callee_; }
  // Holds for every such call: types, constants, types of elements, inequalities.
  const Context& context() const { return context_; }

  // The guards of the version's context, or these, that are not known to hold; none: each such
  // call entails it.
  std::vector<Expr> open_guards(const Version& version) const { return open_guards(version.when); }
  std::vector<Expr> open_guards(std::span<const Expr> guards) const;
  bool holds_always(std::span<const Expr> guards) const;
  // Whether its context, or all of these, hold for none.
  bool excludes(const Version& version) const { return excludes(version.when); }
  bool excludes(const std::vector<Expr>& guards) const;

  // The first version, in the order in which calls try them, whose context every such call
  // satisfies, if the contexts of those before hold for none; null: that depends on the call.
  const Version* entered() const;

private:
  bool guard_holds(const Expr& guard) const;

  const Function& callee_;
  Facts arguments_; // of the parameters
  Context context_;
};

} // namespace sourir
