#include "sourir/cli/campaign/campaign_transforms.h"

#include "sourir/cli/exec_pass.h"

namespace sourir {

std::variant<PassTransforms, PipelineError> campaign_transforms(const std::string& text,
                                                                std::uint64_t exec_seconds) {
  return pass_transforms(
      text, [exec_seconds](const std::string& command, const Program& program, Names& names) {
        return ask_exec_pass(command, program, names, exec_seconds);
      });
}

} // namespace sourir
