// Types of the variables of a version at each position: a forward dataflow analysis over the
// resolved version. A set at a position holds every type that the variable can have there.
//  - The operand types that an instruction requires hold after it: otherwise it has failed.
//  - Where a guard directly after an instruction tests the type of its result, the variable has
//    that type after it. The emitted code tests it in place and bails out otherwise; the guard
//    fails then (native/deopt/early_failure.h). So the sets hold for the code, not for the program.
//  - After the guard `(a is int[])` the elements of the array in `a` are ints, stored as such,
//  until
//    a call, or a store of a value that may be no int. The code tests the storage, and bails out
//    for an array of ints in another one.
//  - Calls enter a version only where its context holds; of elements that is known of the storage
//    only where the dispatcher has tested it.
#pragma once

#include "native/runtime/native_code.h"
#include "native/runtime/site_feedback.h"

namespace sourir::native {

inline bool only(TypeSet types, Tag tag) { return types == type_set(tag); }
inline bool may(TypeSet types, Tag tag) { return types.intersects(type_set(tag)); }
// The tag of a set of one type; otherwise empty.
std::optional<Tag> single(TypeSet types);

// Whether a guard is the literal false: code behind it is not reached.
bool always_fails(const resolved::Assume& assume);

// The value that a guard assumes of an element at a literal index, so that native code may set a
// watchpoint (native/runtime/array.h) for it: of `a[0]` in the guard at `pc` itself, or after the
// instruction `x = a[0]` at `pc`, of x in a guard soon after. Empty: an ordinary load.
std::optional<Value> watched_value(const ResolvedVersion& code, Pc pc, const resolved::Expr& e);

// The number of slots, the first ones, that have values on entry.
std::size_t entered_slots(const CompileRequest& request);

class TypeFlow {
public:
  // By slot, the types of its value. After these, by slot, the types of the elements of the array
  // in it: a single one if all code on the way has found the storage to be of that type and full.
  using State = std::vector<TypeSet>;

  // The code and the feedback of the request must outlive this.
  explicit TypeFlow(const CompileRequest& request);

  bool reached(Pc pc) const { return reached_[pc]; }
  // Before the instruction at a position that is reached.
  const State& before(Pc pc) const { return before_[pc]; }

  // The types of the elements of the array in this slot, see State.
  static TypeSet elements(const State& state, Slot slot) { return state[state.size() / 2 + slot]; }
  // The same where the current value of an operand is used; any for literals.
  static TypeSet elements(const State& state, const resolved::Operand& e) {
    return e.slot == resolved::kLiteral ? kAnyType : elements(state, e.slot);
  }
  // The possible types of an expression's value, without speculation.
  static TypeSet of(const resolved::Expr& e, const State& state);
  static TypeSet of(const resolved::Operand& e, const State& state);
  // The types assumed for the value that the instruction at `pc` binds: `possible`, or the single
  // one of them that a guard after it requires.
  TypeSet speculated(Pc pc, TypeSet possible) const;

private:
  TypeSet guarded(Pc pc) const;
  void flow(Pc to, const State& state);
  void step(Pc pc);
  void bind(State& state, Pc pc, Slot x, const resolved::Expr& e) const;

  const ResolvedVersion& code_;
  std::vector<State> before_; // by position
  std::vector<bool> reached_;
  std::vector<Pc> work_;
};

} // namespace sourir::native
