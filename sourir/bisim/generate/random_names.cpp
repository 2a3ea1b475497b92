#include "sourir/bisim/generate/random_names.h"

#include <array>
#include <charconv>

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
