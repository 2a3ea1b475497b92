#include "sourir/semantics/eval.h"
#include "sourir/semantics/materialize.h"
#include "sourir/semantics/rules.h"

namespace sourir::rules {

// I(L) = array x[e]    M E e -> n    n is a length    a fresh
// ----------------------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I (L+1) K* M[a <- [nil, .., nil]] E[x <- a]>
Derivation ArrayDecl(const Config& c) {
  const auto& [x, length] = at<resolved::ArrayDecl>(c);
  const EvalResult n = array_length(eval(c, length));
  if (!n) return n.why;
  return effect::Allocate{x, static_cast<std::uint64_t>(n.value.as_int()), {}};
}

// I(L) = array x = [e1, .., en]    M E ei -> vi    a fresh
// ----------------------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I (L+1) K* M[a <- [v1, .., vn]] E[x <- a]>
Derivation ArrayDef(const Config& c) {
  const auto& [x, elements] = at<resolved::ArrayDef>(c);
  std::vector<Value> block;
  block.reserve(elements.size());
  for (const resolved::Expr& e : elements) {
    const EvalResult v = eval(c, e);
    if (!v) return v.why;
    block.push_back(v.value);
  }
  return effect::Allocate{x, block.size(), std::move(block)};
}

// I(L) = x[e1] <- e2    M E e1 -> i    M E e2 -> v    E(x) = a    M(a) = [v1, .., vn]    i < n
// ----------------------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I (L+1) K* M[a <- [v1, .., v, .., vn]] E>
Derivation ArrayUpdate(const Config& c) {
  const auto& [x, e1, e2] = at<resolved::ArrayUpdate>(c);
  const EvalResult i = eval(c, e1);
  if (!i) return i.why;
  const EvalResult v = eval(c, e2);
  if (!v) return v.why;
  const Value a = c.env()[x];
  if (!a.is(Tag::Array) || !i.value.is(Tag::Int)) return StuckReason::WrongKind;
  const auto index = static_cast<std::uint64_t>(i.value.as_int());
  if (index >= c.heap.blocks[a.as_array().index].size()) return StuckReason::OutOfBounds;
  return effect::Store{a.as_array(), static_cast<std::size_t>(index), v.value};
}

} // namespace sourir::rules
