#include "sourir/bisim/generate/deferred_work.h"

#include <algorithm>

namespace sourir::random {
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
  if (out_.has(Feature::PartialVarmaps) && out_.context().policy.errors == 0) return true;
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
      [](const KindTest&) { return true; });
}

// What it holds goes into the block, or into the varmap (`last`: nothing else is deferred).
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
