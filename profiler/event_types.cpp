#include "profiler/event_types.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <variant>

namespace sourir::profiler {

namespace {

using enum EventPhase;
using Is = EventCategory;

constexpr EventType kEventRows[] = {
    {Event::Instruction, "instruction", Is::Other, Version, "any instruction of sourir", nullptr},
    {Event::Move, "move", Is::Other, Version, "a variable or literal is bound to a variable",
     nullptr},
    {Event::Arithmetic, "arithmetic", Is::Arithmetic, Version, "+ - * / % and negation",
     "arithmetic"},
    {Event::Division, "division", Is::Arithmetic, Version, "of these, / and %", nullptr},
    {Event::Comparison, "comparison", Is::Arithmetic, Version, "== != < <= > >=", nullptr},
    {Event::Logic, "logic", Is::Arithmetic, Version, "and, or, not", nullptr},
    {Event::TypeTest, "type-test", Is::Types, Version, "(e is T), but for guards", "instanceof"},
    {Event::Length, "length", Is::Arrays, Version, "length(e)", nullptr},
    {Event::ArrayLoad, "array-load", Is::Arrays, Version, "x[e] is read", "load"},
    {Event::ArrayStore, "array-store", Is::Arrays, Version, "x[e] <- e", "store"},
    {Event::ArrayOfLength, "array-of-length", Is::Allocation, Version, "array x[e]", "allocation"},
    {Event::ArrayOfElements, "array-of-elements", Is::Allocation, Version, "array x = [e, ...]",
     "allocation"},
    {Event::DirectCall, "direct-call", Is::Calls, Version, "the callee is a function literal",
     "invokestatic"},
    {Event::CallOfVariable, "call-of-variable", Is::Calls, Version, "the callee is a variable",
     "invokevirtual, invokeinterface"},
    {Event::Return, "return", Is::Calls, Version, "return", nullptr},
    {Event::Branch, "branch", Is::Branches, Version, "branch", "if"},
    {Event::Jump, "jump", Is::Branches, Version, "goto", nullptr},
    {Event::BackEdge, "back-edge", Is::Branches, Version,
     "a goto or branch that can lead to its own or an earlier position", "loop-end"},
    {Event::Print, "print", Is::Other, Version, "print", "foreign-call"},
    {Event::Read, "read", Is::Other, Version, "read", "foreign-call"},
    {Event::Assert, "assert", Is::Branches, Version, "assert", nullptr},
    {Event::Assume, "assume", Is::Guards, Version, "assume, whatever its guards are", nullptr},
    {Event::Guard, "guard", Is::Guards, Version, "a guard that holds", "guard"},
    {Event::GuardType, "guard-type", Is::Guards, Version, "of these, (e is T)", "guard-class-cast"},
    {Event::GuardElements, "guard-elements", Is::Guards, Version, "of these, (e is T[])", nullptr},
    {Event::GuardComparison, "guard-comparison", Is::Guards, Version,
     "of these, a comparison: (f == g), (x != nil)", "guard-null-check"},
    {Event::GuardVariable, "guard-variable", Is::Guards, Version, "of these, all others", nullptr},
    {Event::Anchor, "anchor", Is::Guards, Version, "anchor", nullptr},
    {Event::Exit, "exit", Is::Guards, Version,
     "an assume or anchor whose exit is taken: a deoptimization, as interpreted",
     "deoptimization, guard-unreached-code"},
    {Event::Bailout, "bailout", Is::Guards, Lowering,
     "native code goes on in the interpreter, at the same instruction", "deoptimization"},
    {Event::IntArithmetic, "int-arithmetic", Is::Arithmetic, Lowering,
     "arithmetic whose operands are known to be ints", "arithmetic"},
    {Event::FloatArithmetic, "float-arithmetic", Is::Arithmetic, Lowering,
     "arithmetic on floats, conversions of an int operand included", "float-arithmetic-64"},
    {Event::IntDivision, "int-division", Is::Arithmetic, Lowering, "of the int arithmetic, / and %",
     "int-div-rem"},
    {Event::FloatDivision, "float-division", Is::Arithmetic, Lowering,
     "of the float arithmetic, / and %", "float-div-rem-64"},
    {Event::ArithmeticByCall, "arithmetic-by-call", Is::Arithmetic, Lowering,
     "arithmetic by a function of the runtime: the types are not known", "arithmetic"},
    {Event::TagTest, "tag-test", Is::Types, Lowering, "the type of a value is tested",
     "instanceof, typeswitch"},
    {Event::ElementUnboxed, "element-unboxed", Is::Arrays, Lowering,
     "an element is read from or written to an array of one type, without a tag", nullptr},
    {Event::ElementBoxed, "element-boxed", Is::Arrays, Lowering,
     "an element is read or written with its tag", nullptr},
    {Event::ElementByCall, "element-by-call", Is::Arrays, Lowering,
     "an element is read or written by a function of the runtime", nullptr},
    {Event::BoundsCheck, "bounds-check", Is::Arrays, Lowering, "an index is compared with a length",
     "guard-bounds-check"},
    {Event::StorageTest, "storage-test", Is::Types, Lowering,
     "how an array stores its elements is tested", "typeswitch"},
    {Event::AllocationInline, "allocation-inline", Is::Allocation, Lowering,
     "an array is taken from a free list", "allocation"},
    {Event::AllocationByCall, "allocation-by-call", Is::Allocation, Lowering,
     "an array is made by a function of the runtime", "allocation"},
    {Event::CallNative, "call-native", Is::Calls, Lowering,
     "a call enters native code through the cell of the function", "invokevirtual"},
    {Event::CallKnownVersion, "call-known-version", Is::Calls, Lowering,
     "a call enters the version for the known types of its arguments: no dispatch",
     "invokespecial"},
    {Event::Dispatch, "dispatch", Is::Calls, Lowering,
     "a version is chosen by tests of the arguments", nullptr},
    {Event::CallRecursive, "call-recursive", Is::Calls, Lowering,
     "a recursive call enters its own code", "invokestatic"},
    {Event::CallByRuntime, "call-by-runtime", Is::Calls, Lowering,
     "a call by the runtime: the callee has no native code yet", "foreign-call"},
    {Event::TierUp, "tier-up", Is::Other, Lowering,
     "a loop is left for code that is more optimized", nullptr},
    {Event::LlvmInstruction, "llvm-instruction", Is::Other, Llvm,
     "any instruction, but for phis and debug information", nullptr},
    {Event::LlvmLoad, "llvm-load", Is::Memory, Llvm, "a load from memory", "load"},
    {Event::LlvmStore, "llvm-store", Is::Memory, Llvm, "a store to memory", "store"},
    {Event::LlvmBranch, "llvm-branch", Is::Branches, Llvm, "a conditional branch or switch", "if"},
    {Event::LlvmUnlikelyBranch, "llvm-unlikely-branch", Is::Guards, Llvm,
     "of these, with a side that was marked as unlikely: a check that is left", "guard"},
    {Event::LlvmBackEdge, "llvm-back-edge", Is::Branches, Llvm,
     "a back edge; unrolled and vectorized loops have fewer", "loop-end"},
    {Event::LlvmCall, "llvm-call", Is::Calls, Llvm, "a call of native code", "invokestatic"},
    {Event::LlvmRuntimeCall, "llvm-runtime-call", Is::Calls, Llvm,
     "a call of a function of the runtime", "foreign-call"},
    {Event::LlvmIntArithmetic, "llvm-int-arithmetic", Is::Arithmetic, Llvm,
     "integer arithmetic, that of addresses included if it is an instruction", "arithmetic"},
    {Event::LlvmIntDivision, "llvm-int-division", Is::Arithmetic, Llvm,
     "of these, divisions and remainders", "int-div-rem"},
    {Event::LlvmFloatArithmetic, "llvm-float-arithmetic", Is::Arithmetic, Llvm,
     "arithmetic of doubles", "float-arithmetic-64"},
    {Event::LlvmFloatDivision, "llvm-float-division", Is::Arithmetic, Llvm,
     "of these, divisions and remainders", "float-div-rem-64"},
    {Event::LlvmComparison, "llvm-comparison", Is::Arithmetic, Llvm,
     "a comparison of integers or doubles", nullptr},
    {Event::LlvmSelect, "llvm-select", Is::Branches, Llvm, "a select: a branch became data",
     nullptr},
    {Event::LlvmConversion, "llvm-conversion", Is::Types, Llvm,
     "a conversion that changes bits: between ints and doubles, extensions", nullptr},
    {Event::LlvmVector, "llvm-vector", Is::Arithmetic, Llvm,
     "an instruction whose result is a vector", nullptr},
    {Event::LlvmVectorAccess, "llvm-vector-access", Is::Memory, Llvm,
     "of the loads and stores, those of vectors", nullptr},
    {Event::LlvmMemoryCopy, "llvm-memory-copy", Is::Memory, Llvm,
     "memory is copied or filled as a whole", "arraycopy, array-duplication"},
};
static_assert(std::size(kEventRows) == kEvents);
static_assert(std::ranges::equal(kEventRows, std::views::iota(std::size_t{0}, kEvents), {},
                                 [](const EventType& t) {
                                   return static_cast<std::size_t>(t.event);
                                 })); // type_of()

constexpr ImpossibleEvent kImpossible[] = {
    {"float-arithmetic-32", "sourir has no floats of 32 bits"},
    {"float-div-rem-32", "sourir has no floats of 32 bits"},
    {"cas", "a program has one thread"},
    {"biased-lock-entry", "there are no locks"},
    {"cas-lock-entry", "there are no locks"},
    {"inflated-lock-entry", "there are no locks"},
    {"recursive-lock-entry", "there are no locks"},
    {"stubbed-lock-entry", "there are no locks"},
    {"membar-store-load", "a program has one thread"},
};

constexpr const char* kCategoryNames[] = {"allocation", "arithmetic", "arrays", "branches", "calls",
                                          "guards",     "memory",     "types",  "other"};
static_assert(std::size(kCategoryNames) == kEventCategories);
constexpr const char* kPhaseNames[] = {"version", "lowering", "llvm"};

} // namespace

std::span<const EventType> event_types() { return kEventRows; }
std::span<const ImpossibleEvent> impossible_events() { return kImpossible; }
const EventType& type_of(Event event) { return kEventRows[static_cast<std::size_t>(event)]; }
const char* name_of(EventCategory c) { return kCategoryNames[static_cast<std::size_t>(c)]; }
const char* name_of(EventPhase phase) { return kPhaseNames[static_cast<std::size_t>(phase)]; }

// --- Sets ---

bool EventSet::contains(EventPhase phase) const {
  return std::ranges::any_of(
      kEventRows, [&](const EventType& t) { return t.phase == phase && contains(t.event); });
}

EventSet EventSet::all() {
  EventSet set;
  for (const EventType& t : kEventRows) set.insert(t.event);
  return set;
}

std::optional<EventSet> EventSet::parse(std::string_view text, std::string_view& wrong) {
  EventSet set;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view name = text.substr(0, comma);
    bool known = false;
    for (const EventType& t : kEventRows) {
      if (name != "all" && name != t.name && name != name_of(t.category) &&
          name != name_of(t.phase))
        continue;
      set.insert(t.event);
      known = true;
    }
    if (!known) {
      wrong = name;
      return {};
    }
    if (comma == std::string_view::npos) return set;
    text.remove_prefix(comma + 1);
  }
}

