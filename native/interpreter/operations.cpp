#include "native/interpreter/arithmetic.h"
#include "native/interpreter/dispatch.h"
#include "native/interpreter/handlers.h"
#include "sourir/semantics/primop.h"

#include <array>

namespace sourir::native {

namespace {

template <BinaryOp op>
inline constexpr Tag kResult = compares(op) ? Tag::Bool : Tag::Int;

template <BinaryOp op, Form form>
void binary(Insn* ip, char* base, Interpreter* m);

template <BinaryOp op, Form form>
void int_binary(Insn* ip, char* base, Interpreter* m) {
  using On = Operands<form>;
  if (!On::are(Tag::Int, ip, base)) [[unlikely]]
    return binary<op, form>(ip, base, m);
  const std::uint64_t right = On::right_bits(ip, base);
  if (divides(op) && right == 0) [[unlikely]]
    return binary<op, form>(ip, base, m);
  put(base, ip->x, int_result<op>(On::left_bits(ip, base), right), kResult<op>);
  return next(ip + 1, base, m);
}

template <BinaryOp op, Form form>
void float_binary(Insn* ip, char* base, Interpreter* m) {
  using On = Operands<form>;
  if (!On::are(Tag::Float, ip, base)) [[unlikely]]
    return binary<op, form>(ip, base, m);
  put(base, ip->x, float_result<op>(On::left_bits(ip, base), On::right_bits(ip, base)),
      compares(op) ? Tag::Bool : Tag::Float);
  return next(ip + 1, base, m);
}

template <BinaryOp op, Form form>
[[gnu::noinline]] void binary(Insn* ip, char* base, Interpreter* m) {
  const Value left = Operands<form>::left(ip, base), right = Operands<form>::right(ip, base);
  const EvalResult r = apply_binary(op, left, right);
  if (!r) return m->stuck(r.why, ip, base);
  put(base, ip->x, r.value);
  note(ip, r.value.tag());
  constexpr bool logic = op == BinaryOp::And || op == BinaryOp::Or;
  if constexpr (!logic)
    if (left.is(Tag::Int) && right.is(Tag::Int)) quicken(ip, int_binary<op, form>);
  if constexpr (!logic && op != BinaryOp::Mod)
    if (left.is(Tag::Float) && right.is(Tag::Float)) quicken(ip, float_binary<op, form>);
  return next(ip + 1, base, m);
}

template <Form form>
constexpr auto binary_handlers() {
  return []<std::size_t... op>(std::index_sequence<op...>) {
    return std::array{static_cast<Handler>(binary<static_cast<BinaryOp>(op), form>)...};
  }(std::make_index_sequence<static_cast<std::size_t>(BinaryOp::Or) + 1>());
}

template <UnaryOp op>
void unary(Insn* ip, char* base, Interpreter* m) {
  const Value v = value_at(base, ip->a);
  if (op == UnaryOp::Neg && v.is(Tag::Int)) {
    put(base, ip->x, 0 - v.bits(), Tag::Int);
  } else {
    const EvalResult r = apply_unary(op, v);
    if (!r) return m->stuck(r.why, ip, base);
    put(base, ip->x, r.value);
  }
  note(ip, v.tag());
  return next(ip + 1, base, m);
}

} // namespace

Handler binary_handler(BinaryOp op, Form form) {
  static constexpr std::array kHandlers = {binary_handlers<Form::Slots>(),
                                           binary_handlers<Form::LeftLiteral>(),
                                           binary_handlers<Form::RightLiteral>()};
  return kHandlers[static_cast<std::size_t>(form)][static_cast<std::size_t>(op)];
}

Handler unary_handler(UnaryOp op) {
  return op == UnaryOp::Neg ? unary<UnaryOp::Neg> : unary<UnaryOp::Not>;
}

namespace {

void set_again(Insn* ip, char* base, Interpreter* m) {
  put(base, ip->x, ip->literal, ip->tag);
  return next(ip + 1, base, m);
}

[[gnu::noinline]] void move_another(Insn* ip, char* base, Interpreter* m) {
  note(ip, tag_at(base, ip->a));
  return ops::move(ip, base, m);
}

} // namespace

namespace ops {

void set(Insn* ip, char* base, Interpreter* m) {
  note(ip, ip->tag);
  ip->run = set_again;
  return set_again(ip, base, m);
}

void move(Insn* ip, char* base, Interpreter* m) {
  const Tag tag = tag_at(base, ip->a);
  if (static_cast<std::uint8_t>(tag) != ip->seen) [[unlikely]]
    return move_another(ip, base, m);
  put(base, ip->x, bits_at(base, ip->a), tag);
  return next(ip + 1, base, m);
}

void kind_test(Insn* ip, char* base, Interpreter* m) {
  note(ip, Tag::Bool);
  put(base, ip->x, tag_at(base, ip->a) == ip->tag ? 1 : 0, Tag::Bool);
  return next(ip + 1, base, m);
}

} // namespace ops

} // namespace sourir::native
