// The processor time that may be spent on compiling instrumented code: a part of the program's, so
// that samples never cost more than that (docs/profiler.md).
#pragma once

#include <algorithm>
#include <cstdint>

namespace sourir::native {

class InstrumentationBudget {
public:
  // Code of any kind was compiled.
  void add_compiled(std::uint64_t bytes, double seconds) {
    bytes_ += bytes;
    seconds_ += seconds;
  }

  // Seconds that the instrumented code of code of this size takes, by what the run has taken for a
  // byte. slow: compiled at level 0 of LLVM, which takes a ninth to a fifth of the time.
  double expected(std::uint64_t bytes, bool slow) const {
    constexpr double kSlow = 0.2;
    return seconds_ / static_cast<double>(std::max<std::uint64_t>(bytes_, 1)) *
           static_cast<double>(bytes) * (slow ? kSlow : 1);
  }

  // Reserves the expected seconds if the budget of a program that has run for `now` nanoseconds
  // (profiler::thread_time()) allows them. Returns whether it does.
  bool begin(double expected, std::uint64_t now) {
    constexpr double kPart = 0.005, kAtFirst = 0.01;
    const double limit = kAtFirst + kPart * 1e-9 * static_cast<double>(now);
    if (spent_ + expected > limit) return false;
    spent_ += expected;
    return true;
  }
  // It took so many seconds instead of those expected.
  void end(double expected, double seconds) { spent_ += seconds - expected; }

private:
  std::uint64_t bytes_ = 0;
  double seconds_ = 0, spent_ = 0;
};

} // namespace sourir::native
