// The duty cycle of the sampler: samples are taken all the time, or in bursts with pauses between
// them (thesis, 6.2.2), which grow while there is no activity. Called by the signal handler:
// async-signal-safe.
#pragma once

#include <atomic>
#include <cstdint>

namespace sourir::profiler {

struct DutyCycleSettings {
  std::uint32_t burst = 0; // samples in a row; 0: no pauses
  std::uint32_t pause = 1; // sample periods between two bursts
  bool adaptive = false;   // doubles the pause after each burst without activity, up to kLongest
  static constexpr std::uint32_t kLongest = 64;
};

class DutyCycle {
public:
  explicit DutyCycle(const DutyCycleSettings& settings)
      : settings_(settings), left_(settings.burst), pause_(settings.pause) {}

  // New code was installed, or code was found stale: the next pause is a short one. Any thread.
  void record_activity() { active_.store(true, std::memory_order_relaxed); }
  // After each sample: the periods until the next one; 0: as many as before this one.
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
    const bool active = active_.exchange(false, std::memory_order_relaxed);
    const std::uint32_t now = active ? settings_.pause : pause_;
    if (settings_.adaptive)
      pause_ = now * 2 > DutyCycleSettings::kLongest ? DutyCycleSettings::kLongest : now * 2;
    return now;
  }

private:
  const DutyCycleSettings settings_;
  std::uint32_t left_, pause_; // samples of this burst, periods of the next pause
  bool paused_ = false;
  std::atomic<bool> active_{false};
};

} // namespace sourir::profiler
