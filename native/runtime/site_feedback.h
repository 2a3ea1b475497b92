// What the baseline tier has seen at one position of a version (dissertation 4.2; runtime.md
// "Tiers"). One array a version, indexed by Pc. Written by the interpreter only; a compiler thread
// takes a copy.
#pragma once

#include "sourir/semantics/value.h"

#include <array>
#include <bit>
#include <cstdint>

namespace sourir::native {

// A set of tags: bit 1 << tag.
using TagSet = std::uint8_t;
inline TagSet tag_set(Tag tag) { return static_cast<TagSet>(1U << static_cast<unsigned>(tag)); }

// Unbound: none or several.
inline Tag only_tag(TagSet tags) {
  return std::has_single_bit(tags) ? static_cast<Tag>(std::countr_zero(tags)) : Tag::Unbound;
}

// A result of which nothing is known. (0 says that the position was never reached.)
inline constexpr TagSet kAnyResult = 0x7F;

struct SiteFeedback {
  static constexpr std::uint32_t kMostCounted = 1 << 16;
  TagSet result = 0;        // the value bound, assigned, stored, printed or returned here
  TagSet storages = 0;      // an array access: the storages met, bit 1 << Storage
  std::uint8_t targets = 0; // a call: functions in `callees`; 255: more than fit
  std::uint32_t taken = 0, not_taken = 0; // a branch, or guards that held and failed; up to
                                          // kMostCounted
  std::array<FunName, 3> callees{};

  // What was seen at another time. Several targets at both times are too many.
  void add(const SiteFeedback& other) {
    if (other.result == 0) return; // not reached
    result = result == kAnyResult ? other.result : static_cast<TagSet>(result | other.result);
    storages = static_cast<TagSet>(storages | other.storages);
    if (targets == 0) {
      targets = other.targets;
      callees = other.callees;
    } else if (other.targets != 0 && (targets != other.targets || callees != other.callees)) {
      targets = 255;
    }
    taken = other.taken > ~taken ? ~0U : taken + other.taken;
    not_taken = other.not_taken > ~not_taken ? ~0U : not_taken + other.not_taken;
  }
};

} // namespace sourir::native
