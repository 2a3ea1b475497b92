// VersionWriter: control.
#include "sourir/bisim/generate/random_writer.h"

#include <algorithm>

namespace sourir::random {

VersionWriter::VersionWriter(Context& context, std::deque<WrittenFunction>& functions,
                             WrittenFunction& function, std::size_t version)
    : context_(context), functions_(functions), function_(function),
      version_(function.versions[version]), number_(version) {}

void VersionWriter::plan(bool when) {
  const Tree& tree = function_.tree;
  version_.out.name = context_.names.version(static_cast<std::uint32_t>(number_));
  const auto n = static_cast<std::uint32_t>(tree.vars.size());
  for (const Variable& v : tree.vars) version_.next_var = std::max(version_.next_var, v.name + 1);
  std::vector<std::uint32_t> names(version_.next_var);
  for (std::uint32_t k = 0; k < names.size(); ++k) names[k] = k;
  if (!is_base() && has(Feature::Renaming) && tape().chance(1, 2)) // locals swap their names
    for (std::uint32_t k = tree.params(); k + 1 < names.size(); ++k)
      std::swap(names[k], names[k + tape().below(static_cast<std::uint32_t>(names.size()) - k)]);
  version_.real.reserve(n);
  for (const Variable& v : tree.vars) version_.real.push_back(context_.names.var(names[v.name]));
  version_.left_out.assign(n, 0);
  if (!is_base() && has(Feature::Folding))
    for (VarIndex k = tree.params(); k < n; ++k)
      version_.left_out[k] = tree.constant(k) && may_be_literal(tree, k) && tape().chance(1, 2);
  version_.at.resize(tree.nodes.size());
  version_.exit.resize(tree.nodes.size());
  version_.after.resize(tree.nodes.size());
  if (when) context();
}

VersionWriter::Env VersionWriter::own_env() {
  const Tree& tree = function_.tree;
  Env env{function_, {}};
  env.slots.reserve(tree.vars.size());
  for (VarIndex k = 0; k < tree.vars.size(); ++k) {
    Slot slot{version_.real[k], version_.real[k], version_.left_out[k] != 0, {}};
    if (slot.absent)
      slot.value = std::visit([](auto v) { return SimpleExpr(v); }, *tree.constant(k));
    env.slots.push_back(slot);
  }
  return env;
}

void VersionWriter::write() {
  Env env = own_env();
  version_.out.body.reserve(function_.tree.nodes.size() * 3 / 2 + 8);
  if (is_continuation()) {
    env.scope = version_.entry_scope;
    resume(env, version_.entry);
  } else {
    for (VarIndex k = 0; k < function_.tree.params(); ++k) env.scope.push_back(k);
    for (const Fact& fact : std::vector(std::move(version_.facts)))
      learn(env, fact.variable, fact.equals, fact.kind);
    block(env, function_.tree.body.first);
  }
  finish();
}

void VersionWriter::finish() {
  if (version_.out.body.empty()) // all of main was left out
    push(Stop{});
  version_.out.end = std::move(pending_);
  version_.finished = true;
}

void VersionWriter::push(Instruction instr) {
  version_.out.body.push_back({std::move(pending_), std::move(instr)});
  --context_.left;
  pending_ = {};
}

// What the function does from `entry` on, which stands in no loop (but may be its header).
void VersionWriter::resume(Env& env, NodeId entry) {
  const auto& nodes = function_.tree.nodes;
  block(env, entry);
  for (NodeId at = entry; nodes[at].owner != kNone; at = nodes[at].owner) {
    NodeId last = at;
    while (nodes[last].next != kNone) last = nodes[last].next;
    if (sourir::random::leaves(nodes[last])) return;
    block(env, nodes[nodes[at].owner].next);
  }
}

// The nodes from `first` to the end of its block.
void VersionWriter::block(Env& env, NodeId first) {
  const std::size_t mark = trail_.size();
  const auto outer = std::pair(std::exchange(env.run, kNone), env.run_scope);
  for (NodeId id = first; id != kNone; id = env.tree().nodes[id].next) {
    const Instruction& instr = env.tree().nodes[id].instr;
    const std::size_t before = trail_.size();
    const bool around = env.tree().nodes[id].shape == Shape::While && enter_loop(env, id);
    gap(env, id);
    const bool pure =
        std::holds_alternative<Decl>(instr) || std::holds_alternative<ArrayDef>(instr);
    if (pure && env.run == kNone) {
      env.run = id;
      env.run_scope = env.scope.size();
    }
    if (!pure) env.run = kNone;
    node(env, id);
    if (around) forget(env, before);
  }
  std::tie(env.run, env.run_scope) = outer;
  forget(env, mark);
}

void VersionWriter::node(Env& env, NodeId id) {
  switch (env.tree().nodes[id].shape) {
  case Shape::Plain: return plain(env, id);
  case Shape::If: return branch(env, id);
  case Shape::While: return loop(env, id);
  }
}

void VersionWriter::plain(Env& env, NodeId id) {
  const Instruction& instr = env.tree().nodes[id].instr;
  const auto e = [&](const Expr& value) { return expr(env, value); };
  match(
      instr,
      [&](const Decl& i) {
        declare(env, i.name.id, Decl{{}, i.value ? std::optional(e(*i.value)) : std::nullopt});
      },
      [&](const Drop& i) {
        env.scope.erase(std::ranges::find(env.scope, i.name.id));
        if (!env.slots[i.name.id].absent) push(Drop{name(env, i.name)});
      },
      [&](const Assign& i) { push(Assign{name(env, i.name), e(i.value)}); },
      [&](const ArrayDecl& i) { declare(env, i.name.id, ArrayDecl{{}, e(i.length)}); },
      [&](const ArrayDef& i) { declare(env, i.name.id, ArrayDef{{}, exprs(env, i.elements)}); },
      [&](const ArrayUpdate& i) { push(ArrayUpdate{name(env, i.array), e(i.index), e(i.value)}); },
      [](const Branch&) {}, // If and While are no plain nodes
      [](const Goto&) {},   // trees have none
      [&](const Print& i) { push(Print{e(i.value)}); },
      [&](const Read& i) { push(Read{name(env, i.name)}); },
      [&](const Assert& i) { push(Assert{e(i.condition)}); }, [&](const Call&) { call(env, id); },
      [&](const Return& i) { leave(env, i); },
      [&](const Stop& i) { push(Stop{i.value ? std::optional(e(*i.value)) : std::nullopt}); },
      [](const Assume&) {}, [](const Anchor&) {},
      [&](const GuardHint& i) { push(GuardHint{exprs(env, i.guards)}); });
}

// The declaration of variable k, whose instruction still lacks its name.
void VersionWriter::declare(Env& env, VarIndex k, Instruction instr) {
  Slot& slot = env.slots[k];
  env.scope.push_back(k);
  if (env.caller && has(Feature::Folding) && env.tree().constant(k) &&
      may_be_literal(env.tree(), k) && tape().chance(1, 2)) {
    slot.absent = true;
    slot.value = std::visit([](auto v) { return SimpleExpr(v); }, *env.tree().constant(k));
  }
  if (slot.absent) return;
  slot.name = in_place(env) ? version_.real[k] : fresh_var();
  slot.value = slot.name;
  if (auto* decl = std::get_if<Decl>(&instr))
    decl->name = slot.name;
  else if (auto* array = std::get_if<ArrayDecl>(&instr))
    array->name = slot.name;
  else if (auto* list = std::get_if<ArrayDef>(&instr))
    list->name = slot.name;
  else if (auto* call = std::get_if<Call>(&instr))
    call->result = slot.name;
  push(std::move(instr));
}

// In an inlined body: the result gets its value, everything of the body is dropped, and control
// goes to where the bodies' ends meet.
void VersionWriter::leave(Env& env, const Return& instr) {
  Expr value = expr(env, instr.value);
  if (!env.caller) return push(Return{value});
  push(Assign{env.result, value});
  for (const VarIndex k : env.scope)
    if (!env.slots[k].absent) push(Drop{env.slots[k].name});
  if (env.join) push(Goto{*env.join});
}

void VersionWriter::branch(Env& env, NodeId id) {
  const Node& node = env.tree().nodes[id];
  const Expr& condition = std::get<Branch>(node.instr).condition;
  std::optional<bool> arm = std::exchange(arm_, std::nullopt);
  if (!arm && has(Feature::Facts) && !is_base())
    if (const auto value = known(env, condition); value && std::holds_alternative<bool>(*value))
      arm = std::get<bool>(*value);
  if (arm && !env.tree().leaves(*arm ? node.first : node.second))
    return block(env, (*arm ? node.first : node.second).first);
  const bool loose = has(Feature::NotNormal);
  const bool first_leaves = env.tree().leaves(node.first);
  const bool second_leaves = env.tree().leaves(node.second);
  const bool join_needed = !first_leaves;
  const Label join = join_needed ? fresh_label() : Label{};
  const Label if_true = fresh_label();
  const bool straight = loose && join_needed && node.second.first == kNone;
  const Label if_false = straight ? join : fresh_label();
  push(Branch{expr(env, condition), if_true, if_false});
  const std::vector<VarIndex> scope = env.scope;
  pending_.labels.push_back(if_true);
  block(env, node.first.first);
  const std::vector<VarIndex> joined = first_leaves ? scope : env.scope;
  if (!first_leaves && !(straight && tape().chance(1, 2))) push(Goto{join});
  env.scope = scope;
  if (!straight) {
    pending_.labels.push_back(if_false);
    block(env, node.second.first);
    if (join_needed && !second_leaves && !(loose && tape().chance(1, 2))) push(Goto{join});
  }
  if (second_leaves) env.scope = joined;
  if (join_needed) pending_.labels.push_back(join);
}

// To the header of a loop, which is the gap that belongs to it; one round before it if the loop
// is peeled. Whether there is a way around the header.
bool VersionWriter::enter_loop(Env& env, NodeId id) {
  const Node& node = env.tree().nodes[id];
  header_ = fresh_label();
  peeled_.reset();
  if (!is_base() && has(Feature::Peeling) && peeling_ == 0 && tape().chance(1, 3)) {
    const Label round = fresh_label(), skip = fresh_label(), done = fresh_label();
    const Label header = header_;
    push(Branch{expr(env, std::get<Branch>(node.instr).condition), round, skip});
    pending_.labels.push_back(skip);
    push(Goto{done});
    pending_.labels.push_back(round);
    ++peeling_, ++loops_;
    block(env, node.first.first);
    --peeling_, --loops_;
    header_ = header;
    peeled_ = done;
  }
  if (!has(Feature::NotNormal) || tape().chance(1, 2)) push(Goto{header_});
  pending_.labels.push_back(header_);
  return peeled_.has_value();
}

void VersionWriter::loop(Env& env, NodeId id) {
  const Node& node = env.tree().nodes[id];
  const Label header = header_, body = fresh_label(), done = fresh_label();
  const auto peeled = peeled_;
  push(Branch{expr(env, std::get<Branch>(node.instr).condition), body, done});
  pending_.labels.push_back(body);
  ++loops_;
  block(env, node.first.first);
  --loops_;
  push(Goto{header});
  pending_.labels.push_back(done);
  if (!peeled) return;
  push(Goto{*peeled});
  pending_.labels.push_back(*peeled);
}

} // namespace sourir::random
