#include "native/llvm_lowering/arithmetic.h"

#include <llvm/IR/IRBuilder.h>

namespace sourir::native {

using profiler::Event;

namespace {

bool is_ordering(BinaryOp op) { return op >= BinaryOp::Lt && op <= BinaryOp::Ge; }

// Ints of at most this magnitude are exact as doubles, so comparisons as doubles are exact.
bool exact_as_float(const TypedValue& v) {
  const auto* c = llvm::dyn_cast<llvm::ConstantInt>(v.bits);
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  return c != nullptr && c->getSExtValue() <= kExact && c->getSExtValue() >= -kExact;
}

bool both_may_be(const TypedValue& a, const TypedValue& b, Tag tag_a, Tag tag_b) {
  return may(a.types, tag_a) && may(b.types, tag_b);
}

} // namespace

Arithmetic::Arithmetic(Emitter& emitter, Exits& exits)
    : e_(emitter), b_(emitter.ir), exits_(exits) {}

TypedValue Arithmetic::unary(UnaryOp op, const TypedValue& v) {
  if (op == UnaryOp::Not) {
    exits_.require(v, Tag::Bool);
    return e_.boolean(b_.CreateICmpEQ(v.bits, e_.number(0)));
  }
  if (!may(v.types, Tag::Float)) {
    exits_.require(v, Tag::Int);
    e_.lowered(Event::IntArithmetic);
    return e_.integer(b_.CreateNeg(v.bits));
  }
  const auto negated = [&] {
    e_.lowered(Event::FloatArithmetic);
    return e_.floating(b_.CreateFNeg(e_.as_double(v.bits)));
  };
  if (!may(v.types, Tag::Int)) {
    exits_.require(v, Tag::Float);
    return negated();
  }
  Join join(b_, e_.block("negated"));
  llvm::BasicBlock *ints = e_.block("int"), *others = e_.block("other");
  b_.CreateCondBr(e_.is(v, Tag::Int), ints, others);
  b_.SetInsertPoint(ints);
  e_.lowered(Event::IntArithmetic);
  join.arrive(e_.integer(b_.CreateNeg(v.bits)));
  b_.SetInsertPoint(others);
  exits_.require(v, Tag::Float);
  join.arrive(negated());
  return join.finish();
}

TypedValue Arithmetic::binary(BinaryOp op, const TypedValue& a, const TypedValue& b,
                              TypeSet speculated) {
  switch (op) {
  case BinaryOp::Eq: return e_.boolean(equal(a, b));
  case BinaryOp::Ne: return e_.boolean(b_.CreateNot(equal(a, b)));
  case BinaryOp::And:
  case BinaryOp::Or:
    exits_.require(a, Tag::Bool);
    exits_.require(b, Tag::Bool);
    return {op == BinaryOp::And ? b_.CreateAnd(a.bits, b.bits) : b_.CreateOr(a.bits, b.bits),
            e_.tag(Tag::Bool), type_set(Tag::Bool)};
  default: return numeric(op, a, b, speculated);
  }
}

TypedValue Arithmetic::has_type(const TypedValue& v, Tag tag) {
  if (!may(v.types, tag)) return e_.constant(Value(false));
  return only(v.types, tag) ? e_.constant(Value(true)) : e_.boolean(e_.is(v, tag));
}

// Values of different types differ; floats compare by IEEE rules, others by their bits.
llvm::Value* Arithmetic::equal(const TypedValue& a, const TypedValue& b) {
  if (!a.types.intersects(b.types)) return b_.getFalse();
  llvm::Value* tags = b_.CreateICmpEQ(a.tag, b.tag);
  const auto same_bits = [&] { return b_.CreateICmpEQ(a.bits, b.bits); };
  const auto same_numbers = [&] {
    return b_.CreateFCmpOEQ(e_.as_double(a.bits), e_.as_double(b.bits));
  };
  if (only(a.types, Tag::Float) || only(b.types, Tag::Float))
    return b_.CreateAnd(tags, same_numbers());
  if (!may(a.types, Tag::Float) || !may(b.types, Tag::Float))
    return b_.CreateAnd(tags, same_bits());
  llvm::Value* numbers = same_numbers();
  return b_.CreateAnd(tags, b_.CreateSelect(e_.is(a, Tag::Float), numbers, same_bits()));
}

// An int with a float is computed inline only where the type of one operand is known.
TypedValue Arithmetic::numeric(BinaryOp op, const TypedValue& a, const TypedValue& b,
                               TypeSet speculated) {
  struct Pair {
    Tag a, b;
  };
  const bool known = single(a.types) || single(b.types);
  const TypeSet wanted = is_ordering(op) ? kNumbers : speculated;
  const auto either = [](TypeSet t) { return may(t, Tag::Int) && may(t, Tag::Float); };
  const bool one_converts = (only(a.types, Tag::Float) && either(b.types)) ||
                            (only(b.types, Tag::Float) && either(a.types));
  if (one_converts && is_arithmetic(op) && may(wanted, Tag::Float)) return of_floats(op, a, b);
  Join join(b_, e_.block("computed"));
  for (const Pair p : {Pair{Tag::Int, Tag::Int}, Pair{Tag::Float, Tag::Float},
                       Pair{Tag::Int, Tag::Float}, Pair{Tag::Float, Tag::Int}}) {
    const Tag result = p.a == Tag::Int ? p.b : Tag::Float;
    if (!both_may_be(a, b, p.a, p.b) || !may(wanted, result)) continue;
    if (p.a != p.b && !known) continue;
    llvm::Value* fits = b_.CreateAnd(e_.is(a, p.a), e_.is(b, p.b));
    const bool always = only(a.types, p.a) && only(b.types, p.b);
    llvm::BasicBlock *here = e_.block("fits"), *others = e_.block("others");
    if (always)
      b_.CreateBr(here);
    else
      b_.CreateCondBr(fits, here, others);
    b_.SetInsertPoint(here);
    join.arrive(of_known_types(op, {a.bits, a.tag, type_set(p.a)}, {b.bits, b.tag, type_set(p.b)}));
    b_.SetInsertPoint(others);
    if (always) {
      others->eraseFromParent();
      return join.finish();
    }
  }
  other_types(op, a, b, wanted, join);
  return join.finish();
}

// The pairs of operand types that were not tested.
void Arithmetic::other_types(BinaryOp op, const TypedValue& a, const TypedValue& b, TypeSet wanted,
                             Join& join) {
  const bool known = single(a.types) || single(b.types);
  const bool mixed =
      both_may_be(a, b, Tag::Float, Tag::Int) || both_may_be(a, b, Tag::Int, Tag::Float);
  if (!mixed || known || !may(wanted, Tag::Float)) {
    b_.CreateBr(exits_.bailout());
  } else if (is_ordering(op)) {
    join.arrive(out_of_line(op, a, b));
  } else {
    // The result of two ints is an int: without speculation on an int that pair is still untested.
    if (both_may_be(a, b, Tag::Int, Tag::Int) && !may(wanted, Tag::Int))
      e_.unless(b_.CreateNot(b_.CreateAnd(e_.is(a, Tag::Int), e_.is(b, Tag::Int))),
                exits_.bailout());
    join.arrive(of_floats(op, a, b));
  }
}

// Precondition: if both are numbers, one is a float. An int is converted.
TypedValue Arithmetic::of_floats(BinaryOp op, const TypedValue& a, const TypedValue& b) {
  const auto converted = [&](const TypedValue& v) {
    if (only(v.types, Tag::Float)) return e_.as_double(v.bits);
    llvm::Value* is_int = e_.is(v, Tag::Int);
    e_.unless(b_.CreateOr(is_int, e_.is(v, Tag::Float)), exits_.bailout());
    return b_.CreateSelect(is_int, b_.CreateSIToFP(v.bits, e_.f64), e_.as_double(v.bits));
  };
  llvm::Value* left = converted(a);
  return floats(op, left, converted(b));
}

TypedValue Arithmetic::of_known_types(BinaryOp op, const TypedValue& a, const TypedValue& b) {
  if (only(a.types, Tag::Int) && only(b.types, Tag::Int)) return integers(op, a.bits, b.bits);
  const auto exact = [](const TypedValue& v) {
    return only(v.types, Tag::Float) || exact_as_float(v);
  };
  if (is_ordering(op) && !(exact(a) && exact(b))) return out_of_line(op, a, b);
  return floats(op, to_double(a), to_double(b));
}

TypedValue Arithmetic::out_of_line(BinaryOp op, const TypedValue& a, const TypedValue& b) {
  e_.lowered(Event::ArithmeticByCall);
  llvm::Value* result = e_.call_runtime(
      "rt_binary", {e_.number(static_cast<std::uint64_t>(op)), a.bits, a.tag, b.bits, b.tag});
  return exits_.checked(result, is_ordering(op) ? type_set(Tag::Bool) : kNumbers);
}

void Arithmetic::mark(BinaryOp op, Event arithmetic, Event division) {
  if (!is_arithmetic(op)) return;
  e_.lowered(arithmetic);
  if (op == BinaryOp::Div || op == BinaryOp::Mod) e_.lowered(division);
}

TypedValue Arithmetic::integers(BinaryOp op, llvm::Value* a, llvm::Value* b) {
  mark(op, Event::IntArithmetic, Event::IntDivision);
  switch (op) {
  case BinaryOp::Lt: return e_.boolean(b_.CreateICmpSLT(a, b));
  case BinaryOp::Le: return e_.boolean(b_.CreateICmpSLE(a, b));
  case BinaryOp::Gt: return e_.boolean(b_.CreateICmpSGT(a, b));
  case BinaryOp::Ge: return e_.boolean(b_.CreateICmpSGE(a, b));
  case BinaryOp::Add: return e_.integer(b_.CreateAdd(a, b));
  case BinaryOp::Sub: return e_.integer(b_.CreateSub(a, b));
  case BinaryOp::Mul: return e_.integer(b_.CreateMul(a, b));
  default: return e_.integer(quotient(op, a, b));
  }
}

// The hardware traps on a zero and on minimum / -1, which is minimum with remainder 0.
llvm::Value* Arithmetic::quotient(BinaryOp op, llvm::Value* a, llvm::Value* b) {
  const auto divided = [&] {
    return op == BinaryOp::Div ? b_.CreateSDiv(a, b) : b_.CreateSRem(a, b);
  };
  const auto by_minus_one = [&] { return op == BinaryOp::Div ? b_.CreateNeg(a) : e_.number(0); };
  if (const auto* c = llvm::dyn_cast<llvm::ConstantInt>(b); c != nullptr && !c->isZero())
    return c->isMinusOne() ? by_minus_one() : divided();
  e_.unless(b_.CreateICmpNE(b, e_.number(0)), exits_.bailout());
  llvm::BasicBlock *usual = e_.block("divide"), *special = e_.block("minus_one"),
                   *done = e_.block("divided");
  e_.branch_likely(b_.CreateICmpNE(b, e_.number(~std::uint64_t{0})), usual, special);
  b_.SetInsertPoint(special);
  llvm::Value* negated = by_minus_one();
  b_.CreateBr(done);
  b_.SetInsertPoint(usual);
  llvm::Value* quotient = divided();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  llvm::PHINode* phi = b_.CreatePHI(e_.i64, 2);
  phi->addIncoming(quotient, usual);
  phi->addIncoming(negated, special);
  return phi;
}

TypedValue Arithmetic::floats(BinaryOp op, llvm::Value* a, llvm::Value* b) {
  mark(op, Event::FloatArithmetic, Event::FloatDivision);
  switch (op) {
  case BinaryOp::Lt: return e_.boolean(b_.CreateFCmpOLT(a, b));
  case BinaryOp::Le: return e_.boolean(b_.CreateFCmpOLE(a, b));
  case BinaryOp::Gt: return e_.boolean(b_.CreateFCmpOGT(a, b));
  case BinaryOp::Ge: return e_.boolean(b_.CreateFCmpOGE(a, b));
  case BinaryOp::Add: return e_.floating(b_.CreateFAdd(a, b));
  case BinaryOp::Sub: return e_.floating(b_.CreateFSub(a, b));
  case BinaryOp::Mul: return e_.floating(b_.CreateFMul(a, b));
  case BinaryOp::Div: return e_.floating(b_.CreateFDiv(a, b));
  default: return e_.floating(b_.CreateFRem(a, b));
  }
}

llvm::Value* Arithmetic::to_double(const TypedValue& v) {
  return only(v.types, Tag::Int) ? b_.CreateSIToFP(v.bits, e_.f64) : e_.as_double(v.bits);
}

} // namespace sourir::native
