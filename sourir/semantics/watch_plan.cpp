#include "sourir/semantics/watch_plan.h"

#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sourir {

namespace {

constexpr Pc kMostBetween = 16; // positions from `x = a[k]` to the guard on x

struct WatchSuccessors {
  std::array<Pc, 2> to = {};
  std::size_t count = 0;
};

WatchSuccessors successors_of(const ResolvedVersion& code, Pc pc) {
  const resolved::Instr& instr = code.instrs[pc];
  if (const auto* const branch = std::get_if<resolved::Branch>(&instr))
    return {{branch->if_true, branch->if_false}, 2};
  if (const auto* const jump = std::get_if<resolved::Goto>(&instr)) return {{jump->target}, 1};
  const bool ends = std::holds_alternative<resolved::Return>(instr) ||
                    std::holds_alternative<resolved::Stop>(instr) || pc + 1 == code.instrs.size();
  return {{pc + 1}, ends ? 0U : 1U};
}

std::vector<InvalidationPoint> invalidation_points(const ResolvedVersion& code) {
  std::vector<InvalidationPoint> points(code.instrs.size(), InvalidationPoint::None);
  const auto mark = [&](Pc pc, InvalidationPoint point) {
    const resolved::Exit* const exit = exit_at(code, pc);
    if (exit != nullptr && !exit->stays) points[pc] = point;
  };
  for (Pc pc = 0; pc < code.instrs.size(); ++pc) {
    if (!is_back_edge(code.instrs[pc], pc)) continue;
    const WatchSuccessors next = successors_of(code, pc);
    for (std::size_t i = 0; i < next.count; ++i)
      if (next.to[i] <= pc) mark(next.to[i], InvalidationPoint::LoopHead);
  }
  for (Pc pc = 0; pc + 1 < code.instrs.size(); ++pc)
    if (std::holds_alternative<resolved::Call>(code.instrs[pc]))
      mark(pc + 1, InvalidationPoint::AfterCall);
  return points;
}

// `a[k]` with a literal k; sets the array and the index.
bool is_element(const resolved::Expr& e, ElementGuard& guard) {
  if (e.shape != resolved::Shape::Index || e.a.slot == resolved::kLiteral) return false;
  if (e.b.slot != resolved::kLiteral || !e.b.literal.is(Tag::Int)) return false;
  guard.array = e.a.slot;
  guard.index = static_cast<std::uint64_t>(e.b.literal.as_int());
  return guard.index <= std::uint64_t{~std::uint32_t{0}};
}

// The variable that a guard compares with a literal.
std::optional<Slot> compared(const resolved::Expr& e) {
  if (e.shape != resolved::Shape::Binary || e.op != static_cast<std::uint8_t>(BinaryOp::Eq))
    return {};
  const bool left = e.a.slot == resolved::kLiteral, right = e.b.slot == resolved::kLiteral;
  if (left == right) return {};
  return left ? e.b.slot : e.a.slot;
}

// Whether the instruction may change the element: that of any array, since arrays may alias.
bool may_write(const resolved::Instr& instr, const ElementGuard& guard) {
  if (std::holds_alternative<resolved::Call>(instr)) return true;
  const auto* const store = std::get_if<resolved::ArrayUpdate>(&instr);
  if (store == nullptr) return false;
  const resolved::Expr& e = store->index;
  const bool other = e.shape == resolved::Shape::Simple && e.a.slot == resolved::kLiteral &&
                     e.a.literal != Value(static_cast<std::int64_t>(guard.index));
  return !other;
}

bool changes(const resolved::Instr& instr, Slot x) {
  if (bound_by(instr) == x) return true;
  if (const auto* const drop = std::get_if<resolved::Drop>(&instr)) return drop->x == x;
  if (const auto* const array = std::get_if<resolved::ArrayDecl>(&instr)) return array->x == x;
  const auto* const array = std::get_if<resolved::ArrayDef>(&instr);
  return array != nullptr && array->x == x;
}

// The expression that a declaration or assignment computes.
const resolved::Expr* computed(const resolved::Instr& instr) {
  if (const auto* const decl = std::get_if<resolved::Decl>(&instr))
    return decl->e ? &*decl->e : nullptr;
  const auto* const assign = std::get_if<resolved::Assign>(&instr);
  return assign != nullptr ? &assign->e : nullptr;
}

// Finds `x = a[k]` in front of an assume whose guard is about x: in a row, entered at its first
// position only, with nothing between that changes x, a or the element.
bool is_loaded_before(const ResolvedVersion& code, Slot x, ElementGuard& guard) {
  for (Pc pc = guard.pc; pc > 0 && guard.pc - pc < kMostBetween; --pc) {
    const bool labelled =
        std::ranges::binary_search(code.labels, pc, {}, [](const auto& l) { return l.first; });
    const resolved::Instr& before = code.instrs[pc - 1];
    if (labelled || successors_of(code, pc - 1).count != 1 ||
        successors_of(code, pc - 1).to[0] != pc)
      return false;
    if (!changes(before, x)) continue;
    const resolved::Expr* const e = computed(before);
    if (e == nullptr || !is_element(*e, guard) || guard.array == x) return false;
    guard.loaded = x;
    for (Pc between = pc; between < guard.pc; ++between)
      if (may_write(code.instrs[between], guard) || changes(code.instrs[between], guard.array))
        return false;
    return true;
  }
  return false;
}

std::vector<ElementGuard> element_guards(const ResolvedVersion& code) {
  std::vector<ElementGuard> all;
  for (Pc pc = 0; pc < code.instrs.size(); ++pc) {
    const auto* const assume = std::get_if<resolved::Assume>(&code.instrs[pc]);
    if (assume == nullptr) continue;
    for (std::uint32_t i = 0; i < assume->guards.size(); ++i) {
      ElementGuard guard{.pc = pc, .guard = i};
      const resolved::Expr& e = assume->guards[i];
      const auto x = compared(e);
      if (is_element(e, guard) || (x && is_loaded_before(code, *x, guard))) all.push_back(guard);
    }
  }
  return all;
}

// The positions from which one comes to others, by paths that do not pass certain ones.
class Paths {
public:
  explicit Paths(const ResolvedVersion& code) : code_(code), before_(code.instrs.size()) {
    for (Pc pc = 0; pc < code.instrs.size(); ++pc) {
      const WatchSuccessors next = successors_of(code, pc);
      for (std::size_t i = 0; i < next.count; ++i) before_[next.to[i]].push_back(pc);
    }
  }

