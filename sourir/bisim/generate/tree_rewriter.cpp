#include "sourir/bisim/generate/tree_rewriter.h"

#include "sourir/semantics/primop.h"

#include <algorithm>

namespace sourir::random {
namespace {

std::optional<Literal> literal_of(const SimpleExpr& e) {
  using Found = std::optional<Literal>;
  return match(
      e, [](Var) { return Found(); }, [](auto literal) { return Found(Literal(literal)); });
}

std::optional<Literal> fold(const Expr& e) {
  using Found = std::optional<Literal>;
  const auto result = [](const EvalResult& r) { return r ? to_literal(r.value) : Found(); };
  return match(
      e, [](const SimpleExpr& se) { return literal_of(se); },
      [&](const Unary& u) {
        const Found v = literal_of(u.operand);
        return v ? result(apply_unary(u.op, to_value(*v))) : Found();
      },
      [&](const Binary& b) {
        const Found l = literal_of(b.left), r = literal_of(b.right);
        return l && r ? result(apply_binary(b.op, to_value(*l), to_value(*r))) : Found();
      },
      [](const Index&) { return Found(); }, [](const Length&) { return Found(); },
      [](const KindTest& k) {
        const Found v = literal_of(k.operand);
        return v ? Found(Literal(kind_of(to_value(*v)) == k.kind)) : Found();
      },
      [](const ElementsTest&) { return Found(); });
}

} // namespace

SimpleExpr TreeRewriter::simple(const BodyEnv& env, const SimpleExpr& e) const {
  const auto* x = std::get_if<Var>(&e);
  if (!x) return e;
  if (const Expr* value = deferred(x->id)) return std::get<SimpleExpr>(*value);
  return env.slots[x->id].value;
}

Expr TreeRewriter::expr(const BodyEnv& env, const Expr& e) const {
  const auto se = [&](const SimpleExpr& s) { return simple(env, s); };
  Expr out = match(
      e, [&](const SimpleExpr& s) { return Expr(se(s)); },
      [&](const Unary& u) { return Expr(Unary{u.op, se(u.operand)}); },
      [&](const Binary& b) { return Expr(Binary{b.op, se(b.left), se(b.right)}); },
      [&](const Index& i) { return Expr(Index{std::get<Var>(simple(env, i.array)), se(i.index)}); },
      [&](const Length& l) { return Expr(Length{se(l.array)}); },
      [&](const KindTest& k) { return Expr(KindTest{se(k.operand), k.kind}); },
      [&](const ElementsTest& t) { return Expr(ElementsTest{se(t.operand), t.kind}); });
  if (out_.is_base() || !out_.has(Feature::Facts) || std::holds_alternative<SimpleExpr>(out))
    return out;
  const auto value = known(env, e);
  return value ? Expr(to_simple(*value)) : out;
}

std::vector<Expr> TreeRewriter::exprs(const BodyEnv& env, const std::vector<Expr>& es) const {
  std::vector<Expr> out;
  out.reserve(es.size());
  for (const Expr& e : es) out.push_back(expr(env, e));
  return out;
}

std::optional<Literal> TreeRewriter::known(const BodyEnv& env, const Expr& e) const {
  if (const auto* test = std::get_if<KindTest>(&e))
    if (const auto* x = std::get_if<Var>(&test->operand))
      if (const auto& kind = env.slots[x->id].kind) return Literal(*kind == test->kind);
  const auto put_in = [&](const SimpleExpr& s) { return simple(env, s); };
  return match(
      e, [&](const SimpleExpr& s) { return fold(put_in(s)); },
      [&](const Unary& u) { return fold(Unary{u.op, put_in(u.operand)}); },
      [&](const Binary& b) { return fold(Binary{b.op, put_in(b.left), put_in(b.right)}); },
      [](const Index&) { return std::optional<Literal>(); },
      [](const Length&) { return std::optional<Literal>(); },
      [&](const KindTest& k) { return fold(KindTest{put_in(k.operand), k.kind}); },
      [](const ElementsTest&) { return std::optional<Literal>(); });
}

const Expr* TreeRewriter::deferred(VarIndex k) const {
  const auto found = std::ranges::find(deferred_, k, &std::pair<VarIndex, Expr>::first);
  return found == deferred_.end() ? nullptr : &found->second;
}

void TreeRewriter::defer(VarIndex k, Expr value) {
  std::erase_if(deferred_, [&](const auto& entry) { return entry.first == k; });
  deferred_.emplace_back(k, std::move(value));
}

} // namespace sourir::random
