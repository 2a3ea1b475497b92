// Membership in a short sequence, by equality.
#pragma once

#include <algorithm>

namespace sourir {

bool contains(const auto& sequence, const auto& element) {
  return std::find(sequence.begin(), sequence.end(), element) != sequence.end();
}

} // namespace sourir
