// VersionWriter: calls, and bodies written in their place.
#include "sourir/bisim/generate/random_writer.h"

#include <algorithm>

namespace sourir::random {

namespace {

constexpr std::size_t kInlinedNodes = 40; // of a callee at most

} // namespace

void VersionWriter::call(Env& env, NodeId id) {
  const Call& call = std::get<Call>(env.tree().nodes[id].instr);
  if (WrittenFunction* function = inlinable(env, call))
    return inline_call(env, id, call, *function);
  Expr to = expr(env, call.callee);
  std::vector<Expr> arguments = exprs(env, call.arguments);
  declare(env, call.result.id, Call{{}, to, std::move(arguments)});
  if (in_place(env)) version_.after[id] = here(env);
}

WrittenFunction* VersionWriter::inlinable(const Env& env, const Call& call) {
  if (is_base() || !has(Feature::Inlining) || inlined_ >= context_.policy.inline_depth ||
      room() <= 0)
    return nullptr;
  const Expr to = expr(env, call.callee);
  const auto* e = std::get_if<SimpleExpr>(&to);
  const auto* f = e ? std::get_if<FunName>(e) : nullptr;
  if (!f || !tape().chance(2, 3)) return nullptr;
  const auto found =
      std::ranges::find_if(functions_, [&](const WrittenFunction& w) { return w.tree.name == *f; });
  if (found == functions_.end() || found->tree.nodes.size() > kInlinedNodes ||
      found->tree.params() != call.arguments.size())
    return nullptr;
  return &*found;
}

void VersionWriter::inline_call(Env& env, NodeId id, const Call& call, WrittenFunction& callee) {
  const Tree& tree = callee.tree;
  Env body{callee, std::vector<Slot>(tree.vars.size())};
  body.caller = &env;
  body.call = id;
  body.result = in_place(env) ? version_.real[call.result.id] : fresh_var();
  if (tree.returns > 1) body.join = fresh_label();
  push(Decl{body.result,
            tape().chance(1, 2) ? std::optional(Expr(SimpleExpr(Nil{}))) : std::nullopt});
  for (VarIndex k = 0; k < tree.params(); ++k) {
    Expr argument = expr(env, call.arguments[k]);
    Slot& slot = body.slots[k];
    const auto* e = std::get_if<SimpleExpr>(&argument);
    const bool literal = e && !std::holds_alternative<Var>(*e) && !tree.vars[k].assigned &&
                         may_be_literal(tree, k) && has(Feature::Folding);
    if (literal && tape().chance(1, 2)) {
      slot.absent = true;
      slot.value = *e;
    } else {
      slot.name = fresh_var();
      slot.value = slot.name;
      push(Decl{slot.name, argument});
    }
    body.scope.push_back(k);
  }
  ++inlined_;
  block(body, tree.body.first);
  --inlined_;
  if (body.join) pending_.labels.push_back(*body.join);
  const VarIndex k = call.result.id;
  env.scope.push_back(k);
  env.slots[k] = {body.result, body.result, false, {}};
}

} // namespace sourir::random
