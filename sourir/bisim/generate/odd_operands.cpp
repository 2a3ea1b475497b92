#include "sourir/bisim/generate/odd_operands.h"

#include "sourir/analysis/exit_targets.h"
#include "sourir/syntax/scopes.h"
#include "sourir/syntax/traverse.h"

#include <array>
#include <limits>

namespace sourir {
namespace {

constexpr std::uint32_t kRate = 12; // one in so many

class OddOperands {
public:
  OddOperands(ChoiceSequence& choices, Names& names) : choices_(choices), names_(names) {}

  void put(Instruction& instr, const Scope& scope) {
    scope_ = &scope;
    const auto* const call = std::get_if<Call>(&instr);
    const Expr callee = call != nullptr ? call->callee : Expr();
    map_expressions(instr, [&](Expr& e) { e = changed(e); });
    if (auto* const now = std::get_if<Call>(&instr)) now->callee = callee;
  }

private:
  std::uint32_t below(std::size_t n) { return choices_.below(static_cast<std::uint32_t>(n)); }
  bool now() { return choices_.chance(1, kRate); }

  SimpleExpr odd() {
    using Limits = std::numeric_limits<std::int64_t>;
    if (!scope_->empty() && choices_.chance(1, 2)) return (*scope_)[below(scope_->size())];
    const std::array<SimpleExpr, 12> all{std::int64_t{0},
                                         std::int64_t{1},
                                         std::int64_t{-1},
                                         Float{0.0},
                                         Float{-0.0},
                                         Float{1.0},
                                         Nil{},
                                         true,
                                         false,
                                         Limits::min(),
                                         Limits::max(),
                                         names_.intern<Str>("a")};
    return all[below(all.size())];
  }

  Expr with_neutral(const SimpleExpr& e) {
    struct Neutral {
      BinaryOp op;
      SimpleExpr operand;
    };
    const std::array<Neutral, 12> all{{{BinaryOp::Add, std::int64_t{0}},
                                       {BinaryOp::Sub, std::int64_t{0}},
                                       {BinaryOp::Mul, std::int64_t{1}},
                                       {BinaryOp::Mul, std::int64_t{0}},
                                       {BinaryOp::Div, std::int64_t{1}},
                                       {BinaryOp::Add, Float{0.0}},
                                       {BinaryOp::Sub, e},
                                       {BinaryOp::Eq, e},
                                       {BinaryOp::Eq, Float{0.0}},
                                       {BinaryOp::Eq, true},
                                       {BinaryOp::And, true},
                                       {BinaryOp::Or, false}}};
    const Neutral& one = all[below(all.size())];
    return choices_.chance(1, 2) ? Binary{one.op, e, one.operand} : Binary{one.op, one.operand, e};
  }

  void change(SimpleExpr& operand) {
    if (now()) operand = odd();
  }

  Expr changed(Expr e) {
    if (const auto* const simple = std::get_if<SimpleExpr>(&e); simple != nullptr && now())
      return with_neutral(*simple);
    match(
        e, [&](SimpleExpr& operand) { change(operand); }, [&](Unary& u) { change(u.operand); },
        [&](Binary& b) { change(b.left), change(b.right); }, [&](Index& i) { change(i.index); },
        [&](Length&) {}, [&](KindTest& t) { change(t.operand); },
        [&](ElementsTest& t) { change(t.operand); });
    return e;
  }

  ChoiceSequence& choices_;
  Names& names_;
  const Scope* scope_ = nullptr;
};

} // namespace

void put_odd_operands(Program& program, ChoiceSequence& choices, Names& names) {
  const Program before = program;
  const auto tied = entered_by_exits_of_others(program);
  OddOperands odd(choices, names);
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    // What stays equivalent to other code is left alone.
    if (program.functions[f].versions.size() > 1 || tied.contains(program.functions[f].name))
      continue;
    const Scopes scopes =
        scopes_of(before, before.functions[f], before.functions[f].versions.front());
    auto& body = program.functions[f].versions.front().body;
    for (std::size_t at = 0; at < body.size(); ++at)
      if (scopes[at]) odd.put(body[at].instr, *scopes[at]);
  }
}

} // namespace sourir
