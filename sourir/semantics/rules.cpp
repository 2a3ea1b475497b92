#include "sourir/semantics/rules.h"
#include "sourir/semantics/eval.h"
#include "sourir/semantics/growth.h"
#include "sourir/semantics/materialize.h"

#include <algorithm>
#include <array>

namespace sourir::rules {

// I(L) = var x = e    M E e -> v
// ------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I (L+1) K* M E[x <- v]>
Derivation Decl(const Config& c) {
  const auto& [x, e] = at<resolved::Decl>(c);
  const EvalResult v = e ? eval(c, *e) : EvalResult(Value(Nil{}));
  if (!v) return v.why;
  return effect::Bind{x, v.value};
}

// I(L) = drop x
// ------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I (L+1) K* M E\{x}>
Derivation Drop(const Config& c) { return effect::Unbind{at<resolved::Drop>(c).x}; }

// I(L) = x <- e    M E e -> v
// ------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I (L+1) K* M E[x <- v]>
Derivation Assign(const Config& c) {
  const auto& [x, e] = at<resolved::Assign>(c);
  const EvalResult v = eval(c, e);
  if (!v) return v.why;
  return effect::Bind{x, v.value};
}

// I(L) = array x[e]    M E e -> n    n is a length    a fresh
// ----------------------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I (L+1) K* M[a <- [nil, .., nil]] E[x <- a]>
Derivation ArrayDecl(const Config& c) {
  const auto& [x, length] = at<resolved::ArrayDecl>(c);
  const EvalResult n = array_length(eval(c, length));
  if (!n) return n.why;
  return effect::Allocate{x, static_cast<std::uint64_t>(n.value.as_int()), {}};
}

// I(L) = array x = [e1, .., en]    M E ei -> vi    a fresh
// ----------------------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I (L+1) K* M[a <- [v1, .., vn]] E[x <- a]>
Derivation ArrayDef(const Config& c) {
  const auto& [x, elements] = at<resolved::ArrayDef>(c);
  std::vector<Value> block;
  block.reserve(elements.size());
  for (const resolved::Expr& e : elements) {
    const EvalResult v = eval(c, e);
    if (!v) return v.why;
    block.push_back(v.value);
  }
  return effect::Allocate{x, block.size(), std::move(block)};
}

// I(L) = x[e1] <- e2    M E e1 -> i    M E e2 -> v    E(x) = a    M(a) = [v1, .., vn]    i < n
// ----------------------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I (L+1) K* M[a <- [v1, .., v, .., vn]] E>
Derivation ArrayUpdate(const Config& c) {
  const auto& [x, e1, e2] = at<resolved::ArrayUpdate>(c);
  const EvalResult i = eval(c, e1);
  if (!i) return i.why;
  const EvalResult v = eval(c, e2);
  if (!v) return v.why;
  const Value a = c.env()[x];
  if (!a.is(Tag::Array) || !i.value.is(Tag::Int)) return StuckReason::WrongType;
  const auto index = static_cast<std::uint64_t>(i.value.as_int());
  if (index >= c.heap.blocks[a.as_array().index].size()) return StuckReason::OutOfBounds;
  return effect::Store{a.as_array(), static_cast<std::size_t>(index), v.value};
}

// I(L) = branch e L1 L2    M E e -> true
// ------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I L1 K* M E>
Derivation BranchTrue(const Config& c) {
  const auto& i = at<resolved::Branch>(c);
  const EvalResult v = eval(c, i.e);
  if (!v || !v.value.is(Tag::Bool)) return v ? StuckReason::WrongType : v.why;
  if (!v.value.is_true()) return kOtherRule;
  return effect::Move{i.if_true};
}

// I(L) = branch e L1 L2    M E e -> false
// ------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I L2 K* M E>
Derivation BranchFalse(const Config& c) {
  const auto& i = at<resolved::Branch>(c);
  const EvalResult v = eval(c, i.e);
  if (!v || !v.value.is(Tag::Bool)) return v ? StuckReason::WrongType : v.why;
  if (v.value.is_true()) return kOtherRule;
  return effect::Move{i.if_false};
}

// I(L) = goto L'
// ------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I L' K* M E>
Derivation Goto(const Config& c) { return effect::Move{at<resolved::Goto>(c).target}; }

// [ext]  I(L) = assert e    M E e -> true
// ------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I (L+1) K* M E>
Derivation AssertPass(const Config& c) {
  const EvalResult v = eval(c, at<resolved::Assert>(c).e);
  if (!v || !v.value.is(Tag::Bool)) return v ? StuckReason::WrongType : v.why;
  if (!v.value.is_true()) return StuckReason::AssertionFailed;
  return effect::Move{c.pc + 1};
}

// [ext]  I(L) = guard_hint e*
// ------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I (L+1) K* M E>
Derivation Hint(const Config& c) { return effect::Move{c.pc + 1}; }

// I(L) = stop e    M E e -> v          ("stop" alone is "stop 0"; "stop e" is [ext])
// ------------------------------------------------------------
// <P I L K* M E>  --stop v-->  <P epsilon L K* M E>
Derivation Stop(const Config& c) {
  const EvalResult v = eval(c, at<resolved::Stop>(c).e);
  if (!v) return v.why;
  return Transition{effect::Halt{}, {ActionKind::Stop, v.value}};
}

// I(L) = read x    v is the next literal of the input
// ------------------------------------------------------------
// <P I L K* M E>  --read v-->  <P I (L+1) K* M E[x <- v]>
Derivation Read(const Config& c) {
  const EvalResult v = c.input->at(c.input_position);
  if (!v) return v.why;
  if (v.value.is(Tag::Fun) && !c.program->function(v.value.as_fun())) return StuckReason::BadInput;
  return Transition{effect::Bind{at<resolved::Read>(c).x, v.value}, {ActionKind::Read, v.value}};
}

// I(L) = print e    M E e -> v
// ------------------------------------------------------------
// <P I L K* M E>  --print v-->  <P I (L+1) K* M E>
Derivation Print(const Config& c) {
  const EvalResult v = eval(c, at<resolved::Print>(c).e);
  if (!v) return v.why;
  return Transition{effect::Move{c.pc + 1}, {ActionKind::Print, v.value}};
}

// I(L) = call x = e(e1, .., en)    M E e -> F    M E ei -> vi
// P(F) = F(x1, .., xn) : ..    E' = [x1 <- v1, .., xn <- vn]    M E' F enters V : I'
// ----------------------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I' start(I') (<I (L+1) x E> K*) M E'>
Derivation Call(const Config& c) {
  const auto& i = at<resolved::Call>(c);
  const EvalResult callee = eval(c, i.callee);
  if (!callee) return callee.why;
  if (!callee.value.is(Tag::Fun)) return StuckReason::NotAFunction;
  const LinkedProgram::Fun& f = *c.program->function(callee.value.as_fun());
  if (f.arity != i.arguments.size()) return StuckReason::WrongArity;
  std::vector<Value> arguments;
  arguments.reserve(f.arity);
  for (const resolved::Expr& e : i.arguments) {
    const EvalResult v = eval(c, e);
    if (!v) return v.why;
    arguments.push_back(v.value);
  }
  const ResolvedVersion* version = entered(c, f, arguments.data());
  return effect::Push{version, i.x, std::move(arguments)};
}

// I(L) = return e    M E e -> v
// ----------------------------------------------------------------------------
// <P I L (<I' L' x E'> K*) M E>  --tau-->  <P I' L' K* M E'[x <- v]>
Derivation Return(const Config& c) {
  if (c.frames.empty()) return kOtherRule;
  const EvalResult v = eval(c, at<resolved::Return>(c).e);
  if (!v) return v.why;
  return effect::Pop{v.value};
}

// [ext]  I(L) = return e    M E e -> v
// ------------------------------------------------------------
// <P I L . M E>  --stop v-->  <P epsilon L . M E>
Derivation ReturnStop(const Config& c) {
  if (!c.frames.empty()) return kOtherRule;
  const EvalResult v = eval(c, at<resolved::Return>(c).e);
  if (!v) return v.why;
  return Transition{effect::Halt{}, {ActionKind::Stop, v.value}};
}

namespace {

// The plan of the current version; null: nothing in it is watched.
const VersionWatchPlan* plan_of(const Config& c) {
  if (!c.watch_plan) return nullptr;
  const auto found = c.watch_plan->find(c.code);
  return found == c.watch_plan->end() ? nullptr : &found->second;
}

// The element that a guard is about, where the array exists.
std::optional<ElementCell> cell_of(const Config& c, const ElementGuard& guard) {
  const Value a = c.env()[guard.array];
  if (!a.is(Tag::Array)) return {};
  return ElementCell{a.as_array(), guard.index};
}

// A watched guard counts as true: neither it nor its element is looked at.
bool guards_hold(const Config& c, const resolved::Assume& i) {
  if (c.watches.empty()) return first_failing(c.heap, c.env(), i.guards) == i.guards.size();
  for (std::uint32_t k = 0; k < i.guards.size(); ++k)
    if (!is_watched(c, k) && !holds(c.heap, c.env(), i.guards[k])) return false;
  return true;
}

// A watch of the current frame has fallen, and this is an invalidation point.
bool invalidated(const Config& c) { return !c.watches.empty() && !fallen_watches(c).empty(); }

// The guards of the current assume that are to be watched and are not yet. Precondition: they hold.
std::vector<WatchedElement> watchable(const Config& c) {
  std::vector<WatchedElement> all;
  const VersionWatchPlan* const plan = plan_of(c);
  if (plan == nullptr) return all;
  for (const ElementGuard& guard : plan->guards_at(c.pc)) {
    const auto cell = cell_of(c, guard);
    if (!cell || is_watched(c, guard.guard)) continue;
    const std::vector<Value>& block = c.heap.blocks[cell->array.index];
    const bool loaded = guard.loaded != resolved::kLiteral;
    const Value expected = loaded ? c.env()[guard.loaded] : Value(true);
    if (cell->index < block.size() && block[cell->index] == expected)
      all.push_back({guard.guard, *cell});
  }
  return all;
}

// Whether the schedule takes an exit that may but need not be taken. An exit to its own position
// with the identity is never taken: it would repeat for ever.
bool takes_exit(const Config& c, const resolved::Exit& exit) {
  return !exit.stays && c.schedule->forces_exit(c.opportunities + 1, c.returned, c.code, c.pc);
}

Transition pass(const Config& c, const resolved::Exit& exit) {
  return {effect::Move{c.pc + 1}, {}, !exit.stays};
}

} // namespace

Derivation deoptimize(const Config& c, const resolved::Exit& exit, bool opportunity) {
  return match(
      materialize(c, exit),
      [&](NewFrames&& to) {
        return Derivation(Transition{effect::Replace{std::move(to)}, {}, opportunity});
      },
      [](StuckReason why) { return Derivation(why); },
      [](Limit limit) { return Derivation(limit); });
}

// I(L) = assume e* else xi xi*    M E ei -> true for all i    [ext] or ei is watched
// ----------------------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I (L+1) K* M E>
// [ext] nothing is to be watched, and the frame is not invalidated here (a premise of
// all rules of assume and anchor but Invalidate)
Derivation AssumePass(const Config& c) {
  const auto& i = at<resolved::Assume>(c);
  if (invalidated(c) || !guards_hold(c, i) || takes_exit(c, i.exit)) return kOtherRule;
  if (c.watch_plan && !watchable(c).empty()) return kOtherRule;
  return pass(c, i.exit);
}

// I(L) = assume e* else xi xi*    not (M E ei -> true for all i)
// ----------------------------------------------------------------------------
// C = <P I L K* M E>  --tau-->  deoptimize(C, xi, xi*)
Derivation AssumeDeopt(const Config& c) {
  const auto& i = at<resolved::Assume>(c);
  if (invalidated(c) || guards_hold(c, i)) return kOtherRule;
  return deoptimize(c, i.exit, false);
}

// [ext]  I(L) = assume e* else xi xi*    M E ei -> true for all i    the schedule forces it
// ----------------------------------------------------------------------------
// C = <P I L K* M E>  --tau-->  deoptimize(C, xi, xi*)
// Assumption transparency makes it a legal step; checks force it.
Derivation AssumeForce(const Config& c) {
  const auto& i = at<resolved::Assume>(c);
  if (invalidated(c) || !guards_hold(c, i) || !takes_exit(c, i.exit)) return kOtherRule;
  return deoptimize(c, i.exit, true);
}

// [ext]  I(L) = assume e* else xi xi*    M E ei -> true for all i
// ei reads element k of the array a, and the schedule watches it       (2.7, 6.1: the monitor)
// ----------------------------------------------------------------------------
// <P I L K* M E W>  --tau-->  <P I (L+1) K* M E W[|K*| L i <- a k, stands]>
Derivation AssumeWatch(const Config& c) {
  const auto& i = at<resolved::Assume>(c);
  if (!c.watch_plan || invalidated(c) || !guards_hold(c, i) || takes_exit(c, i.exit))
    return kOtherRule;
  std::vector<WatchedElement> elements = watchable(c);
  if (elements.empty()) return kOtherRule;
  return Transition{effect::SetWatches{std::move(elements)}, {}, !i.exit.stays};
}

// [ext]  I(L) = assume e* else xi xi*
// W(|K*| L' i) has fallen    L is an invalidation point of I
// ----------------------------------------------------------------------------
// C = <P I L K* M E W>  --tau-->  deoptimize(C, xi, xi*)     (2.7, 6.1: deoptimization point)
// The guards e* are not looked at: leaving is legal whether they hold or not.
Derivation AssumeInvalidate(const Config& c) {
  if (!invalidated(c)) return kOtherRule;
  return deoptimize(c, at<resolved::Assume>(c).exit, false);
}

// [ext]  I(L) = anchor else xi xi*    the schedule says stay       (2.8, CoreJIT)
// ------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I (L+1) K* M E>
Derivation AnchorPass(const Config& c) {
  const auto& i = at<resolved::Anchor>(c);
  if (invalidated(c) || takes_exit(c, i.exit)) return kOtherRule;
  return pass(c, i.exit);
}

// [ext]  I(L) = anchor else xi xi*    the schedule forces it
// ----------------------------------------------------------------------------
// C = <P I L K* M E>  --tau-->  deoptimize(C, xi, xi*)
Derivation AnchorDeopt(const Config& c) {
  const auto& i = at<resolved::Anchor>(c);
  if (invalidated(c) || !takes_exit(c, i.exit)) return kOtherRule;
  return deoptimize(c, i.exit, true);
}

// [ext]  I(L) = anchor else xi xi*
// W(|K*| L' i) has fallen    L is an invalidation point of I
// ----------------------------------------------------------------------------
// C = <P I L K* M E W>  --tau-->  deoptimize(C, xi, xi*)
Derivation AnchorInvalidate(const Config& c) {
  if (!invalidated(c)) return kOtherRule;
  return deoptimize(c, at<resolved::Anchor>(c).exit, false);
}

// [ext]  the schedule moves the n innermost frames into the continuation F.V : I'
// F.V is the rest of C from L on    x1, .., xm are its names
// ----------------------------------------------------------------------------
// C = <P I L (<I1 L1 r1 E1> .. <In Ln rn En> K*) M E>
//   --tau-->  <P' I' 0 K* M [x1 <- v1, .., xm <- vm]>    P' is P with F.V
// where the v are the values of the variables of E, E1, .., En in this order
Derivation OsrEntry(const Config& c) {
  const GrowthStep* const step = c.growth != nullptr ? c.growth->pending(c) : nullptr;
  if (step == nullptr || step->kind != GrowthStep::Kind::MoveIn) return kOtherRule;
  return effect::MoveInto{step->into, step->with};
}

// [ext]  the state map of an added version has xi xi* at L, where the schedule leaves it
// ----------------------------------------------------------------------------
// C = <P I L K* M E>  --tau-->  deoptimize(C, xi, xi*)
// Each position that the map lists could have an anchor with this exit.
Derivation MapDeopt(const Config& c) {
  const GrowthStep* const step = c.growth != nullptr ? c.growth->pending(c) : nullptr;
  if (step == nullptr || step->kind != GrowthStep::Kind::Mapped) return kOtherRule;
  return deoptimize(c, *step->exit, false);
}

} // namespace sourir::rules

