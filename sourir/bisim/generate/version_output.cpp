#include "sourir/bisim/generate/version_output.h"

#include "sourir/bisim/generate/guard_maker.h"

#include <algorithm>

namespace sourir::random {

void VersionOutput::push(Instruction instr) {
  version_.out.body.push_back({std::move(pending_), std::move(instr)});
  --generation_.left;
  pending_ = {};
}

void VersionOutput::finish() {
  if (version_.out.body.empty()) // all of main was omitted
    push(Stop{});
  version_.out.end = std::move(pending_);
  version_.finished = true;
}

bool VersionOutput::may_be_literal(const Tree& tree, VarIndex k) const {
  const Type& type = tree.vars[k].type;
  return !type.may_be(Kind::Array) && (generation_.policy.errors == 0 || !type.may_be(Kind::Fun));
}

BodyEnv own_env(VersionOutput& out) {
  const Tree& tree = out.function().tree;
  BodyEnv env{out.function(), {}};
  env.slots.reserve(tree.vars.size());
  for (VarIndex k = 0; k < tree.vars.size(); ++k) {
    Slot slot{out.version().real[k], out.version().real[k], out.version().left_out[k] != 0, {}};
    if (slot.absent)
      slot.value = std::visit([](auto v) { return SimpleExpr(v); }, *tree.constant(k));
    env.slots.push_back(slot);
  }
  return env;
}

namespace {

class VersionPlanner {
public:
  VersionPlanner(Generation& generation, std::deque<WrittenFunction>& functions,
                 WrittenFunction& function)
      : out_(generation, functions, function, function.versions.size() - 1) {}

  void plan(bool when);

private:
  void context();

  VersionOutput out_;
  GuardMaker guards_{out_};
};

void VersionPlanner::plan(bool when) {
  const Tree& tree = out_.function().tree;
  out_.version().out.name =
      out_.generation().names.version(static_cast<std::uint32_t>(out_.number()));
  const auto n = static_cast<std::uint32_t>(tree.vars.size());
  for (const Variable& v : tree.vars)
    out_.version().next_var = std::max(out_.version().next_var, v.name + 1);
  std::vector<std::uint32_t> names(out_.version().next_var);
  for (std::uint32_t k = 0; k < names.size(); ++k) names[k] = k;
  if (!out_.is_base() && out_.has(Feature::Renaming) &&
      out_.choices().chance(1, 2)) // locals swap their names
    for (std::uint32_t k = tree.params(); k + 1 < names.size(); ++k)
      std::swap(names[k],
                names[k + out_.choices().below(static_cast<std::uint32_t>(names.size()) - k)]);
  out_.version().real.reserve(n);
  for (const Variable& v : tree.vars)
    out_.version().real.push_back(out_.generation().names.var(names[v.name]));
  out_.version().left_out.assign(n, 0);
  if (!out_.is_base() && out_.has(Feature::Folding))
    for (VarIndex k = tree.params(); k < n; ++k)
      out_.version().left_out[k] =
          tree.constant(k) && out_.may_be_literal(tree, k) && out_.choices().chance(1, 2);
  out_.version().at.resize(tree.nodes.size());
  out_.version().exit.resize(tree.nodes.size());
  out_.version().after.resize(tree.nodes.size());
  if (when) context();
}

// A version for the states that satisfy its context, and specialized for them.
void VersionPlanner::context() {
  BodyEnv env = own_env(out_);
  for (VarIndex k = 0; k < out_.function().tree.params(); ++k) env.scope.push_back(k);
  do {
    const Guard g = guards_.guard(env);
    if (g.test == Expr(SimpleExpr(true))) continue;
    out_.version().out.when.push_back(g.test);
    if (g.variable != kNone && out_.has(Feature::Facts))
      out_.version().facts.push_back({g.variable, g.equals, g.kind, kNone});
  } while (out_.choices().chance(1, 3));
  if (out_.version().out.when.empty()) out_.version().out.when.emplace_back(SimpleExpr(true));
}

} // namespace

void plan_version(Generation& generation, std::deque<WrittenFunction>& functions,
                  WrittenFunction& function, bool when) {
  VersionPlanner(generation, functions, function).plan(when);
}

} // namespace sourir::random
