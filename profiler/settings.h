// The settings of the sampler for one run.
#pragma once

#include "profiler/sample_log.h"
#include "profiler/sampled_code.h"
#include "profiler/trigger.h"

namespace sourir::profiler {

struct Settings {
  bool on = false;
  TriggerOptions trigger;
  Thresholds thresholds;
  bool recompile = true; // off: samples are only counted
  // TriggerKind::Loop: back edges and returns of native code for one sample.
  std::uint64_t events = 1000;
  DutyCycleSettings duty_cycle;
  // The period is longer where samples teach nothing, and shorter where they do. Samples are of
  // unequal weight then.
  bool adapts = false;
  std::size_t record_bytes = 0; // memory for recorded samples; 0: none are recorded
  // Signals that interrupt a code object until instrumented code is compiled for it, which reports
  // the types of its values. 0: all code is instrumented.
  std::uint32_t hits_until_instrumented = 32;
  // Recorded samples to use instead of new ones (TriggerKind::Loop): one for each sample of this
  // run, once its code object exists.
  std::shared_ptr<const std::vector<RecordedSample>> replay;
  // After this many failed recompilations of a function or loop its samples have no effect.
  static constexpr std::uint32_t kMostFailedRecompilations = 3;
};

} // namespace sourir::profiler
