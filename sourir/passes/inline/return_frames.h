// The frames that wait for the result of a call, for exits of the callee's code once that stands in
// the place of the call. Internal to inline.
#pragma once

#include "sourir/analysis/version_analyses.h"
#include "sourir/passes/core/target_labels.h"
#include "sourir/syntax/json/pending_form.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace sourir {

class ReturnFrames {
public:
  ReturnFrames(const Program& program, Names& names, const ExitTargets& targets)
      : program_(program), names_(names), targets_(targets) {}

  // From the exit directly behind the call; or, where the version behind the caller's does the same
  // call at the corresponding place, the frame that this version would have there. `caller` is the
  // active version of its function, and no exit targets it. Empty: neither.
  std::optional<Pending> behind(const Function& function, const Version& caller, std::uint32_t call,
                                Var result);

  // Gives the versions behind the labels that the frames so far go to.
  void add_labels(Program& program) const;

private:
  struct Behind {
    const Version* source;                            // null: there is none
    std::vector<std::optional<std::uint32_t>> places; // by position of the caller
    Scopes scopes;                                    // of the source
  };
  const Behind& behind(const Function& function, const Version& caller);

  const Program& program_;
  Names& names_;
  const ExitTargets& targets_;
  std::unordered_map<const Version*, Behind> behind_;       // by caller
  std::unordered_map<const Version*, TargetLabels> labels_; // by source
};

} // namespace sourir
