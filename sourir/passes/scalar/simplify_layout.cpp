#include "sourir/passes/scalar/simplify_layout.h"

#include "sourir/passes/core/marks.h"
#include "sourir/syntax/exit_frames.h"
#include "sourir/syntax/successors.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace sourir {
namespace {

class BlockLayout {
public:
  explicit BlockLayout(VersionTask& task)
      : task_(task), cfg_(task.facts.cfg()), count_(cfg_.blocks().size()), live_(count_),
        edges_in_(count_), runs_to_end_(count_), follows_(count_), behind_(count_), first_(count_),
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

  // Which block stands directly behind which. Main may run off its end: the blocks that do stay
  // where they are.
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
        put_behind(b, b + 1);
      } else if (jump != nullptr) {
        const std::size_t to = target(jump->target);
        if (to != 0 && to + 1 != count_ && edges_in_[to] == 1 && first_[b] != to &&
            (runs_to_end_[to] == 0 || to == next_live)) {
          join(b, to);
          put_behind(b, to);
          used_.erase(jump->target);
        }
      }
      next_live = b;
    }
  }

  // The run of blocks that ends with `b` and the one that begins with `next` are one. (A run whose
  // end goes on to its own beginning is a loop that nothing leaves: it has to begin somewhere.)
  void join(std::size_t b, std::size_t next) {
    first_[last_[next]] = first_[b];
    last_[first_[b]] = last_[next];
  }

  void put_behind(std::size_t b, std::size_t next) {
    follows_[next] = 1;
    behind_[b] = next;
    runs_to_end_[b] = runs_to_end_[next];
  }

  // Instructions and labels that go.
  std::uint64_t changes() const {
    const auto labels = [&](const Marks& marks, const Instruction* instr) {
      return static_cast<std::uint64_t>(
          std::ranges::count_if(marks.labels, [&](Label label) { return !stays(label, instr); }));
    };
    std::uint64_t count = labels(task_.version.end, nullptr);
    for (std::size_t b = 0; b < count_; ++b) {
      const Block& block = cfg_.blocks()[b];
      if (live_[b] == 0) count += block.end - block.begin;
      if (live_[b] == 0 || block.begin == block.end) continue;
      for (Position at = block.begin; at < block.end; ++at)
        count += labels(task_.version.body[at].marks, task_.edit.current(at));
      if (merged(b)) ++count;
    }
    return count;
  }

  // What it ends with goes on to what stands behind it now.
  bool merged(std::size_t b) const { return behind_[b] && std::holds_alternative<Goto>(*last(b)); }

  VersionDraft::Done emit() {
    const Version& version = task_.version;
    VersionDraft draft({task_.function.name, version.name, {}, 0},
                       {version.name, version.cont, version.when, {}, {}, version.comments});
    draft.reserve(version.body.size());
    for (std::size_t head = 0; head < count_; ++head) {
      if (live_[head] == 0 || follows_[head] != 0) continue;
      for (std::optional<std::size_t> b = head; b; b = behind_[*b]) emit(*b, draft);
    }
    const auto end = static_cast<Position>(version.body.size());
    return std::move(draft).finish(task_.function.name, kept(version.end, nullptr), end);
  }

  void emit(std::size_t b, VersionDraft& draft) {
    const Block& block = cfg_.blocks()[b];
    for (Position at = block.begin; at < block.end; ++at) {
      const Instruction& instr = *task_.edit.current(at);
      Marks marks = kept(task_.version.body[at].marks, &instr);
      if (at + 1 == block.end && merged(b))
        draft.add_marks(marks);
      else
        draft.add({std::move(marks), instr}, at);
    }
  }

  Marks kept(const Marks& marks, const Instruction* instr) const {
    if (marks.labels.empty()) return marks;
    return keep_labels(marks, [&](Label label) { return stays(label, instr); });
  }

  // Labels of exits are names for what stands there.
  bool stays(Label label, const Instruction* instr) const {
    return (instr != nullptr && exit_of(*instr) != nullptr) || used_.contains(label);
  }

  VersionTask& task_;
  const Cfg& cfg_;
  std::size_t count_; // of the blocks; the last one is the end
  std::vector<std::uint8_t> live_;
  std::vector<std::uint32_t> edges_in_;
  std::vector<std::uint8_t> runs_to_end_, follows_;
  std::vector<std::optional<std::size_t>> behind_;
  std::vector<std::size_t> first_, last_; // of the run that the block is the end, the beginning of
  std::unordered_set<Label> used_;
};

} // namespace

void lay_out(VersionTask& task) { BlockLayout(task).run(); }

} // namespace sourir
