#include "sourir/passes/presets.h"

#include "sourir/passes/registry.h"

namespace sourir {
namespace {

using Passes = std::vector<std::string_view>;

// Those that there are.
std::string joined(const Passes& names) {
  std::string text;
  for (const std::string_view name : names)
    if (find_pass(name) != nullptr) text.append(text.empty() ? "" : ",").append(name);
  return text;
}

const Passes& classical() {
  static const Passes passes = {"constprop", "kinds", "copyprop", "gvn",      "loads",
                                "licm",      "dce",   "sink",     "simplify", "unreachable"};
  return passes;
}

Passes with(const Passes& first, const Passes& second) {
  Passes all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

std::string speculative() {
  const std::string before = joined({"fresh-version", "checkpoints", "speculate"});
  const std::string rounds =
      joined(with(classical(), {"hoist-predicates", "compose-assumes", "inline", "drop-assumes"}));
  return before + (before.empty() ? "" : ",") + "fix(" + rounds + ")";
}

std::string every_pass() {
  Passes names;
  for (const PassRow& row : all_passes()) names.push_back(row.name);
  return joined(names);
}

} // namespace

const std::vector<Preset>& all_presets() {
  static const std::vector<Preset> presets = {
      {"O1", "The classical passes, until nothing changes.", "fix(" + joined(classical()) + ")"},
      {"O2", "Speculation, then everything until nothing changes.", speculative()},
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
