#include "sourir/semantics/wrong_operand.h"

#include "sourir/semantics/eval.h"
#include "sourir/semantics/run.h"
#include "sourir/syntax/match.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/traverse.h"

#include <fmt/format.h>

namespace sourir {

namespace {

constexpr const char *kIndexTakes = "an index is an int",
                     *kAccessTakes = "only arrays have elements";

std::string with_article(Kind kind) {
  switch (kind) {
  case Kind::Nil: return "nil";
  case Kind::Int:
  case Kind::Array: return fmt::format("an {}", spelling(kind));
  case Kind::Fun: return "a function";
  default: return fmt::format("a {}", spelling(kind));
  }
}

class Search {
public:
  explicit Search(const Config& c) : c_(c), text_(c.code->source->body[c.pc].instr) {}

  std::optional<WrongOperand> run() {
    const auto texts = expressions(text_);
    const auto codes = expressions(c_.instr());
    for (std::size_t i = 0; i < texts.size() && i < codes.size() && !found_; ++i)
      if (const auto why = eval(c_, *codes[i]).why;
          why == StuckReason::WrongType || why == StuckReason::OutOfBounds)
        within(*texts[i], *codes[i]);
    if (!found_) instruction(codes);
    return std::move(found_);
  }

private:
  static bool is_number(Value v) { return v.is(Tag::Int) || v.is(Tag::Float); }

  void found(const std::string& takes, const std::string& operand, Value value,
             std::optional<Var> variable) {
    if (value.is(Tag::Unbound)) return; // an engine that does not know it
    found(fmt::format("{}, but `{}` is {}", takes, operand, with_article(kind_of(value))),
          variable);
  }
  void found(std::string message, std::optional<Var> variable) {
    found_ = WrongOperand{std::move(message), {}};
    if (!variable) return;
    std::uint32_t index = 0;
    for_each_name(text_, [&](NameUse use) {
      const bool read = use.role == NameRole::Use || use.role == NameRole::Update;
      if (read && use.id == variable->id && !found_->name) found_->name = index;
      ++index;
    });
  }
  void found(const std::string& takes, const SimpleExpr& operand, Value value) {
    const auto* const variable = std::get_if<Var>(&operand);
    found(takes, print(operand, c_.program->names()), value,
          variable != nullptr ? std::optional(*variable) : std::nullopt);
  }
  // An int that is no index of the array.
  void outside(const SimpleExpr& array, Value a, const Expr& index) {
    const std::size_t length = c_.heap.blocks[a.as_array().index].size();
    const std::string name = print(array, c_.program->names());
    const auto* const simple = std::get_if<SimpleExpr>(&index);
    const auto* const variable = simple != nullptr ? std::get_if<Var>(simple) : nullptr;
    found("index out of bounds: " +
              (length == 0 ? fmt::format("`{}` has no elements", name)
                           : fmt::format("the indices of `{}` are 0 to {}", name, length - 1)),
          variable != nullptr ? std::optional(*variable) : std::nullopt);
  }

  // An operand of the expression, whose operation is stuck.
  void within(const Expr& e, const resolved::Expr& code) {
    const Value a = eval(c_.env(), code.a);
    match(
        e, [](const SimpleExpr&) {}, [](const KindTest&) {}, [](const ElementsTest&) {},
        [&](const Unary& u) {
          found(fmt::format("`{}` takes {}", spelling(u.op),
                            u.op == UnaryOp::Not ? "true or false" : "a number"),
                u.operand, a);
        },
        [&](const Binary& b) {
          const Value right = eval(c_.env(), code.b);
          const bool logical = b.op == BinaryOp::And || b.op == BinaryOp::Or;
          const bool first = logical ? !a.is(Tag::Bool) : !is_number(a);
          found(fmt::format("`{}` takes {}", spelling(b.op), logical ? "true or false" : "numbers"),
                first ? b.left : b.right, first ? a : right);
        },
        [&](const Index& x) { access(x.array, a, x.index, eval(c_.env(), code.b)); },
        [&](const Length& x) { found("`length` takes an array", x.array, a); });
  }

  void access(const SimpleExpr& array, Value a, const SimpleExpr& index, Value i) {
    if (!a.is(Tag::Array))
      found(kAccessTakes, array, a);
    else if (i.is(Tag::Int))
      outside(array, a, index);
    else
      found(kIndexTakes, index, i);
  }

  // All expressions have a value, and the instruction takes no such value.
  void instruction(const std::vector<const resolved::Expr*>& codes) {
    const auto whole = [&](const char* takes, const Expr& e) {
      const EvalResult v = eval(c_, *codes.front());
      const auto* const simple = std::get_if<SimpleExpr>(&e);
      if (v && simple != nullptr)
        found(takes, *simple, v.value);
      else if (v)
        found(takes, print(e, c_.program->names()), v.value, std::nullopt);
    };
    if (const auto* const branch = std::get_if<Branch>(&text_))
      whole("`branch` takes true or false", branch->condition);
    else if (const auto* const assertion = std::get_if<Assert>(&text_))
      whole("`assert` takes true or false", assertion->condition);
    else if (const auto* const array = std::get_if<ArrayDecl>(&text_))
      whole("a length is an int", array->length);
    else if (const auto* const store = std::get_if<ArrayUpdate>(&text_)) {
      const Value a = c_.env()[*c_.code->slot_of(store->array)];
      const EvalResult index = eval(c_, *codes.front());
      if (!a.is(Tag::Array))
        found(kAccessTakes, SimpleExpr(store->array), a);
      else if (index && index.value.is(Tag::Int))
        outside(store->array, a, store->index);
      else
        whole(kIndexTakes, store->index);
    }
  }

  const Config& c_;
  const Instruction& text_;
  std::optional<WrongOperand> found_;
};

} // namespace

std::optional<WrongOperand> wrong_operand(const Config& c) {
  if (c.stopped() || c.pc >= c.code->source->body.size()) return {};
  return Search(c).run();
}

} // namespace sourir