// --- Events of instructions ---

namespace {

class Counting {
public:
  void add(Event e, std::uint32_t times = 1) {
    const auto found = std::ranges::find(events_, e, &EventTimes::event);
    if (found != events_.end())
      found->times += times;
    else
      events_.push_back({e, times});
  }
  // What evaluating the expression is; `moved`: its value is bound.
  void value(const Expr& e, bool moved = false) {
    match(
        e,
        [&](const SimpleExpr&) {
          if (moved) add(Event::Move);
        },
        [&](const Unary& u) { add(u.op == UnaryOp::Neg ? Event::Arithmetic : Event::Logic); },
        [&](const Binary& b) { binary(b.op); }, [&](const Index&) { add(Event::ArrayLoad); },
        [&](const Length&) { add(Event::Length); }, [&](const KindTest&) { add(Event::TypeTest); },
        [&](const ElementsTest&) { add(Event::TypeTest); });
  }
  void guard(const Expr& e) {
    add(Event::Guard);
    if (std::holds_alternative<KindTest>(e)) return add(Event::GuardType);
    if (std::holds_alternative<ElementsTest>(e)) return add(Event::GuardElements);
    const auto* const b = std::get_if<Binary>(&e);
    const bool compares = b != nullptr && b->op <= BinaryOp::Ge;
    add(compares ? Event::GuardComparison : Event::GuardVariable);
  }
  std::vector<EventTimes> take() { return std::move(events_); }

private:
  void binary(BinaryOp op) {
    if (!is_arithmetic(op)) return add(op <= BinaryOp::Ge ? Event::Comparison : Event::Logic);
    add(Event::Arithmetic);
    if (op == BinaryOp::Div || op == BinaryOp::Mod) add(Event::Division);
  }

