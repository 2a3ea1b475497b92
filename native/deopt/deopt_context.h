// Deoptimization contexts (dissertation 3.4, 4.9): what is known of the state in which an exit is
// taken. Continuations are compiled for contexts, and an exit may continue in one whose context its
// own entails (docs/deoptless.md). Values: any thread, but for admits() and context_of(), which
// read arrays of the running program: of the program.
#pragma once

#include "native/runtime/array.h"
#include "native/runtime/site_feedback.h"
#include "sourir/semantics/resolved.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sourir::native {

// Why the exit was taken: the kind of the guard that failed.
enum class FailedGuard : std::uint8_t {
  None,       // all hold: the schedule forces the exit
  Type,       // (x is int)
  Elements,   // (x is int[])
  Equality,   // (f == 'g), (x != 0)
  Condition,  // a comparison, a bool: the direction of a branch
  Unreached,  // `assume [false]`
  Watchpoint, // the guards hold now: native code relied on an element that has changed meanwhile
};
struct DeoptCause {
  FailedGuard guard = FailedGuard::None;
  TypeSet offending; // the type of the value that the guard tests; empty: none
  friend bool operator==(DeoptCause, DeoptCause) = default;
};
// The kind of a guard, and of the value that it tests; `env`: values by slot.
DeoptCause cause_of(const resolved::Expr& guard, const Value* env);

// Where an exit leads, and the variables of all frames there. Two targets are the same if they are
// the same object (targets are interned: deoptless.h).
struct DeoptTarget {
  struct Frame {
    const ResolvedVersion* code = nullptr;
    Pc pc = 0;
    Slot result = 0; // outer frames: that waits for the result of the frame before
    friend bool operator==(const Frame&, const Frame&) = default;
  };
  struct Variable {
    std::uint32_t frame = 0;
    Slot slot = 0;
    bool live = true; // the types of others say nothing
    friend bool operator==(const Variable&, const Variable&) = default;
  };
  std::vector<Frame> frames;       // the innermost first
  std::vector<Variable> variables; // by frame, then in order of declaration; at most kMostVariables
  friend bool operator==(const DeoptTarget&, const DeoptTarget&) = default;
};

// The values of the variables, by frame and slot; unbound where there is none.
std::vector<std::vector<Value>> values_by_slot(const DeoptTarget& target, const Value* values);

struct DeoptContext {
  static constexpr std::size_t kMostVariables = 32;

  const DeoptTarget* target = nullptr;
  DeoptCause cause;
  // By variable of the target: the types that it may have, and the storages of the array, if it may
  // be one (kHasRoom: it need not be full).
  std::array<TypeSet, kMostVariables> types{};
  std::array<StorageSet, kMostVariables> storages{};

  std::size_t size() const { return target->variables.size(); }
  friend bool operator==(const DeoptContext&, const DeoptContext&) = default;
};

// Of a state with these values, by variable. Variables that are not live may be anything.
DeoptContext context_of(const DeoptTarget& target, DeoptCause cause, const Value* values);

// Contexts are comparable only with the same target, hence the same variables, and the same kind of
// guard.
bool comparable(const DeoptContext& a, const DeoptContext& b);
// Whether a continuation for b may be entered in each state of a: comparable, and each type and
// storage of a is one of b. A partial order.
bool entails(const DeoptContext& a, const DeoptContext& b);
// entails(context_of(*context.target, cause, values), context).
bool admits(const DeoptContext& context, DeoptCause cause, const Value* values);
// A strict weak order that extends entailment: a context comes before those that it entails.
bool comes_before(const DeoptContext& a, const DeoptContext& b);
// The least context that both entail. Precondition: they are comparable.
DeoptContext join(const DeoptContext& a, const DeoptContext& b);
// The variables of which b leaves the type or the storage open, while a knows it. Precondition: a
// entails b.
std::size_t wider_by(const DeoptContext& a, const DeoptContext& b);

// "type float, [x is float, a is float[]]": what the context fixes.
std::string text_of(const DeoptContext& context, const Names& names);
std::string_view name_of(FailedGuard guard);

} // namespace sourir::native
