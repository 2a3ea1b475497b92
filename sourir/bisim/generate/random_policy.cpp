#include "sourir/bisim/generate/random_policy.h"

#include <algorithm>

namespace sourir {

Policy full_policy(std::uint32_t size) {
  Policy p;
  p.size = size;
  p.steps = std::max<std::uint32_t>(20'000, 4 * size);
  p.features = kAllFeatures;
  return p.set(Feature::NotNormal, false);
}

Policy random_policy(Tape& tape, std::uint32_t size) {
  Policy p;
  const auto draw = [&] { return std::uint64_t{tape.word()} << 32 | tape.word(); };
  const std::uint64_t a = draw(), b = draw();
  switch (tape.below(4)) { // half of the features, three quarters, all
  case 0: p.features = a; break;
  case 1:
  case 2: p.features = a | b; break;
  default: p.features = kAllFeatures; break;
  }
  p.features &= kAllFeatures;
  p.set(Feature::NotNormal, tape.chance(1, 4));
  p.size = 8 + tape.below(size);
  p.versions = static_cast<std::uint8_t>(tape.below(4));
  p.exits = static_cast<std::uint8_t>(5 + tape.below(60));
  p.errors = tape.chance(1, 4) ? static_cast<std::uint8_t>(tape.below(60)) : std::uint8_t{0};
  p.scope = static_cast<std::uint8_t>(3 + tape.below(12));
  p.inline_depth = static_cast<std::uint8_t>(tape.below(4));
  p.steps = std::max<std::uint32_t>(20'000, 4 * size);
  if (tape.chance(1, 4)) { // exits of all shapes, and exits that lead to exits
    for (const Feature f : {Feature::Calls, Feature::Arrays, Feature::Assumes, Feature::Inlining,
                            Feature::Deferred, Feature::Facts, Feature::Folding})
      p.set(f);
    p.versions = 3;
    p.inline_depth = 3;
    p.exits = static_cast<std::uint8_t>(40 + tape.below(40));
    p.size = size / 2 + tape.below(size);
  }
  return p;
}

} // namespace sourir
