#include "sourir/passes/presets.h"

#include "sourir/passes/registry.h"

namespace sourir {
namespace {

std::string every_pass() {
  std::string text;
  for (const PassRow& row : all_passes()) text.append(text.empty() ? "" : ",").append(row.name);
  return text;
}

} // namespace

const std::vector<Preset>& all_presets() {
  static const std::vector<Preset> presets = {
      {"O1", "The classical passes, until nothing changes.", "fix(unreachable)"},
      {"O2", "Speculation, then everything until nothing changes.", "fix(unreachable)"},
      {"all", "Every pass once, in alphabetical order.", every_pass()},
  };
  return presets;
}

const Preset* find_preset(std::string_view name) {
  for (const Preset& preset : all_presets())
    if (preset.name == name) return &preset;
  return nullptr;
}

} // namespace sourir