  std::vector<EventTimes> events_;
};

} // namespace

std::vector<EventTimes> events_of(const Instruction& instr, bool leads_back) {
  Counting c;
  c.add(Event::Instruction);
  if (leads_back) c.add(Event::BackEdge);
  match(
      instr,
      [&](const Decl& i) {
        if (i.value) c.value(*i.value, true);
      },
      [](const Drop&) {}, [&](const Assign& i) { c.value(i.value, true); },
      [&](const ArrayDecl& i) {
        c.value(i.length);
        c.add(Event::ArrayOfLength);
      },
      [&](const ArrayDef& i) {
        for (const Expr& e : i.elements) c.value(e);
        c.add(Event::ArrayOfElements);
      },
      [&](const ArrayUpdate& i) {
        c.value(i.index);
        c.value(i.value);
        c.add(Event::ArrayStore);
      },
      [&](const Branch& i) {
        c.value(i.condition);
        c.add(Event::Branch);
      },
      [&](const Goto&) { c.add(Event::Jump); },
      [&](const Print& i) {
        c.value(i.value);
        c.add(Event::Print);
      },
      [&](const Read&) { c.add(Event::Read); },
      [&](const Assert& i) {
        c.value(i.condition);
        c.add(Event::Assert);
      },
      [&](const Call& i) {
        const auto* const simple = std::get_if<SimpleExpr>(&i.callee);
        const bool direct = simple != nullptr && std::holds_alternative<FunName>(*simple);
        c.value(i.callee);
        for (const Expr& e : i.arguments) c.value(e);
        c.add(direct ? Event::DirectCall : Event::CallOfVariable);
      },
      [&](const Return& i) {
        c.value(i.value);
        c.add(Event::Return);
      },
      [&](const Stop& i) {
        if (i.value) c.value(*i.value);
      },
      [&](const Assume& i) {
        c.add(Event::Assume);
        for (const Expr& e : i.guards) c.guard(e);
      },
      [&](const Anchor&) { c.add(Event::Anchor); }, [](const GuardHint&) {});
  return c.take();
}

std::vector<Event> events_of_exit(const Instruction& instr) {
  const bool anchor = std::holds_alternative<Anchor>(instr);
  return {Event::Instruction, anchor ? Event::Anchor : Event::Assume, Event::Exit};
}

} // namespace sourir::profiler
