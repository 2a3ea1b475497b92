#include "sourir/passes/lower_anchors.h"

#include "sourir/passes/rewrite.h"

namespace sourir {

std::optional<PassResult> lower_anchors(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) {
    for (Position at = 0; at < task.version.body.size(); ++at)
      if (std::holds_alternative<Anchor>(task.version.body[at].instr)) task.edit.remove(at);
  });
}

} // namespace sourir
