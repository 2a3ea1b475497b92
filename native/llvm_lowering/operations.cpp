#include "native/llvm_lowering/join.h"
#include "sourir/analysis/mutant.h"

#include <llvm/IR/IRBuilder.h>

namespace sourir::native {

void Join::arrive(const Typed& value) {
  ways_.push_back({b_.GetInsertBlock(), value});
  b_.CreateBr(behind_);
}

llvm::Value* Join::meet(llvm::Value* Typed::* part) {
  llvm::Value* first = ways_.front().value.*part;
  bool same = true;
  for (const Way& way : ways_) same = same && way.value.*part == first;
  if (same && llvm::isa<llvm::Constant>(first)) return first;
  llvm::PHINode* phi = b_.CreatePHI(first->getType(), static_cast<unsigned>(ways_.size()));
  for (const Way& way : ways_) phi->addIncoming(way.value.*part, way.from);
  return phi;
}

Typed Join::finish() {
  b_.SetInsertPoint(behind_);
  if (ways_.size() == 1) return ways_.front().value;
  llvm::Value* nothing = llvm::PoisonValue::get(b_.getInt64Ty());
  if (ways_.empty()) return {nothing, nothing, kAnyType}; // nobody comes here
  Typed result;
  result.kinds = {};
  for (const Way& way : ways_) result.kinds |= way.value.kinds;
  result.bits = meet(&Typed::bits);
  result.tag = meet(&Typed::tag);
  return result;
}

namespace {

bool is_ordering(BinaryOp op) { return op >= BinaryOp::Lt && op <= BinaryOp::Ge; }

// Ints up to this are doubles exactly, so comparing as doubles is comparing.
bool exact_as_float(const Typed& v) {
  const auto* c = llvm::dyn_cast<llvm::ConstantInt>(v.bits);
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  return c != nullptr && c->getSExtValue() <= kExact && c->getSExtValue() >= -kExact;
}

} // namespace

Typed FunctionLowering::operand(const resolved::Operand& e) {
  if (e.slot == resolved::kLiteral) return constant(e.literal);
  const TypeSet kinds = kinds_.before(pc_)[e.slot];
  Typed v{b_.CreateLoad(i64_, bits_[e.slot]), nullptr, kinds};
  const std::optional<Tag> tag = single(kinds);
  v.tag = tag ? number(static_cast<std::uint64_t>(*tag)) : b_.CreateLoad(i64_, tags_[e.slot]);
  return v;
}

Typed FunctionLowering::evaluate(const resolved::Expr& e, TypeSet believed) {
  switch (e.shape) {
  case resolved::Shape::Simple: return operand(e.a);
  case resolved::Shape::Unary: return unary(static_cast<UnaryOp>(e.op), operand(e.a));
  case resolved::Shape::Binary: {
    const Typed a = operand(e.a);
    return binary(static_cast<BinaryOp>(e.op), a, operand(e.b), believed);
  }
  case resolved::Shape::Index: {
    if (const auto value = relied_on(e)) return watched_load(e, *value, believed);
    const Typed array = operand(e.a);
    return load(array, operand(e.b), believed);
  }
  case resolved::Shape::Length: return length(operand(e.a));
  case resolved::Shape::KindTest: break;
  }
  const Typed v = operand(e.a);
  const auto tag = static_cast<Tag>(e.op);
  if (!may(v.kinds, tag)) return constant(Value(false));
  return only(v.kinds, tag) ? constant(Value(true)) : boolean(is(v, tag));
}

llvm::Value* FunctionLowering::truth(const resolved::Expr& e) {
  const Typed v = evaluate(e);
  require(v, Tag::Bool);
  return b_.CreateICmpNE(v.bits, number(0));
}

void FunctionLowering::require(const Typed& v, Tag tag) {
  if (only(v.kinds, tag)) return;
  if (may(v.kinds, tag)) return unless(is(v, tag), failure());
  b_.CreateBr(failure());
  b_.SetInsertPoint(block("never"));
}

Typed FunctionLowering::unary(UnaryOp op, Typed v) {
  if (op == UnaryOp::Not) {
    require(v, Tag::Bool);
    return boolean(b_.CreateICmpEQ(v.bits, number(0)));
  }
  if (!may(v.kinds, Tag::Float)) {
    require(v, Tag::Int);
    return integer(b_.CreateNeg(v.bits));
  }
  const auto negated = [&] { return floating(b_.CreateFNeg(b_.CreateBitCast(v.bits, double_))); };
  if (!may(v.kinds, Tag::Int)) {
    require(v, Tag::Float);
    return negated();
  }
  Join join(b_, block("negated"));
  llvm::BasicBlock *ints = block("int"), *others = block("other");
  b_.CreateCondBr(is(v, Tag::Int), ints, others);
  b_.SetInsertPoint(ints);
  join.arrive(integer(b_.CreateNeg(v.bits)));
  b_.SetInsertPoint(others);
  require(v, Tag::Float);
  join.arrive(negated());
  return join.finish();
}

Typed FunctionLowering::binary(BinaryOp op, Typed a, Typed b, TypeSet believed) {
  switch (op) {
  case BinaryOp::Eq: return boolean(equal(a, b));
  case BinaryOp::Ne: return boolean(b_.CreateNot(equal(a, b)));
  case BinaryOp::And:
  case BinaryOp::Or:
    require(a, Tag::Bool);
    require(b, Tag::Bool);
    return {op == BinaryOp::And ? b_.CreateAnd(a.bits, b.bits) : b_.CreateOr(a.bits, b.bits),
            number(static_cast<std::uint64_t>(Tag::Bool)), type_set(Tag::Bool)};
  default: return arithmetic(op, a, b, believed);
  }
}

// Values of different kinds are different; floats compare by IEEE rules, others by their bits.
llvm::Value* FunctionLowering::equal(const Typed& a, const Typed& b) {
  if (!a.kinds.intersects(b.kinds)) return b_.getFalse();
  llvm::Value* tags = b_.CreateICmpEQ(a.tag, b.tag);
  const auto as_double = [&](const Typed& v) { return b_.CreateBitCast(v.bits, double_); };
  const auto same_bits = [&] { return b_.CreateICmpEQ(a.bits, b.bits); };
  if (only(a.kinds, Tag::Float) || only(b.kinds, Tag::Float))
    return b_.CreateAnd(tags, b_.CreateFCmpOEQ(as_double(a), as_double(b)));
  if (!may(a.kinds, Tag::Float) || !may(b.kinds, Tag::Float))
    return b_.CreateAnd(tags, same_bits());
  llvm::Value* numbers = b_.CreateFCmpOEQ(as_double(a), as_double(b));
  return b_.CreateAnd(tags, b_.CreateSelect(is(a, Tag::Float), numbers, same_bits()));
}

// The kinds that are there at once are computed in place; ints with floats only where one of the
// two is known, otherwise out of line.
Typed FunctionLowering::arithmetic(BinaryOp op, const Typed& a, const Typed& b, TypeSet believed) {
  struct Pair {
    Tag a, b;
  };
  const bool known = single(a.kinds) || single(b.kinds);
  const TypeSet wanted = is_ordering(op) ? kNumbers : believed;
  Join join(b_, block("computed"));
  for (const Pair p : {Pair{Tag::Int, Tag::Int}, Pair{Tag::Float, Tag::Float},
                       Pair{Tag::Int, Tag::Float}, Pair{Tag::Float, Tag::Int}}) {
    const Tag result = p.a == Tag::Int ? p.b : Tag::Float;
    if (!may(a.kinds, p.a) || !may(b.kinds, p.b) || !may(wanted, result)) continue;
    if (p.a != p.b && !known) continue;
    llvm::Value* fits = b_.CreateAnd(is(a, p.a), is(b, p.b));
    const bool always = only(a.kinds, p.a) && only(b.kinds, p.b);
    llvm::BasicBlock *here = block("fits"), *others = block("others");
    if (always)
      b_.CreateBr(here);
    else
      b_.CreateCondBr(fits, here, others);
    b_.SetInsertPoint(here);
    join.arrive(numbers(op, {a.bits, a.tag, type_set(p.a)}, {b.bits, b.tag, type_set(p.b)}));
    b_.SetInsertPoint(others);
    if (always) {
      others->eraseFromParent();
      return join.finish();
    }
  }
  const bool mixed = (may(a.kinds, Tag::Float) && may(b.kinds, Tag::Int)) ||
                     (may(a.kinds, Tag::Int) && may(b.kinds, Tag::Float));
  if (!mixed || known || !may(wanted, Tag::Float)) {
    b_.CreateBr(failure());
  } else if (is_ordering(op)) {
    join.arrive(slow_binary(op, a, b));
  } else {
    // Two ints make an int: where none was expected they are not done with yet.
    if (may(a.kinds, Tag::Int) && may(b.kinds, Tag::Int) && !may(wanted, Tag::Int))
      unless(b_.CreateNot(b_.CreateAnd(is(a, Tag::Int), is(b, Tag::Int))), failure());
    join.arrive(mixed_numbers(op, a, b));
  }
  return join.finish();
}

// One is an int and one is a float, if both are numbers.
Typed FunctionLowering::mixed_numbers(BinaryOp op, const Typed& a, const Typed& b) {
  const auto converted = [&](const Typed& v) {
    llvm::Value* is_int = is(v, Tag::Int);
    unless(b_.CreateOr(is_int, is(v, Tag::Float)), failure());
    return b_.CreateSelect(is_int, b_.CreateSIToFP(v.bits, double_),
                           b_.CreateBitCast(v.bits, double_));
  };
  llvm::Value* left = converted(a);
  return floats(op, left, converted(b));
}

// Of ints and floats whose kinds are known.
Typed FunctionLowering::numbers(BinaryOp op, const Typed& a, const Typed& b) {
  if (only(a.kinds, Tag::Int) && only(b.kinds, Tag::Int)) return integers(op, a.bits, b.bits);
  const auto exact = [](const Typed& v) { return only(v.kinds, Tag::Float) || exact_as_float(v); };
  if (is_ordering(op) && !(exact(a) && exact(b))) return slow_binary(op, a, b);
  return floats(op, as_float(a), as_float(b));
}

Typed FunctionLowering::slow_binary(BinaryOp op, const Typed& a, const Typed& b) {
  llvm::Value* result = call_runtime(
      "rt_binary", {number(static_cast<std::uint64_t>(op)), a.bits, a.tag, b.bits, b.tag});
  return checked(result, is_ordering(op) ? type_set(Tag::Bool) : kNumbers);
}

Typed FunctionLowering::integers(BinaryOp op, llvm::Value* a, llvm::Value* b) {
  switch (op) {
  case BinaryOp::Lt: return boolean(b_.CreateICmpSLT(a, b));
  case BinaryOp::Le: return boolean(b_.CreateICmpSLE(a, b));
  case BinaryOp::Gt: return boolean(b_.CreateICmpSGT(a, b));
  case BinaryOp::Ge: return boolean(b_.CreateICmpSGE(a, b));
  case BinaryOp::Add: return integer(b_.CreateAdd(a, b, "", false, mutant(105)));
  case BinaryOp::Sub: return integer(b_.CreateSub(a, b));
  case BinaryOp::Mul: return integer(b_.CreateMul(a, b));
  default: return integer(quotient(op, a, b));
  }
}

// The hardware traps on a zero and on minimum / -1, which is minimum with the rest 0.
llvm::Value* FunctionLowering::quotient(BinaryOp op, llvm::Value* a, llvm::Value* b) {
  const auto divided = [&] {
    return op == BinaryOp::Div ? b_.CreateSDiv(a, b) : b_.CreateSRem(a, b);
  };
  const auto by_minus_one = [&] { return op == BinaryOp::Div ? b_.CreateNeg(a) : number(0); };
  if (const auto* c = llvm::dyn_cast<llvm::ConstantInt>(b); c != nullptr && !c->isZero())
    return c->isMinusOne() ? by_minus_one() : divided();
  unless(b_.CreateICmpNE(b, number(0)), failure());
  if (mutant(121)) return divided();
  llvm::BasicBlock *usual = block("divide"), *special = block("minus_one"),
                   *done = block("divided");
  b_.CreateCondBr(b_.CreateICmpNE(b, number(~std::uint64_t{0})), usual, special, m_.unlikely());
  b_.SetInsertPoint(special);
  llvm::Value* negated = by_minus_one();
  b_.CreateBr(done);
  b_.SetInsertPoint(usual);
  llvm::Value* quotient = divided();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  llvm::PHINode* phi = b_.CreatePHI(i64_, 2);
  phi->addIncoming(quotient, usual);
  phi->addIncoming(negated, special);
  return phi;
}

Typed FunctionLowering::floats(BinaryOp op, llvm::Value* a, llvm::Value* b) {
  switch (op) {
  case BinaryOp::Lt: return boolean(b_.CreateFCmpOLT(a, b));
  case BinaryOp::Le: return boolean(b_.CreateFCmpOLE(a, b));
  case BinaryOp::Gt: return boolean(b_.CreateFCmpOGT(a, b));
  case BinaryOp::Ge: return boolean(b_.CreateFCmpOGE(a, b));
  case BinaryOp::Add: return floating(b_.CreateFAdd(a, b));
  case BinaryOp::Sub: return floating(b_.CreateFSub(a, b));
  case BinaryOp::Mul: return floating(b_.CreateFMul(a, b));
  case BinaryOp::Div: return floating(b_.CreateFDiv(a, b));
  default: return floating(b_.CreateFRem(a, b));
  }
}

llvm::Value* FunctionLowering::as_float(const Typed& v) {
  return only(v.kinds, Tag::Int) ? b_.CreateSIToFP(v.bits, double_)
                                 : b_.CreateBitCast(v.bits, double_);
}

} // namespace sourir::native
