#include "sourir/bisim/generate/random_context.h"

#include <algorithm>
#include <array>
#include <charconv>

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

namespace sourir::random {

namespace {

constexpr std::array<std::string_view, 5> kOddNames = {"is", "when", "cont", "anchor", "with"};

constexpr std::array<std::string_view, NamePool::kStrings> kStringTexts = {
    "",   "a",  "b",    "hello, world",         "\n", "a\tb", "say \"hi\"",
    "\\", "#x", "\\q{", "\xC3\xA9\xE2\x89\xA0", "'f"};

// `letters` and then the number.
class Numbered {
public:
  Numbered(std::string_view letters, std::uint32_t k) {
    letters.copy(text_.data(), letters.size());
    end_ = std::to_chars(text_.data() + letters.size(), text_.data() + text_.size(), k).ptr;
  }
  std::string_view text() const {
    return {text_.data(), static_cast<std::size_t>(end_ - text_.data())};
  }

private:
  std::array<char, 24> text_;
  char* end_;
};

} // namespace

Var NamePool::var(std::uint32_t k) {
  while (vars_.size() <= k) {
    const auto i = static_cast<std::uint32_t>(vars_.size());
    const char letter[] = {static_cast<char>('a' + i % 26), 0};
    if (odd_ && i < kOddNames.size())
      vars_.push_back(names_.intern<Var>(kOddNames[i]));
    else if (i < 26)
      vars_.push_back(names_.intern<Var>(letter));
    else
      vars_.push_back(names_.intern<Var>(Numbered(letter, i / 26).text()));
  }
  return vars_[k];
}

Label NamePool::label(std::uint32_t k) {
  while (labels_.size() <= k)
    labels_.push_back(
        names_.intern<Label>(Numbered("L", static_cast<std::uint32_t>(labels_.size())).text()));
  return labels_[k];
}

FunName NamePool::function(std::uint32_t k) {
  return names_.intern<FunName>(Numbered("f", k).text());
}

VerName NamePool::version(std::uint32_t k) {
  return names_.intern<VerName>(k == 0 ? std::string_view("base") : Numbered("v", k).text());
}

Str NamePool::string(std::uint32_t k) { return names_.intern<Str>(kStringTexts[k]); }

} // namespace sourir::random
