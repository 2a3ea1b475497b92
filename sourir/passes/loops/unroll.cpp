#include "sourir/passes/loops/unroll.h"

#include "sourir/analysis/version_analyses.h"
#include "sourir/passes/core/renaming.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/passes/core/version_edit.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_set>

namespace sourir {
namespace {

// --- Regions and their copies --------------------------------------------------------------------

// The code that is copied with a loop: its blocks, and those after it where variables are in scope
// that it declares, since each copy declares its own.
struct LoopRegion {
  std::size_t loop = 0; // of Loops
  BlockId header;
  std::vector<BlockId> blocks;      // ascending; never the end of the version
  std::vector<Var> declared;        // by the blocks, each once
  std::vector<BlockId> branched_to; // blocks outside that its branches go to; ascending
  std::size_t size = 0;             // instructions
};

// Writes a version with copies of some of its loops.
class LoopCopies {
public:
  explicit LoopCopies(VersionTask& task);

  // Copies of the loop: before it (peeled), or taken in turns with it. The region must not overlap
  // with one that was added before (overlaps()).
  void add(LoopRegion region, std::uint32_t copies, bool peeled);
  bool overlaps(const LoopRegion& region) const;
  bool empty() const { return plans_.empty(); }
  VersionDraft::Done write() &&;

private:
  struct Plan {
    LoopRegion region;
    bool peeled;
    std::vector<Renaming> copies; // 1 .. N at 0 .. N-1
    std::vector<std::uint32_t> contexts;
  };
  struct From { // a block: of the version, or of a copy (from 1) of the plan's region
    BlockId block;
    const Plan* plan = nullptr;
    std::size_t copy = 0;
  };

  bool in_loop(const Plan& plan, BlockId b) const;
  bool is_end(BlockId b) const { return b.id + 1 == cfg_.blocks().size(); }
  BlockId block_at(Label label) const { return cfg_.block_of(cfg_.position_of(label)); }
  Label next_iteration(const Plan& plan, std::size_t copy, Label header) const;
  Label target(const From& from, Label label) const;
  // A jump from outside of all copies' regions, or out of one, to the label.
  Label entered(Label label) const;
  Label some_label(BlockId b) const;

  void write_block(BlockId b);
  void write_lead_in(BlockId b);
  void write_copies(const Plan& plan);
  void write_copied_block(const From& from);
  void write_exit(const From& from, Instruction instr, Position at, LeadingTrivia leading);
  void write_fall(const From& from);
  void jump(Label label, Position origin);

  VersionTask& task_;
  const Cfg& cfg_;
  FreshNames fresh_;
  VersionDraft draft_;
  std::vector<Plan> plans_;
  std::unordered_map<std::uint32_t, std::size_t> plan_of_; // of each block of a region
  std::unordered_map<std::uint32_t, Label> joins_; // blocks that branches of copies come to, too
};

class RegionGrowth {
public:
  RegionGrowth(VersionAnalyses& facts, std::size_t loop) : facts_(facts), cfg_(facts.cfg()) {
    region.loop = loop;
    region.header = facts.loops().loops()[loop].header;
    for (const BlockId b : facts.loops().blocks(loop)) add(b);
  }

  // Adds blocks as long as an edge leads to one where a variable of the region is in scope.
  void grow(std::uint64_t max_size) {
    std::vector<BlockId> outside;
    std::size_t followed = 0, known = 0;
    while (region.size <= max_size &&
           (followed < region.blocks.size() || known < declared_.size())) {
      known = declared_.size();
      std::vector<BlockId> targets = std::move(outside);
      outside.clear();
      for (; followed < region.blocks.size(); ++followed)
        for (const BlockId to : cfg_[region.blocks[followed]].successors) targets.push_back(to);
      for (const BlockId to : targets) {
        if (has_.contains(to.id)) continue;
        if (carries_declared(to))
          add(to);
        else
          outside.push_back(to);
      }
    }
    std::sort(region.blocks.begin(), region.blocks.end());
    find_branched_to();
  }

  bool carries_declared(BlockId b) const {
    const auto& scope = facts_.scopes()[cfg_[b].begin];
    return b.id + 1 < cfg_.blocks().size() && scope &&
           std::any_of(scope->begin(), scope->end(), [&](Var x) { return declared_.contains(x); });
  }

