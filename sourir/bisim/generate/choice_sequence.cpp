#include "sourir/bisim/generate/choice_sequence.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

namespace sourir {

namespace {

constexpr std::size_t kBlock = 512; // words made at a time
constexpr std::size_t kMostRepeats = std::size_t{1} << 24;

template <class Number>
bool read_number(std::string_view text, Number& n, int base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n, base);
  return error == std::errc{} && end == text.data() + text.size();
}

} // namespace

std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t x = state += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::uint32_t ChoiceSequence::past_the_end() {
  if (!endless_) return 0;
  words_.resize(at_ + kBlock);
  for (std::size_t i = at_; i < words_.size(); i += 2) {
    const std::uint64_t two = next_random(state_);
    words_[i] = static_cast<std::uint32_t>(two);
    words_[i + 1] = static_cast<std::uint32_t>(two >> 32);
  }
  return words_[at_++];
}

std::size_t ChoiceSequence::weighted(std::span<const std::uint16_t> weights, std::uint32_t sum) {
  std::uint32_t left = below(sum);
  std::size_t i = 0;
  while (left >= weights[i]) left -= weights[i++];
  return i;
}

std::string print_choices(std::span<const std::uint32_t> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size();) {
    std::size_t n = 1;
    while (i + n < words.size() && words[i + n] == words[i]) ++n;
    fmt::format_to(std::back_inserter(text), "{}{:x}", i == 0 ? "" : " ", words[i]);
    if (n > 1) fmt::format_to(std::back_inserter(text), "*{}", n);
    i += n;
  }
  return text;
}

std::optional<std::vector<std::uint32_t>> parse_choices(std::string_view text) {
  std::vector<std::uint32_t> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view item = text.substr(0, end);
    text.remove_prefix(end + (end < text.size()));
    if (item.empty()) continue;
    const std::size_t star = std::min(item.find('*'), item.size());
    std::uint32_t word = 0;
    std::size_t n = 1;
    if (!read_number(item.substr(0, star), word, 16) ||
        (star < item.size() && !read_number(item.substr(star + 1), n, 10)) || n > kMostRepeats)
      return std::nullopt;
    words.insert(words.end(), n, word);
  }
  return words;
}

} // namespace sourir
