// Frames that runs of one program had, by position: what a variable held there.
#pragma once

#include "sourir/semantics/config.h"
#include "sourir/semantics/rules.h"

#include <deque>
#include <map>
#include <span>
#include <vector>

namespace sourir {

class SeenFrames {
public:
  // Runs the configuration for at most so many steps without an end, and keeps frames: the first
  // ones at each position, and some of the later ones. Returns the steps.
  std::uint64_t record(Config c, std::uint64_t steps);

  // Gives the variables of `live` that have no value the values that they held in one seen frame of
  // the same call site: at this position, or else at the call before it, or else anywhere in the
  // version. Of several frames it takes the one whose other variables agree best. `caller`: null
  // for the outermost frame. Makes arrays in `heap`. False: some have no value still.
  bool complete(NewFrame& frame, const NewFrame* caller, std::span<const Slot> live,
                Heap& heap) const;

private:
  struct Seen {
    std::vector<Value> env; // without what reaches too many cells
    Heap heap;              // of the arrays in `env`
  };
  struct Call {
    const ResolvedVersion *version = nullptr, *caller = nullptr;
    Pc after = 0; // in the caller
    friend auto operator<=>(const Call&, const Call&) = default;
  };
  struct At {
    std::uint64_t visits = 0;
    std::deque<Seen> frames;
  };
  void visit(const Config& c, At& at);
  const Seen* nearest(const Call& call, const NewFrame& frame, std::span<const Slot> live,
                      const Heap& heap) const;

  std::map<Call, std::vector<At>> calls_; // by position
};

} // namespace sourir
