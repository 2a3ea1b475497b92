// Pipelines with a name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sourir {

struct Preset {
  std::string_view name, summary;
  std::string pipeline; // the text that the name stands for
};

const std::vector<Preset>& all_presets();
const Preset* find_preset(std::string_view name); // null: there is none

} // namespace sourir
