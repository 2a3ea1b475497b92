#include "sourir/passes/inline/split.h"

#include "sourir/passes/inline/split_writer.h"

namespace sourir {

std::optional<PassResult> split(const PassInput& input) {
  SplitProgram program{PassedFunctions(input.program), FunctionsWithContexts(input.program),
                       Arities(input.program)};
  return rewrite_versions(input, [&](VersionTask& task) {
    auto sites = split_sites(task, program);
    if (sites.empty()) return;
    SplitWriter writer(task, std::move(sites));
    const std::uint64_t rewrites = writer.rewrites();
    if (rewrites > 0) task.restructured = {std::move(writer).write(), rewrites};
  });
}

} // namespace sourir
