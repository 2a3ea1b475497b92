#include "native/llvm_lowering/type_flow.h"

#include "native/runtime/array.h"
#include "sourir/syntax/expr.h"
#include "sourir/syntax/match.h"

#include <algorithm>

namespace sourir::native {

namespace {

using State = TypeFlow::State;

constexpr TypeSet kUnbound = type_set(Tag::Unbound);

TypeSet& elements_in(State& state, Slot slot) { return state[state.size() / 2 + slot]; }

// The operand has one of these types from here on.
void narrow(State& state, const resolved::Operand& e, TypeSet to) {
  if (e.slot != resolved::kLiteral && state[e.slot].intersects(to)) state[e.slot] &= to;
}

// Of no array anything is known that a store of such a value may change.
void store_values(State& state, TypeSet values) {
  for (std::size_t i = state.size() / 2; i < state.size(); ++i)
    if (!values.within(state[i])) state[i] = kAnyType;
}

void forget_elements(State& state) { store_values(state, kAnyType); }

// The state after a successful evaluation of e.
void succeeded(State& state, const resolved::Expr& e) {
  switch (e.shape) {
  case resolved::Shape::Simple:
  case resolved::Shape::KindTest:
  case resolved::Shape::ElementsTest: break;
  case resolved::Shape::Unary: narrow(state, e.a, operand_types(static_cast<UnaryOp>(e.op))); break;
  case resolved::Shape::Binary: {
    const auto op = static_cast<BinaryOp>(e.op);
    if (op == BinaryOp::Eq || op == BinaryOp::Ne) break;
    const TypeSet needed = operand_types(op);
    narrow(state, e.a, needed);
    narrow(state, e.b, needed);
    break;
  }
  case resolved::Shape::Index: narrow(state, e.b, type_set(Tag::Int)); [[fallthrough]];
  case resolved::Shape::Length: narrow(state, e.a, type_set(Tag::Array));
  }
}

void succeeded(State& state, const std::vector<resolved::Expr>& all) {
  for (const resolved::Expr& e : all) succeeded(state, e);
}

void stored(State& state, const resolved::ArrayUpdate& i) {
  succeeded(state, i.index);
  succeeded(state, i.value);
  if (i.index.shape == resolved::Shape::Simple) narrow(state, i.index.a, type_set(Tag::Int));
  narrow(state, {.literal = {}, .slot = i.x}, type_set(Tag::Array));
  store_values(state, TypeFlow::of(i.value, state));
}

// The state after e has evaluated to the boolean `outcome`.
void decided(State& state, const resolved::Expr& e, bool outcome) {
  succeeded(state, e);
  if (e.shape == resolved::Shape::Simple) narrow(state, e.a, type_set(Tag::Bool));
  if (e.shape == resolved::Shape::KindTest) {
    const TypeSet type = type_set(static_cast<Tag>(e.op));
    narrow(state, e.a, outcome ? type : (kAnyType | kUnbound) - type);
  }
  if (e.shape == resolved::Shape::ElementsTest && outcome && e.a.slot != resolved::kLiteral) {
    narrow(state, e.a, type_set(Tag::Array));
    elements_in(state, e.a.slot) = type_set(static_cast<Tag>(e.op));
  }
  if (e.shape != resolved::Shape::Binary) return;
  const bool equal = (e.op == static_cast<int>(BinaryOp::Eq) && outcome) ||
                     (e.op == static_cast<int>(BinaryOp::Ne) && !outcome);
  if (equal) {
    const TypeSet both = TypeFlow::of(e.a, state) & TypeFlow::of(e.b, state);
    narrow(state, e.a, both);
    narrow(state, e.b, both);
  }
}

constexpr Pc kMostDistance = 16; // in instructions, from a load to the guard of its value

bool may_have_watchpoint(Value v) { return !v.is(Tag::Float); }

// The literal with which one of the guards compares the variable.
std::optional<Value> guarded_literal(const resolved::Assume& assume, Slot x) {
  for (const resolved::Expr& e : assume.guards) {
    if (e.shape != resolved::Shape::Binary || e.op != static_cast<int>(BinaryOp::Eq)) continue;
    const bool left = e.a.slot == x && e.b.slot == resolved::kLiteral;
    const bool right = e.b.slot == x && e.a.slot == resolved::kLiteral;
    if (left || right) return left ? e.b.literal : e.a.literal;
  }
  return {};
}

const Slot* assigned_slot(const resolved::Instr& i) {
  if (const auto* const decl = std::get_if<resolved::Decl>(&i)) return &decl->x;
  const auto* const assign = std::get_if<resolved::Assign>(&i);
  return assign != nullptr ? &assign->x : nullptr;
}

bool ends_block(const resolved::Instr& i) {
  return std::holds_alternative<resolved::Branch>(i) || std::holds_alternative<resolved::Goto>(i) ||
         std::holds_alternative<resolved::Return>(i) || std::holds_alternative<resolved::Stop>(i);
}

} // namespace

bool always_fails(const resolved::Assume& assume) {
  return std::ranges::any_of(assume.guards, [](const resolved::Expr& e) {
    return e.shape == resolved::Shape::Simple && e.a.slot == resolved::kLiteral &&
           e.a.literal == Value(false);
  });
}

std::optional<Value> watched_value(const ResolvedVersion& code, Pc pc, const resolved::Expr& e) {
  if (e.shape != resolved::Shape::Index) return {};
  if (e.a.slot == resolved::kLiteral || e.b.slot != resolved::kLiteral) return {};
  if (!e.b.literal.is(Tag::Int) || e.b.literal.as_int() < 0) return {};
  if (std::holds_alternative<resolved::Assume>(code.instrs[pc])) return Value(true);
  const Slot* const x = assigned_slot(code.instrs[pc]);
  if (x == nullptr) return {};
  const auto end = std::min<std::size_t>(code.instrs.size(), pc + kMostDistance);
  for (Pc at = pc + 1; at < end; ++at) {
    const resolved::Instr& i = code.instrs[at];
    if (const auto* const assume = std::get_if<resolved::Assume>(&i))
      if (const auto value = guarded_literal(*assume, *x); value && may_have_watchpoint(*value))
        return value;
    const Slot* const again = assigned_slot(i);
    if (ends_block(i) || (again != nullptr && *again == *x)) return {};
  }
  return {};
}

std::optional<Tag> single(TypeSet types) {
  if (!types.single()) return {};
  return only_tag(types);
}

TypeSet TypeFlow::of(const resolved::Operand& e, const State& state) {
  return e.slot == resolved::kLiteral ? type_set(e.literal.tag()) : state[e.slot];
}

// An empty set of results: the expression always fails, so any set is correct.
TypeSet TypeFlow::of(const resolved::Expr& e, const State& state) {
  const TypeSet a = of(e.a, state);
  TypeSet result;
  switch (e.shape) {
  case resolved::Shape::Simple: return a;
  case resolved::Shape::Unary: result = result_types(static_cast<UnaryOp>(e.op), a); break;
  case resolved::Shape::Binary:
    result = result_types(static_cast<BinaryOp>(e.op), a, of(e.b, state));
    break;
  case resolved::Shape::Index: result = elements(state, e.a); break;
  case resolved::Shape::Length: result = type_set(Tag::Int); break;
  case resolved::Shape::KindTest:
  case resolved::Shape::ElementsTest: result = type_set(Tag::Bool); break;
  }
  return result.empty() ? kAnyType : result;
}

// The types that a guard directly after the instruction requires of the value that it binds.
TypeSet TypeFlow::guarded(Pc pc) const {
  if (pc + 1 >= code_.instrs.size()) return kAnyType;
  const auto* const assume = std::get_if<resolved::Assume>(&code_.instrs[pc + 1]);
  const std::optional<Slot> x = bound_by(code_.instrs[pc]);
  if (assume == nullptr || !x) return kAnyType;
  for (const resolved::Expr& e : assume->guards)
    if (e.shape == resolved::Shape::KindTest && e.a.slot == *x)
      return type_set(static_cast<Tag>(e.op));
  return kAnyType;
}

TypeSet TypeFlow::speculated(Pc pc, TypeSet possible) const {
  if (single(possible)) return possible;
  const TypeSet wanted = guarded(pc) & possible;
  return single(wanted) ? wanted : possible;
}

std::size_t entered_slots(const CompileRequest& request) {
  const bool few = request.entry || request.parameters_only;
  return few ? request.code->parameters : request.code->slots.size();
}

TypeFlow::TypeFlow(const CompileRequest& request)
    : code_(*request.code), before_(code_.instrs.size()), reached_(code_.instrs.size()) {
  State start(code_.slots.size(), kUnbound);
  start.resize(2 * code_.slots.size(), kAnyType);
  const TypeSet entered = request.entry || request.parameters_only ? kAnyType : kAnyType | kUnbound;
  std::fill_n(start.begin(), entered_slots(request), entered);
  const auto known = [&](const resolved::Expr& e) {
    return request.tested_by_storage || e.shape != resolved::Shape::ElementsTest;
  };
  if (request.entry)
    for (const resolved::Expr& guard : code_.when)
      if (known(guard)) decided(start, guard, true);
  flow(request.start, start);
  while (!work_.empty()) {
    const Pc pc = work_.back();
    work_.pop_back();
    step(pc);
  }
}

void TypeFlow::flow(Pc to, const State& state) {
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
    changed = changed || !state[i].within(before[i]);
    before[i] |= state[i];
  }
  if (changed) work_.push_back(to);
}

