// Types of the variables of a version at each position: a forward dataflow analysis over the
// resolved version. A set at a position holds every type that the variable can have there.
//  - What an instruction needs of its operands holds after it: execution went on.
//  - Type feedback is speculated on: where it has recorded a single type for the result of an
//    instruction, the variable has that type after it. The code that is emitted tests it and
//    bails out otherwise, so the sets hold for the code, not for the program.
#pragma once

#include "native/runtime/native_code.h"
#include "native/runtime/site_feedback.h"

namespace sourir::native {

inline bool only(TypeSet types, Tag tag) { return types == type_set(tag); }
inline bool may(TypeSet types, Tag tag) { return types.intersects(type_set(tag)); }
// The tag, if there is only one.
std::optional<Tag> single(TypeSet types);

// The number of slots that have values where the code is entered: the first ones.
std::size_t entered_slots(const CompileRequest& request);

class TypeFlow {
public:
  // By slot. One more byte at the end says whether control came through calls that have not
  // returned yet, as far as feedback knows.
  using State = std::vector<TypeSet>;

  // The code and the feedback of the request must outlive this.
  explicit TypeFlow(const CompileRequest& request);

  bool reached(Pc pc) const { return reached_[pc]; }
  // Before the instruction at a position that is reached.
  const State& before(Pc pc) const { return before_[pc]; }

  // The types that the value of an expression may have, if it has one; without speculation.
  static TypeSet of(const resolved::Expr& e, const State& state);
  static TypeSet of(const resolved::Operand& e, const State& state);
  // The types assumed of the value that the instruction at pc binds: `possible`, or the single
  // one of them that feedback has recorded.
  TypeSet speculated(Pc pc, TypeSet possible) const;
  // Feedback has not recorded an execution of this instruction, although it records executions of
  // such instructions: the code bails out there.
  bool never_executed(Pc pc) const;
  // The storages of arrays recorded at a position.
  StorageSet storages(Pc pc) const;

private:
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
