#include "native/llvm_lowering/loop_strips.h"

#include "sourir/semantics/resolved.h"

#include <algorithm>

namespace sourir::native {

namespace {

bool is_ascending(BinaryOp op) { return op == BinaryOp::Lt || op == BinaryOp::Le; }

bool is_int_ordering(const resolved::Expr& e, const TypeFlow::State& types) {
  const auto op = static_cast<BinaryOp>(e.op);
  return e.shape == resolved::Shape::Binary && op >= BinaryOp::Lt && op <= BinaryOp::Ge &&
         only(TypeFlow::of(e.a, types), Tag::Int) && only(TypeFlow::of(e.b, types), Tag::Int);
}

// a op b == b swapped(op) a
BinaryOp swapped(BinaryOp op) {
  switch (op) {
  case BinaryOp::Lt: return BinaryOp::Gt;
  case BinaryOp::Le: return BinaryOp::Ge;
  case BinaryOp::Gt: return BinaryOp::Lt;
  default: return BinaryOp::Le;
  }
}

// a op b == !(a negated(op) b), for ints
BinaryOp negated(BinaryOp op) {
  switch (op) {
  case BinaryOp::Lt: return BinaryOp::Ge;
  case BinaryOp::Le: return BinaryOp::Gt;
  case BinaryOp::Gt: return BinaryOp::Le;
  default: return BinaryOp::Lt;
  }
}

bool changes(const resolved::Instr& instr, const resolved::Operand& o) {
  if (o.slot == resolved::kLiteral) return false;
  if (bound_by(instr) == o.slot) return true;
  if (const auto* drop = std::get_if<resolved::Drop>(&instr)) return drop->x == o.slot;
  if (const auto* array = std::get_if<resolved::ArrayDecl>(&instr)) return array->x == o.slot;
  const auto* array = std::get_if<resolved::ArrayDef>(&instr);
  return array != nullptr && array->x == o.slot;
}

// What the instruction x <- (x + c), or - c, adds to x; 0: it is another one.
std::int64_t increment(const resolved::Instr& instr, Slot x) {
  constexpr std::int64_t kMostStep = 1 << 20;
  const auto* const assign = std::get_if<resolved::Assign>(&instr);
  if (assign == nullptr || assign->e.shape != resolved::Shape::Binary) return 0;
  const auto op = static_cast<BinaryOp>(assign->e.op);
  const resolved::Operand &a = assign->e.a, &b = assign->e.b;
  if (a.slot != x || b.slot != resolved::kLiteral || b.literal.tag() != Tag::Int) return 0;
  const std::int64_t c = b.literal.as_int();
  if (c < -kMostStep || c > kMostStep) return 0;
  return op == BinaryOp::Add ? c : op == BinaryOp::Sub ? -c : 0;
}

class CountedLoops {
public:
  CountedLoops(const CompileRequest& request, const TypeFlow& types, const ResolvedLoops& loops)
      : code_(*request.code), start_(request.start), entered_(entered_slots(request)),
        types_(types), loops_(loops) {}

  std::optional<CountedLoop> at(Pc head) const {
    const auto* const branch = std::get_if<resolved::Branch>(&code_.instrs[head]);
    if (branch == nullptr || is_back_edge(*branch, head) || has_other_entry(head) ||
        !is_simple(head))
      return {};
    const bool stays_if_true = contains(head, branch->if_true);
    if (stays_if_true == contains(head, branch->if_false)) return {};
    if (!is_int_ordering(branch->e, types_.before(head))) return {};
    CountedLoop loop{.counter = branch->e.a, .limit = branch->e.b};
    loop.op = static_cast<BinaryOp>(branch->e.op);
    loop.body = stays_if_true ? branch->if_true : branch->if_false;
    loop.end = stays_if_true ? branch->if_false : branch->if_true;
    if (!stays_if_true) loop.op = negated(loop.op);
    if (is_changed(head, loop.limit)) {
      std::swap(loop.counter, loop.limit);
      loop.op = swapped(loop.op);
    }
    if (is_changed(head, loop.limit) || !only_counts(head, loop)) return {};
    const auto starts = literals_before(head, loop.counter),
               ends = literals_before(head, loop.limit);
    loop.never_negative = is_ascending(loop.op) && starts && starts->least >= 0;
    loop.is_short = starts && ends &&
                    (is_ascending(loop.op) ? ends->most - starts->least
                                           : starts->most - ends->least) <= kShortLoop;
    return loop;
  }

private:
  bool contains(Pc loop, Pc pc) const {
    return types_.reached(pc) && loops_.lies_in(loops_.at(pc), loop);
  }

