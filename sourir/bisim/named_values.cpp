#include "sourir/bisim/named_values.h"

#include "sourir/syntax/contains.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <type_traits>

namespace sourir {
namespace {

constexpr std::size_t kMostNumbers = 32;
constexpr Pc kNaming = 4; // instructions

} // namespace

std::vector<Value> numbers_in(const ResolvedVersion& code) {
  std::vector<Value> found;
  const auto add = [&](const SimpleExpr& e) {
    if (const auto* const n = std::get_if<std::int64_t>(&e)) {
      found.emplace_back(*n);
      found.emplace_back(static_cast<std::int64_t>(-static_cast<std::uint64_t>(*n)));
    } else if (const auto* const d = std::get_if<Float>(&e)) {
      found.emplace_back(d->value);
      found.emplace_back(-d->value);
    }
  };
  for (const Stmt& stmt : code.source->body)
    for_each_expression(stmt.instr, [&](const Expr& e) {
      if (const auto* const binary = std::get_if<Binary>(&e)) add(binary->left), add(binary->right);
    });
  std::vector<Value> all;
  for (const Value v : found)
    if (all.size() < kMostNumbers && !contains(all, v)) all.push_back(v);
  return all;
}

std::vector<Value> named_from(const ResolvedVersion& code, Pc pc) {
  std::vector<Value> found;
  const auto add = [&](const SimpleExpr& e) {
    std::visit(
        [&]<class T>(const T& v) {
          if constexpr (!std::is_same_v<T, Var>) found.push_back(to_value(Literal(v)));
        },
        e);
  };
  const std::vector<Stmt>& body = code.source->body;
  for (std::size_t at = pc; at < std::min<std::size_t>(body.size(), pc + kNaming); ++at)
    for_each_expression(body[at].instr, [&](const Expr& e) {
      if (const auto* const simple = std::get_if<SimpleExpr>(&e)) add(*simple);
      if (const auto* const binary = std::get_if<Binary>(&e)) add(binary->left), add(binary->right);
    });
  return found;
}

} // namespace sourir
