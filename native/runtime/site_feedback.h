// What the baseline tier has seen at one position of a version (dissertation 4.2; runtime.md
// "Tiers"). One array a version, indexed by Pc. Written by the interpreter only; a compiler thread
// takes a copy.
#pragma once

#include "sourir/semantics/value.h"

#include <array>
#include <cstdint>

namespace sourir::native {

// A set of tags: bit 1 << tag.
using TagSet = std::uint8_t;
inline TagSet tag_set(Tag tag) { return static_cast<TagSet>(1U << static_cast<unsigned>(tag)); }

struct SiteFeedback {
  static constexpr std::uint32_t kMostCounted = 1 << 16;
  TagSet result = 0;        // the value bound, assigned, stored, printed or returned here
  TagSet storages = 0;      // an array access: the storages met, bit 1 << Storage
  std::uint8_t targets = 0; // a call: functions in `callees`; 255: more than fit
  std::uint32_t taken = 0, not_taken = 0; // a branch, or guards that held and failed; up to
                                          // kMostCounted
  std::array<FunName, 3> callees{};
};

} // namespace sourir::native
