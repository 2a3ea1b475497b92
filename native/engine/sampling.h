// Sampling of a running program: a trigger interrupts it, the innermost native code gets a request,
// and reports the types of its sample slots at its next safepoint (profiler/sampled_code.h).
// Threads: of the program; sample() and what it calls in its signal handler.
#pragma once

#include "native/engine/baseline_samples.h"
#include "native/runtime/sampled_codes.h"
#include "profiler/settings.h"

#include <optional>

namespace sourir::native {

struct TieringStatistics;

// The sampling of a run that has ended.
struct SamplingReport {
  std::optional<profiler::TriggerKind> trigger; // empty: none is available
  std::vector<std::string> refused;             // why the preferred ones are not
  std::uint64_t period = 0;                     // instructions; Loop: events
  profiler::Thresholds thresholds;
  // Signals, and the time that they took of the thread's; all 0 without signals.
  std::uint32_t limit = 0;                                  // percent of the time
  std::uint64_t last_period = 0;                            // instructions: `period` or above
  bool adapts = false;                                      // profiler::Settings
  std::uint64_t signals = 0, handler_ns = 0, thread_ns = 0; // the last two: processor time
  // Samples by the place of the program: in sampled native code or what it called, in the baseline,
  // elsewhere (in other native code, or in the runtime without a link to sampled code).
  std::uint64_t native = 0, baseline = 0, elsewhere = 0;
  std::uint64_t without_slots = 0; // of `native`: code whose types are all static
  // Code objects found stale, recompiled, reinstated; functions and loops abandoned.
  std::uint64_t asked = 0, recompiled = 0, returned = 0, abandoned = 0;
  std::vector<std::shared_ptr<const profiler::SampledCode>> code; // in the order of their ids
  std::vector<std::string> unfinished; // code objects that the compiler had begun at the end
  // Of `baseline`, those of which the version is known, most first.
  std::vector<std::pair<std::string, std::uint64_t>> baseline_versions;
  std::vector<profiler::RecordedSample> recorded, baseline_recorded;
  std::uint64_t lost = 0;                              // not recorded: the memory was full
  std::uint64_t replayed = 0, late = 0, remaining = 0; // late: of replaced code
};

class Sampling {
public:
  // registers: the signal handler reads their entry frames.
  Sampling(const Registers& registers, SampledCodes& codes, const profiler::Settings& settings);

  bool on() const { return settings_.on; }
  const profiler::Settings& settings() const { return settings_; }
  // CompileOptions::event_counter for TriggerKind::Loop; null: another trigger.
  std::int64_t* event_counter();

  // Of the interpreter's bytecode.
  BaselineSamples& baseline_samples() { return baseline_samples_; }

  // Starts the trigger on this thread, whose frames are below the address `high`; stops it.
  void begin(const void* high);
  void end();

  // The event counter is used up. frame: of the runtime function that native code called.
  void take_sample(profiler::SampledCode& code, const void* frame);
  // Of thread_time(); 0: the trigger has no clock.
  std::uint64_t now() const { return chosen_.trigger ? profiler::thread_time() : 0; }
  // Code reports its sample slots, as SampledCode::receive() has it.
  void receive(profiler::SampledCode& code, const std::uint64_t* words);
  SamplingReport report(const TieringStatistics& tiers) const;

private:
  // A sample of native code, to be recorded.
  void found(profiler::SampledCode& code, std::uint64_t frame);
  std::size_t callers_of(std::uint64_t frame);
  void take_recorded();
  std::uint64_t samples() const { return native_ + baseline_ + elsewhere_; }
  static void on_signal(void* sampling, const profiler::Interrupted& at);
  // Whether the sample is of use for the types of the code.
  bool sample(const profiler::Interrupted& at, std::uint64_t now);
  struct Found {
    profiler::SampledCode* code = nullptr; // null: none
    std::uint64_t address = 0, frame = 0;
  };
  // The innermost sampled code.
  Found find(const profiler::Interrupted& at) const;
  bool on_stack(std::uint64_t address, std::uint64_t low) const;
  void counted(profiler::SampledCode& code);

  const Registers& registers_;
  SampledCodes& codes_;
  const profiler::Settings settings_;
  profiler::ChosenTrigger chosen_;
  std::uint64_t high_ = 0; // end of the stack
  std::int64_t event_counter_ = 0;
  profiler::HandlerBudget budget_;
  std::uint64_t pause_periods_ = 1;   // until the next signal
  std::atomic<bool> begun_{false};    // the trigger may be armed again
  std::uint64_t began_ = 0, ran_ = 0; // thread time at begin(); from then until end()
  std::uint64_t last_signal_ = 0;     // thread time, of the handler
  profiler::DutyCycle duty_cycle_;
  std::optional<profiler::SampleRecorder> recorder_;
  std::array<std::uint32_t, 64> callers_{}; // ids, innermost first, of the sample being taken
  std::size_t replayed_ = 0;
  std::uint64_t late_ = 0;
  std::uint64_t native_ = 0, baseline_ = 0, elsewhere_ = 0, without_slots_ = 0;
  BaselineSamples baseline_samples_;
};

} // namespace sourir::native
