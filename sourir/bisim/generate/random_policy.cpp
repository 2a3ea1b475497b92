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

Policy random_policy(ChoiceSequence& choices, std::uint32_t size) {
  Policy p;
  const auto draw = [&] { return std::uint64_t{choices.word()} << 32 | choices.word(); };
  const std::uint64_t a = draw(), b = draw();
  switch (choices.below(4)) { // half of the features, three quarters, all
  case 0: p.features = a; break;
  case 1:
  case 2: p.features = a | b; break;
  default: p.features = kAllFeatures; break;
  }
  p.features &= kAllFeatures;
  p.set(Feature::NotNormal, choices.chance(1, 4));
  p.size = 8 + choices.below(size);
  p.versions = static_cast<std::uint8_t>(choices.below(4));
  p.exits = static_cast<std::uint8_t>(5 + choices.below(60));
  p.errors = choices.chance(1, 4) ? static_cast<std::uint8_t>(choices.below(60)) : std::uint8_t{0};
  p.scope = static_cast<std::uint8_t>(3 + choices.below(12));
  p.inline_depth = static_cast<std::uint8_t>(choices.below(4));
  p.steps = std::max<std::uint32_t>(20'000, 4 * size);
  if (choices.chance(1, 4)) { // exits of all shapes, and exits that lead to exits
    for (const Feature f : {Feature::Calls, Feature::Arrays, Feature::Assumes, Feature::Inlining,
                            Feature::Deferred, Feature::Facts, Feature::Folding})
      p.set(f);
    p.versions = 3;
    p.inline_depth = 3;
    p.exits = static_cast<std::uint8_t>(40 + choices.below(40));
    p.size = size / 2 + choices.below(size);
  }
  return p;
}

} // namespace sourir