namespace sourir {

bool is_watched(const Config& c, std::uint32_t guard) {
  const Watch* const watch = c.watches.find(c.frames.size(), c.pc, guard);
  const VersionWatchPlan* const plan = rules::plan_of(c);
  if (watch == nullptr || plan == nullptr) return false;
  const auto guards = plan->guards_at(c.pc);
  const auto planned = std::ranges::find(guards, guard, &ElementGuard::guard);
  return planned != guards.end() && rules::cell_of(c, *planned) == watch->cell;
}

std::vector<Watch> fallen_watches(const Config& c) {
  std::vector<Watch> fallen;
  const VersionWatchPlan* const plan = rules::plan_of(c);
  if (plan == nullptr || plan->point(c.pc) == InvalidationPoint::None) return fallen;
  for (const Watch& watch : c.watches.of_top(c.frames.size()))
    if (c.watches.has_fallen(watch)) fallen.push_back(watch);
  return fallen;
}

namespace {

template <class Instr>
constexpr std::size_t instruction_kind() {
  return index_in<Instr, resolved::Instr>();
}

constexpr RuleRow kRules[] = {
    {"Decl", instruction_kind<resolved::Decl>(), rules::Decl,
     "var x = e binds x to the value of e"},
    {"Drop", instruction_kind<resolved::Drop>(), rules::Drop,
     "drop x removes x from the environment"},
    {"Assign", instruction_kind<resolved::Assign>(), rules::Assign,
     "x <- e changes x to the value of e"},
    {"ArrayDecl", instruction_kind<resolved::ArrayDecl>(), rules::ArrayDecl,
     "array x[e] binds x to a fresh array of e times nil"},
    {"ArrayDef", instruction_kind<resolved::ArrayDef>(), rules::ArrayDef,
     "array x = [..] binds x to a fresh array of these elements"},
    {"ArrayUpdate", instruction_kind<resolved::ArrayUpdate>(), rules::ArrayUpdate,
     "x[i] <- e changes one element of the array that x names"},
    {"BranchTrue", instruction_kind<resolved::Branch>(), rules::BranchTrue,
     "branch e L1 L2 goes to L1 when e is true"},
    {"BranchFalse", instruction_kind<resolved::Branch>(), rules::BranchFalse,
     "branch e L1 L2 goes to L2 when e is false"},
    {"Goto", instruction_kind<resolved::Goto>(), rules::Goto, "goto L goes to L"},
    {"Print", instruction_kind<resolved::Print>(), rules::Print, "print e shows the value of e"},
    {"Read", instruction_kind<resolved::Read>(), rules::Read,
     "read x takes the next literal of the input"},
    {"AssertPass", instruction_kind<resolved::Assert>(), rules::AssertPass,
     "assert e goes on when e is true"},
    {"Call", instruction_kind<resolved::Call>(), rules::Call,
     "call x = e(..) pushes a continuation and enters the active version"},
    {"Return", instruction_kind<resolved::Return>(), rules::Return,
     "return e pops a continuation and binds its x to the value of e"},
    {"ReturnStop", instruction_kind<resolved::Return>(), rules::ReturnStop,
     "return e without a continuation stops with the value of e"},
    {"Stop", instruction_kind<resolved::Stop>(), rules::Stop, "stop e ends the program"},
    {"AssumePass", instruction_kind<resolved::Assume>(), rules::AssumePass,
     "assume goes on when all guards hold"},
    {"AssumeDeopt", instruction_kind<resolved::Assume>(), rules::AssumeDeopt,
     "assume deoptimizes when a guard does not hold", RuleDeopt::GuardFailed},
    {"AssumeForce", instruction_kind<resolved::Assume>(), rules::AssumeForce,
     "assume deoptimizes although its guards hold, because the schedule says so",
     RuleDeopt::Forced},
    {"AssumeWatch", instruction_kind<resolved::Assume>(), rules::AssumeWatch,
     "assume goes on when all guards hold, and elements that they are about are watched"},
    {"AssumeInvalidate", instruction_kind<resolved::Assume>(), rules::AssumeInvalidate,
     "assume deoptimizes because an element that the frame counts on has changed",
     RuleDeopt::Invalidated},
    {"AnchorPass", instruction_kind<resolved::Anchor>(), rules::AnchorPass, "anchor goes on"},
    {"AnchorDeopt", instruction_kind<resolved::Anchor>(), rules::AnchorDeopt,
     "anchor deoptimizes because the schedule says so", RuleDeopt::Forced},
    {"AnchorInvalidate", instruction_kind<resolved::Anchor>(), rules::AnchorInvalidate,
     "anchor deoptimizes because an element that the frame counts on has changed",
     RuleDeopt::Invalidated},
    {"Hint", instruction_kind<resolved::GuardHint>(), rules::Hint, "guard_hint has no effect"},
};

constexpr RuleRow kGrowthRules[] = {
    {"OsrEntry", kNoInstruction, rules::OsrEntry, "running frames move into an added continuation"},
    {"MapDeopt", kNoInstruction, rules::MapDeopt,
     "the frame deoptimizes by the state map of an added version", RuleDeopt::Mapped},
};

struct Range {
  std::size_t first = 0, count = 0;
};

constexpr auto kRanges = [] {
  std::array<Range, std::variant_size_v<resolved::Instr>> ranges{};
  for (std::size_t r = 0; r < std::size(kRules); ++r) {
    Range& range = ranges[kRules[r].instruction];
    if (range.count++ == 0) range.first = r;
  }
  return ranges;
}();
static_assert(std::ranges::all_of(kRanges, [](Range r) { return r.count >= 1 && r.count <= 5; }));

} // namespace

std::span<const RuleRow> all_rules() { return kRules; }

std::span<const RuleRow> rules_for(std::size_t instruction) {
  return {kRules + kRanges[instruction].first, kRanges[instruction].count};
}

std::span<const RuleRow> growth_rules() { return kGrowthRules; }

bool is_growth(const RuleRow& row) { return row.instruction == kNoInstruction; }

std::size_t index_of(const RuleRow& row) { return static_cast<std::size_t>(&row - kRules); }

} // namespace sourir
