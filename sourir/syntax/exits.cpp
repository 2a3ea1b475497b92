#include "sourir/syntax/exits.h"

#include <utility>

namespace sourir {

const Metadata* exit_of(const Instruction& instruction) {
  if (const auto* assume = std::get_if<Assume>(&instruction)) return &assume->exit;
  if (const auto* anchor = std::get_if<Anchor>(&instruction)) return &anchor->exit;
  return nullptr;
}

Metadata* exit_of(Instruction& instruction) {
  return const_cast<Metadata*>(exit_of(std::as_const(instruction)));
}

std::vector<Var> ExitFrame::domain() const {
  std::vector<Var> names;
  names.reserve(varmap->size() + 1);
  if (result) names.push_back(*result);
  for (const Binding& binding : *varmap) names.push_back(binding.name);
  return names;
}

ExitFrame frame_at(const Metadata& exit, std::size_t index) {
  if (index == 0) return {&exit.frame.target, nullptr, &exit.frame.varmap};
  const OuterFrame& outer = exit.outer[index - 1];
  return {&outer.target, &outer.result, &outer.varmap};
}

} // namespace sourir
