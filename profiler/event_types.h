// The event types that can be counted in the code of a run, a row each: what happens in code after
// all optimizations (Basso, Prokopec, Rosà, Binder, "Optimization-aware compiler-level event
// profiling", TOPLAS 2023, section 3 and Table 2). A row has a target phase: the last one whose
// instructions still show the event.
#pragma once

#include "sourir/syntax/ast.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sourir::profiler {

enum class EventPhase : std::uint8_t {
  // Instructions of the version that the native compiler gets, after all passes. Also counted in
  // the interpreter, and in the trace of the reference.
  Version,
  // What the lowering makes of an instruction, before LLVM's passes.
  Lowering,
  // Instructions of LLVM IR after LLVM's passes.
  Llvm,
};

enum class EventCategory : std::uint8_t {
  Allocation,
  Arithmetic,
  Arrays,
  Branches,
  Calls,
  Guards,
  Memory,
  Types,
  Other
};
inline constexpr std::size_t kEventCategories = 9;

enum class Event : std::uint8_t {
  // Version
  Instruction,
  Move,
  Arithmetic,
  Division,
  Comparison,
  Logic,
  TypeTest,
  Length,
  ArrayLoad,
  ArrayStore,
  ArrayOfLength,
  ArrayOfElements,
  DirectCall,
  CallOfVariable,
  Return,
  Branch,
  Jump,
  BackEdge,
  Print,
  Read,
  Assert,
  Assume,
  Guard,
  GuardType,
  GuardElements,
  GuardComparison,
  GuardVariable,
  Anchor,
  Exit,
  // Lowering
  Bailout,
  IntArithmetic,
  FloatArithmetic,
  IntDivision,
  FloatDivision,
  ArithmeticByCall,
  TagTest,
  ElementUnboxed,
  ElementBoxed,
  ElementByCall,
  BoundsCheck,
  StorageTest,
  AllocationInline,
  AllocationByCall,
  CallNative,
  CallKnownVersion,
  Dispatch,
  CallRecursive,
  CallByRuntime,
  TierUp,
  // Llvm
  LlvmInstruction,
  LlvmLoad,
  LlvmStore,
  LlvmBranch,
  LlvmUnlikelyBranch,
  LlvmBackEdge,
  LlvmCall,
  LlvmRuntimeCall,
  LlvmIntArithmetic,
  LlvmIntDivision,
  LlvmFloatArithmetic,
  LlvmFloatDivision,
  LlvmComparison,
  LlvmSelect,
  LlvmConversion,
  LlvmVector,
  LlvmVectorAccess,
  LlvmMemoryCopy,
};
inline constexpr std::size_t kEvents = static_cast<std::size_t>(Event::LlvmMemoryCopy) + 1;

struct EventType {
  Event event;
  const char* name;
  EventCategory category;
  EventPhase phase;
  const char* what;      // for reports and help
  const char* of_source; // the row of the source's Table 2; null: it has none
};

// In the order of Event.
std::span<const EventType> event_types();
const EventType& type_of(Event event);
const char* name_of(EventCategory category);
const char* name_of(EventPhase phase);

// Rows of the source's Table 2 that cannot occur here, and why.
struct ImpossibleEvent {
  const char* of_source;
  const char* why;
};
std::span<const ImpossibleEvent> impossible_events();

// A set of event types. Text: "all", or names of events, categories and phases with commas between.
class EventSet {
public:
  bool contains(Event e) const { return (bits_[index(e) / 64] >> (index(e) % 64) & 1) != 0; }
  void insert(Event e) { bits_[index(e) / 64] |= std::uint64_t{1} << (index(e) % 64); }
  bool contains(EventPhase phase) const; // any event of it
  static EventSet all();
  // Empty: `wrong` is no name.
  static std::optional<EventSet> parse(std::string_view text, std::string_view& wrong);

private:
  static std::size_t index(Event e) { return static_cast<std::size_t>(e); }
  std::uint64_t bits_[2] = {};
};
static_assert(kEvents <= 128);

// How often each event happens when the instruction is executed to its end. `leads_back`: it is a
// branch or goto to a position that is not after its own.
struct EventTimes {
  Event event;
  std::uint32_t times;
};
std::vector<EventTimes> events_of(const Instruction& instr, bool leads_back);
// Of an assume or anchor whose exit is taken: once each, whatever its guards are.
std::vector<Event> events_of_exit(const Instruction& instr);

} // namespace sourir::profiler
