#include "native/deopt/exit_dispatch.h"

#include "native/deopt/materialize.h"

#include <algorithm>

namespace sourir::native {

namespace {

// Whether the guard is about an element at a literal index, which was loaded in the instructions
// before: a table that hardly ever changes, so native code may rely on a watchpoint (array.h).
bool is_watched(const ResolvedVersion& version, Pc pc, const resolved::Expr& guard) {
  const auto at_literal = [](const resolved::Expr& e) {
    return e.shape == resolved::Shape::Index && e.b.slot == resolved::kLiteral;
  };
  if (at_literal(guard)) return true;
  constexpr Pc kMost = 16;
  for (Pc at = pc; at > 0 && pc - at < kMost; --at) {
    const resolved::Expr* const value = bound_value(version.instrs[at - 1]);
    if (value != nullptr && bound_by(version.instrs[at - 1]) == guard.a.slot)
      return at_literal(*value);
  }
  return false;
}

} // namespace

ExitDispatch exit_dispatch(const resolved::Exit& exit, const DeoptTarget* target) {
  ExitDispatch out;
  if (target == nullptr) return out;
  out.parameters.with = exit.with;
  out.parameters.made = exit.made;
  out.parameters.frame = {exit.frame.code, exit.frame.pc, {}};
  Slot next = 0;
  for (const DeoptTarget::Variable& v : target->variables) {
    const resolved::Frame& frame = v.frame == 0 ? exit.frame : exit.outer[v.frame - 1].frame;
    const auto entry = std::ranges::find(frame.varmap, v.slot, &resolved::Entry::name);
    if (entry == frame.varmap.end()) return {};
    out.parameters.frame.varmap.push_back({next++, entry->value});
  }
  out.target = target;
  return out;
}

DeoptCause failed_guard(const ResolvedVersion& version, Pc pc, const Value* env,
                        ExitDispatch& exit) {
  const auto* const assume = std::get_if<resolved::Assume>(&version.instrs[pc]);
  if (assume == nullptr) return {FailedGuard::Watchpoint, {}};
  const std::vector<resolved::Expr>& guards = assume->guards;
  if (exit.guard >= guards.size() || holds(env, guards[exit.guard]))
    exit.guard = first_failing(env, guards);
  if (exit.guard >= guards.size()) return {FailedGuard::Watchpoint, {}};
  const DeoptCause cause = cause_of(guards[exit.guard], env);
  if (cause.guard == FailedGuard::Equality || cause.guard == FailedGuard::Condition)
    if (is_watched(version, pc, guards[exit.guard])) return {FailedGuard::Watchpoint, {}};
  return cause;
}

} // namespace sourir::native
