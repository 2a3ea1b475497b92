#include "sourir/analysis/effect_free.h"

#include "sourir/syntax/successors.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>

namespace sourir {

bool effect_free_and_total(const Instruction& instr, const Facts& facts) {
  constexpr auto never = [](const auto&) { return false; };
  return match(
      instr, [&](const Decl& i) { return !i.value || is_total(*i.value, facts); },
      [](const Drop&) { return true; }, [&](const Assign& i) { return is_total(i.value, facts); },
      [&](const Branch& i) {
        return is_total(i.condition, facts) && evaluate(i.condition, facts).types == Kind::Bool;
      },
      [](const Goto&) { return true; }, [](const GuardHint&) { return true; },
      [=](const ArrayDecl& i) { return never(i); }, [=](const ArrayDef& i) { return never(i); },
      [=](const ArrayUpdate& i) { return never(i); }, [=](const Print& i) { return never(i); },
      [=](const Read& i) { return never(i); }, [=](const Assert& i) { return never(i); },
      [=](const Call& i) { return never(i); }, [=](const Return& i) { return never(i); },
      [=](const Stop& i) { return never(i); }, [=](const Assume& i) { return never(i); },
      [=](const Anchor& i) { return never(i); });
}

bool re_executable(const Instruction& instr) {
  return std::holds_alternative<Decl>(instr) || std::holds_alternative<Drop>(instr) ||
         std::holds_alternative<Assign>(instr) || std::holds_alternative<Branch>(instr) ||
         std::holds_alternative<Goto>(instr) || std::holds_alternative<GuardHint>(instr) ||
         std::holds_alternative<Assert>(instr);
}

std::vector<Var> variables_of(const Metadata& exit) {
  std::vector<Var> made, read;
  for (const Deferred& d : exit.with)
    if (makes_subject(d.instr)) made.push_back(subject(d.instr));
  for_each_origin_name(exit, [&](Var x) {
    if (std::find(made.begin(), made.end(), x) == made.end() &&
        std::find(read.begin(), read.end(), x) == read.end())
      read.push_back(x);
  });
  return read;
}

const Var* changed_variable(const Instruction& instr) {
  if (const auto* const assign = std::get_if<Assign>(&instr)) return &assign->name;
  if (const auto* const read = std::get_if<Read>(&instr)) return &read->name;
  const ScopeEffect scope = scope_effect(instr);
  return scope.drops != nullptr ? scope.drops : scope.declares;
}

} // namespace sourir
