// Handlers for expressions, moves, tests and jumps; arithmetic and tests quickened by type.
#include "native/deopt/materialize.h"
#include "native/interpreter/arithmetic.h"
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
  record(ip, r.value.tag());
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
  record(ip, v.tag());
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

[[gnu::noinline]] void move_record_type(Insn* ip, char* base, Interpreter* m) {
  record(ip, tag_at(base, ip->a));
  return ops::move(ip, base, m);
}

} // namespace

namespace ops {

void set(Insn* ip, char* base, Interpreter* m) {
  record(ip, ip->tag);
  ip->run = set_again;
  return set_again(ip, base, m);
}

void move(Insn* ip, char* base, Interpreter* m) {
  const Tag tag = tag_at(base, ip->a);
  if (static_cast<std::uint8_t>(tag) != ip->recorded) [[unlikely]]
    return move_record_type(ip, base, m);
  put(base, ip->x, bits_at(base, ip->a), tag);
  return next(ip + 1, base, m);
}

void count(Insn* ip, char* base, Interpreter* m) {
  ++*reinterpret_cast<std::uint64_t*>(ip->literal);
  return next(ip + 1, base, m);
}

void type_test(Insn* ip, char* base, Interpreter* m) {
  record(ip, Tag::Bool);
  put(base, ip->x, tag_at(base, ip->a) == ip->tag ? 1 : 0, Tag::Bool);
  return next(ip + 1, base, m);
}

} // namespace ops

namespace {

// Out of line: comparing a count with its maximum costs much less than counting.
[[gnu::noinline]] void count_taken(Insn* ip, char* base, Interpreter* m) {
  ip->site->count(true);
  return next(jump(ip, ip->x), base, m);
}
[[gnu::noinline]] void count_not_taken(Insn* ip, char* base, Interpreter* m) {
  ip->site->count(false);
  return next(jump(ip, ip->c), base, m);
}

template <Test test>
[[gnu::always_inline]] inline void decide(bool yes, Insn* ip, char* base, Interpreter* m) {
  if constexpr (test == Test::Back) {
    if (--m->registers.poll < 0) [[unlikely]]
      return m->polled_loop(ip, ip->pc, base);
  }
  if (yes) {
    if (test != Test::Guard && ip->site->taken < SiteFeedback::kMostCounted) [[unlikely]]
      return count_taken(ip, base, m);
    return next(jump(ip, ip->x), base, m);
  }
  if (ip->site->not_taken < SiteFeedback::kMostCounted) [[unlikely]]
    return count_not_taken(ip, base, m);
  return next(jump(ip, ip->c), base, m);
}

constexpr bool guards(Test test) { return test == Test::Guard || test == Test::LastGuard; }

template <BinaryOp op, Form form, Test test>
void test_any(Insn* ip, char* base, Interpreter* m);

template <BinaryOp op, Form form, Test test>
void test_ints(Insn* ip, char* base, Interpreter* m) {
  using On = Operands<form>;
  if (!On::are(Tag::Int, ip, base)) [[unlikely]]
    return test_any<op, form, test>(ip, base, m);
  return decide<test>(compare<op>(static_cast<std::int64_t>(On::left_bits(ip, base)),
                                  static_cast<std::int64_t>(On::right_bits(ip, base))),
                      ip, base, m);
}

template <BinaryOp op, Form form, Test test>
void test_floats(Insn* ip, char* base, Interpreter* m) {
  using On = Operands<form>;
  if (!On::are(Tag::Float, ip, base)) [[unlikely]]
    return test_any<op, form, test>(ip, base, m);
  return decide<test>(compare<op>(std::bit_cast<double>(On::left_bits(ip, base)),
                                  std::bit_cast<double>(On::right_bits(ip, base))),
                      ip, base, m);
}

template <BinaryOp op, Form form, Test test>
[[gnu::noinline]] void test_any(Insn* ip, char* base, Interpreter* m) {
  const Value left = Operands<form>::left(ip, base), right = Operands<form>::right(ip, base);
  const EvalResult r = apply_binary(op, left, right);
  if (!guards(test) && !r) return m->stuck(r.why, ip, base);
  if (left.is(Tag::Int) && right.is(Tag::Int)) quicken(ip, test_ints<op, form, test>);
  if (left.is(Tag::Float) && right.is(Tag::Float)) quicken(ip, test_floats<op, form, test>);
  return decide<test>(r && r.value.is_true(), ip, base, m);
}

template <Form form, Test test>
constexpr auto handlers_of() {
  return []<std::size_t... op>(std::index_sequence<op...>) {
    return std::array{static_cast<Handler>(test_any<static_cast<BinaryOp>(op), form, test>)...};
  }(std::make_index_sequence<static_cast<std::size_t>(BinaryOp::Ge) + 1>());
}

template <Test test>
Handler compare_handler_of(BinaryOp op, Form form) {
  static constexpr std::array kHandlers = {handlers_of<Form::Slots, test>(),
                                           handlers_of<Form::LeftLiteral, test>(),
                                           handlers_of<Form::RightLiteral, test>()};
  return kHandlers[static_cast<std::size_t>(form)][static_cast<std::size_t>(op)];
}

template <Test test>
void truth(Insn* ip, char* base, Interpreter* m) {
  const Tag tag = tag_at(base, ip->a);
  if (!guards(test) && tag != Tag::Bool) [[unlikely]]
    return m->stuck(StuckReason::WrongType, ip, base);
  return decide<test>(tag == Tag::Bool && bits_at(base, ip->a) != 0, ip, base, m);
}

template <Test test>
void of_kind(Insn* ip, char* base, Interpreter* m) {
  return decide<test>(tag_at(base, ip->a) == ip->tag, ip, base, m);
}

template <Test test>
void of_elements(Insn* ip, char* base, Interpreter* m) {
  static_assert(guards(test));
  const Value v = value_at(base, ip->a);
  return decide<test>(v.is(Tag::Array) && Heap::elements_are(array_of(v), ip->tag), ip, base, m);
}

template <Test test>
void expression(Insn* ip, char* base, Interpreter* m) {
  static_assert(guards(test));
  const auto& guard = *reinterpret_cast<const resolved::Expr*>(ip->literal);
  return decide<test>(holds(reinterpret_cast<const Value*>(base), guard), ip, base, m);
}

} // namespace

