// The rules of the reduction relation, one function each (SEMANTICS.md lists them beside those of
// the paper), their transitions, and the table of all rules.
#pragma once

#include "sourir/semantics/config.h"

#include <concepts>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace sourir {

// A ::= tau | read v | print v | stop v   (Figure 2.19)
enum class ActionKind : std::uint8_t { Silent, Read, Print, Stop };
struct Action {
  ActionKind kind = ActionKind::Silent;
  Value value;
};

// What a deoptimization puts in place of the current frame (materialize.h).
struct NewFrame {
  const ResolvedVersion* code = nullptr;
  Pc pc = 0;
  Slot result = 0; // x of its continuation; unused in the innermost frame
  std::vector<Value> env;
};
struct NewFrames {
  std::vector<std::vector<Value>> blocks; // allocated by the with block, at the next addresses
  std::vector<NewFrame> frames;           // outermost first; the last becomes the current one
};

// A guard of the current assume whose element is to be watched.
struct WatchedElement {
  std::uint32_t guard = 0;
  ElementCell cell;
};

// Effects. All but Move, Push, Pop, Replace, MoveInto and Halt advance to L+1.
namespace effect {
struct Move { // L := to
  Pc to;
};
struct Bind { // E[x] := v
  Slot x;
  Value v;
};
struct Unbind { // E without x
  Slot x;
};
struct Allocate { // M[a] := block, E[x] := a, a fresh; no elements: `length` times nil
  Slot x;
  std::uint64_t length;
  std::vector<Value> elements;
};
struct Store { // M[a][i] := v
  Address array;
  std::size_t index;
  Value v;
};
struct Push { // K* := <I L+1 x E> K*, E := [parameters = arguments], I := callee
  const ResolvedVersion* callee;
  Slot result;
  std::vector<Value> arguments;
};
struct Pop { // <I L x E> K* becomes I L E and K*, and E[x] := v
  Value v;
};
struct Replace { // the current frame becomes the new ones
  NewFrames to;
};
struct MoveInto { // the current frame and its callers, one for each list but the first, become one
  const ResolvedVersion* code;             // at its start
  std::span<const std::vector<Slot>> with; // the slots that it takes from each, innermost first
};
struct Halt {};     // I := epsilon
struct SetWatches { // W[n L i] := a k, where n and L are those of the configuration
  std::vector<WatchedElement> elements;
};
} // namespace effect
using Effect = std::variant<effect::Move, effect::Bind, effect::Unbind, effect::Allocate,
                            effect::Store, effect::Push, effect::Pop, effect::Replace,
                            effect::MoveInto, effect::Halt, effect::SetWatches>;

struct Transition {
  Effect effect;
  Action action = {};
  bool opportunity = false; // an exit was possible here, taken or not
};

// The result of a rule: its transition; or, when it does not apply, the premise that failed: an
// expression without value (why), a limit, or neither if another rule is the one that applies.
struct Derivation {
  std::optional<Transition> transition;
  StuckReason why = StuckReason::None;
  Limit limit = Limit::None;

  Derivation(Transition t) : transition(std::move(t)) {}
  template <class E>
    requires std::constructible_from<Effect, E>
  Derivation(E e) : transition(Transition{std::move(e)}) {}
  Derivation(StuckReason reason) : why(reason) {}
  Derivation(Limit l) : limit(l) {}
  explicit operator bool() const { return transition.has_value(); }
};
inline constexpr StuckReason kOtherRule = StuckReason::None;

// A rule (dissertation Figure 2.20) is a pure function from a configuration to its transition: an
// action and an effect, which apply() and undo() (step.h) execute. A rule that does not apply
// returns the premise that failed, so nothing is evaluated twice to explain a stuck program.
using Rule = Derivation (*)(const Config&);

// Forced: by the schedule. Invalidated: a watch of the frame has fallen. Mapped: by a state map,
// where the schedule of growth says so.
enum class RuleDeopt : std::uint8_t { None, GuardFailed, Forced, Invalidated, Mapped };

inline constexpr std::size_t kNoInstruction = ~std::size_t{0};

struct RuleRow {
  std::string_view name;   // as in the paper's figures; those of [ext] rules are ours
  std::size_t instruction; // index into resolved::Instr; of a rule of growth: kNoInstruction
  Rule rule;
  std::string_view conclusion; // the rule in words, one line
  RuleDeopt deopt = RuleDeopt::None;

  bool deoptimizes() const { return deopt != RuleDeopt::None; }
  bool forced() const { return deopt == RuleDeopt::Forced; }
};

// At most five rows for an instruction; no two of them apply to the same configuration.
std::span<const RuleRow> all_rules();
std::span<const RuleRow> rules_for(std::size_t instruction);
// Position of a row in all_rules().
std::size_t index_of(const RuleRow& row);
// The rules OsrEntry and MapDeopt [ext], by which a program grows: they belong to no instruction,
// and come before those of the current one (growth.h).
std::span<const RuleRow> growth_rules();
bool is_growth(const RuleRow& row);
// The inference rule as text: the comment above the rule's function.
std::string_view inference_rule(std::string_view rule);

// --- Watchpoints (SEMANTICS.md)
// -------------------------------------------------------------------

// Whether the current frame counts on this guard of the current assume without testing it.
bool is_watched(const Config& c, std::uint32_t guard);
// The watches of the current frame that have fallen, if it leaves because of them where it is now.
std::vector<Watch> fallen_watches(const Config& c);

} // namespace sourir

namespace sourir::rules {

Derivation Decl(const Config& c);
Derivation Drop(const Config& c);
Derivation Assign(const Config& c);
Derivation ArrayDecl(const Config& c);
Derivation ArrayDef(const Config& c);
Derivation ArrayUpdate(const Config& c);
Derivation BranchTrue(const Config& c);
Derivation BranchFalse(const Config& c);
Derivation Goto(const Config& c);
Derivation Print(const Config& c);
Derivation Read(const Config& c);
Derivation AssertPass(const Config& c);
Derivation Call(const Config& c);
Derivation Return(const Config& c);
Derivation ReturnStop(const Config& c);
Derivation Stop(const Config& c);
Derivation AssumePass(const Config& c);
Derivation AssumeDeopt(const Config& c);
Derivation AssumeForce(const Config& c);
Derivation AssumeWatch(const Config& c);
Derivation AssumeInvalidate(const Config& c);
Derivation AnchorPass(const Config& c);
Derivation AnchorDeopt(const Config& c);
Derivation AnchorInvalidate(const Config& c);
Derivation Hint(const Config& c);
Derivation OsrEntry(const Config& c);
Derivation MapDeopt(const Config& c);

// deoptimize(C, xi, xi*)
Derivation deoptimize(const Config& c, const resolved::Exit& exit, bool opportunity);

// The instruction at L. Precondition: it is an Instr, as the table of rules ensures.
template <class Instr>
const Instr& at(const Config& c) {
  return *std::get_if<Instr>(&c.instr());
}

} // namespace sourir::rules
