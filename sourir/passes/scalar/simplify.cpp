#include "sourir/passes/scalar/simplify.h"

#include "sourir/analysis/values.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/passes/core/version_edit.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace sourir {
namespace {

// --- Expressions and guards; the control flow is unchanged ---------------------------------------

const Unary* negation(const Expr* e, UnaryOp op) {
  const auto* const unary = e != nullptr ? std::get_if<Unary>(e) : nullptr;
  return unary != nullptr && unary->op == op ? unary : nullptr;
}

// The operand that a variable is known to be the negation of; null: none. It is a number or a
// boolean, or that negation would have failed.
const SimpleExpr* negated(const SimpleExpr& e, UnaryOp op, const KnownValues& known) {
  const auto* const x = std::get_if<Var>(&e);
  const Unary* const value = x != nullptr ? negation(known.values.find(*x), op) : nullptr;
  return value != nullptr ? &value->operand : nullptr;
}

void simplify_negations(Expr& e, const KnownValues& known) {
  const auto* const unary = std::get_if<Unary>(&e);
  if (unary == nullptr) return;
  if (const SimpleExpr* const inner = negated(unary->operand, unary->op, known)) e = Expr(*inner);
}

// A branch on !x, or on a y that is !x, fails where one on x does.
void swap_arms(Branch& branch, const KnownValues& known) {
  const auto* const simple = std::get_if<SimpleExpr>(&branch.condition);
  const Unary* const outer = negation(&branch.condition, UnaryOp::Not);
  const SimpleExpr* const inner = simple != nullptr  ? negated(*simple, UnaryOp::Not, known)
                                  : outer != nullptr ? &outer->operand
                                                     : nullptr;
  if (inner == nullptr) return;
  branch.condition = Expr(SimpleExpr(*inner));
  std::swap(branch.if_true, branch.if_false);
}

void drop_needless_guards(std::vector<Expr>& guards) {
  std::vector<Expr> kept;
  for (Expr& g : guards)
    if (g != Expr(SimpleExpr(true)) && std::find(kept.begin(), kept.end(), g) == kept.end())
      kept.push_back(std::move(g));
  guards = std::move(kept);
}

Instruction simplified(const Instruction& instr, const KnownValues& known) {
  Instruction result = instr;
  map_expressions(result, [&](Expr& e) { simplify_negations(e, known); });
  if (auto* const branch = std::get_if<Branch>(&result)) swap_arms(*branch, known);
  if (auto* const assume = std::get_if<Assume>(&result)) drop_needless_guards(assume->guards);
  return result;
}

// Simplifies, in the task's edit, double negations, branches on a negation, guards that are tested
// twice or literally true.
void simplify_expressions(VersionTask& task) {
  const Cfg& cfg = task.facts.cfg();
  ValuesAnalysis values(task.version);
  const auto solution = solve(cfg, values);
  for (const BlockId b : cfg.reverse_postorder()) {
    if (!solution[b.id]) continue;
    KnownValues state = *solution[b.id];
    replay(cfg, values, b, state, [&](Position at, const KnownValues& known) {
      const Instruction& instr = task.version.body[at].instr;
      if (Instruction now = simplified(instr, known); now != instr)
        task.edit.replace(at, std::move(now));
    });
  }
}

// --- The order of the blocks ---------------------------------------------------------------------

class BlockLayout {
public:
  explicit BlockLayout(VersionTask& task)
      : task_(task), cfg_(task.facts.cfg()), count_(cfg_.blocks().size()), live_(count_),
        edges_in_(count_), runs_to_end_(count_), follows_(count_), next_of_(count_), first_(count_),
        last_(count_) {
    std::iota(first_.begin(), first_.end(), 0);
    last_ = first_;
  }

  void run() {
    find_live();
    chain();
    const std::uint64_t rewrites = task_.edit.rewrites() + changes();
    if (rewrites > 0) task_.restructured = {emit(), rewrites};
  }

private:
  const Instruction* last(std::size_t b) const {
    const Block& block = cfg_.blocks()[b];
    return block.begin == block.end ? nullptr : task_.edit.current(block.end - 1);
  }
  std::size_t target(Label label) const { return cfg_.block_of(cfg_.position_of(label)).id; }

  void find_live() {
    std::vector<std::size_t> work;
    const auto enter = [&](std::size_t b) {
      ++edges_in_[b];
      if (live_[b] != 0) return;
      live_[b] = 1;
      work.push_back(b);
    };
    enter(0);
    while (!work.empty()) {
      const std::size_t b = work.back();
      work.pop_back();
      const Instruction* const instr = last(b);
      if (instr == nullptr) continue;
      const Successors next = successors(*instr);
      for (const Label* const label : {next.first, next.second}) {
        if (label == nullptr) continue;
        used_.insert(*label);
        enter(target(*label));
      }
      if (next.next) enter(b + 1);
    }
  }

