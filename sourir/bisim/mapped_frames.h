// A state map between two linked programs: the frames of the input that a place of the output
// stands for, linked on demand.
#pragma once

#include "sourir/bisim/fingerprint.h"
#include "sourir/semantics/rules.h"
#include "sourir/syntax/state_map.h"

#include <forward_list>

namespace sourir {

struct MappedPlace {
  resolved::Exit exit;        // the innermost frame is exit.frame
  std::optional<Slot> result; // the result variable, for a return frame
  // Otherwise some live variables are unknown; they get no value.
  bool complete = true;
  std::size_t frames() const { return 1 + exit.outer.size(); }
};

class MappedPlaces {
public:
  MappedPlaces(const StateMap& map, const LinkedProgram& input, const Program& output,
               LiveSlots& live);

  // Null: the map has no state there.
  const MappedPlace* state(const ResolvedVersion& code, Pc pc);
  // Of a return frame that continues at `pc`.
  const MappedPlace* at_call(const ResolvedVersion& code, Pc pc, Slot result);

  // An error of the map (a place or a variable that does not exist); empty: none was met so far.
  const std::string& problem() const { return problem_; }

private:
  struct Known {
    std::optional<Slot> result;
    bool mapped = false;
    MappedPlace place;
  };
  const MappedPlace* find(const ResolvedVersion& code, Pc pc, std::optional<Slot> result);
  Known ask(const ResolvedVersion& code, Pc pc, std::optional<Slot> result);
  std::optional<Metadata> metadata(const ResolvedVersion& code, Pc pc, std::optional<Slot> result);
  bool has_unknown_live(const Place& target, const std::vector<Var>& unknown, const Var* result);

  MappedStates states_;
  const LinkedProgram& input_;
  ProgramPositions output_;
  LiveSlots& live_;
  std::unordered_map<const ResolvedVersion*, std::vector<std::forward_list<Known>>> known_;
  std::string problem_;
};

// The frames of the input that a configuration of the output stands for.
struct SourceFrames {
  enum class Kind : std::uint8_t { Mapped, NotMapped, NoValue };
  Kind kind = Kind::NotMapped;
  StuckReason why = StuckReason::None; // NoValue: an expression of the map has none
  bool complete = true;                // each live variable has a value
  std::vector<NewFrame> frames;        // innermost first
  std::uint64_t depth = 0;             // of all frames, also those beyond `most`

  bool mapped() const { return kind == Kind::Mapped; }
  std::vector<FrameView> views() const;
};

// The configuration of that program with these frames, all of them and complete, over the heap of
// the output.
Config configuration(const Config& output, const SourceFrames& frames, const LinkedProgram& program,
                     Input& input, const Schedule& schedule);

// Temporary blocks of a heap, removed on destruction.
class BorrowedBlocks {
public:
  explicit BorrowedBlocks(Heap& heap) : heap_(heap), before_(heap.blocks.size()) {}
  BorrowedBlocks(const BorrowedBlocks&) = delete;
  BorrowedBlocks& operator=(const BorrowedBlocks&) = delete;
  ~BorrowedBlocks() {
    while (heap_.blocks.size() > before_) heap_.undo_allocate();
  }
  void add(std::vector<std::vector<Value>> blocks) {
    for (auto& block : blocks) heap_.allocate(std::move(block));
  }

private:
  Heap& heap_;
  std::size_t before_;
};

// Follows one run of the output; holds the number of input frames that its return frames stand for.
class StackMapper {
public:
  explicit StackMapper(MappedPlaces& places) : places_(places) {}

  // To be called after each step; takes time for the frames that changed.
  void follow(const Config& output);
  // Whether all frames are mapped, and complete.
  bool complete(const Config& output);
  // The first `most` frames. Arrays that `with` blocks make are put into `blocks`, which must be of
  // the heap of the configuration.
  SourceFrames frames(const Config& output, BorrowedBlocks& blocks,
                      std::size_t most = kComparedFrames);

private:
  struct Below {             // a continuation and those below
    std::uint64_t depth = 0; // frames of the input
    bool mapped = true, complete = true;
  };
  Below below(std::size_t continuations) const {
    return continuations == 0 ? Below{} : below_[continuations - 1];
  }
  MappedPlaces& places_;
  std::vector<Below> below_; // by continuation
};

} // namespace sourir
