// The driver of the passes that rewrite one version at a time: it calls them for each version that
// may be rewritten, and puts the results together.
#pragma once

#include "sourir/analysis/version_analyses.h"
#include "sourir/passes/core/pass.h"
#include "sourir/passes/core/version_edit.h"
#include "sourir/syntax/ids.h"

#include <functional>

namespace sourir {

// A version that may be rewritten: the active one of its function, and no exit targets it.
struct VersionTask {
  const PassInput& input;
  const Function& function;
  const Version& version;
  VersionAnalyses& facts;
  VersionEdit& edit;
  std::vector<std::string>& remarks;
  // A version that takes the place of the input's, for changes of the control flow; the edit is
  // ignored then.
  struct Restructured {
    VersionDraft::Done done;
    std::uint64_t rewrites = 0;
  };
  std::optional<Restructured> restructured = {};

  Place place() const { return {function.name, version.name, {}, 0}; } // of the version
  // Holds the names of the version's variables and labels, and of the function's parameters.
  FreshNames fresh_names() const;
};

// Calls `rewrite` for each such version (of the functions that the option `functions=f+g` names,
// if it is given). Empty if nothing was changed.
std::optional<PassResult> rewrite_versions(const PassInput& input,
                                           const std::function<void(VersionTask&)>& rewrite);

// Whether the function is among those that the option `functions=` names, or there is none.
bool selected(const PassInput& input, FunName function);

// The version as it was in the part that the program began as (PassInput::part); null: there is no
// such part, or the version is new.
const Version* version_of_part(const PassInput& input, FunName function, VerName version);

// A version that takes the place of the program's.
struct NewVersion {
  std::size_t function, version; // indices
  Version now;
};

// The program with these versions, which are in its order; all others are copied.
Program with_versions(const Program& program, std::vector<NewVersion> changed);

// The index of the active version; empty if there is none or an exit targets it.
std::optional<std::size_t> rewritable_version(const Function& function, const ExitTargets& targets);

// All names of variables and labels of a version and its function's parameters, and the names that
// its exits' blocks make.
FreshNames names_in(const Function& function, const Version& version, Names& names);

} // namespace sourir
