// Samples of a running program: finds the code object that a trigger interrupted, and requests the
// types of its values from it (profiler/sampled_code.h).
#pragma once

#include "native/runtime/frames.h"
#include "native/runtime/sampled_codes.h"
#include "profiler/settings.h"

#include <optional>

namespace sourir::native {

struct TieringStatistics;

// What is left of it when a run has ended.
struct SamplingReport {
  std::optional<profiler::TriggerKind> trigger; // empty: none worked
  std::vector<std::string> refused;             // why the preferred ones did not
  std::uint64_t period = 0;                     // instructions; Loop: events
  profiler::Thresholds thresholds;
  // Samples by where they found the program: in native code, in the baseline, elsewhere (in the
  // runtime, where it was not called by native code).
  std::uint64_t native = 0, baseline = 0, elsewhere = 0;
  std::uint64_t without_slots = 0; // of `native`: code that knows the types of all its values
  std::uint64_t asked = 0, recompiled = 0, returned = 0, abandoned = 0; // pieces of code
  std::vector<std::shared_ptr<const profiler::SampledCode>> code;       // in the order of their ids
  std::vector<profiler::RecordedSample> recorded;
  std::uint64_t lost = 0;                              // not recorded, for want of memory
  std::uint64_t replayed = 0, late = 0, remaining = 0; // late: of code that was gone
};

class Sampling {
public:
  // registers: whose entry frames locate the program; read by the signal handler.
  Sampling(const Registers& registers, SampledCodes& codes, const profiler::Settings& settings);

  bool on() const { return settings_.on; }
  const profiler::Settings& settings() const { return settings_; }
  // What code counts down where the trigger is the loops themselves; null: it is another.
  std::int64_t* event_counter();

  // On the thread of the program: from now on, as far up its stack as `high`; and no more.
  void begin(const void* high);
  void end();

  // On the thread of the program. The event counter is used up; frame: of the runtime function that
  // native code called. It reports what its slots hold (SampledCode::answered).
  void take_sample(profiler::SampledCode& code, const void* frame);
  void receive(profiler::SampledCode& code, const std::uint64_t* words, std::uint64_t given,
               std::uint32_t bits);
  SamplingReport report(const TieringStatistics& tiers) const;

private:
  void found(profiler::SampledCode& code, std::uint64_t frame);
  std::size_t callers_of(std::uint64_t frame);
  void take_recorded();
  std::uint64_t samples() const { return native_ + baseline_ + elsewhere_; }
  static void on_signal(void* sampling, const profiler::Interrupted& at);
  void sample(const profiler::Interrupted& at);
  // The innermost native code, with its frame; null: none.
  profiler::SampledCode* find(const profiler::Interrupted& at, std::uint64_t& frame) const;
  bool on_stack(std::uint64_t address, std::uint64_t low) const;
  void counted(profiler::SampledCode& code);

  const Registers& registers_;
  SampledCodes& codes_;
  const profiler::Settings settings_;
  profiler::ChosenTrigger chosen_;
  std::uint64_t high_ = 0; // end of the stack
  std::int64_t event_counter_ = 0;
  profiler::DutyCycle duty_cycle_;
  std::optional<profiler::SampleRecorder> recorder_;
  std::array<std::uint32_t, 64> callers_{}; // ids, of the sample that is taken; no more are kept
  std::size_t replayed_ = 0;
  std::uint64_t late_ = 0;
  std::uint64_t native_ = 0, baseline_ = 0, elsewhere_ = 0, without_slots_ = 0;
};

} // namespace sourir::native
