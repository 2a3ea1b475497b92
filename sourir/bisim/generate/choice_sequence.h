// Choices as data. Whatever is random here is a function of a sequence of 32-bit words, so that a
// case is replayed from its choice sequence, and a shorter choice sequence or smaller words make a
// smaller case: a choice sequence that is used up answers every question with the smallest choice.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sourir {

class ChoiceSequence {
public:
  // These words, then zeros.
  explicit ChoiceSequence(std::vector<std::uint32_t> words) : words_(std::move(words)) {}
  // Endless, the same for the same seed.
  explicit ChoiceSequence(std::uint64_t seed) : state_(seed), endless_(true) {}

  std::uint32_t word() {
    if (at_ == words_.size()) return past_the_end();
    return words_[at_++];
  }
  // 0 .. n-1, smaller for smaller words. n > 0.
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>((std::uint64_t{word()} * n) >> 32);
  }
  // True in n of `of` cases; false for the word 0.
  bool chance(std::uint32_t n, std::uint32_t of) { return below(of) + n >= of && n > 0; }
  bool percent(std::uint32_t n) { return chance(n, 100); }
  // An index into `weights`, each as often as its weight; the first one for the word 0 (if its
  // weight is 0: the first with a weight). Not all may be 0.
  std::size_t weighted(std::span<const std::uint16_t> weights, std::uint32_t sum);

  // What was read so far: ChoiceSequence(used()) gives the same choices again.
  std::vector<std::uint32_t> used() const {
    return {words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(at_)};
  }

private:
  std::uint32_t past_the_end();

  std::vector<std::uint32_t> words_;
  std::size_t at_ = 0;
  std::uint64_t state_ = 0;
  bool endless_ = false;
};

// SplitMix64: the next number of a sequence, and a good hash of a counter.
std::uint64_t next_random(std::uint64_t& state);

// Choice sequences as text: words in hexadecimal with blanks between, `*N` after a word that stands
// N times.
std::string print_choices(std::span<const std::uint32_t> words);
std::optional<std::vector<std::uint32_t>> parse_choices(std::string_view text);

} // namespace sourir