Handler compare_handler(BinaryOp op, Form form, Test test) {
  switch (test) {
  case Test::Branch: return compare_handler_of<Test::Branch>(op, form);
  case Test::Back: return compare_handler_of<Test::Back>(op, form);
  case Test::Guard: return compare_handler_of<Test::Guard>(op, form);
  case Test::LastGuard: break;
  }
  return compare_handler_of<Test::LastGuard>(op, form);
}

Handler truth_handler(Test test) {
  static constexpr Handler kHandlers[] = {truth<Test::Branch>, truth<Test::Back>,
                                          truth<Test::Guard>, truth<Test::LastGuard>};
  return kHandlers[static_cast<std::size_t>(test)];
}

Handler type_handler(Test test) {
  static constexpr Handler kHandlers[] = {of_kind<Test::Branch>, of_kind<Test::Back>,
                                          of_kind<Test::Guard>, of_kind<Test::LastGuard>};
  return kHandlers[static_cast<std::size_t>(test)];
}

Handler elements_handler(Test test) {
  return test == Test::Guard ? of_elements<Test::Guard> : of_elements<Test::LastGuard>;
}

Handler expression_handler(Test test) {
  return test == Test::Guard ? expression<Test::Guard> : expression<Test::LastGuard>;
}

namespace ops {

void jump_to(Insn* ip, char* base, Interpreter* m) { return next(jump(ip, ip->x), base, m); }

void jump_back(Insn* ip, char* base, Interpreter* m) {
  if (--m->registers.poll < 0) [[unlikely]]
    return m->polled_loop(ip, ip->b, base);
  return next(jump(ip, ip->x), base, m);
}

void assert_true(Insn* ip, char* base, Interpreter* m) {
  if (tag_at(base, ip->a) != Tag::Bool) return m->stuck(StuckReason::WrongType, ip, base);
  if (bits_at(base, ip->a) == 0) return m->stuck(StuckReason::AssertionFailed, ip, base);
  return next(ip + 1, base, m);
}

} // namespace ops

} // namespace sourir::native
