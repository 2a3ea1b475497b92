// States of one program by a hash: frames (version, position, result variable, the values of the
// variables that are live there) and the heap that they reach, up to a renaming of addresses. Equal
// states have equal fingerprints. Strings are equal by text, functions by name, NaNs all, other
// floats by their bits.
#pragma once

#include "sourir/analysis/exit_targets.h"
#include "sourir/semantics/config.h"
#include "sourir/semantics/resolved.h"

#include <span>
#include <unordered_map>
#include <vector>

namespace sourir {

// The variables that the future of a state depends on, as slots of a linked program, computed by
// version on demand. Live ones (sourir/analysis/liveness.h), but for those whose values only go
// into dead variables.
class LiveSlots {
public:
  explicit LiveSlots(const Program& program) : targets_(program) {}

  // What is live just before a position of the program, ascending; nothing where no root reaches.
  const std::vector<Slot>& at(const ResolvedVersion& code, Pc pc);

private:
  ExitTargets targets_;
  std::unordered_map<const ResolvedVersion*, std::vector<std::vector<Slot>>> versions_;
};

// Slots that are not compared, by frame: the output does not know their values.
struct FrameSlot {
  std::uint32_t frame = 0;
  Slot slot = 0;
  friend bool operator==(FrameSlot, FrameSlot) = default;
};
using NotCompared = std::vector<FrameSlot>;

struct FrameView {
  const ResolvedVersion* code = nullptr;
  Pc pc = 0;
  std::optional<Slot> result; // of a return frame
  Env env = nullptr;
};

// The position that control reaches from there by gotos alone: a return frame may as well return
// there.
Pc after_gotos(const ResolvedVersion& code, Pc pc);

// The part that is examined: deeper frames and cells farther away in the heap count as equal.
inline constexpr std::size_t kComparedFrames = 16;
inline constexpr std::uint64_t kComparedCells = 2'000;

class Fingerprints {
public:
  explicit Fingerprints(LiveSlots& live) : live_(live) {}

  // `frames`: innermost first, the first kComparedFrames of `depth`. With `returned`, a value that
  // is about to be returned, too.
  std::uint64_t full(const Heap& heap, std::span<const FrameView> frames, std::uint64_t depth,
                     const std::optional<Value>& returned = {}, const NotCompared& without = {});
  // Of the innermost frame alone, arrays by their lengths: cheap to compare first.
  std::uint64_t quick(const Heap& heap, const FrameView& frame, std::uint64_t depth,
                      const NotCompared& without = {});
  // The slots that the future of the frames depends on, and that have no value.
  NotCompared without_value(std::span<const FrameView> frames);

  // The slots of a frame that its future depends on.
  template <class Visit>
  void for_each_live(const FrameView& frame, Visit&& visit) {
    for (const Slot x : live_.at(*frame.code, place_of(frame)))
      if (x != frame.result) visit(x);
  }

private:
  static Pc place_of(const FrameView& frame) {
    return frame.result ? after_gotos(*frame.code, frame.pc) : frame.pc;
  }
  void add_value(Value v);
  void add_place(const FrameView& frame);
  void add(std::uint64_t word);

  LiveSlots& live_;
  std::uint64_t hash_ = 0;
  struct Number { // of a block in the order in which blocks are met
    std::uint64_t round = 0;
    std::uint32_t number = 0;
  };
  std::vector<Number> numbers_; // by address
  std::vector<std::uint32_t> met_;
  std::uint64_t round_ = 0;
};

// The value of a `return` at that place; empty: another instruction stands there, or it has none.
std::optional<Value> returned_value(const ResolvedVersion& code, Pc pc, const Heap& heap, Env env);

// The frames of a configuration, innermost first, at most `most`.
std::vector<FrameView> frames_of_config(const Config& c, std::size_t most = kComparedFrames);

} // namespace sourir
