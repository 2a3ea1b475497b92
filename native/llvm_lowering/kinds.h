// Which kinds of values the variables of a version may have where: a forward analysis over the
// resolved version. What an instruction needs of its operands holds behind it (it went on), and
// what feedback expects is believed: native code that expects a kind tests it and leaves if it is
// another.
#pragma once

#include "native/runtime/native_code.h"
#include "native/runtime/site_feedback.h"

namespace sourir::native {

inline bool only(TypeSet tags, Tag tag) { return tags == type_set(tag); }
inline bool may(TypeSet tags, Tag tag) { return tags.intersects(type_set(tag)); }
// The tag, if there is only one.
std::optional<Tag> single(TypeSet tags);

// The slots that have values where the code is entered are those before it.
std::size_t entered_slots(const CompileRequest& request);

class Kinds {
public:
  // By slot; one more byte says whether control came through calls that have not returned yet.
  using State = std::vector<TypeSet>;

  // The request's code must outlive this.
  explicit Kinds(const CompileRequest& request);

  bool reached(Pc pc) const { return reached_[pc]; }
  // Before a position; reached(pc).
  const State& before(Pc pc) const { return before_[pc]; }

  // The kinds that the value of an expression may have, if it has one. Beliefs aside.
  static TypeSet of(const resolved::Expr& e, const State& state);
  static TypeSet of(const resolved::Operand& e, const State& state);
  // Of the value that the instruction binds: `possible`, or the one kind among them that feedback
  // has seen.
  TypeSet believed(Pc pc, TypeSet possible) const;
  // Feedback says that the instruction has never been done (and others before it were): code for it
  // would only be in the way.
  bool unseen(Pc pc) const;
  // The storages of arrays seen at a position (bit 1 << Storage); 0: nothing is known.
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
