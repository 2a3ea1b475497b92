#include "sourir/syntax/metadata_unknown.h"

#include "sourir/syntax/metadata_names.h"

namespace sourir {
namespace {

// The variable whose value, or an element of which, is the value of e: it may be shared.
std::optional<Var> shared(const Expr& e) {
  if (const auto* index = std::get_if<Index>(&e)) return index->array;
  if (const auto* simple = std::get_if<SimpleExpr>(&e))
    if (const auto* x = std::get_if<Var>(simple)) return *x;
  return std::nullopt;
}

// For each name made by the block, the others that may be the same array, hold it or be held by
// it, directly.
std::unordered_map<Var, std::vector<Var>> neighbours(const std::vector<Deferred>& block) {
  std::unordered_map<Var, std::vector<Var>> all;
  for (const Deferred& d : block) {
    const Var name = subject(d.instr);
    if (makes_subject(d.instr)) all[name];
    for_each_expr(d.instr, [&](const Expr& e) {
      const auto other = shared(e);
      if (other && all.contains(*other)) all[name].push_back(*other), all[*other].push_back(name);
    });
  }
  return all;
}

bool mentions(const DeferredInstr& line, const std::unordered_set<Var>& unknown) {
  bool found = false;
  for_each_expr(line, [&](const Expr& e) {
    for_each_variable(e, [&](Var x) { found |= unknown.contains(x); });
  });
  return found;
}

} // namespace

void spread_unknown(const std::vector<Deferred>& block, std::unordered_set<Var>& unknown) {
  const auto near = neighbours(block);
  const auto add_all_near = [&](Var array) {
    std::vector<Var> rest{array};
    while (!rest.empty()) {
      const Var x = rest.back();
      rest.pop_back();
      if (!unknown.insert(x).second) continue;
      if (const auto found = near.find(x); found != near.end())
        rest.insert(rest.end(), found->second.begin(), found->second.end());
    }
  };
  for (std::size_t before = unknown.size() + 1; before != unknown.size();) {
    before = unknown.size();
    for (const Deferred& d : block) {
      if (unknown.contains(subject(d.instr)) || !mentions(d.instr, unknown)) continue;
      if (makes_subject(d.instr))
        unknown.insert(subject(d.instr));
      else
        add_all_near(subject(d.instr));
    }
  }
}

} // namespace sourir
