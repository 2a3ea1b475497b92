#include "native/llvm_lowering/code_loops.h"

#include "sourir/semantics/rounds.h"

#include <algorithm>
#include <map>

namespace sourir::native {

namespace {

template <class Visit>
void for_each_successor(const InstrStream& code, Pc pc, Visit visit) {
  const code::Instr& instr = code.instrs[pc];
  if (const auto* const branch = std::get_if<code::Branch>(&instr)) {
    visit(branch->if_true);
    if (branch->if_false != branch->if_true) visit(branch->if_false);
  } else if (const auto* const jump = std::get_if<code::Goto>(&instr)) {
    visit(jump->target);
  } else if (pc + 1 < code.instrs.size() && !std::holds_alternative<code::Return>(instr) &&
             !std::holds_alternative<code::Stop>(instr)) {
    visit(pc + 1);
  }
}

// What gets to a latch without the head.
std::vector<Pc> body_of(Pc head, const std::vector<Pc>& latches,
                        const std::vector<std::vector<Pc>>& before, std::vector<Pc>& marks) {
  std::vector<Pc> body{head}, work;
  marks[head] = head + 1;
  const auto add = [&](Pc pc) {
    if (marks[pc] == head + 1) return;
    marks[pc] = head + 1;
    body.push_back(pc);
    work.push_back(pc);
  };
  std::ranges::for_each(latches, add);
  while (!work.empty()) {
    const Pc pc = work.back();
    work.pop_back();
    std::ranges::for_each(before[pc], add);
  }
  return body;
}

} // namespace

CodeLoops loops_of(const InstrStream& code, const Kinds& kinds) {
  std::vector<std::vector<Pc>> before(code.instrs.size());
  std::map<Pc, std::vector<Pc>> latches; // by head
  for (Pc pc = 0; pc < code.instrs.size(); ++pc) {
    if (!kinds.reached(pc)) continue;
    for_each_successor(code, pc, [&](Pc to) {
      before[to].push_back(pc);
      if (to <= pc && goes_back(code.instrs[pc], pc)) latches[to].push_back(pc);
    });
  }
  struct Found {
    Pc head;
    std::vector<Pc> body;
  };
  std::vector<Found> found;
  found.reserve(latches.size());
  std::vector<Pc> marks(code.instrs.size(), 0);
  for (const auto& [head, from] : latches)
    found.push_back({head, body_of(head, from, before, marks)});
  std::ranges::sort(found, std::ranges::greater{},
                    [](const Found& l) { return std::pair(l.body.size(), l.head); });
  CodeLoops result;
  result.innermost.assign(code.instrs.size(), kNoLoop);
  for (const Found& l : found) { // outer ones first
    const LoopId parent = result.innermost[l.head];
    if (parent != kNoLoop) result.loops[parent].innermost = false;
    for (const Pc pc : l.body) result.innermost[pc] = static_cast<LoopId>(result.loops.size());
    result.loops.push_back({l.head, parent, true});
  }
  return result;
}

} // namespace sourir::native