  LoopRegion region;

private:
  void add(BlockId b) {
    if (!has_.insert(b.id).second) return;
    region.blocks.push_back(b);
    region.size += cfg_[b].end - cfg_[b].begin;
    for (Position at = cfg_[b].begin; at < cfg_[b].end; ++at)
      if (const Var* const x = scope_effect(facts_.version().body[at].instr).declares)
        if (declared_.insert(*x).second) region.declared.push_back(*x);
  }

  void find_branched_to() {
    auto& to = region.branched_to;
    for (const BlockId b : region.blocks)
      if (cfg_[b].successors.size() == 2)
        for (const BlockId arm : cfg_[b].successors)
          if (!has_.contains(arm.id) && arm.id + 1 < cfg_.blocks().size()) to.push_back(arm);
    std::sort(to.begin(), to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
  }

  VersionAnalyses& facts_;
  const Cfg& cfg_;
  std::unordered_set<std::uint32_t> has_;
  std::unordered_set<Var> declared_;
};

// Empty: the loop cannot be copied; `why` says why, for a remark.
std::optional<LoopRegion> loop_region(VersionAnalyses& facts, std::size_t loop,
                                      std::uint64_t max_size, std::string& why) {
  RegionGrowth growth(facts, loop);
  growth.grow(max_size);
  const BlockId header = growth.region.header;
  if (growth.region.size > max_size)
    why = "too large";
  else if (facts.cfg()[header].begin == 0)
    why = "it is the start of the version (normalize first)";
  else if (growth.carries_declared(header))
    why = "it declares a name that is in use before (normalize first)";
  else
    return std::move(growth.region);
  return std::nullopt;
}

const Goto* only_jump(const Version& version, const Block& block) {
  if (block.end != block.begin + 1) return nullptr;
  return std::get_if<Goto>(&version.body[block.begin].instr);
}

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
        for (const Label label : task_.version.body[at].leading.labels)
          to.labels.emplace(label, fresh_.fresh<Label>(names.text(label)));
    plan.contexts.push_back(draft_.add_context({task_.place(), to.variables, std::nullopt, 0}));
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
  return (at < v.body.size() ? v.body[at].leading : v.end).labels.front();
}

Label LoopCopies::entered(Label label) const {
  const BlockId to = block_at(label);
  const auto found = plan_of_.find(to.id);
  if (found == plan_of_.end()) return label;
  const Plan& plan = plans_[found->second];
  return to == plan.region.header && plan.peeled ? plan.copies[0].label(label) : label;
}

// From a latch of a copy (0: the loop itself) back to the header.
Label LoopCopies::next_iteration(const Plan& plan, std::size_t copy, Label header) const {
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
               ? next_iteration(plan, inside ? from.copy : 0, label)
               : entered(label);
  return inside ? plan.copies[from.copy - 1].label(label) : label;
}

VersionDraft::Done LoopCopies::write() && {
  std::size_t size = task_.version.body.size();
  for (const Plan& plan : plans_)
    for (const BlockId b : plan.region.blocks)
      size += plan.copies.size() * (cfg_[b].end - cfg_[b].begin + 2); // and exit blocks
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
      stmt.leading = keep_labels(stmt.leading, [](Label) { return false; });
    if (auto* const go = std::get_if<Goto>(&stmt.instr)) go->target = target({b}, go->target);
    if (auto* const branch = std::get_if<Branch>(&stmt.instr)) {
      branch->if_true = target({b}, branch->if_true);
      branch->if_false = target({b}, branch->if_false);
    }
    draft_.add(std::move(stmt), at);
  }
}

// What precedes a block: copies of the loop that it heads, or a goto under its old labels, where
// copies jump to the block itself.
void LoopCopies::write_lead_in(BlockId b) {
  const Position at = cfg_[b].begin;
  if (const auto join = joins_.find(b.id); join != joins_.end()) {
    for (const Label label : task_.version.body[at].leading.labels) draft_.label_next(label);
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
    LeadingTrivia leading{{}, stmt.leading.scopes, {}};
    for (const Label label : stmt.leading.labels) leading.labels.push_back(to.label(label));
    for (ScopeNote& note : leading.scopes)
      for (Var& x : note.names) x = to.variable(x);
    Instruction copied = rename(stmt.instr, {to.variables, {}}, fresh_);
    if (at + 1 < block.end)
      draft_.add({std::move(leading), std::move(copied)}, at, from.plan->contexts[from.copy - 1]);
    else
      write_exit(from, std::move(copied), at, std::move(leading));
  }
}

// The last instruction of a copied block. A branch out of the region goes through a block of its
// own; at the end of main the copies stop, since each declares other variables.
void LoopCopies::write_exit(const From& from, Instruction instr, Position at,
                            LeadingTrivia leading) {
  const std::uint32_t context = from.plan->contexts[from.copy - 1];
  std::vector<std::pair<Label, Label>> ways; // a new label, and its target
  const auto exit_to = [&](Label& label) {
    const BlockId to = block_at(label);
    const auto found = plan_of_.find(to.id);
    if (found != plan_of_.end() && &plans_[found->second] == from.plan) {
      label = target(from, label);
      return;
    }
    ways.emplace_back(fresh_.fresh<Label>(fresh_.names().text(label)), label);
    label = ways.back().first;
  };
  if (auto* const branch = std::get_if<Branch>(&instr))
    exit_to(branch->if_true), exit_to(branch->if_false);
  if (auto* const go = std::get_if<Goto>(&instr)) {
    if (is_end(block_at(go->target)))
      instr = Stop{};
    else
      go->target = target(from, go->target);
  }
  const bool falls = successors(instr).next;
  draft_.add({std::move(leading), std::move(instr)}, at, context);
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

// --- Options and the choice of loops -------------------------------------------------------------

constexpr std::uint64_t kMostCopies = 1000;

struct Wanted {
  std::uint32_t copies = 1;
  bool peeled = true;
  std::string_view label; // empty: all innermost loops
  std::uint64_t max_size = 100;
};

Wanted wanted(const PassOptions& options) {
  Wanted w;
  w.peeled = !options.has("times");
  const std::uint64_t number = w.peeled
                                   ? options.number("peel", 1)
                                   : std::max<std::uint64_t>(options.number("times", 1), 1) - 1;
  w.copies = static_cast<std::uint32_t>(std::min(number, kMostCopies));
  w.label = options.text("loop");
  w.max_size =
      w.label.empty() ? options.number("max-size", 100) : std::numeric_limits<std::uint64_t>::max();
  return w;
}

std::vector<std::size_t> chosen_loops(VersionTask& task, const Wanted& w) {
  const auto& loops = task.facts.loops().loops();
  const Cfg& cfg = task.facts.cfg();
  std::vector<std::uint8_t> innermost(loops.size(), 1);
  for (const Loop& loop : loops)
    if (loop.parent) innermost[*loop.parent] = 0;
  const auto named = [&](const Loop& loop) {
    const auto& labels = task.version.body[cfg[loop.header].begin].leading.labels;
    return std::any_of(labels.begin(), labels.end(),
                       [&](Label l) { return task.input.names.text(l) == w.label; });
  };
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < loops.size(); ++k)
    if (w.label.empty() ? innermost[k] != 0 : named(loops[k])) chosen.push_back(k);
  return chosen;
}

void unroll_loops(VersionTask& task, const Wanted& w) {
  LoopCopies copies(task);
  std::uint64_t rewrites = 0;
  for (const std::size_t loop : chosen_loops(task, w)) {
    std::string why;
    auto region = loop_region(task.facts, loop, w.max_size, why);
    if (region && copies.overlaps(*region)) why = "code after it belongs to another copied loop";
    if (!why.empty()) {
      const Position at = task.facts.cfg()[task.facts.loops().loops()[loop].header].begin;
      const Place place{task.function.name, task.version.name, {}, at};
      task.remarks.push_back(
          fmt::format("the loop at {}: not copied: {}", print(place, task.input.names), why));
      continue;
    }
    copies.add(std::move(*region), w.copies, w.peeled);
    rewrites += w.copies;
  }
  if (rewrites > 0) task.restructured = {std::move(copies).write(), rewrites};
}

} // namespace

std::optional<PassResult> unroll(const PassInput& input) {
  const Wanted w = wanted(input.options);
  if (w.copies == 0) return std::nullopt;
  return rewrite_versions(input, [&](VersionTask& task) { unroll_loops(task, w); });
}

} // namespace sourir
