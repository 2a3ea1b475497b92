#include "sourir/analysis/exit_targets.h"

#include "sourir/syntax/exits.h"
#include "sourir/syntax/program_index.h"

#include <algorithm>

namespace sourir {

ExitTargets::ExitTargets(const Program& program) {
  labels_.reserve(program.functions.size());
  std::pair<const std::uint64_t, std::vector<Label>>* last =
      nullptr; // most exits target the same version
  for (const Function& f : program.functions)
    for (const Version& v : f.versions)
      for (const Stmt& stmt : v.body) {
        const Metadata* const exit = exit_of(stmt.instr);
        for (std::size_t i = 0; exit != nullptr && i < frame_count(*exit); ++i) {
          const Place& target = *frame_at(*exit, i).target;
          const std::uint64_t version = version_key(target.function, target.version);
          if (last == nullptr || last->first != version)
            last = &*labels_.try_emplace(version).first;
          last->second.push_back(*target.label);
        }
      }
  for (auto& [version, labels] : labels_) {
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  }
}

bool ExitTargets::frozen(FunName function, VerName version) const {
  return labels_.contains(version_key(function, version));
}

const std::vector<Label>& ExitTargets::labels(FunName function, VerName version) const {
  static const std::vector<Label> none;
  const auto found = labels_.find(version_key(function, version));
  return found == labels_.end() ? none : found->second;
}

std::unordered_set<FunName> entered_by_exits_of_others(const Program& program) {
  std::unordered_set<FunName> all;
  for (const Function& f : program.functions)
    for (const Version& v : f.versions)
      for (const Stmt& stmt : v.body) {
        const Metadata* const exit = exit_of(stmt.instr);
        for (std::size_t i = 0; exit != nullptr && i < frame_count(*exit); ++i)
          if (const FunName target = frame_at(*exit, i).target->function; target != f.name)
            all.insert(target);
      }
  return all;
}

} // namespace sourir
