// States that the input must pass through, because the output stands for them through its state
// map.
#pragma once

#include "sourir/bisim/fingerprint.h"

#include <unordered_map>
#include <vector>

namespace sourir {

struct ExpectedState {
  const ResolvedVersion* code = nullptr; // the place in the input
  Pc pc = 0;
  std::uint64_t quick = 0, full = 0;
  std::size_t mask = 0;     // what is not compared, an index of ExpectedStates
  std::uint64_t number = 0; // of all expected states of a run
  std::uint64_t step = 0;   // of the output, at that state
  bool returns = false;     // the value that is returned is part of it
  bool met = false;
  std::uint64_t met_step = 0; // of the input
};

// A state for reports: places with the variables that are live there.
struct ShownState {
  struct Line {
    std::string name, value; // "F.V.L: x", "1"
  };
  std::uint64_t depth = 0;
  std::vector<Line> lines;
};

ShownState shown_state(Fingerprints& fingerprints, const Names& names, const Heap& heap,
                       std::span<const FrameView> frames, std::uint64_t depth,
                       const std::optional<Value>& returned = {});

// For the report of an expected state that was not met, made by repeating the run: the expected
// state with this number as it was, and the most similar state among those of the input at the same
// place.
struct WantedState {
  std::uint64_t number = 0;
  ShownState demanded;
  const ResolvedVersion* code = nullptr; // null until the expected state is made
  Pc pc = 0;
  bool returns = false;
  std::uint64_t candidates = 0;
  std::size_t differences = 0; // of the nearest candidate
  ShownState nearest;
};

class ExpectedStates {
public:
  ExpectedStates(Fingerprints& fingerprints, const Names& names, WantedState* wanted)
      : fingerprints_(fingerprints), names_(names), wanted_(wanted) {}

  // Adds an expected state: frames of the input over a heap, the first of `depth`. `returned`: the
  // value that the output is about to return.
  void add(const Heap& heap, std::span<const FrameView> frames, std::uint64_t depth,
           std::uint64_t step, const std::optional<Value>& returned = {});
  // A configuration that the input passes through.
  void visit(const Config& input);
  bool all_met() const { return unmet_ == 0; }
  const ExpectedState* first_unmet() const;
  // The last one that is met, before that one if it is given; null: none.
  const ExpectedState* last_met(const ExpectedState* before = nullptr) const;
  void clear();
  std::uint64_t count() const { return next_number_; }

private:
  struct Mask { // what is not compared of some states
    NotCompared without;
    std::size_t unmet = 0;
  };
  std::size_t mask_of(std::span<const FrameView> frames);
  void visit(const Config& input, std::size_t mask);
  void compare(const Config& input);

  Fingerprints& fingerprints_;
  const Names& names_;
  WantedState* wanted_;
  std::vector<ExpectedState> expected_states_;
  std::vector<Mask> masks_{Mask{}}; // the first one: all is compared
  std::unordered_multimap<std::uint64_t, std::size_t> by_quick_;
  std::unordered_map<const ResolvedVersion*, std::vector<std::uint32_t>>
      places_; // unmet ones, by pc
  std::size_t unmet_ = 0;
  std::uint64_t next_number_ = 0;
};

} // namespace sourir
