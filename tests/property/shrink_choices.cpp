#include "tests/property/shrink_choices.h"

#include <algorithm>

namespace sourir::testing {

namespace {

class ShrinkSteps {
public:
  explicit ShrinkSteps(Draft draft) : draft_(std::move(draft)) {
    if (draft_.part > draft_.words.size()) begin_iteration();
  }

  rc::Maybe<Draft> operator()() {
    while (!done_) {
      if (auto fuzz_case = draft_.part > 0 ? without_part() : with_smaller_word()) return fuzz_case;
    }
    return rc::Nothing;
  }

private:
  static constexpr std::size_t kPartKinds = 2, kWordKinds = 3;

  void begin_iteration() {
    draft_.part = draft_.words.size();
    draft_.next = 0;
    draft_.smaller = false;
    done_ = draft_.words.empty();
  }

  // Two fuzz cases a part: it is taken out, or becomes zeros.
  rc::Maybe<Draft> without_part() {
    const std::size_t at = draft_.next / kPartKinds * draft_.part;
    if (at >= draft_.words.size()) {
      draft_.part /= 2;
      draft_.next = 0;
      return rc::Nothing;
    }
    const bool out = draft_.next++ % kPartKinds == 0;
    const std::size_t end = std::min(at + draft_.part, draft_.words.size());
    const auto begin = draft_.words.begin();
    const auto from = static_cast<std::ptrdiff_t>(at), to = static_cast<std::ptrdiff_t>(end);
    if (!out && std::all_of(begin + from, begin + to, [](std::uint32_t w) { return w == 0; }))
      return rc::Nothing;
    Draft fuzz_case = draft_;
    fuzz_case.smaller = true;
    if (out) {
      fuzz_case.words.erase(fuzz_case.words.begin() + from, fuzz_case.words.begin() + to);
      fuzz_case.next = draft_.next - 1; // what has moved up is next
    } else {
      std::fill(fuzz_case.words.begin() + from, fuzz_case.words.begin() + to, 0);
    }
    return fuzz_case;
  }

  rc::Maybe<Draft> with_smaller_word() {
    const std::size_t at = draft_.next / kWordKinds;
    if (at >= draft_.words.size()) {
      if (draft_.smaller)
        begin_iteration();
      else
        done_ = true;
      return rc::Nothing;
    }
    const std::uint32_t word = draft_.words[at];
    const std::uint32_t smaller[kWordKinds] = {0, word / 2, word - word / 8};
    const std::uint32_t wanted = smaller[draft_.next++ % kWordKinds];
    if (wanted >= word) return rc::Nothing;
    Draft fuzz_case = draft_;
    fuzz_case.smaller = true;
    fuzz_case.words[at] = wanted;
    fuzz_case.next = at * kWordKinds;
    return fuzz_case;
  }

  Draft draft_;
  bool done_ = false;
};

} // namespace

rc::Seq<Draft> smaller(Draft draft, const UsedWords& used) {
  draft.words.resize(std::min(draft.words.size(), used(draft.words)));
  return rc::makeSeq<ShrinkSteps>(std::move(draft));
}

} // namespace sourir::testing
