#include "native/engine/exit_log.h"

#include <algorithm>

namespace sourir::native {

std::vector<FrameState> frames_of(const resolved::Exit& exit, const char* base,
                                  const Registers& registers) {
  std::vector<FrameState> frames{
      {exit.frame.code, exit.frame.pc, reinterpret_cast<const Value*>(base)}};
  const ReturnFrame* return_frame = registers.frames;
  for (const resolved::OuterFrame& outer : exit.outer) {
    --return_frame;
    frames.push_back({outer.frame.code, outer.frame.pc,
                      reinterpret_cast<const Value*>(return_frame->base), outer.result});
  }
  return frames;
}

void ExitLog::begin(const DeoptEvent& event, const Value* slots, bool forced) {
  materialized_ = false;
  details_ = {};
  if (event.reason != DeoptReason::Exit) return;
  const std::lock_guard names(lock_.mutex);
  details_ = guard_details(*event.version, event.pc, slots, forced, names_);
}

void ExitLog::materialized(const resolved::Exit& exit, const char* base) {
  materialized_ = true;
  details_.frames = frames_of(exit, base, registers_);
  details_.frames.resize(std::min(details_.frames.size(), kReportedFrames));
}

const ExitDetails* ExitLog::dispatched(const DeoptTarget& target, const Value* values) {
  details_.frames.clear();
  dispatched_ = values_by_slot(target, values);
  for (std::size_t i = 0; i < std::min(target.frames.size(), kReportedFrames); ++i)
    details_.frames.push_back({target.frames[i].code, target.frames[i].pc, dispatched_[i].data(),
                               target.frames[i].result});
  return &details_;
}

} // namespace sourir::native
