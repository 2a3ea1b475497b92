#include "sourir/passes/continuation.h"

#include "sourir/syntax/exit_frames.h"
#include "sourir/syntax/successors.h"

#include <algorithm>
#include <unordered_set>

namespace sourir {
namespace {

class Builder {
public:
  Builder(VersionAnalyses& source, const ContinuationPlan& plan, Names& names, TargetLabels& labels)
      : source_(source), version_(source.version()), plan_(plan), labels_(labels),
        fresh_(names_in(source.function(), version_, names)), emitted_(version_.body.size()),
        draft_({source.function().name, version_.name, {}, 0}, header()) {}

  Continuation build() {
    find_reached();
    find_jumps();
    const Label entry = entry_label();
    draft_.add({{}, Assume{plan_.expected, exit_at(plan_.from, plan_.back)}}, plan_.from);
    const Position first =
        static_cast<Position>(std::find(emitted_.begin(), emitted_.end(), 1) - emitted_.begin());
    if (first != plan_.from || jumped_to(plan_.from)) draft_.add({{}, Goto{entry}}, plan_.from);
    for (Position at = first; at < version_.body.size(); ++at)
      if (emitted_[at] != 0) emit(at, entry, at == first);
    auto done = std::move(draft_).finish(source_.function().name, jump_labels(version_.end),
                                         static_cast<Position>(version_.body.size()));
    return {std::move(done.version), std::move(done.origin)};
  }

private:
  Version header() const {
    Version result{plan_.name,
                   ContinuationHeader{plan_.back, *source_.scopes()[plan_.from]},
                   version_.when,
                   {},
                   {},
                   {}};
    return result;
  }

  void find_reached() {
    const Cfg& cfg = source_.cfg();
    std::vector<bool> seen(cfg.blocks().size());
    std::vector<BlockId> work;
    const auto emit_from = [&](Position begin, BlockId b) {
      std::fill(emitted_.begin() + begin, emitted_.begin() + cfg[b].end, std::uint8_t{1});
      for (const BlockId next : cfg[b].successors) {
        if (seen[next.id]) continue;
        seen[next.id] = true;
        work.push_back(next);
      }
    };
    emit_from(plan_.from, cfg.block_of(plan_.from));
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      emit_from(cfg[b].begin, b);
    }
  }

  void find_jumps() {
    for (Position at = 0; at < version_.body.size(); ++at) {
      if (emitted_[at] == 0) continue;
      const Successors next = successors(version_.body[at].instr);
      const bool branch = next.second != nullptr;
      for (const Label* const label : {next.first, next.second})
        if (label != nullptr) (branch ? branched_ : gone_).insert(*label);
    }
  }

  bool jumped_to(Position at) const {
    const auto& labels = version_.body[at].marks.labels;
    return std::any_of(labels.begin(), labels.end(), [&](Label label) {
      return branched_.contains(label) || gone_.contains(label);
    });
  }
  Marks jump_labels(const Marks& marks) const {
    Marks kept;
    for (const Label label : marks.labels)
      if (branched_.contains(label) || gone_.contains(label)) kept.labels.push_back(label);
    return kept;
  }

  // One that gotos go to anyway, or a fresh one.
  Label entry_label() {
    for (const Label label : version_.body[plan_.from].marks.labels)
      if (gone_.contains(label) && !branched_.contains(label)) return label;
    return fresh_.fresh<Label>("entry");
  }

  void emit(Position at, Label entry, bool first) {
    Marks marks = jump_labels(version_.body[at].marks);
    const bool own_label =
        std::find(marks.labels.begin(), marks.labels.end(), entry) == marks.labels.end();
    if (at == plan_.from && own_label && (!first || jumped_to(at))) {
      // Nothing falls through to a label that is jumped to, and branches have theirs alone.
      const bool falls =
          at > 0 && emitted_[at - 1] != 0 && successors(version_.body[at - 1].instr).next;
      if (falls || !marks.labels.empty()) draft_.add({std::move(marks), Goto{entry}}, at);
      marks = {};
      marks.labels.push_back(entry);
    }
    draft_.add({std::move(marks), chained(at)}, at);
  }

  Instruction chained(Position at) {
    const Instruction& instr = version_.body[at].instr;
    if (exit_of(instr) == nullptr || !source_.scopes()[at]) return instr;
    Metadata exit = exit_at(at, at == plan_.from ? plan_.back : labels_.at(at));
    if (const auto* const assume = std::get_if<Assume>(&instr))
      return Assume{assume->guards, std::move(exit)};
    return Anchor{std::move(exit)};
  }

  Metadata exit_at(Position at, Label label) {
    return identity_exit(source_.function().name, version_.name, label, *source_.scopes()[at]);
  }

  VersionAnalyses& source_;
  const Version& version_;
  const ContinuationPlan& plan_;
  TargetLabels& labels_;
  FreshNames fresh_;
  std::vector<std::uint8_t> emitted_; // by position
  std::unordered_set<Label> branched_, gone_;
  VersionDraft draft_;
};

} // namespace

Continuation continuation_of(VersionAnalyses& source, const ContinuationPlan& plan, Names& names,
                             TargetLabels& labels) {
  return Builder(source, plan, names, labels).build();
}

} // namespace sourir
