// Calls of functions that have versions for the contexts of their calls which the program does not
// contain (Feedback::Dispatched). Inlining one of which the context is not known would lose what
// its version knows; that is worth more than the call where the function has a loop.
#pragma once

#include "sourir/analysis/cfg.h"
#include "sourir/analysis/static_context.h"
#include "sourir/syntax/ast.h"
#include "sourir/syntax/context.h"
#include "sourir/syntax/feedback.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace sourir {

// By block of the version: whether calls for which these guards hold may execute it.
std::vector<bool> executed_where(const Version& version, const Cfg& cfg,
                                 const std::vector<Expr>& guards);

class DispatchedCalls {
public:
  // Both must outlive it.
  DispatchedCalls(const Program& program, const Feedback& feedback);

  // Whether calls of the function enter such versions, and are worth it.
  bool contains(FunName function) const { return functions_.contains(function); }
  const Function& function(FunName name) const { return *functions_.at(name).function; }
  // The guards of one that each such call enters; null: there is none, or a call may also enter a
  // more specific one. Precondition: contains().
  const std::vector<Expr>* entered(FunName function, const StaticContext& call) const;
  // The guard that is left to test before the call enters one in which no loop is executed; empty:
  // there is none, or more than one is left. Precondition: contains(), entered() is null.
  std::optional<Expr> deciding_guard(FunName function, const StaticContext& call) const;

private:
  struct Entry {
    const std::vector<Expr>* when;
    Context context;
    bool loops; // a loop may be executed where it holds
  };
  struct Contexts {
    const Function* function = nullptr;
    std::vector<Entry> contexts;
  };
  std::unordered_map<FunName, Contexts> functions_;
};

} // namespace sourir
