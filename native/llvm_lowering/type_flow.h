// Types of the variables of a version at each position: a forward dataflow analysis over the
// resolved version. A set at a position holds every type that the variable can have there.
//  - The operand types that an instruction requires hold after it: otherwise it has failed.
//  - Where a guard directly after an instruction tests the type of its result, the variable has
//  that
//    type after it. The emitted code tests it in place and bails out otherwise; the guard fails
//    then (native/deopt/early_failure.h). So the sets hold for the code, not for the program. The
//    same goes for type feedback of versions that the tiers have not optimized.
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

// The number of slots, the first ones, that have values on entry.
std::size_t entered_slots(const CompileRequest& request);

class TypeFlow {
public:
  // By slot. One more element at the end: whether paths to the position contain calls for which
  // feedback has recorded no return.
  using State = std::vector<TypeSet>;

  // The code and the feedback of the request must outlive this.
  explicit TypeFlow(const CompileRequest& request);

  bool reached(Pc pc) const { return reached_[pc]; }
  // Before the instruction at a position that is reached.
  const State& before(Pc pc) const { return before_[pc]; }

  // The possible types of an expression's value, without speculation.
  static TypeSet of(const resolved::Expr& e, const State& state);
  static TypeSet of(const resolved::Operand& e, const State& state);
  // The types assumed for the value that the instruction at `pc` binds: `possible`, or the single
  // one of them that a guard after it requires or feedback has recorded.
  TypeSet speculated(Pc pc, TypeSet possible) const;
  // Whether feedback shows that the instruction was never executed, so the code bails out there.
  // False for instructions whose executions are not recorded.
  bool never_executed(Pc pc) const;
  // The storages of arrays recorded at a position.
  StorageSet storages(Pc pc) const;

private:
  TypeSet guarded(Pc pc) const;
  void flow(Pc to, const State& state);
  void step(Pc pc);
  void bind(State& state, Pc pc, Slot x, const resolved::Expr& e) const;

  const ResolvedVersion& code_;
  const SiteFeedback* feedback_;
  std::vector<State> before_; // by position
  std::vector<bool> reached_;
  std::vector<Pc> work_;
};

} // namespace sourir::native
