#include "sourir/passes/loops/loop_copies.h"

#include "sourir/analysis/mutant.h"
#include "sourir/passes/core/marks.h"
#include "sourir/syntax/successors.h"

#include <algorithm>

namespace sourir {
namespace {

const Goto* only_jump(const Version& version, const Block& block) {
  if (block.end != block.begin + 1) return nullptr;
  return std::get_if<Goto>(&version.body[block.begin].instr);
}

} // namespace

LoopCopies::LoopCopies(VersionTask& task)
    : task_(task), cfg_(task.facts.cfg()), fresh_(task.fresh_names()),
      draft_(task.place(), {task.version.name,
                                   task.version.cont,
                                   task.version.when,
                                   {},
                                   {},
                                   task.version.comments}) {}

bool LoopCopies::overlaps(const LoopRegion& region) const {
  const auto taken = [&](BlockId b) { return plan_of_.contains(b.id) || joins_.contains(b.id); };
  return std::any_of(region.blocks.begin(), region.blocks.end(), taken) ||
         std::any_of(region.branched_to.begin(), region.branched_to.end(),
                     [&](BlockId b) { return plan_of_.contains(b.id); });
}

void LoopCopies::add(LoopRegion region, std::uint32_t copies, bool peeled) {
  Plan plan{std::move(region), peeled, {}, {}};
  const Names& names = fresh_.names();
  for (std::uint32_t k = 0; k < copies; ++k) {
    Renaming to;
    for (const Var x : plan.region.declared)
      to.variables.emplace(x, fresh_.fresh<Var>(names.text(x)));
    for (const BlockId b : plan.region.blocks)
      for (Position at = cfg_[b].begin; at < cfg_[b].end; ++at)
        for (const Label label : task_.version.body[at].marks.labels)
          to.labels.emplace(label, fresh_.fresh<Label>(names.text(label)));
    plan.contexts.push_back(
        draft_.add_context({task_.place(), to.variables, std::nullopt, 0}));
    plan.copies.push_back(std::move(to));
  }
  for (const BlockId b : plan.region.blocks) plan_of_.emplace(b.id, plans_.size());
  for (const BlockId b : plan.region.branched_to)
    if (!joins_.contains(b.id) && only_jump(task_.version, cfg_[b]) == nullptr)
      joins_.emplace(b.id, fresh_.fresh<Label>(names.text(some_label(b))));
  plans_.push_back(std::move(plan));
}

bool LoopCopies::in_loop(const Plan& plan, BlockId b) const {
  return task_.facts.loops().contains(plan.region.loop, b);
}

Label LoopCopies::some_label(BlockId b) const {
  const Version& v = task_.version;
  const Position at = cfg_[b].begin;
  return (at < v.body.size() ? v.body[at].marks : v.end).labels.front();
}

Label LoopCopies::entered(Label label) const {
  const BlockId to = block_at(label);
  const auto found = plan_of_.find(to.id);
  if (found == plan_of_.end()) return label;
  const Plan& plan = plans_[found->second];
  return to == plan.region.header && plan.peeled ? plan.copies[0].label(label) : label;
}

// From a latch of a copy (0: the loop itself) back to the header.
Label LoopCopies::next_round(const Plan& plan, std::size_t copy, Label header) const {
  if (copy == 0 && plan.peeled) return header;
  return copy < plan.copies.size() ? plan.copies[copy].label(header) : header;
}

Label LoopCopies::target(const From& from, Label label) const {
  const BlockId to = block_at(label);
  const auto found = plan_of_.find(to.id);
  if (found == plan_of_.end()) return label;
  const Plan& plan = plans_[found->second];
  const bool inside = from.plan == &plan;
  if (to == plan.region.header)
    return (inside || from.plan == nullptr) && in_loop(plan, from.block)
               ? next_round(plan, inside ? from.copy : 0, label)
               : entered(label);
  return inside ? plan.copies[from.copy - 1].label(label) : label;
}

VersionDraft::Done LoopCopies::write() && {
  std::size_t size = task_.version.body.size();
  for (const Plan& plan : plans_)
    for (const BlockId b : plan.region.blocks)
      size += plan.copies.size() * (cfg_[b].end - cfg_[b].begin + 2); // and ways out
  draft_.reserve(size);
  for (std::size_t b = 0; b + 1 < cfg_.blocks().size(); ++b)
    write_block(BlockId{static_cast<std::uint32_t>(b)});
  const auto end = static_cast<Position>(task_.version.body.size());
  return std::move(draft_).finish(task_.function.name, task_.version.end, end);
}

void LoopCopies::write_block(BlockId b) {
  write_lead_in(b);
  for (Position at = cfg_[b].begin; at < cfg_[b].end; ++at) {
    Stmt stmt = task_.version.body[at];
    if (joins_.contains(b.id) && at == cfg_[b].begin)
      stmt.marks = keep_labels(stmt.marks, [](Label) { return false; });
    if (auto* const go = std::get_if<Goto>(&stmt.instr)) go->target = target({b}, go->target);
    if (auto* const branch = std::get_if<Branch>(&stmt.instr)) {
      branch->if_true = target({b}, branch->if_true);
      branch->if_false = target({b}, branch->if_false);
    }
    draft_.add(std::move(stmt), at);
  }
}

// What stands in front of a block: copies of the loop that it heads, or the way to it by which
// only the old branch comes.
void LoopCopies::write_lead_in(BlockId b) {
  const Position at = cfg_[b].begin;
  if (const auto join = joins_.find(b.id); join != joins_.end()) {
    for (const Label label : task_.version.body[at].marks.labels) draft_.label_next(label);
    jump(join->second, at);
    draft_.label_next(join->second);
  }
  const auto found = plan_of_.find(b.id);
  if (found == plan_of_.end() || !(plans_[found->second].region.header == b)) return;
  if (successors(task_.version.body[at - 1].instr).next)
    jump(target({cfg_.block_of(at - 1)}, some_label(b)), at);
  write_copies(plans_[found->second]);
}

void LoopCopies::write_copies(const Plan& plan) {
  for (std::size_t k = 1; k <= plan.copies.size(); ++k)
    for (const BlockId b : plan.region.blocks) write_copied_block({b, &plan, k});
}

void LoopCopies::write_copied_block(const From& from) {
  const Renaming& to = from.plan->copies[from.copy - 1];
  const Block& block = cfg_[from.block];
  for (Position at = block.begin; at < block.end; ++at) {
    const Stmt& stmt = task_.version.body[at];
    Marks marks{{}, stmt.marks.scopes, {}};
    for (const Label label : stmt.marks.labels) marks.labels.push_back(to.label(label));
    for (ScopeNote& note : marks.scopes)
      for (Var& x : note.names) x = to.variable(x);
    Instruction copied = rename(stmt.instr, {to.variables, {}}, fresh_);
    if (at + 1 < block.end)
      draft_.add({std::move(marks), std::move(copied)}, at, from.plan->contexts[from.copy - 1]);
    else
      write_way_out(from, std::move(copied), at, std::move(marks));
  }
}

// The last instruction of a copied block. A branch that leaves the region comes by a block of its
// own; at the end of main the copies stop, for there each declares other variables.
void LoopCopies::write_way_out(const From& from, Instruction instr, Position at, Marks marks) {
  const std::uint32_t context = from.plan->contexts[from.copy - 1];
  std::vector<std::pair<Label, Label>> ways; // a new label, and where it goes
  const auto leave = [&](Label& label) {
    const BlockId to = block_at(label);
    const auto found = plan_of_.find(to.id);
    if (found != plan_of_.end() && &plans_[found->second] == from.plan) {
      label = target(from, label);
      return;
    }
    ways.emplace_back(fresh_.fresh<Label>(fresh_.names().text(label)), label);
    label = ways.back().first;
  };
  if (auto* const branch = std::get_if<Branch>(&instr); branch != nullptr && mutant(54))
    std::swap(branch->if_true, branch->if_false);
  if (auto* const branch = std::get_if<Branch>(&instr))
    leave(branch->if_true), leave(branch->if_false);
  if (auto* const go = std::get_if<Goto>(&instr)) {
    if (is_end(block_at(go->target)))
      instr = Stop{};
    else
      go->target = target(from, go->target);
  }
  const bool falls = successors(instr).next;
  draft_.add({std::move(marks), std::move(instr)}, at, context);
  if (falls) write_fall(from);
  for (const auto& [pad, label] : ways) {
    const BlockId to = block_at(label);
    const auto join = joins_.find(to.id);
    draft_.label_next(pad);
    if (is_end(to))
      draft_.add({{}, Stop{}}, cfg_[to].begin, context);
    else if (join != joins_.end())
      jump(join->second, cfg_[to].begin);
    else if (const Goto* const go = only_jump(task_.version, cfg_[to]))
      jump(entered(go->target), cfg_[to].begin);
    else
      jump(entered(label), cfg_[to].begin);
  }
}

void LoopCopies::write_fall(const From& from) {
  const BlockId next{from.block.id + 1};
  const auto found = plan_of_.find(next.id);
  const bool inside = found != plan_of_.end() && &plans_[found->second] == from.plan;
  if (inside && !(next == from.plan->region.header)) return;
  if (is_end(next))
    draft_.add({{}, Stop{}}, cfg_[next].begin, from.plan->contexts[from.copy - 1]);
  else
    jump(target(from, some_label(next)), cfg_[next].begin);
}

void LoopCopies::jump(Label label, Position origin) { draft_.add({{}, Goto{label}}, origin); }

} // namespace sourir
