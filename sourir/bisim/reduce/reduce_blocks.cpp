// Fewer jumps: what only one goto leads to comes in its place.
#include "sourir/bisim/reduce/reduce_edits.h"

#include "sourir/syntax/successors.h"

#include <algorithm>
#include <optional>

namespace sourir::reduce {
namespace {

struct Jump {
  std::size_t function, version, at;
};

std::vector<Jump> jumps(const Program& program) {
  std::vector<Jump> all;
  for (std::size_t f = 0; f < program.functions.size(); ++f)
    for (std::size_t v = 0; v < program.functions[f].versions.size(); ++v) {
      const auto& body = program.functions[f].versions[v].body;
      for (std::size_t at = 0; at < body.size(); ++at)
        if (std::holds_alternative<Goto>(body[at].instr)) all.push_back({f, v, at});
    }
  return all;
}

std::optional<std::size_t> position_of(const Version& version, Label label) {
  for (std::size_t at = 0; at < version.body.size(); ++at)
    if (std::ranges::find(version.body[at].marks.labels, label) !=
        version.body[at].marks.labels.end())
      return at;
  return std::nullopt;
}

std::size_t end_of_block(const Version& version, std::size_t begin) {
  std::size_t end = begin;
  while (end < version.body.size() && successors(version.body[end].instr).next) ++end;
  return std::min(end + 1, version.body.size());
}

bool straighten(Program& program, const Jump& jump) {
  const Function& function = program.functions[jump.function];
  Version& version = program.functions[jump.function].versions[jump.version];
  const Label label = std::get<Goto>(version.body[jump.at].instr).target;
  const auto begin = position_of(version, label);
  if (!begin || uses_of(program, function, version, label) != 1) return false;
  const std::size_t end = end_of_block(version, *begin);
  if (*begin <= jump.at && jump.at < end) return false; // a loop
  if (end < version.body.size() + 1 && *begin > 0 &&
      successors(version.body[*begin - 1].instr).next)
    return false; // something falls into it
  std::vector<Stmt> block(version.body.begin() + static_cast<std::ptrdiff_t>(*begin),
                          version.body.begin() + static_cast<std::ptrdiff_t>(end));
  std::erase(block.front().marks.labels, label);
  auto& labels = version.body[jump.at].marks.labels;
  block.front().marks.labels.insert(block.front().marks.labels.begin(), labels.begin(),
                                    labels.end());
  std::vector<Stmt> body;
  for (std::size_t at = 0; at < version.body.size(); ++at)
    if (at == jump.at)
      body.insert(body.end(), block.begin(), block.end());
    else if (at < *begin || at >= end)
      body.push_back(std::move(version.body[at]));
  version.body = std::move(body);
  return true;
}

} // namespace

Edit straighten() {
  return {
      [](const Program& program) { return jumps(program).size(); },
      [](Program& program, std::size_t k) { return straighten(program, Jump(jumps(program)[k])); }};
}

} // namespace sourir::reduce
