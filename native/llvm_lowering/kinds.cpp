#include "native/llvm_lowering/kinds.h"

#include "native/runtime/array.h"
#include "sourir/syntax/match.h"

#include <algorithm>
#include <bit>

namespace sourir::native {

namespace {

using State = Kinds::State;

constexpr TagSet kUnbound = 0x80;
constexpr TagSet kOnlyReturned = 1, kNotReturned = 2; // how control came

// The operand has one of these kinds from here on.
void narrow(State& state, const code::Operand& e, TagSet to) {
  if (e.slot != code::kLiteral && (state[e.slot] & to) != 0)
    state[e.slot] = static_cast<TagSet>(state[e.slot] & to);
}

bool is_arithmetic(BinaryOp op) { return op >= BinaryOp::Add && op <= BinaryOp::Mod; }

// Evaluating e has succeeded.
void succeeded(State& state, const code::Expr& e) {
  switch (e.shape) {
  case code::Shape::Simple:
  case code::Shape::KindTest: break;
  case code::Shape::Unary:
    narrow(state, e.a, e.op == static_cast<int>(UnaryOp::Not) ? tag_set(Tag::Bool) : kNumbers);
    break;
  case code::Shape::Binary: {
    const auto op = static_cast<BinaryOp>(e.op);
    if (op == BinaryOp::Eq || op == BinaryOp::Ne) break;
    const TagSet needed = op == BinaryOp::And || op == BinaryOp::Or ? tag_set(Tag::Bool) : kNumbers;
    narrow(state, e.a, needed);
    narrow(state, e.b, needed);
    break;
  }
  case code::Shape::Index: narrow(state, e.b, tag_set(Tag::Int)); [[fallthrough]];
  case code::Shape::Length: narrow(state, e.a, tag_set(Tag::Array));
  }
}

void succeeded(State& state, const std::vector<code::Expr>& all) {
  for (const code::Expr& e : all) succeeded(state, e);
}

void stored(State& state, const code::ArrayUpdate& i) {
  succeeded(state, i.index);
  succeeded(state, i.value);
  if (i.index.shape == code::Shape::Simple) narrow(state, i.index.a, tag_set(Tag::Int));
  narrow(state, {.literal = {}, .slot = i.x}, tag_set(Tag::Array));
}

// The value of e is the boolean `outcome`.
void decided(State& state, const code::Expr& e, bool outcome) {
  succeeded(state, e);
  if (e.shape == code::Shape::Simple) narrow(state, e.a, tag_set(Tag::Bool));
  if (e.shape == code::Shape::KindTest) {
    const TagSet kind = tag_set(static_cast<Tag>(e.op));
    narrow(state, e.a, outcome ? kind : static_cast<TagSet>(~kind));
  }
  if (e.shape != code::Shape::Binary) return;
  const bool equal = (e.op == static_cast<int>(BinaryOp::Eq) && outcome) ||
                     (e.op == static_cast<int>(BinaryOp::Ne) && !outcome);
  if (equal) {
    const TagSet both = static_cast<TagSet>(Kinds::of(e.a, state) & Kinds::of(e.b, state));
    narrow(state, e.a, both);
    narrow(state, e.b, both);
  }
}

TagSet of_binary(BinaryOp op, TagSet a, TagSet b) {
  if (!is_arithmetic(op)) return tag_set(Tag::Bool);
  TagSet result = 0;
  if (may(a, Tag::Int) && may(b, Tag::Int)) result |= tag_set(Tag::Int);
  if (may(a, Tag::Float) || may(b, Tag::Float)) result |= tag_set(Tag::Float);
  return result;
}

} // namespace

std::optional<Tag> single(TagSet tags) {
  if (std::popcount(tags) != 1) return {};
  return static_cast<Tag>(std::countr_zero(tags));
}

TagSet Kinds::of(const code::Operand& e, const State& state) {
  return e.slot == code::kLiteral ? tag_set(e.literal.tag()) : state[e.slot];
}

// A set that is empty (the expression never has a value) is as good as any.
TagSet Kinds::of(const code::Expr& e, const State& state) {
  const TagSet a = of(e.a, state);
  TagSet result = 0;
  switch (e.shape) {
  case code::Shape::Simple: return a;
  case code::Shape::Unary:
    result = e.op == static_cast<int>(UnaryOp::Not) ? tag_set(Tag::Bool)
                                                    : static_cast<TagSet>(a & kNumbers);
    break;
  case code::Shape::Binary:
    result = of_binary(static_cast<BinaryOp>(e.op), a, of(e.b, state));
    break;
  case code::Shape::Index: result = kAnyKind; break;
  case code::Shape::Length: result = tag_set(Tag::Int); break;
  case code::Shape::KindTest: result = tag_set(Tag::Bool); break;
  }
  return result == 0 ? kAnyKind : result;
}

TagSet Kinds::believed(Pc pc, TagSet possible) const {
  if (feedback_ == nullptr || single(possible)) return possible;
  const auto seen = static_cast<TagSet>(feedback_[pc].result & possible);
  return single(seen) ? seen : possible;
}

TagSet Kinds::storages(Pc pc) const { return feedback_ == nullptr ? 0 : feedback_[pc].storages; }

std::size_t entered_slots(const CompileRequest& request) {
  const bool few = request.entry || request.parameters_only;
  return few ? request.code->parameters : request.code->slots.size();
}

Kinds::Kinds(const CompileRequest& request)
    : code_(*request.code), feedback_(request.feedback), before_(code_.instrs.size()),
      reached_(code_.instrs.size()) {
  State start(code_.slots.size() + 1, kUnbound);
  start.back() = kOnlyReturned;
  const TagSet entered = request.entry || request.parameters_only ? kAnyKind : kAnyKind | kUnbound;
  std::fill_n(start.begin(), entered_slots(request), entered);
  for (Slot s = 0; request.expected != nullptr && s < entered_slots(request); ++s)
    if (request.expected[s] != Tag::Unbound) start[s] = tag_set(request.expected[s]);
  flow(request.start, start);
  while (!work_.empty()) {
    const Pc pc = work_.back();
    work_.pop_back();
    step(pc);
  }
}

void Kinds::flow(Pc to, const State& state) {
  if (to >= before_.size()) return;
  State& before = before_[to];
  if (!reached_[to]) {
    before = state;
    reached_[to] = true;
    work_.push_back(to);
    return;
  }
  bool changed = false;
  for (std::size_t i = 0; i < state.size(); ++i) {
    changed = changed || (state[i] & ~before[i]) != 0;
    before[i] = static_cast<TagSet>(before[i] | state[i]);
  }
  if (changed) work_.push_back(to);
}

void Kinds::bind(State& state, Pc pc, Slot x, const code::Expr& e) const {
  const TagSet possible = of(e, state), result = believed(pc, possible);
  succeeded(state, e);
  // The sum of two numbers is an int only if both are.
  const bool sum = e.shape == code::Shape::Unary ||
                   (e.shape == code::Shape::Binary && is_arithmetic(static_cast<BinaryOp>(e.op)));
  if (sum && only(result, Tag::Int)) {
    narrow(state, e.a, result);
    narrow(state, e.b, result);
  }
  state[x] = result;
}

bool Kinds::unseen(Pc pc) const {
  if (feedback_ == nullptr || before_[pc].back() != kOnlyReturned) return false;
  const SiteFeedback& site = feedback_[pc];
  const code::Instr& i = code_.instrs[pc];
  if (const auto* call = std::get_if<code::Call>(&i))
    return call->callee.a.slot != code::kLiteral && site.targets == 0 && site.result == 0;
  const auto* decl = std::get_if<code::Decl>(&i);
  const bool notes = (decl != nullptr && decl->e) || std::holds_alternative<code::Assign>(i) ||
                     std::holds_alternative<code::ArrayUpdate>(i) ||
                     std::holds_alternative<code::Return>(i);
  return notes && site.result == 0;
}

void Kinds::step(Pc pc) {
  if (unseen(pc)) return;
  State s = before_[pc];
  const auto next = [&] { flow(pc + 1, s); };
  const auto bound = [&](Slot x, TagSet tags) {
    s[x] = tags;
    next();
  };
  const auto computed = [&](Slot x, const code::Expr& e) {
    bind(s, pc, x, e);
    next();
  };
  match(
      code_.instrs[pc], [&](const code::Decl& i) { computed(i.x, i.e.value_or(code::Expr{})); },
      [&](const code::Drop& i) { bound(i.x, kUnbound); },
      [&](const code::Assign& i) { computed(i.x, i.e); },
      [&](const code::ArrayDecl& i) {
        succeeded(s, i.length);
        if (i.length.shape == code::Shape::Simple) narrow(s, i.length.a, tag_set(Tag::Int));
        bound(i.x, tag_set(Tag::Array));
      },
      [&](const code::ArrayDef& i) {
        succeeded(s, i.elements);
        bound(i.x, tag_set(Tag::Array));
      },
      [&](const code::ArrayUpdate& i) {
        stored(s, i);
        next();
      },
      [&](const code::Branch& i) {
        State other = s;
        decided(s, i.e, true);
        decided(other, i.e, false);
        flow(i.if_true, s);
        flow(i.if_false, other);
      },
      [&](const code::Goto& i) { flow(i.target, s); },
      [&](const code::Print& i) {
        succeeded(s, i.e);
        next();
      },
      [&](const code::Read& i) { bound(i.x, believed(pc, kAnyKind)); },
      [&](const code::Assert& i) {
        decided(s, i.e, true);
        next();
      },
      [&](const code::Call& i) {
        succeeded(s, i.callee);
        succeeded(s, i.arguments);
        if (i.callee.shape == code::Shape::Simple) narrow(s, i.callee.a, tag_set(Tag::Fun));
        if (feedback_ != nullptr && feedback_[pc].result == 0) s.back() |= kNotReturned;
        bound(i.x, believed(pc, kAnyKind));
      },
      [](const code::Return&) {}, [](const code::Stop&) {},
      [&](const code::Assume& i) {
        std::ranges::for_each(i.guards, [&](const code::Expr& e) { decided(s, e, true); });
        next();
      },
      [&](const code::Anchor&) { next(); }, [&](const code::GuardHint&) { next(); });
}

} // namespace sourir::native
