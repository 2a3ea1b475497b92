#include "sourir/bisim/generate/version_writer.h"

#include "sourir/bisim/generate/version_output.h"

#include <algorithm>

namespace sourir::random {
namespace {

constexpr std::size_t kInlinedNodes = 40; // of a callee at most

} // namespace

void VersionWriter::write() {
  BodyEnv env = own_env(out_);
  out_.version().out.body.reserve(out_.function().tree.nodes.size() * 3 / 2 + 8);
  if (out_.is_continuation()) {
    env.scope = out_.version().entry_scope;
    resume(env, out_.version().entry);
  } else {
    for (VarIndex k = 0; k < out_.function().tree.params(); ++k) env.scope.push_back(k);
    for (const Fact& fact : std::vector(std::move(out_.version().facts)))
      facts_.learn(env, fact.variable, fact.equals, fact.kind);
    block(env, out_.function().tree.body.first);
  }
  out_.finish();
}

// What the function does from `entry` on, which stands in no loop (but may be its header).
void VersionWriter::resume(BodyEnv& env, NodeId entry) {
  const auto& nodes = out_.function().tree.nodes;
  block(env, entry);
  for (NodeId at = entry; nodes[at].owner != kNone; at = nodes[at].owner) {
    NodeId last = at;
    while (nodes[last].next != kNone) last = nodes[last].next;
    if (ends_body(nodes[last])) return;
    block(env, nodes[nodes[at].owner].next);
  }
}

// The nodes from `first` to the end of its block.
void VersionWriter::block(BodyEnv& env, NodeId first) {
  const std::size_t mark = facts_.mark();
  const auto outer = std::pair(std::exchange(env.run, kNone), env.run_scope);
  for (NodeId id = first; id != kNone; id = env.tree().nodes[id].next) {
    const Instruction& instr = env.tree().nodes[id].instr;
    const std::size_t before = facts_.mark();
    const bool around = env.tree().nodes[id].shape == Shape::While && enter_loop(env, id);
    exits_.gap(env, id);
    const bool pure =
        std::holds_alternative<Decl>(instr) || std::holds_alternative<ArrayDef>(instr);
    if (pure && env.run == kNone) {
      env.run = id;
      env.run_scope = env.scope.size();
    }
    if (!pure) env.run = kNone;
    node(env, id);
    if (around) facts_.forget(env, before);
  }
  std::tie(env.run, env.run_scope) = outer;
  facts_.forget(env, mark);
}

void VersionWriter::node(BodyEnv& env, NodeId id) {
  switch (env.tree().nodes[id].shape) {
  case Shape::Plain: return plain(env, id);
  case Shape::If: return branch(env, id);
  case Shape::While: return loop(env, id);
  }
}

void VersionWriter::plain(BodyEnv& env, NodeId id) {
  const Instruction& instr = env.tree().nodes[id].instr;
  const auto e = [&](const Expr& value) { return rewriter_.expr(env, value); };
  match(
      instr,
      [&](const Decl& i) {
        declare(env, i.name.id, Decl{{}, i.value ? std::optional(e(*i.value)) : std::nullopt});
      },
      [&](const Drop& i) {
        env.scope.erase(std::ranges::find(env.scope, i.name.id));
        if (!env.slots[i.name.id].absent) out_.push(Drop{rewriter_.name(env, i.name)});
      },
      [&](const Assign& i) { out_.push(Assign{rewriter_.name(env, i.name), e(i.value)}); },
      [&](const ArrayDecl& i) { declare(env, i.name.id, ArrayDecl{{}, e(i.length)}); },
      [&](const ArrayDef& i) {
        declare(env, i.name.id, ArrayDef{{}, rewriter_.exprs(env, i.elements)});
      },
      [&](const ArrayUpdate& i) {
        out_.push(ArrayUpdate{rewriter_.name(env, i.array), e(i.index), e(i.value)});
      },
      [](const Branch&) {}, // If and While are no plain nodes
      [](const Goto&) {},   // trees have none
      [&](const Print& i) { out_.push(Print{e(i.value)}); },
      [&](const Read& i) { out_.push(Read{rewriter_.name(env, i.name)}); },
      [&](const Assert& i) { out_.push(Assert{e(i.condition)}); },
      [&](const Call&) { call(env, id); }, [&](const Return& i) { write_return(env, i); },
      [&](const Stop& i) { out_.push(Stop{i.value ? std::optional(e(*i.value)) : std::nullopt}); },
      [](const Assume&) {}, [](const Anchor&) {},
      [&](const GuardHint& i) { out_.push(GuardHint{rewriter_.exprs(env, i.guards)}); });
}

// The declaration of variable k, whose instruction still lacks its name.
void VersionWriter::declare(BodyEnv& env, VarIndex k, Instruction instr) {
  Slot& slot = env.slots[k];
  env.scope.push_back(k);
  if (env.caller && out_.has(Feature::Folding) && env.tree().constant(k) &&
      out_.may_be_literal(env.tree(), k) && out_.choices().chance(1, 2)) {
    slot.absent = true;
    slot.value = std::visit([](auto v) { return SimpleExpr(v); }, *env.tree().constant(k));
  }
  if (slot.absent) return;
  slot.name = out_.in_place(env) ? out_.version().real[k] : out_.fresh_var();
  slot.value = slot.name;
  if (auto* decl = std::get_if<Decl>(&instr))
    decl->name = slot.name;
  else if (auto* array = std::get_if<ArrayDecl>(&instr))
    array->name = slot.name;
  else if (auto* list = std::get_if<ArrayDef>(&instr))
    list->name = slot.name;
  else if (auto* call = std::get_if<Call>(&instr))
    call->result = slot.name;
  out_.push(std::move(instr));
}

// In an inlined body: the result gets its value, everything of the body is dropped, and control
// goes to the join of its returns.
void VersionWriter::write_return(BodyEnv& env, const Return& instr) {
  Expr value = rewriter_.expr(env, instr.value);
  if (!env.caller) return out_.push(Return{value});
  out_.push(Assign{env.result, value});
  for (const VarIndex k : env.scope)
    if (!env.slots[k].absent) out_.push(Drop{env.slots[k].name});
  if (env.join) out_.push(Goto{*env.join});
}

void VersionWriter::branch(BodyEnv& env, NodeId id) {
  const Node& node = env.tree().nodes[id];
  const Expr& condition = std::get<Branch>(node.instr).condition;
  std::optional<bool> arm = exits_.take_decided_arm();
  if (!arm && out_.has(Feature::Facts) && !out_.is_base())
    if (const auto value = rewriter_.known(env, condition);
        value && std::holds_alternative<bool>(*value))
      arm = std::get<bool>(*value);
  if (arm && !env.tree().ends_body(*arm ? node.first : node.second))
    return block(env, (*arm ? node.first : node.second).first);
  const bool loose = out_.has(Feature::NotNormal);
  const bool first_ends = env.tree().ends_body(node.first);
  const bool second_ends = env.tree().ends_body(node.second);
  const bool join_needed = !first_ends;
  const Label join = join_needed ? out_.fresh_label() : Label{};
  const Label if_true = out_.fresh_label();
  const bool straight = loose && join_needed && node.second.first == kNone;
  const Label if_false = straight ? join : out_.fresh_label();
  out_.push(Branch{rewriter_.expr(env, condition), if_true, if_false});
  const std::vector<VarIndex> scope = env.scope;
  out_.place(if_true);
  block(env, node.first.first);
  const std::vector<VarIndex> joined = first_ends ? scope : env.scope;
  if (!first_ends && !(straight && out_.choices().chance(1, 2))) out_.push(Goto{join});
  env.scope = scope;
  if (!straight) {
    out_.place(if_false);
    block(env, node.second.first);
    if (join_needed && !second_ends && !(loose && out_.choices().chance(1, 2)))
      out_.push(Goto{join});
  }
  if (second_ends) env.scope = joined;
  if (join_needed) out_.place(join);
}

// Writes the way to the header of a loop, which is the loop's gap; one iteration before it if the
// loop is peeled. Whether a path bypasses the header.
bool VersionWriter::enter_loop(BodyEnv& env, NodeId id) {
  const Node& node = env.tree().nodes[id];
  header_ = out_.fresh_label();
  peeled_.reset();
  if (!out_.is_base() && out_.has(Feature::Peeling) && out_.nesting.peeling == 0 &&
      out_.choices().chance(1, 3)) {
    const Label iteration = out_.fresh_label(), skip = out_.fresh_label(),
                done = out_.fresh_label();
    const Label header = header_;
    out_.push(Branch{rewriter_.expr(env, std::get<Branch>(node.instr).condition), iteration, skip});
    out_.place(skip);
    out_.push(Goto{done});
    out_.place(iteration);
    ++out_.nesting.peeling, ++out_.nesting.loops;
    block(env, node.first.first);
    --out_.nesting.peeling, --out_.nesting.loops;
    header_ = header;
    peeled_ = done;
  }
  if (!out_.has(Feature::NotNormal) || out_.choices().chance(1, 2)) out_.push(Goto{header_});
  out_.place(header_);
  return peeled_.has_value();
}

void VersionWriter::loop(BodyEnv& env, NodeId id) {
  const Node& node = env.tree().nodes[id];
  const Label header = header_, body = out_.fresh_label(), done = out_.fresh_label();
  const auto peeled = peeled_;
  out_.push(Branch{rewriter_.expr(env, std::get<Branch>(node.instr).condition), body, done});
  out_.place(body);
  ++out_.nesting.loops;
  block(env, node.first.first);
  --out_.nesting.loops;
  out_.push(Goto{header});
  out_.place(done);
  if (!peeled) return;
  out_.push(Goto{*peeled});
  out_.place(*peeled);
}

void VersionWriter::call(BodyEnv& env, NodeId id) {
  const Call& call = std::get<Call>(env.tree().nodes[id].instr);
  if (WrittenFunction* function = inlinable(env, call))
    return inline_call(env, id, call, *function);
  Expr to = rewriter_.expr(env, call.callee);
  std::vector<Expr> arguments = rewriter_.exprs(env, call.arguments);
  declare(env, call.result.id, Call{{}, to, std::move(arguments)});
  if (out_.in_place(env)) out_.version().after[id] = out_.here(env);
}

WrittenFunction* VersionWriter::inlinable(const BodyEnv& env, const Call& call) {
  if (out_.is_base() || !out_.has(Feature::Inlining) ||
      out_.nesting.inlined >= out_.generation().policy.inline_depth || out_.room() <= 0)
    return nullptr;
  const Expr to = rewriter_.expr(env, call.callee);
  const auto* e = std::get_if<SimpleExpr>(&to);
  const auto* f = e ? std::get_if<FunName>(e) : nullptr;
  if (!f || !out_.choices().chance(2, 3)) return nullptr;
  const auto found = std::ranges::find_if(
      out_.functions(), [&](const WrittenFunction& w) { return w.tree.name == *f; });
  if (found == out_.functions().end() || found->tree.nodes.size() > kInlinedNodes ||
      found->tree.params() != call.arguments.size())
    return nullptr;
  return &*found;
}

void VersionWriter::inline_call(BodyEnv& env, NodeId id, const Call& call,
                                WrittenFunction& callee) {
  const Tree& tree = callee.tree;
  BodyEnv body{callee, std::vector<Slot>(tree.vars.size())};
  body.caller = &env;
  body.call = id;
  body.result = out_.in_place(env) ? out_.version().real[call.result.id] : out_.fresh_var();
  if (tree.returns > 1) body.join = out_.fresh_label();
  out_.push(Decl{body.result, out_.choices().chance(1, 2) ? std::optional(Expr(SimpleExpr(Nil{})))
                                                          : std::nullopt});
  for (VarIndex k = 0; k < tree.params(); ++k) {
    Expr argument = rewriter_.expr(env, call.arguments[k]);
    Slot& slot = body.slots[k];
    const auto* e = std::get_if<SimpleExpr>(&argument);
    const bool literal = e && !std::holds_alternative<Var>(*e) && !tree.vars[k].assigned &&
                         out_.may_be_literal(tree, k) && out_.has(Feature::Folding);
    if (literal && out_.choices().chance(1, 2)) {
      slot.absent = true;
      slot.value = *e;
    } else {
      slot.name = out_.fresh_var();
      slot.value = slot.name;
      out_.push(Decl{slot.name, argument});
    }
    body.scope.push_back(k);
  }
  ++out_.nesting.inlined;
  block(body, tree.body.first);
  --out_.nesting.inlined;
  if (body.join) out_.place(*body.join);
  const VarIndex k = call.result.id;
  env.scope.push_back(k);
  env.slots[k] = {body.result, body.result, false, {}};
}

} // namespace sourir::random
