#include "sourir/bisim/generate/exit_writer.h"

#include "sourir/bisim/generate/version_output.h"

#include <algorithm>

namespace sourir::random {
namespace {

constexpr std::uint32_t kMostConts = 2; // of a function
constexpr std::uint32_t kMostGuards = 3;

} // namespace

void ExitWriter::gap(BodyEnv& env, NodeId id) {
  annotate(env);
  decided_arm_.reset();
  const Spot before = out_.here(env);
  const bool any = (out_.has(Feature::Assumes) || out_.has(Feature::Anchors)) &&
                   (!out_.is_base() || out_.has(Feature::Continuations));
  if (any && (out_.is_base() || out_.room() > 0) &&
      out_.choices().percent(out_.generation().policy.exits) && exit_at(env, id)) {
    if (out_.in_place(env)) out_.version().exit[id] = before;
    inlined_.record(env, id, before);
  }
  if (decided_arm_) return; // here the version relies on more than its facts
  if (out_.in_place(env)) out_.version().at[id] = out_.here(env);
  inlined_.record(env, id, out_.here(env));
}

// Whether an exit was put before the node.
bool ExitWriter::exit_at(BodyEnv& env, NodeId id) {
  std::optional<Metadata> exit;
  if (out_.is_base() && !out_.choices().chance(1, 12)) return false;
  const std::uint32_t form = out_.choices().below(16);
  if (out_.is_base() || form == 15) exit = exit_to_continuation(env, id);
  if (out_.is_base() && !exit) return false;
  if (form == 14 && out_.has(Feature::SelfTargets) && self_target(env)) return true;
  const bool array = std::holds_alternative<ArrayDef>(env.tree().nodes[id].instr) ||
                     std::holds_alternative<ArrayDecl>(env.tree().nodes[id].instr);
  if (!exit && form >= (array ? 5 : 10) && out_.has(Feature::Deferred)) exit = exit_ahead(env, id);
  if (!exit && form >= 7 && out_.has(Feature::Backward) && !out_.is_continuation())
    exit = exit_back(env, id);
  if (!exit && env.caller && out_.choices().chance(1, 2)) exit = inlined_.exit(env, id);
  if (!exit) exit = exit_here(env, id);
  if (!exit) return false;
  put_exit(env, id, std::move(*exit));
  return true;
}

// Writes the exit with its guards, and adds the facts that these establish.
void ExitWriter::put_exit(BodyEnv& env, NodeId id, Metadata exit) {
  const bool anchors = out_.has(Feature::Anchors), assumes = out_.has(Feature::Assumes);
  if (!assumes || (anchors && out_.choices().chance(1, 3)))
    return out_.push(Anchor{std::move(exit)});
  Assume assume{{}, std::move(exit)};
  std::vector<Guard> guards;
  const bool learns = out_.has(Feature::Facts) && !out_.is_base();
  if (learns && env.tree().nodes[id].shape == Shape::If && out_.choices().chance(1, 2))
    if (const auto test = branch_guard(env, id)) {
      assume.guards.push_back(test->first);
      decided_arm_ = test->second;
    }
  while (guards.size() < kMostGuards && out_.choices().chance(3, 5)) {
    guards.push_back(guards_.guard(env));
    assume.guards.push_back(guards.back().test);
  }
  std::vector<Expr> tests = assume.guards;
  out_.push(std::move(assume));
  if (out_.has(Feature::Asserts)) // which fails if a guard is not tested
    for (Expr& test : tests)
      if (!std::holds_alternative<ElementsTest>(test) && out_.choices().chance(1, 6))
        out_.push(Assert{test});
  for (Guard& g : guards)
    if (learns && g.variable != kNone && out_.choices().chance(5, 6))
      facts_.learn(env, g.variable, g.equals, g.kind);
}

// A test that holds only if the branch goes into one of its arms, and which that is.
std::optional<std::pair<Expr, bool>> ExitWriter::branch_guard(const BodyEnv& env, NodeId id) {
  const Node& node = env.tree().nodes[id];
  const Expr condition = rewriter_.expr(env, std::get<Branch>(node.instr).condition);
  const bool arm = out_.choices().chance(1, 2);
  if (env.tree().ends_body(arm ? node.first : node.second)) return std::nullopt;
  if (arm) return std::pair(condition, true);
  if (const auto* b = std::get_if<Binary>(&condition); b && b->op == BinaryOp::Eq)
    return std::pair(Expr(Binary{BinaryOp::Ne, b->left, b->right}), false);
  if (const auto* b = std::get_if<Binary>(&condition); b && b->op == BinaryOp::Ne)
    return std::pair(Expr(Binary{BinaryOp::Eq, b->left, b->right}), false);
  if (const auto* flag = std::get_if<SimpleExpr>(&condition))
    return std::pair(Expr(Unary{UnaryOp::Not, *flag}), false);
  return std::nullopt;
}

std::optional<Metadata> ExitWriter::exit_here(BodyEnv& env, NodeId id) {
  const auto to = targets_.find(env, id, true);
  if (!to) return std::nullopt;
  Metadata exit;
  exit.frame = targets_.frame(env, *to, env.scope);
  if (!targets_.add_outer_frames(env, exit)) return std::nullopt;
  return exit;
}

// To the first of the nodes without effect before this one, which are executed again. Not from the
// header of a loop: in later iterations the body precedes it.
std::optional<Metadata> ExitWriter::exit_back(BodyEnv& env, NodeId id) {
  if (env.run == kNone || env.tree().nodes[id].shape == Shape::While) return std::nullopt;
  const auto to = targets_.find(env, env.run, true);
  if (!to) return std::nullopt;
  Metadata exit;
  std::vector<VarIndex> scope = env.scope;
  scope.resize(env.run_scope);
  exit.frame = targets_.frame(env, *to, scope);
  if (!targets_.add_outer_frames(env, exit)) return std::nullopt;
  return exit;
}

void ExitWriter::begin_continuation(const BodyEnv& env, NodeId entry) {
  ++out_.function().conts;
  WrittenVersion& made = out_.function().versions.emplace_back();
  made.entry = entry;
  made.entry_scope = env.scope;
  plan_version(out_.generation(), out_.functions(), out_.function(), false);
  ContinuationHeader& header = made.out.cont.emplace();
  header.entry = made.entry_label = out_.generation().names.label(made.next_label++);
  for (const VarIndex k : env.scope)
    if (!made.left_out[k]) header.names.push_back(made.real[k]);
}

// Only outside of loops: variables in scope at the start of a continuation are declared outside of
// any loop.
std::optional<Metadata> ExitWriter::exit_to_continuation(BodyEnv& env, NodeId id) {
  if (!out_.has(Feature::Continuations) || env.caller || out_.nesting.loops > 0 ||
      out_.is_continuation())
    return std::nullopt;
  auto& versions = out_.function().versions;
  auto found =
      std::ranges::find_if(versions, [&](const WrittenVersion& w) { return w.entry == id; });
  if (found == versions.end()) {
    if (out_.function().conts >= kMostConts || out_.room() <= 0) return std::nullopt;
    begin_continuation(env, id);
    found = std::prev(versions.end());
  }
  Metadata exit;
  exit.frame = {Place{out_.function().tree.name, found->out.name, found->entry_label, 0},
                targets_.varmap(env, *found, env.scope),
                {}};
  return exit;
}

// An exit to its own place. It is not taken when its guards hold, and they do.
bool ExitWriter::self_target(BodyEnv& env) {
  if (env.caller) return false;
  const Label label = out_.fresh_label();
  out_.place(label);
  Metadata exit;
  exit.frame.target = {out_.function().tree.name, out_.version().out.name, label, 0};
  for (const VarIndex k : env.scope)
    if (!env.slots[k].absent)
      exit.frame.varmap.push_back({env.slots[k].name, Expr(SimpleExpr(env.slots[k].name))});
  Assume assume{{}, std::move(exit)};
  if (out_.choices().chance(1, 3)) assume.guards.emplace_back(SimpleExpr(true));
  out_.push(std::move(assume));
  return true;
}

// A scope annotation, sometimes.
void ExitWriter::annotate(const BodyEnv& env) {
  if (!out_.has(Feature::Notes) || env.caller || !out_.choices().chance(1, 12)) return;
  ScopeNote note;
  note.open = out_.choices().chance(1, 2);
  for (const VarIndex k : env.scope)
    if (!env.slots[k].absent && (!note.open || out_.choices().chance(1, 2)))
      note.names.push_back(env.slots[k].name);
  out_.annotate(std::move(note));
}

// To a later gap: the exit does what the version has not done yet.
std::optional<Metadata> ExitWriter::exit_ahead(BodyEnv& env, NodeId id) {
  Metadata exit;
  std::vector<VarIndex> scope = env.scope;
  const NodeId at = deferred_.defer_from(env, id, exit, scope);
  std::optional<Metadata> made;
  if (at != id)
    if (const auto to = targets_.find(env, at, true)) {
      exit.frame = targets_.frame(env, *to, scope);
      rewriter_.clear_deferred();
      if (targets_.add_outer_frames(env, exit)) made = std::move(exit);
    }
  rewriter_.clear_deferred();
  return made;
}

namespace {

constexpr std::uint32_t kMostAhead = 4; // nodes

bool is_literal(const SimpleExpr& e) { return !std::holds_alternative<Var>(e); }

std::optional<std::size_t> literal_length(const Expr& e) {
  const auto* se = std::get_if<SimpleExpr>(&e);
  const auto* n = se ? std::get_if<std::int64_t>(se) : nullptr;
  return n && *n >= 0 ? std::optional(static_cast<std::size_t>(*n)) : std::nullopt;
}

} // namespace

bool DeferredWork::total(const Expr& e) const {
  if (out_.has(Feature::PartialVarmaps) && out_.generation().policy.errors == 0) return true;
  return match(
      e, [](const SimpleExpr&) { return true; },
      [](const Unary& u) {
        return u.op == UnaryOp::Not ? std::holds_alternative<bool>(u.operand)
                                    : std::holds_alternative<std::int64_t>(u.operand);
      },
      [](const Binary& b) {
        const bool ints = std::holds_alternative<std::int64_t>(b.left) &&
                          std::holds_alternative<std::int64_t>(b.right);
        return b.op == BinaryOp::Eq || b.op == BinaryOp::Ne ||
               (ints && b.op != BinaryOp::Div && b.op != BinaryOp::Mod && b.op < BinaryOp::And);
      },
      [](const Index&) { return false; }, [](const Length&) { return false; },
      [](const KindTest&) { return true; }, [](const ElementsTest&) { return false; });
}

// The value goes into the block, or into the varmap (`last`: nothing else is deferred).
void DeferredWork::defer_value(VarIndex k, Expr value, bool last, Metadata& exit) {
  const auto* se = std::get_if<SimpleExpr>(&value);
  if (last || (se && (is_literal(*se) || out_.choices().chance(1, 2)))) {
    rewriter_.defer(k, value);
    return;
  }
  const Var made = out_.fresh_var();
  exit.with.push_back({Decl{made, value}, {}});
  rewriter_.defer(k, SimpleExpr(made));
}

void DeferredWork::defer_array(VarIndex k, DeferredInstr instr, Var made, std::size_t length,
                               Metadata& exit) {
  exit.with.push_back({std::move(instr), {}});
  rewriter_.defer(k, SimpleExpr(made));
  made_.emplace_back(made, length);
}

bool DeferredWork::defer_store(const BodyEnv& env, const ArrayUpdate& i, Metadata& exit) {
  const SimpleExpr array = rewriter_.simple(env, i.array);
  const auto at = std::ranges::find_if(
      made_, [&](const auto& entry) { return array == SimpleExpr(entry.first); });
  const Expr index = rewriter_.expr(env, i.index);
  Expr value = rewriter_.expr(env, i.value);
  const auto n = literal_length(index);
  if (at == made_.end() || !n || *n >= at->second || !total(value)) return false;
  exit.with.push_back({ArrayUpdate{at->first, index, value}, {}});
  return true;
}

// Puts what a node does into the exit; false if it cannot be deferred.
bool DeferredWork::defer(const BodyEnv& env, const Node& node, bool last, Metadata& exit,
                         std::vector<VarIndex>& scope) {
  if (const auto* decl = std::get_if<Decl>(&node.instr)) {
    Expr value = decl->value ? rewriter_.expr(env, *decl->value) : Expr(SimpleExpr(Nil{}));
    if (!total(value)) return false;
    scope.push_back(decl->name.id);
    defer_value(decl->name.id, value, last, exit);
    return true;
  }
  if (const auto* assign = std::get_if<Assign>(&node.instr)) {
    Expr value = rewriter_.expr(env, assign->value);
    if (!total(value)) return false;
    defer_value(assign->name.id, value, last, exit);
    return true;
  }
  if (const auto* array = std::get_if<ArrayDecl>(&node.instr)) {
    const auto length = literal_length(array->length);
    if (!length) return false;
    const Var made = out_.fresh_var();
    scope.push_back(array->name.id);
    defer_array(array->name.id, ArrayDecl{made, array->length}, made, *length, exit);
    return true;
  }
  if (const auto* list = std::get_if<ArrayDef>(&node.instr)) {
    std::vector<Expr> elements = rewriter_.exprs(env, list->elements);
    if (!std::ranges::all_of(elements, [&](const Expr& e) { return total(e); })) return false;
    const Var made = out_.fresh_var();
    const std::size_t length = elements.size();
    scope.push_back(list->name.id);
    defer_array(list->name.id, ArrayDef{made, std::move(elements)}, made, length, exit);
    return true;
  }
  if (const auto* update = std::get_if<ArrayUpdate>(&node.instr))
    return defer_store(env, *update, exit);
  if (const auto* drop = std::get_if<Drop>(&node.instr)) {
    std::erase(scope, drop->name.id);
    return true;
  }
  return false;
}

NodeId DeferredWork::defer_from(const BodyEnv& env, NodeId id, Metadata& exit,
                                std::vector<VarIndex>& scope) {
  rewriter_.clear_deferred();
  made_.clear();
  const std::uint32_t most = 1 + out_.choices().below(kMostAhead);
  NodeId at = id;
  for (std::uint32_t n = 0; n < most; ++n) {
    const Node& node = env.tree().nodes[at];
    const bool last = n + 1 == most;
    if (node.shape != Shape::Plain || node.next == kNone || !defer(env, node, last, exit, scope))
      break;
    at = node.next;
  }
  return at;
}

} // namespace sourir::random
