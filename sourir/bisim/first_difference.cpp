#include "sourir/bisim/first_difference.h"

#include "sourir/bisim/fingerprint.h"
#include "sourir/semantics/step.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace sourir {
namespace {

constexpr std::size_t kStates = 1500; // of a run

struct State {
  std::uint64_t steps = 0;
  std::size_t place = 0; // the same number: they correspond
  std::vector<std::pair<Var, Value>> values;
};

class Runs {
public:
  // Of the run to `end` steps, the first ones or the last ones.
  std::deque<State> states(Config c, std::uint64_t end, bool first) {
    LiveSlots live(c.program->source());
    std::deque<State> all;
    std::string printed;
    while (!c.stopped() && c.steps <= end) {
      State& state = all.emplace_back(State{c.steps, place(c), {}});
      for (const Slot slot : live.at(*c.code, c.pc))
        state.values.emplace_back(c.code->slots[slot], c.env()[slot]);
      if (first && all.size() == kStates) break;
      if (all.size() > kStates) all.pop_front();
      printed.clear();
      if (step(c, printed).status != StepStatus::Stepped) break;
    }
    return all;
  }

private:
  std::size_t place(const Config& c) {
    auto [known, is_new] = places_.try_emplace({c.code, c.pc, c.frames.size()}, 0);
    if (!is_new) return known->second;
    const auto& body = c.code->source->body;
    const Names& names = c.program->names();
    const std::string text = fmt::format("{} {} {}", c.frames.size(), names.text(c.code->function),
                                         c.pc < body.size() ? print(body[c.pc].instr, names) : "");
    return known->second = texts_.try_emplace(text, texts_.size()).first->second;
  }

  std::map<std::tuple<const ResolvedVersion*, Pc, std::size_t>, std::size_t> places_;
  std::unordered_map<std::string, std::size_t> texts_;
};

bool is_array(Value v) { return v.tag() == Tag::Array; }

bool differ(const State& a, const State& b) {
  return std::ranges::any_of(a.values, [&](const auto& one) {
    const auto other = std::ranges::find(b.values, one.first, &std::pair<Var, Value>::first);
    if (other == b.values.end() || (is_array(one.second) && is_array(other->second))) return false;
    return one.second != other->second;
  });
}

// Lengths of the longest common subsequences of the ends of both, from each pair of states on.
class CommonStates {
public:
  CommonStates(const std::deque<State>& a, const std::deque<State>& b)
      : width_(b.size() + 1), lengths_((a.size() + 1) * width_) {
    for (std::size_t i = a.size(); i-- > 0;)
      for (std::size_t j = b.size(); j-- > 0;)
        lengths_[i * width_ + j] = static_cast<std::uint16_t>(
            a[i].place == b[j].place ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1)));
  }
  std::uint16_t at(std::size_t i, std::size_t j) const { return lengths_[i * width_ + j]; }

private:
  std::size_t width_;
  std::vector<std::uint16_t> lengths_;
};

std::optional<DifferentStates> compared(const std::deque<State>& a, const std::deque<State>& b) {
  const CommonStates common(a, b);
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].place == b[j].place) {
      if (differ(a[i], b[j])) return DifferentStates{a[i].steps, b[j].steps};
      ++i, ++j;
    } else if (common.at(i + 1, j) >= common.at(i, j + 1)) {
      ++i;
    } else {
      ++j;
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<DifferentStates> first_difference(const Config& left, std::uint64_t left_end,
                                                const Config& right, std::uint64_t right_end) {
  Runs runs;
  for (const bool first : {true, false})
    if (const auto found =
            compared(runs.states(left, left_end, first), runs.states(right, right_end, first)))
      return found;
  return std::nullopt;
}

} // namespace sourir