  // Whether the loop is entered elsewhere than at its head.
  bool has_other_entry(Pc head) const {
    const auto enters = [&](Pc to) { return to != head && contains(head, to); };
    if (enters(start_)) return true;
    for (Pc pc = 0; pc < code_.instrs.size(); ++pc) {
      if (!types_.reached(pc) || contains(head, pc)) continue;
      const resolved::Instr& instr = code_.instrs[pc];
      if (const auto* branch = std::get_if<resolved::Branch>(&instr)) {
        if (enters(branch->if_true) || enters(branch->if_false)) return true;
      } else if (const auto* jump = std::get_if<resolved::Goto>(&instr)) {
        if (enters(jump->target)) return true;
      } else if (pc + 1 < code_.instrs.size() && enters(pc + 1)) {
        return true;
      }
    }
    return false;
  }

  bool is_changed(Pc head, const resolved::Operand& o) const {
    for (Pc pc = 0; pc < code_.instrs.size(); ++pc)
      if (contains(head, pc) && changes(code_.instrs[pc], o)) return true;
    return false;
  }

  // Whether all assignments of the counter go towards the limit, at least one. Sets the step.
  bool only_counts(Pc head, CountedLoop& loop) const {
    loop.step = 0;
    for (Pc pc = 0; pc < code_.instrs.size(); ++pc) {
      if (!contains(head, pc) || !changes(code_.instrs[pc], loop.counter)) continue;
      const std::int64_t by = increment(code_.instrs[pc], loop.counter.slot);
      if (by == 0 || (by > 0) != is_ascending(loop.op)) return false;
      loop.step = std::max(loop.step, static_cast<std::uint64_t>(by > 0 ? by : -by));
    }
    return loop.step != 0;
  }

  struct Range {
    std::int64_t least = 0, most = 0;
  };
  // The ints that the operand can be before the loop, where all of them are literals of moderate
  // size.
  std::optional<Range> literals_before(Pc head, const resolved::Operand& o) const {
    constexpr std::int64_t kModerate = std::int64_t{1} << 40;
    std::optional<Range> range;
    const auto add = [&](const Value& v) {
      if (v.tag() != Tag::Int) return true; // another variable in the same slot, or not yet bound
      const std::int64_t n = v.as_int();
      range = range ? Range{std::min(range->least, n), std::max(range->most, n)} : Range{n, n};
      return n >= -kModerate && n <= kModerate;
    };
    if (o.slot == resolved::kLiteral) return add(o.literal) ? range : std::nullopt;
    if (o.slot < entered_) return {};
    for (Pc pc = 0; pc < code_.instrs.size(); ++pc) {
      const resolved::Instr& instr = code_.instrs[pc];
      if (!types_.reached(pc) || contains(head, pc) || bound_by(instr) != o.slot) continue;
      const auto* const decl = std::get_if<resolved::Decl>(&instr);
      const auto* const assign = std::get_if<resolved::Assign>(&instr);
      const resolved::Expr* const e = decl != nullptr && decl->e ? &*decl->e
                                      : assign != nullptr        ? &assign->e
                                                                 : nullptr;
      if (e == nullptr || e->shape != resolved::Shape::Simple || e->a.slot != resolved::kLiteral ||
          !add(e->a.literal))
        return {};
    }
    return range;
  }

  // Whether the loop has neither calls nor inner loops.
  bool is_simple(Pc head) const {
    for (Pc pc = 0; pc < code_.instrs.size(); ++pc)
      if (contains(head, pc) &&
          (loops_.at(pc) != head || std::holds_alternative<resolved::Call>(code_.instrs[pc])))
        return false;
    return true;
  }

  const ResolvedVersion& code_;
  const Pc start_;
  const std::size_t entered_; // slots with values on entry
  const TypeFlow& types_;
  const ResolvedLoops& loops_;
};

} // namespace

std::map<Pc, CountedLoop> counted_loops(const CompileRequest& request, const TypeFlow& types,
                                        const ResolvedLoops& loops) {
  const CountedLoops counted(request, types, loops);
  std::map<Pc, CountedLoop> found;
  for (Pc pc = 0; pc < request.code->instrs.size(); ++pc)
    if (types.reached(pc) && loops.at(pc) == pc)
      if (const auto loop = counted.at(pc)) found[pc] = *loop;
  return found;
}

} // namespace sourir::native
