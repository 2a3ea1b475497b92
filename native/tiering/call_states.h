// The states of calls of a function, for the verifier: those of the last calls before it is
// compiled. Several states lie between two calls whose arguments are feedback.
// Threads: of the program.
#pragma once

#include "native/runtime/native_code.h"
#include "sourir/semantics/config.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace sourir::native {

class CallStates {
public:
  // The state of the present call, which was the one number `f.hot_at`. Sets that of the next one.
  // Whether the arguments of this call are feedback, too.
  bool add(Config state, FunctionCell& f) {
    if (states_.size() == kMost) states_.erase(states_.begin());
    states_.push_back(std::move(state));
    const std::uint64_t left = feedback_at_ - std::min(feedback_at_, f.calls);
    f.hot_at = f.calls + std::max<std::uint64_t>(left / kBetween, 1);
    return left == 0;
  }
  // After which number of calls the next arguments are feedback.
  void feedback_at(std::uint64_t calls) { feedback_at_ = calls; }
  std::vector<Config> take() { return std::exchange(states_, {}); }

private:
  static constexpr std::size_t kMost = 32;
  static constexpr std::uint64_t kBetween = 8;
  std::vector<Config> states_;
  std::uint64_t feedback_at_ = 0;
};

} // namespace sourir::native