void TypeFlow::bind(State& state, Pc pc, Slot x, const resolved::Expr& e) const {
  const TypeSet possible = of(e, state), result = speculated(pc, possible);
  succeeded(state, e);
  if (watched_value(code_, pc, e)) forget_elements(state); // the watchpoint changes the storage
  // The sum of two numbers is an int only if both are.
  const bool sum =
      e.shape == resolved::Shape::Unary ||
      (e.shape == resolved::Shape::Binary && is_arithmetic(static_cast<BinaryOp>(e.op)));
  if (sum && only(result, Tag::Int)) {
    narrow(state, e.a, result);
    narrow(state, e.b, result);
  }
  const bool copies = e.shape == resolved::Shape::Simple && e.a.slot != resolved::kLiteral;
  elements_in(state, x) = copies ? elements(state, e.a.slot) : kAnyType;
  state[x] = result;
}

void TypeFlow::step(Pc pc) {
  State s = before_[pc];
  const auto next = [&] { flow(pc + 1, s); };
  const auto bound = [&](Slot x, TypeSet types) {
    s[x] = types;
    elements_in(s, x) = kAnyType;
    next();
  };
  const auto computed = [&](Slot x, const resolved::Expr& e) {
    bind(s, pc, x, e);
    next();
  };
  const auto holds = [&](const resolved::Expr& e) { decided(s, e, true); };
  match(
      code_.instrs[pc],
      [&](const resolved::Decl& i) { computed(i.x, i.e.value_or(resolved::Expr{})); },
      [&](const resolved::Drop& i) { bound(i.x, kUnbound); },
      [&](const resolved::Assign& i) { computed(i.x, i.e); },
      [&](const resolved::ArrayDecl& i) {
        succeeded(s, i.length);
        if (i.length.shape == resolved::Shape::Simple) narrow(s, i.length.a, type_set(Tag::Int));
        bound(i.x, type_set(Tag::Array));
      },
      [&](const resolved::ArrayDef& i) {
        succeeded(s, i.elements);
        bound(i.x, type_set(Tag::Array));
      },
      [&](const resolved::ArrayUpdate& i) { stored(s, i), next(); },
      [&](const resolved::Branch& i) {
        State other = s;
        decided(s, i.e, true);
        decided(other, i.e, false);
        flow(i.if_true, s);
        flow(i.if_false, other);
      },
      [&](const resolved::Goto& i) { flow(i.target, s); },
      [&](const resolved::Print& i) { succeeded(s, i.e), next(); },
      [&](const resolved::Read& i) { bound(i.x, speculated(pc, kAnyType)); },
      [&](const resolved::Assert& i) {
        holds(i.e);
        next();
      },
      [&](const resolved::Call& i) {
        succeeded(s, i.callee);
        succeeded(s, i.arguments);
        if (i.callee.shape == resolved::Shape::Simple) narrow(s, i.callee.a, type_set(Tag::Fun));
        forget_elements(s);
        bound(i.x, speculated(pc, kAnyType));
      },
      [](const resolved::Return&) {}, [](const resolved::Stop&) {},
      [&](const resolved::Assume& i) {
        if (always_fails(i)) return;
        std::ranges::for_each(i.guards, holds);
        const auto watched = [&](const auto& e) { return watched_value(code_, pc, e).has_value(); };
        if (std::ranges::any_of(i.guards, watched)) forget_elements(s);
        next();
      },
      [&](const resolved::Anchor&) { next(); }, [&](const resolved::GuardHint&) { next(); });
}

} // namespace sourir::native