  // Decides which block follows which. Main may run off its end: blocks that do so keep their
  // place.
  void chain() {
    for (std::size_t b = 0; b + 1 < count_; ++b)
      if (live_[b] != 0 && successors(*last(b)).next) join(b, b + 1);
    std::size_t next_live = count_;
    for (std::size_t b = count_; b-- > 0;) {
      if (b + 1 == count_) runs_to_end_[b] = 1;
      if (live_[b] == 0 || b + 1 == count_) continue;
      const Instruction& instr = *last(b);
      const auto* const jump = std::get_if<Goto>(&instr);
      if (successors(instr).next) {
        put_after(b, b + 1);
      } else if (jump != nullptr) {
        const std::size_t to = target(jump->target);
        if (to != 0 && to + 1 != count_ && edges_in_[to] == 1 && first_[b] != to &&
            (runs_to_end_[to] == 0 || to == next_live)) {
          join(b, to);
          put_after(b, to);
          used_.erase(jump->target);
        }
      }
      next_live = b;
    }
  }

  // Joins the run of blocks that ends with `b` and the one that begins with `next`. They are not
  // the same run: a loop without exits has to begin somewhere.
  void join(std::size_t b, std::size_t next) {
    first_[last_[next]] = first_[b];
    last_[first_[b]] = last_[next];
  }

  void put_after(std::size_t b, std::size_t next) {
    follows_[next] = 1;
    next_of_[b] = next;
    runs_to_end_[b] = runs_to_end_[next];
  }

  // The number of instructions and labels that are removed.
  std::uint64_t changes() const {
    const auto labels = [&](const LeadingTrivia& leading, const Instruction* instr) {
      return static_cast<std::uint64_t>(
          std::ranges::count_if(leading.labels, [&](Label label) { return !stays(label, instr); }));
    };
    std::uint64_t count = labels(task_.version.end, nullptr);
    for (std::size_t b = 0; b < count_; ++b) {
      const Block& block = cfg_.blocks()[b];
      if (live_[b] == 0) count += block.end - block.begin;
      if (live_[b] == 0 || block.begin == block.end) continue;
      for (Position at = block.begin; at < block.end; ++at)
        count += labels(task_.version.body[at].leading, task_.edit.current(at));
      if (merged(b)) ++count;
    }
    return count;
  }

  // Whether the block ends with a goto to the block that now follows it.
  bool merged(std::size_t b) const { return next_of_[b] && std::holds_alternative<Goto>(*last(b)); }

  VersionDraft::Done emit() {
    const Version& version = task_.version;
    VersionDraft draft({task_.function.name, version.name, {}, 0},
                       {version.name, version.cont, version.when, {}, {}, version.comments});
    draft.reserve(version.body.size());
    for (std::size_t head = 0; head < count_; ++head) {
      if (live_[head] == 0 || follows_[head] != 0) continue;
      for (std::optional<std::size_t> b = head; b; b = next_of_[*b]) emit(*b, draft);
    }
    const auto end = static_cast<Position>(version.body.size());
    return std::move(draft).finish(task_.function.name, kept(version.end, nullptr), end);
  }

  void emit(std::size_t b, VersionDraft& draft) {
    const Block& block = cfg_.blocks()[b];
    for (Position at = block.begin; at < block.end; ++at) {
      const Instruction& instr = *task_.edit.current(at);
      LeadingTrivia leading = kept(task_.version.body[at].leading, &instr);
      if (at + 1 == block.end && merged(b))
        draft.add_leading(leading);
      else
        draft.add({std::move(leading), instr}, at);
    }
  }

  LeadingTrivia kept(const LeadingTrivia& leading, const Instruction* instr) const {
    if (leading.labels.empty()) return leading;
    return keep_labels(leading, [&](Label label) { return stays(label, instr); });
  }

  // Labels of assumes and anchors stay: they name them.
  bool stays(Label label, const Instruction* instr) const {
    return (instr != nullptr && exit_of(*instr) != nullptr) || used_.contains(label);
  }

