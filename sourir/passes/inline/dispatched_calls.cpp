#include "sourir/passes/inline/dispatched_calls.h"

#include "sourir/analysis/constants.h"
#include "sourir/analysis/dataflow.h"
#include "sourir/analysis/dominators.h"
#include "sourir/analysis/loops.h"

#include <algorithm>

namespace sourir {

std::vector<bool> executed_where(const Version& version, const Cfg& cfg,
                                 const std::vector<Expr>& guards) {
  Version there = version;
  there.when = guards;
  Constants constants(cfg, there);
  std::vector<bool> executed;
  for (const auto& facts : solve(cfg, constants)) executed.push_back(facts.has_value());
  return executed;
}

namespace {

bool has_loop(const Version& code, const std::vector<Expr>& when) {
  const Cfg cfg(code, {});
  const std::vector<bool> executed = executed_where(code, cfg, when);
  const Loops loops(cfg, Dominators::of(cfg));
  return std::ranges::any_of(loops.loops(),
                             [&](const Loop& loop) { return executed[loop.header.id]; });
}

} // namespace

DispatchedCalls::DispatchedCalls(const Program& program, const Feedback& feedback) {
  for (const Feedback::Dispatched& one : feedback.dispatched) {
    const auto function = std::ranges::find(program.functions, one.function, &Function::name);
    if (function == program.functions.end()) continue;
    const Version& code = *active_version(*function);
    if (!has_loop(code, {})) continue;
    Contexts& contexts = functions_[one.function];
    contexts.function = &*function;
    contexts.contexts.push_back(
        {&one.when, Context::of(function->params, one.when), has_loop(code, one.when)});
  }
}

const std::vector<Expr>* DispatchedCalls::entered(FunName function,
                                                  const StaticContext& call) const {
  const std::vector<Entry>& all = functions_.at(function).contexts;
  for (const Entry& one : all) {
    if (!call.holds_always(*one.when)) continue;
    const auto may_be_closer = [&](const Entry& other) {
      return entails(other.context, one.context) && !entails(one.context, other.context) &&
             !call.excludes(*other.when);
    };
    if (std::ranges::none_of(all, may_be_closer)) return one.when;
  }
  return nullptr;
}

std::optional<Expr> DispatchedCalls::deciding_guard(FunName function,
                                                    const StaticContext& call) const {
  for (const Entry& context : functions_.at(function).contexts) {
    if (context.loops || call.excludes(*context.when)) continue;
    const std::vector<Expr> open = call.open_guards(*context.when);
    if (open.size() == 1) return open.front();
  }
  return std::nullopt;
}

} // namespace sourir
