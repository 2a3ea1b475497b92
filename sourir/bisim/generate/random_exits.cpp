// VersionWriter: where exits go, and what they bring there.
#include "sourir/bisim/generate/random_writer.h"

#include <algorithm>

namespace sourir::random {

namespace {

constexpr std::uint32_t kMostConts = 2; // of a function
constexpr std::uint32_t kMostGuards = 3;

} // namespace

void VersionWriter::gap(Env& env, NodeId id) {
  note(env);
  arm_.reset();
  const Spot before = here(env);
  const bool any = (has(Feature::Assumes) || has(Feature::Anchors)) &&
                   (!is_base() || has(Feature::Continuations));
  if (any && (is_base() || room() > 0) && tape().percent(context_.policy.exits) &&
      exit_at(env, id)) {
    if (in_place(env)) version_.exit[id] = before;
    record_inlined(env, id, before);
  }
  if (arm_) return; // here the version relies on more than its facts
  if (in_place(env)) version_.at[id] = here(env);
  record_inlined(env, id, here(env));
}

// Whether an exit was put before the node.
bool VersionWriter::exit_at(Env& env, NodeId id) {
  std::optional<Metadata> exit;
  if (is_base() && !tape().chance(1, 12)) return false;
  const std::uint32_t form = tape().below(16);
  if (is_base() || form == 15) exit = exit_to_continuation(env, id);
  if (is_base() && !exit) return false;
  if (form == 14 && has(Feature::SelfTargets) && self_target(env)) return true;
  const bool array = std::holds_alternative<ArrayDef>(env.tree().nodes[id].instr) ||
                     std::holds_alternative<ArrayDecl>(env.tree().nodes[id].instr);
  if (!exit && form >= (array ? 5 : 10) && has(Feature::Deferred)) exit = exit_ahead(env, id);
  if (!exit && form >= 7 && has(Feature::Backward) && !is_continuation()) exit = exit_back(env, id);
  if (!exit && env.caller && tape().chance(1, 2)) exit = exit_into_inlined(env, id);
  if (!exit) exit = exit_here(env, id);
  if (!exit) return false;
  put_exit(env, id, std::move(*exit));
  return true;
}

// The guards, and what is known behind them.
void VersionWriter::put_exit(Env& env, NodeId id, Metadata exit) {
  const bool anchors = has(Feature::Anchors), assumes = has(Feature::Assumes);
  if (!assumes || (anchors && tape().chance(1, 3))) return push(Anchor{std::move(exit)});
  Assume assume{{}, std::move(exit)};
  std::vector<Guard> guards;
  const bool learns = has(Feature::Facts) && !is_base();
  if (learns && env.tree().nodes[id].shape == Shape::If && tape().chance(1, 2))
    if (const auto test = branch_guard(env, id)) {
      assume.guards.push_back(test->first);
      arm_ = test->second;
    }
  while (guards.size() < kMostGuards && tape().chance(3, 5)) {
    guards.push_back(guard(env));
    assume.guards.push_back(guards.back().test);
  }
  std::vector<Expr> tests = assume.guards;
  push(std::move(assume));
  if (has(Feature::Asserts)) // which fails if a guard is not tested
    for (Expr& test : tests)
      if (tape().chance(1, 6)) push(Assert{test});
  for (Guard& g : guards)
    if (learns && g.variable != kNone && tape().chance(5, 6))
      learn(env, g.variable, g.equals, g.kind);
}

// A test that holds only if the branch goes into one of its arms, and which that is.
std::optional<std::pair<Expr, bool>> VersionWriter::branch_guard(const Env& env, NodeId id) {
  const Node& node = env.tree().nodes[id];
  const Expr condition = expr(env, std::get<Branch>(node.instr).condition);
  const bool arm = tape().chance(1, 2);
  if (env.tree().leaves(arm ? node.first : node.second)) return std::nullopt;
  if (arm) return std::pair(condition, true);
  if (const auto* b = std::get_if<Binary>(&condition); b && b->op == BinaryOp::Eq)
    return std::pair(Expr(Binary{BinaryOp::Ne, b->left, b->right}), false);
  if (const auto* b = std::get_if<Binary>(&condition); b && b->op == BinaryOp::Ne)
    return std::pair(Expr(Binary{BinaryOp::Eq, b->left, b->right}), false);
  if (const auto* flag = std::get_if<SimpleExpr>(&condition))
    return std::pair(Expr(Unary{UnaryOp::Not, *flag}), false);
  return std::nullopt;
}

// How many versions of a body's function an exit may go to. Those of the version's own function
// are older than it; a continuation goes to the base only.
std::size_t VersionWriter::candidates(const Env& env) const {
  if (is_continuation()) return 1;
  const bool own = &env.function == &function_ && !env.caller;
  return own ? number_ : env.function.versions.size();
}

// A version that has the gap and relies on nothing there that is not known here. Continuations
// go to the node in the base, not to an exit before it: so nothing goes in circles.
std::optional<VersionWriter::Target> VersionWriter::target(const Env& env, NodeId id,
                                                           bool exits_too) {
  auto& versions = env.function.versions;
  const std::size_t n = candidates(env);
  if (n == 0) return std::nullopt;
  std::size_t at = tape().below(static_cast<std::uint32_t>(n));
  const bool cascade = exits_too && !is_continuation() && tape().chance(2, 3);
  for (std::size_t i = 0; i < n; ++i, at = at == 0 ? n - 1 : at - 1) {
    Written& version = versions[at];
    if (!version.finished || !version.out.when.empty()) continue;
    const Spot& exit = version.exit[id];
    const Spot& spot = cascade && exit.position != kNone ? exit : version.at[id];
    if (spot.position != kNone && implied(env, version, spot.facts)) return Target{&version, spot};
  }
  return std::nullopt;
}

Label VersionWriter::label_at(Written& version, std::uint32_t position) {
  version.targeted = true;
  auto& body = version.out.body;
  Marks& marks = position < body.size() ? body[position].marks : version.out.end;
  if (has(Feature::NotNormal) && !marks.labels.empty()) return marks.labels.back();
  if (version.exit_labels.size() <= body.size())
    version.exit_labels.resize(body.size() + 1, Label{kNone});
  Label& label = version.exit_labels[position];
  if (label == Label{kNone}) {
    label = context_.names.label(version.next_label++);
    marks.labels.push_back(label);
  }
  return label;
}

Place VersionWriter::place(const Env& env, const Target& target) {
  return {env.tree().name, target.version->out.name,
          label_at(*target.version, target.spot.position), 0};
}

std::vector<Binding> VersionWriter::varmap(const Env& env, const Written& target,
                                           const std::vector<VarIndex>& scope) const {
  std::vector<Binding> bindings;
  bindings.reserve(scope.size());
  for (const VarIndex k : scope) {
    if (target.left_out[k]) continue;
    const auto ahead = std::ranges::find(ahead_, k, &std::pair<VarIndex, Expr>::first);
    bindings.push_back(
        {target.real[k], ahead != ahead_.end() ? ahead->second : Expr(env.slots[k].value)});
  }
  return bindings;
}

// The frames of the functions that the body is inlined into.
bool VersionWriter::outer_frames(const Env& env, Metadata& exit) {
  for (const Env* e = &env; e->caller; e = e->caller) {
    const Env& caller = *e->caller;
    auto& versions = caller.function.versions;
    const std::size_t n = candidates(caller);
    std::size_t at = tape().below(static_cast<std::uint32_t>(n));
    for (std::size_t i = 0; i < n; ++i, at = at == 0 ? n - 1 : at - 1) {
      Written& version = versions[at];
      const Spot spot =
          version.finished && version.out.when.empty() ? version.after[e->call] : Spot{};
      if (spot.position == kNone || !implied(caller, version, spot.facts)) continue;
      const VarIndex result = std::get<Call>(caller.tree().nodes[e->call].instr).result.id;
      exit.outer.push_back({place(caller, {&version, spot}),
                            version.real[result],
                            varmap(caller, version, caller.scope),
                            {}});
      break;
    }
    if (exit.outer.empty() || exit.outer.back().target.function != caller.tree().name) return false;
  }
  return true;
}

std::optional<Metadata> VersionWriter::exit_here(Env& env, NodeId id) {
  const auto to = target(env, id, true);
  if (!to) return std::nullopt;
  Metadata exit;
  exit.frame = {place(env, *to), varmap(env, *to->version, env.scope), {}};
  if (!outer_frames(env, exit)) return std::nullopt;
  return exit;
}

// Back to where the nodes without effect before this one begin: they are done again. Not from
// the header of a loop: what came before it the second time is the body.
std::optional<Metadata> VersionWriter::exit_back(Env& env, NodeId id) {
  if (env.run == kNone || env.tree().nodes[id].shape == Shape::While) return std::nullopt;
  const auto to = target(env, env.run, true);
  if (!to) return std::nullopt;
  Metadata exit;
  std::vector<VarIndex> scope = env.scope;
  scope.resize(env.run_scope);
  exit.frame = {place(env, *to), varmap(env, *to->version, scope), {}};
  if (!outer_frames(env, exit)) return std::nullopt;
  return exit;
}

void VersionWriter::begin_continuation(const Env& env, NodeId entry) {
  ++function_.conts;
  Written& made = function_.versions.emplace_back();
  made.entry = entry;
  made.entry_scope = env.scope;
  VersionWriter(context_, functions_, function_, function_.versions.size() - 1).plan(false);
  ContinuationHeader& header = made.out.cont.emplace();
  header.entry = made.entry_label = context_.names.label(made.next_label++);
  for (const VarIndex k : env.scope)
    if (!made.left_out[k]) header.names.push_back(made.real[k]);
}

// Variables in scope there must be declared outside of any loop: a continuation starts inside.
std::optional<Metadata> VersionWriter::exit_to_continuation(Env& env, NodeId id) {
  if (!has(Feature::Continuations) || env.caller || loops_ > 0 || is_continuation())
    return std::nullopt;
  auto& versions = function_.versions;
  auto found = std::ranges::find_if(versions, [&](const Written& w) { return w.entry == id; });
  if (found == versions.end()) {
    if (function_.conts >= kMostConts || room() <= 0) return std::nullopt;
    begin_continuation(env, id);
    found = std::prev(versions.end());
  }
  Metadata exit;
  exit.frame = {Place{function_.tree.name, found->out.name, found->entry_label, 0},
                varmap(env, *found, env.scope),
                {}};
  return exit;
}

// An exit to its own place. It is not taken when its guards hold, and they do.
bool VersionWriter::self_target(Env& env) {
  if (env.caller) return false;
  const Label label = fresh_label();
  pending_.labels.push_back(label);
  Metadata exit;
  exit.frame.target = {function_.tree.name, version_.out.name, label, 0};
  for (const VarIndex k : env.scope)
    if (!env.slots[k].absent)
      exit.frame.varmap.push_back({env.slots[k].name, Expr(SimpleExpr(env.slots[k].name))});
  Assume assume{{}, std::move(exit)};
  if (tape().chance(1, 3)) assume.guards.emplace_back(SimpleExpr(true));
  push(std::move(assume));
  return true;
}

// A scope annotation, sometimes.
void VersionWriter::note(const Env& env) {
  if (!has(Feature::Notes) || env.caller || !tape().chance(1, 12)) return;
  ScopeNote note;
  note.open = tape().chance(1, 2);
  for (const VarIndex k : env.scope)
    if (!env.slots[k].absent && (!note.open || tape().chance(1, 2)))
      note.names.push_back(env.slots[k].name);
  pending_.scopes.push_back(std::move(note));
}

} // namespace sourir::random