  VersionTask& task_;
  const Cfg& cfg_;
  std::size_t count_; // of the blocks; the last one is the end
  std::vector<std::uint8_t> live_;
  std::vector<std::uint32_t> edges_in_;
  std::vector<std::uint8_t> runs_to_end_, follows_;
  std::vector<std::optional<std::size_t>> next_of_;
  std::vector<std::size_t> first_, last_; // of the run that the block ends or begins
  std::unordered_set<Label> used_;
};

// Over the instructions of the task's edit: omits unreached blocks, moves a block to its single
// predecessor if that ends with a goto to it, and drops unused labels, but for those of assumes and
// anchors.
void lay_out(VersionTask& task) { BlockLayout(task).run(); }

// --- Jump threading ------------------------------------------------------------------------------

// A label, and the block that begins there.
struct Jump {
  Label label;
  BlockId block;
};

// Blocks that consist of a goto, and the final targets of jumps to them.
class JumpThreading {
public:
  explicit JumpThreading(VersionTask& task)
      : task_(task), cfg_(task.facts.cfg()), forward_(cfg_.blocks().size()),
        end_of_(cfg_.blocks().size()) {}

  void run() {
    do {
      find_ends();
    } while (decide_branches());
    for (const BlockId b : cfg_.reverse_postorder())
      if (const auto* const jump = last<Goto>(b))
        if (const Label straight = end_of(jump->target).label; straight != jump->target)
          task_.edit.replace(cfg_[b].end - 1, Goto{straight});
  }

private:
  template <class Instr>
  const Instr* last(BlockId b) const {
    const Block& block = cfg_[b];
    return block.begin == block.end ? nullptr
                                    : std::get_if<Instr>(task_.edit.current(block.end - 1));
  }

  Jump jump_to(Label label) const { return {label, cfg_.block_of(cfg_.position_of(label))}; }

  Jump end_of(Label label) const {
    const Jump jump = jump_to(label);
    return end_of_[jump.block.id].value_or(jump);
  }

  void find_ends() {
    for (const BlockId b : cfg_.reverse_postorder()) {
      const auto* const jump = cfg_[b].end - cfg_[b].begin == 1 ? last<Goto>(b) : nullptr;
      forward_[b.id] = jump != nullptr ? std::optional(jump_to(jump->target)) : std::nullopt;
      end_of_[b.id].reset();
    }
    // 0: not on the path; else its place there, from 1.
    std::vector<std::uint32_t> place(cfg_.blocks().size());
    for (const BlockId b : cfg_.reverse_postorder()) follow(b, place);
  }

  void follow(BlockId b, std::vector<std::uint32_t>& place) {
    std::vector<BlockId> path;
    while (forward_[b.id] && !end_of_[b.id] && place[b.id] == 0) {
      path.push_back(b);
      place[b.id] = static_cast<std::uint32_t>(path.size());
      b = forward_[b.id]->block;
    }
    if (path.empty()) return;
    Jump end = end_of_[b.id].value_or(*forward_[path.back().id]);
    // An empty loop shrinks to its first block.
    if (place[b.id] != 0)
      for (std::size_t k = place[b.id] - 1; k < path.size(); ++k)
        if (forward_[path[k].id]->block < end.block) end = *forward_[path[k].id];
    for (const BlockId on_path : path) {
      end_of_[on_path.id] = end;
      place[on_path.id] = 0;
    }
  }

  // Makes branches gotos whose arms lead to the same block, and that cannot fail.
  bool decide_branches() {
    bool decided = false;
    for (const BlockId b : cfg_.reverse_postorder()) {
      const auto* const branch = last<Branch>(b);
      if (branch == nullptr) continue;
      const Jump one = end_of(branch->if_true), other = end_of(branch->if_false);
      if (one.block != other.block || !is_boolean(b, branch->condition)) continue;
      task_.edit.replace(cfg_[b].end - 1, Goto{one.label});
      decided = true;
    }
    return decided;
  }

  bool is_boolean(BlockId b, const Expr& condition) {
    if (is_boolean(condition, {})) return true;
    const auto& known = task_.facts.constants()[b.id];
    if (!known) return false;
    Facts facts = *known;
    bool result = false;
    replay(cfg_, task_.facts.constants_problem(), b, facts, [&](Position at, const Facts& before) {
      if (at + 1 == cfg_[b].end) result = is_boolean(condition, before);
    });
    return result;
  }

  static bool is_boolean(const Expr& e, const Facts& facts) {
    return is_total(e, facts) && evaluate(e, facts).types == TypeSet(Kind::Bool);
  }

  VersionTask& task_;
  const Cfg& cfg_;
  std::vector<std::optional<Jump>> forward_, end_of_;
};

} // namespace

std::optional<PassResult> simplify(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) {
    simplify_expressions(task);
    JumpThreading(task).run();
    lay_out(task);
  });
}

} // namespace sourir
