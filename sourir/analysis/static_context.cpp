#include "sourir/analysis/static_context.h"

#include "sourir/analysis/facts_at.h"

#include <algorithm>
#include <iterator>

namespace sourir {
namespace {

void add(Context& context, std::size_t i, const Fact& fact) {
  context.add_types(i, fact.types);
  // (x == literal) does not hold for what is not finite.
  if (fact.equals && to_literal(to_value(*fact.equals))) context.add_equal(i, *fact.equals);
  if (const auto type = fact.elements.only(); type && fact.types == TypeSet(Kind::Array))
    if (*type == Kind::Bool || *type == Kind::Int || *type == Kind::Float)
      context.add_elements(i, *type);
}

} // namespace

StaticContext::StaticContext(const Call& call, const Function& callee, const Facts& before)
    : callee_(callee) {
  const std::vector<Var>& params = callee.params;
  for (std::size_t k = 0; k < params.size(); ++k)
    arguments_.set(params[k], evaluate(call.arguments[k], before));
  const std::size_t n = std::min(params.size(), Context::kParameters);
  for (std::size_t i = 0; i < n; ++i) add(context_, i, arguments_.about(params[i]));
  for (std::size_t j = 1; j < n; ++j)
    for (std::size_t i = 0; i < j; ++i)
      if (holds(Binary{BinaryOp::Ne, params[i], params[j]}, arguments_)) context_.add_unequal(i, j);
}

bool StaticContext::guard_holds(const Expr& guard) const {
  return holds(guard, arguments_) ||
         entails(context_, Context::of(callee_.params, std::span(&guard, 1)));
}

bool StaticContext::holds_always(std::span<const Expr> guards) const {
  return std::ranges::all_of(guards, [&](const Expr& guard) { return guard_holds(guard); });
}

std::vector<Expr> StaticContext::open_guards(std::span<const Expr> guards) const {
  std::vector<Expr> open;
  std::ranges::copy_if(guards, std::back_inserter(open),
                       [&](const Expr& guard) { return !guard_holds(guard); });
  return open;
}

bool StaticContext::excludes(const std::vector<Expr>& guards) const {
  return cannot_hold(guards, arguments_) ||
         (context_ & Context::of(callee_.params, guards)).is_never();
}

const Version* StaticContext::entered() const {
  for (const Version& version : callee_.versions) {
    if (version.cont || excludes(version)) continue;
    return open_guards(version).empty() ? &version : nullptr;
  }
  return nullptr;
}

} // namespace sourir
