#include "sourir/bisim/state_entry.h"

#include "sourir/bisim/call_drivers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace sourir {
namespace {

// Instructions that make values.
class Maker {
public:
  Maker(const Heap& heap, Names& names) : heap_(heap), names_(names) {}

  SimpleExpr value(Value v) {
    if (v.is(Tag::Array)) return array(v.as_array().index);
    if (const auto literal = to_literal(v))
      return std::visit([](const auto& l) { return SimpleExpr(l); }, *literal);
    return v.is(Tag::Float) ? SimpleExpr(not_finite(v.as_float())) : SimpleExpr(Nil{});
  }
  // In the order in which they were made.
  const std::vector<Var>& arrays() const { return arrays_; }
  void push(Instruction instr) { body_.push_back({{}, std::move(instr)}); }
  std::vector<Stmt> take() { return std::move(body_); }

private:
  // Literals are finite: these are quotients.
  Var not_finite(double d) {
    const char* name = std::isnan(d) ? "nan" : d > 0 ? "inf" : "minus_inf";
    const Var x = names_.intern<Var>(name);
    const double by = std::isnan(d) ? 0.0 : d > 0 ? 1.0 : -1.0;
    if (std::ranges::find(floats_, x) == floats_.end()) {
      floats_.push_back(x);
      push(Decl{x, Binary{BinaryOp::Div, Float{by}, Float{0.0}}});
    }
    return x;
  }

  // The array and all that it reaches; `open_` lists the blocks that are not filled yet.
  SimpleExpr array(std::uint32_t block) {
    const bool outermost = open_.empty() && !known_.contains(block);
    const Var x = declare(block);
    if (!outermost) return x;
    while (!open_.empty()) {
      const std::uint32_t next = open_.back();
      open_.pop_back();
      fill(next);
    }
    return x;
  }

  Var declare(std::uint32_t block) {
    if (const auto at = known_.find(block); at != known_.end()) return at->second;
    const std::size_t length = std::min(heap_.blocks[block].size(), left_);
    left_ -= length;
    const Var x = names_.intern<Var>(fmt::format("a{}", known_.size()));
    known_.emplace(block, x);
    lengths_.emplace(block, length);
    arrays_.push_back(x);
    push(ArrayDecl{x, SimpleExpr(static_cast<std::int64_t>(length))});
    open_.push_back(block);
    return x;
  }

  void fill(std::uint32_t block) {
    for (std::size_t i = 0; i < lengths_.at(block); ++i) {
      const Value v = heap_.blocks[block][i];
      if (v.is(Tag::Nil)) continue;
      const SimpleExpr element =
          v.is(Tag::Array) ? SimpleExpr(declare(v.as_array().index)) : value(v);
      push(ArrayUpdate{known_.at(block), SimpleExpr(static_cast<std::int64_t>(i)), element});
    }
  }

  const Heap& heap_;
  Names& names_;
  std::vector<Stmt> body_;
  std::map<std::uint32_t, Var> known_;
  std::map<std::uint32_t, std::size_t> lengths_;
  std::vector<std::uint32_t> open_;
  std::vector<Var> arrays_, floats_;
  std::size_t left_ = kEnteredElements;
};

} // namespace

std::vector<Stmt> call_with_values(FunName function, std::span<const Value> arguments,
                                   const Heap& heap, Names& names) {
  Maker maker(heap, names);
  std::vector<Expr> values;
  for (const Value v : arguments) values.emplace_back(maker.value(v));
  const Var result = names.intern<Var>("result");
  maker.push(Call{result, SimpleExpr(function), std::move(values)});
  maker.push(Print{SimpleExpr(result)});
  for (const Var a : maker.arrays()) maker.push(Print{SimpleExpr(a)});
  maker.push(Stop{});
  return maker.take();
}

std::optional<LockstepVerdict> check_call(const Program& input, const Program& output,
                                          const StateMap& map, FunName function,
                                          std::span<const Value> arguments, const Heap& heap,
                                          const LockstepOptions& options, Names& names) {
  if (function == names.intern<FunName>("main")) return std::nullopt;
  const std::vector<Stmt> body = call_with_values(function, arguments, heap, names);
  const auto one = with_main(input, body, names), other = with_main(output, body, names);
  if (!one || !other) return std::nullopt;
  LockstepVerdict verdict =
      check_lockstep(*one, *other, without_main(map, names), {{}}, options, names);
  show_main(verdict, *one, names);
  return verdict;
}

} // namespace sourir
