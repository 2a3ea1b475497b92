// The states of the input in which the check of a version starts beside one of the output
// (added_version_check.h). Internal to it.
#pragma once

#include "sourir/bisim/lockstep_state.h"
#include "sourir/bisim/seen_frames.h"
#include "sourir/bisim/unknown_values.h"

#include <optional>
#include <vector>

namespace sourir {

struct InputState {
  enum class Kind : std::uint8_t {
    NotMapped, // there is none
    Exact,     // where the map says, or at the entry of the version
    Seen,      // the variables that the map does not know have what a run of the input held there
    Unknown,   // no run of the input tells: chosen() alone gives states
  };
  Kind kind = Kind::NotMapped;
  std::optional<Config> state; // of Exact and Seen
};

class InputStateMaker {
public:
  // States that chosen() can give beside one.
  static constexpr std::size_t kChoices = 2 * UnknownValues::kUniform;

  // `entries`: states of the output at the entry of the version, whose input runs are looked at
  // where the map does not know all.
  InputStateMaker(LockstepSetting& setting, const ResolvedVersion& code, Input& input,
                  const std::vector<Config>& entries)
      : setting_(setting), code_(code), input_(input), entries_(entries) {}

  // Where the input stands while the output is in that state.
  InputState beside(Config output);
  // With values by the number of the choice for what the map does not know: of the parameter with
  // that name, as the caller passed it, or others that the input may have there.
  // Precondition: the state is mapped.
  Config chosen(Config output, std::size_t choice);
  // Looks at that run of the input, too, if any state was not exact so far.
  void look_at(const Config& input, std::uint64_t steps);

private:
  static constexpr std::uint64_t kSeenSteps = 500'000; // from each entry, and of all later runs

  SourceFrames frames_of(const Config& output, BorrowedBlocks& blocks);
  Config configuration_of(const Config& output, const SourceFrames& frames) const {
    return configuration(output, frames, setting_.input, input_, setting_.never);
  }
  std::optional<Config> at_entry(const Config& output, const SourceFrames& frames) const;
  void look_at_entries();
  ShownValues shown_by(const Config& output, const SourceFrames& frames) const;
  void pass_parameters(NewFrame& frame, const Config& output) const;

  LockstepSetting& setting_;
  const ResolvedVersion& code_;
  Input& input_;
  const std::vector<Config>& entries_;
  bool looks_ = false;
  std::uint64_t looked_at_ = 0; // steps of later runs
  SeenFrames seen_;
  UnknownValues unknown_;
};

} // namespace sourir
