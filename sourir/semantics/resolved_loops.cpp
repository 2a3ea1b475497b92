#include "sourir/semantics/resolved_loops.h"

#include <algorithm>
#include <utility>

namespace sourir {

class ResolvedLoops::Walk {
public:
  Walk(ResolvedLoops& loops, const ResolvedVersion& code, const std::vector<bool>& reached)
      : loops_(loops), code_(code), reached_(reached), place_(code.instrs.size(), 0),
        seen_(code.instrs.size(), false) {}

  void from(Pc start) {
    enter(start);
    while (!path_.empty()) {
      Step& step = path_.back();
      if (step.next < step.ways.count) {
        visit(step.pc, step.ways.to[step.next++]);
        continue;
      }
      const Pc done = step.pc;
      place_[done] = 0;
      path_.pop_back();
      if (!path_.empty()) put_into(path_.back().pc, loops_.around_[done]);
    }
  }

private:
  struct Ways {
    Pc to[2] = {};
    unsigned count = 0;
  };

  static Ways ways_of(const ResolvedVersion& code, Pc pc) {
    const resolved::Instr& instr = code.instrs[pc];
    if (const auto* const branch = std::get_if<resolved::Branch>(&instr))
      return {{branch->if_true, branch->if_false}, branch->if_true == branch->if_false ? 1U : 2U};
    if (const auto* const jump = std::get_if<resolved::Goto>(&instr)) return {{jump->target, 0}, 1};
    const bool ends = std::holds_alternative<resolved::Return>(instr) ||
                      std::holds_alternative<resolved::Stop>(instr) || pc + 1 == code.instrs.size();
    return {{pc + 1, 0}, ends ? 0U : 1U};
  }

  struct Step {
    Pc pc;
    Ways ways;
    unsigned next = 0;
  };

  void enter(Pc pc) {
    seen_[pc] = true;
    path_.push_back({pc, ways_of(code_, pc)});
    place_[pc] = path_.size();
  }

  void visit(Pc from, Pc to) {
    if (!reached_[to]) return;
    if (!seen_[to]) return enter(to);
    if (place_[to] != 0) {
      loops_.head_[to] = true;
      return put_into(from, to);
    }
    // `to` is finished: `from` lies in the innermost of its loops whose head is still on the path.
    for (Pc loop = loops_.around_[to]; loop != kNoLoop; loop = loops_.around_[loop])
      if (place_[loop] != 0) return put_into(from, loop);
  }

  // The chain of loops of a position is ordered as their heads are on the path.
  void put_into(Pc pc, Pc loop) {
    if (pc == loop || loop == kNoLoop) return;
    while (loops_.around_[pc] != kNoLoop) {
      const Pc outer = loops_.around_[pc];
      if (outer == loop) return;
      if (place_[outer] < place_[loop]) {
        loops_.around_[pc] = loop;
        pc = std::exchange(loop, outer);
      } else {
        pc = outer;
      }
      if (pc == loop) return;
    }
    loops_.around_[pc] = loop;
  }

  ResolvedLoops& loops_;
  const ResolvedVersion& code_;
  const std::vector<bool>& reached_;
  std::vector<std::size_t> place_; // on the path, from 1; 0: not on it
  std::vector<bool> seen_;
  std::vector<Step> path_;
};

ResolvedLoops::ResolvedLoops(const ResolvedVersion& code, Pc start,
                             const std::vector<bool>& reached)
    : around_(code.instrs.size(), kNoLoop), head_(code.instrs.size(), false) {
  Walk(*this, code, reached).from(start);
}

bool ResolvedLoops::lies_in(Pc loop, Pc outer) const {
  while (loop != outer && loop != kNoLoop) loop = parent(loop);
  return loop == outer;
}

Pc ResolvedLoops::common(Pc a, Pc b) const {
  std::vector<Pc> around;
  for (Pc loop = at(a); loop != kNoLoop; loop = parent(loop)) around.push_back(loop);
  for (Pc loop = at(b); loop != kNoLoop; loop = parent(loop))
    if (std::ranges::find(around, loop) != around.end()) return loop;
  return kNoLoop;
}

} // namespace sourir
