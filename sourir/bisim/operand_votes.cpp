#include "sourir/bisim/operand_votes.h"

#include "sourir/syntax/traverse.h"

#include <algorithm>

namespace sourir {

namespace {

constexpr std::size_t kEnough = 5; // different operands
constexpr std::size_t kArrayElements = 4;

} // namespace

std::vector<Value> operand_values(const Config& at_instr) {
  std::vector<Value> values;
  const std::vector<Stmt>& body = at_instr.code->source->body;
  if (at_instr.pc >= body.size()) return values; // the stop that linking adds to main
  for_each_expression(body[at_instr.pc].instr, [&](const Expr& e) {
    for_each_variable(e, [&](Var x) {
      const auto slot = at_instr.code->slot_index.find(x);
      if (slot == at_instr.code->slot_index.end()) return; // an exit makes it
      const Value v = at_instr.env()[slot->second];
      values.push_back(v);
      if (!v.is(Tag::Array)) return;
      const auto& elements = at_instr.heap.blocks[v.as_array().index];
      const std::size_t some = std::min(elements.size(), kArrayElements);
      for (std::size_t i = 0; i < some; ++i) values.push_back(elements[i]);
    });
  });
  return values;
}

void OperandVotes::add(Pc pc, const std::vector<Value>& operands, bool agrees) {
  Tried& tried = tried_[pc];
  auto& same = agrees ? tried.agreeing : tried.differing;
  if (std::ranges::find(same, operands) == same.end()) same.push_back(operands);
}

bool OperandVotes::wants_more(Pc pc) const {
  const auto at = tried_.find(pc);
  return at == tried_.end() || at->second.agreeing.size() + at->second.differing.size() < kEnough;
}

bool OperandVotes::disputed(Pc pc) const {
  const auto at = tried_.find(pc);
  return at != tried_.end() && at->second.differing.size() >= 2 &&
         at->second.differing.size() > at->second.agreeing.size();
}

} // namespace sourir
