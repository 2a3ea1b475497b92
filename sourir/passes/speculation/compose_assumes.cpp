#include "sourir/passes/speculation/compose_assumes.h"

#include "sourir/analysis/facts_at.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/syntax/contains.h"
#include "sourir/syntax/context.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/expr.h"
#include "sourir/syntax/program_index.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>

namespace sourir {
namespace {

class Composer {
public:
  Composer(VersionTask& task, ProgramPositions& program)
      : task_(task), program_(program), facts_(task.facts), fresh_(task.fresh_names()) {}

  void run() {
    for (Position at = 0; at < task_.version.body.size(); ++at)
      if (exit_of(task_.version.body[at].instr) != nullptr && task_.facts.scopes()[at])
        compose_at(at);
  }

private:
  struct Next {
    const Instruction* instr;
    std::pair<const Version*, Position> place;
  };

  // The exit at the target of this one.
  std::optional<Next> next(const Metadata& exit) {
    const Place& target = exit.frame.target;
    const Version* const version = program_.version(target.function, target.version);
    const auto at = program_.resolve(target);
    if (version == nullptr || !at || *at >= version->body.size()) return std::nullopt;
    const Instruction& instr = version->body[*at].instr;
    if (exit_of(instr) == nullptr) return std::nullopt;
    return Next{&instr, {version, *at}};
  }

  void compose_at(Position at) {
    Instruction instr = task_.version.body[at].instr;
    std::vector<std::pair<const Version*, Position>> visited;
    while (const auto second = next(*exit_of(instr))) {
      if (contains(visited, second->place)) break;
      visited.push_back(second->place);
      auto composed = compose_two(instr, *second->instr, at);
      if (!composed) break;
      instr = std::move(*composed);
    }
    if (!(instr == task_.version.body[at].instr)) task_.edit.replace(at, std::move(instr));
  }

  std::optional<Instruction> compose_two(const Instruction& first, const Instruction& second,
                                         Position at) {
    const Metadata& start = *exit_of(first);
    if (!may_go_to(exit_of(second)->frame.target)) return std::nullopt;
    Metadata exit = compose(start, *exit_of(second), fresh_);
    const auto incomplete = [](const auto& frame) { return !frame.unknown.empty(); };
    if (incomplete(exit.frame) || std::any_of(exit.outer.begin(), exit.outer.end(), incomplete))
      return std::nullopt;
    const auto* const assume = std::get_if<Assume>(&first);
    if (assume == nullptr) return Anchor{std::move(exit)};
    Assume result{assume->guards, std::move(exit)};
    // An assume without guards never deoptimizes by itself; it gets none.
    if (const auto* const more = std::get_if<Assume>(&second); more && !result.guards.empty())
      add_guards(result.guards, more->guards, start, at);
    return result;
  }

  bool may_go_to(const Place& target) {
    const Version* const version = program_.version(target.function, target.version);
    return version != nullptr &&
           may_exit_to(target.function, *version, task_.function, task_.version);
  }

  void add_guards(std::vector<Expr>& guards, const std::vector<Expr>& more, const Metadata& start,
                  Position at) {
    Substitution values;
    for (const Binding& b : start.frame.varmap) values.insert_or_assign(b.name, b.value);
    const std::vector<Expr> first = guards;
    for (const Expr& guard : more) {
      const auto put = substitute(guard, values);
      if (!put || !readable(*put, at))
        task_.remarks.push_back(
            "compose-assumes: " + print(guard, task_.input.names) + " is not tested at " +
            print(Place{task_.function.name, task_.version.name, {}, at}, task_.input.names));
      else if (!contains(guards, *put) && !(*put == Expr(SimpleExpr(true))))
        guards.push_back(*put);
    }
    if (never_pass(guards, at) && !never_pass(first, at)) guards = first;
  }

  // With these guards the exit at this position is always taken.
  bool never_pass(const std::vector<Expr>& guards, Position at) {
    const Facts* const before = facts_.before(at);
    return before != nullptr && cannot_hold(guards, *before);
  }

  bool readable(const Expr& guard, Position at) {
    const auto& scope = *task_.facts.scopes()[at];
    bool all = true;
    for_each_variable(guard, [&](Var x) { all &= contains(scope, x); });
    return all;
  }

  VersionTask& task_;
  ProgramPositions& program_;
  FactsAt facts_;
  FreshNames fresh_;
};

} // namespace

std::optional<PassResult> compose_assumes(const PassInput& input) {
  ProgramPositions program(input.program);
  return rewrite_versions(input, [&](VersionTask& task) { Composer(task, program).run(); });
}

} // namespace sourir
