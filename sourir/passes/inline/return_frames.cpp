#include "sourir/passes/inline/return_frames.h"

#include "sourir/analysis/mutant.h"
#include "sourir/passes/core/correspondence.h"
#include "sourir/syntax/exit_frames.h"

namespace sourir {

std::optional<Pending> ReturnFrames::behind(const Function& function, const Version& caller,
                                            std::uint32_t call, Var result) {
  std::uint32_t at = call + 1;
  if (at < caller.body.size())
    if (const Metadata* const exit = exit_of(caller.body[at].instr))
      return pending_form(*exit, result);
  const Behind& there = behind(function, caller);
  if (mutant(63))
    while (at > 0 && there.source != nullptr && !there.places[at]) --at;
  // Behind a call that the source does not do, no place corresponds.
  if (there.source == nullptr || !there.places[at] || !there.scopes[*there.places[at]])
    return std::nullopt;
  TargetLabels& labels = labels_.try_emplace(there.source, *there.source, names_).first->second;
  return pending_form(identity_exit(function.name, there.source->name, labels.at(*there.places[at]),
                                    *there.scopes[*there.places[at]]),
                      result);
}

const ReturnFrames::Behind& ReturnFrames::behind(const Function& function, const Version& caller) {
  const auto [known, fresh] = behind_.try_emplace(&caller);
  Behind& there = known->second;
  if (!fresh) return there;
  there.source = version_behind(function, caller);
  if (there.source == nullptr) return there;
  there.places = corresponding_positions(caller, *there.source);
  there.scopes = VersionAnalyses(program_, function, *there.source, targets_).scopes();
  return there;
}

void ReturnFrames::add_labels(Program& program) const {
  if (labels_.empty()) return;
  for (std::size_t f = 0; f < program.functions.size(); ++f)
    for (std::size_t v = 0; v < program.functions[f].versions.size(); ++v)
      if (const auto found = labels_.find(&program_.functions[f].versions[v]);
          found != labels_.end())
        found->second.add_to(program.functions[f].versions[v]);
}

} // namespace sourir
