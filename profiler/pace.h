// When samples are taken: all the time, or in bursts (thesis 6.2.2), which come less often where
// there is no news. Of the signal handler: it only counts.
#pragma once

#include <atomic>
#include <cstdint>

namespace sourir::profiler {

struct PaceSettings {
  std::uint32_t burst = 0; // samples in a row; 0: there is no pause
  std::uint32_t pause = 1; // periods between two bursts
  bool adaptive = false;   // twice as long after each burst without news, up to kLongest
  static constexpr std::uint32_t kLongest = 64;
};

class Pace {
public:
  explicit Pace(const PaceSettings& settings)
      : settings_(settings), left_(settings.burst), pause_(settings.pause) {}

  // New code, or code that was found stale: the next pause is a short one. On any thread.
  void news() { news_.store(true, std::memory_order_relaxed); }
  // A sample was taken: how many periods to wait for the next; 0: as many as for this one.
  std::uint32_t after_sample() {
    if (settings_.burst == 0) return 0;
    if (left_ == settings_.burst && paused_) {
      paused_ = false;
      --left_;
      return 1;
    }
    if (left_ > 1) {
      --left_;
      return 0;
    }
    left_ = settings_.burst;
    paused_ = true;
    const bool news = news_.exchange(false, std::memory_order_relaxed);
    const std::uint32_t now = news ? settings_.pause : pause_;
    if (settings_.adaptive)
      pause_ = now * 2 > PaceSettings::kLongest ? PaceSettings::kLongest : now * 2;
    return now;
  }

private:
  const PaceSettings settings_;
  std::uint32_t left_, pause_;
  bool paused_ = false;
  std::atomic<bool> news_{false};
};

} // namespace sourir::profiler
