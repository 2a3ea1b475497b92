// How a run is sampled.
#pragma once

#include "profiler/pace.h"
#include "profiler/sample_log.h"
#include "profiler/sampled_code.h"
#include "profiler/trigger.h"

namespace sourir::profiler {

struct Settings {
  bool on = false;
  TriggerOptions trigger;
  Thresholds thresholds;
  bool recompile = true; // off: samples are counted, and nothing comes of it
  // Ends of rounds and calls of native code for one sample, where TriggerKind::Loop.
  std::uint64_t ticks = 1000;
  PaceSettings pace;
  std::size_t record_bytes = 0; // of memory for samples that are kept; 0: none are
  // Samples of another run instead of one's own: one for each of this run (TriggerKind::Loop), as
  // soon as the code is there that it is of.
  std::shared_ptr<const std::vector<RecordedSample>> replay;
  // Three times in a row a version that samples asked for was given up soon: never again.
  static constexpr std::uint32_t kMostDisappointments = 3;
};

} // namespace sourir::profiler
