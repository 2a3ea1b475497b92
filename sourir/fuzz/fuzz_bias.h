// What makes work for a pass: what runs before it, and what programs look like. Internal to
// make_case.
#pragma once

#include "sourir/bisim/generate/random_policy.h"

#include <array>
#include <string_view>

namespace sourir {

struct FuzzBias {
  std::string_view pass;                  // without options
  std::array<std::string_view, 6> before; // transforms, as in Transform::text
  void (*policy)(Policy&) = nullptr;      // may be none
  bool base_only = false;                 // rather programs that have no exits yet
};

// One of those for this transform; the one for all others.
const FuzzBias& bias_for(std::string_view transform, ChoiceSequence& choices);

} // namespace sourir