  // A call or store that may change the element, from which the guard is reached past no
  // invalidation point, and which is reached from the guard; empty: there is none.
  std::optional<Pc> unwatched_write(const ElementGuard& guard,
                                    const std::vector<InvalidationPoint>& points) const {
    std::vector<bool> seen(code_.instrs.size(), false), after;
    std::vector<Pc> open;
    if (points[guard.pc] == InvalidationPoint::None) open.push_back(guard.pc);
    while (!open.empty()) {
      const Pc pc = open.back();
      open.pop_back();
      for (const Pc from : before_[pc]) {
        if (seen[from]) continue;
        seen[from] = true;
        if (may_write(code_.instrs[from], guard)) {
          if (after.empty()) after = reached_from(guard.pc);
          if (after[from]) return from;
        }
        if (points[from] == InvalidationPoint::None) open.push_back(from);
      }
    }
    return {};
  }

private:
  std::vector<bool> reached_from(Pc start) const {
    std::vector<bool> reached(code_.instrs.size(), false);
    std::vector<Pc> open{start};
    while (!open.empty()) {
      const WatchSuccessors next = successors_of(code_, open.back());
      open.pop_back();
      for (std::size_t i = 0; i < next.count; ++i)
        if (!reached[next.to[i]]) reached[next.to[i]] = true, open.push_back(next.to[i]);
    }
    return reached;
  }

  const ResolvedVersion& code_;
  std::vector<std::vector<Pc>> before_; // the predecessors of each position
};

} // namespace

VersionWatchPlan::VersionWatchPlan(const ResolvedVersion& code) : guards_(element_guards(code)) {
  if (guards_.empty()) return;
  points_ = invalidation_points(code);
  const Paths paths(code);
  for (ElementGuard& guard : guards_) guard.unwatched_write = paths.unwatched_write(guard, points_);
}

std::span<const ElementGuard> VersionWatchPlan::guards_at(Pc pc) const {
  return std::ranges::equal_range(guards_, pc, {}, &ElementGuard::pc);
}

void VersionWatchPlan::restrict_to(const std::vector<Pc>* only) {
  std::erase_if(guards_, [&](const ElementGuard& guard) {
    return guard.unwatched_write || (only != nullptr && std::ranges::count(*only, guard.pc) == 0);
  });
}

std::shared_ptr<const WatchPlan> watch_plan(const LinkedProgram& program,
                                            const WatchSchedule& schedule) {
  if (!schedule.any()) return nullptr;
  auto plan = std::make_shared<WatchPlan>();
  for (const Function& f : program.source().functions)
    for (const ResolvedVersion* code : program.function(f.name)->versions) {
      std::vector<Pc> only;
      for (const auto& [version, pc] : schedule.positions)
        if (version == code) only.push_back(pc);
      if (!schedule.all && only.empty()) continue;
      VersionWatchPlan made(*code);
      made.restrict_to(schedule.all ? nullptr : &only);
      if (!made.guards().empty()) plan->emplace(code, std::move(made));
    }
  return plan->empty() ? nullptr : plan;
}

std::string why_unwatchable(const ResolvedVersion& code, Pc pc, const Names& names) {
  const std::string place = print(code.place(pc), names);
  if (pc >= code.instrs.size() || !std::holds_alternative<resolved::Assume>(code.instrs[pc]))
    return fmt::format("at {} stands no assume", place);
  const VersionWatchPlan plan(code);
  const auto guards = plan.guards_at(pc);
  if (guards.empty())
    return fmt::format("no guard of the assume at {} is about an element at a literal index: "
                       "a[0], or (x == 1) after x = a[0]",
                       place);
  if (std::ranges::any_of(guards, [](const auto& guard) { return !guard.unwatched_write; }))
    return {};
  const Pc write = *guards.front().unwatched_write;
  const bool call = std::holds_alternative<resolved::Call>(code.instrs[write]);
  return fmt::format("the guard at {} must be tested: from the {} at {} one comes to it past no "
                     "invalidation point, which is an assume or anchor directly after a call or at "
                     "the head of a loop (`--pass=checkpoints` puts anchors there)",
                     place, call ? "call" : "store", print(code.place(write), names));
}

} // namespace sourir
