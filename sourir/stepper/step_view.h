// Views: the answers of the stepper's commands as plain data, from which step_text.h makes text and
// JSON and step_panes.h the panes of the screen. Values are texts; an array is shown as its
// address, `@3`, where the heap is shown beside it, and as `@3 [1, [2]]` elsewhere.
#pragma once

#include "sourir/stepper/step_walk.h"

#include <variant>

namespace sourir {

struct VariableView {
  std::string name;
  Value value;
  std::string text; // of the value
};

struct PlaceView {
  std::string place;
  std::uint32_t line = 0;
  std::string instruction;
};

// The current frame (number 0, no result) or a continuation <I L x E> of the paper (1 is the
// innermost).
struct StackFrameView {
  std::uint64_t number = 0;
  PlaceView at;
  std::string result; // x
  std::vector<VariableView> environment;
};

struct BlockView {
  std::uint32_t address = 0;
  std::uint64_t length = 0;
  std::string elements; // "[1, @2, ...]"
};

// The current position of the run.
struct HereView {
  std::uint64_t step = 0;
  std::optional<PlaceView> at; // empty after stop
  std::string rule;            // the rule that fires next; empty at the end
  std::string end;             // why no step can be taken; empty if one can
};

// A step that was done or undone.
struct StepLine {
  std::uint64_t number = 0; // from 1
  std::string rule, place, effect;
};

struct MoveView {
  StepDirection direction = StepDirection::Forward;
  std::uint64_t moved = 0;
  std::vector<StepLine> steps;      // all of them in a short move, else empty
  std::vector<std::string> printed; // the last lines of what a long move forward printed
  std::uint64_t printed_lines = 0;
  WalkEnd why = WalkEnd::Arrived;
  std::uint32_t breakpoint = 0;
  HereView here;
};

struct EnvView {
  StackFrameView frame;
};
struct StackView {
  std::vector<StackFrameView> frames;
  std::uint64_t total = 0;
};
struct HeapView {
  std::vector<BlockView> blocks; // reachable ones, the nearest first
  bool cut = false;              // there may be more
  std::uint64_t allocated = 0, bytes = 0;
};

struct PremiseView {
  std::string text;
};
// The rule that fires next with its premises, and what it would change.
struct RuleView {
  HereView here;
  std::string conclusion; // of the rule, in words
  std::vector<PremiseView> premises;
  std::vector<std::string> effect;    // lines
  std::vector<StackFrameView> frames; // of a deoptimization, innermost first
  std::vector<std::string> refused;   // why no rule applies
};

struct SourceLine {
  std::uint32_t number = 0;
  std::string text;
  bool here = false;
  std::uint32_t breakpoint = 0; // 0: none
};
struct ListView {
  std::vector<SourceLine> lines;
};
struct OutputView {
  std::vector<std::string> lines; // the last lines
  std::uint64_t total = 0;
};
struct WhereView {
  HereView here;
};
struct ShowView {
  HereView here;
  ListView source;
  std::vector<VariableView> environment;
  std::uint64_t continuations = 0;
};

// A configuration in canonical form: two texts are equal if and only if the configurations are (but
// for collisions of the digest, where parts are too long to be shown).
struct StateView {
  HereView here;
  std::vector<VariableView> environment;
  std::vector<StackFrameView> continuations;
  std::vector<BlockView> heap; // by address
  std::vector<std::string> printed;
  std::string left_out; // the digest of the configuration if something above is cut
  std::uint64_t input = 0, opportunities = 0;
  bool returned = false;
};

struct ValueView {
  VariableView value; // its name is the expression
};
struct BreakpointsView {
  struct Row {
    std::uint32_t number = 0;
    std::string asked;
    std::vector<PlaceView> at;
  };
  std::vector<Row> rows;
};
struct HistoryView {
  std::vector<StepLine> steps;
  HereView here;
};
struct TextView { // help, and what has no structure
  std::string text;
};

using StepView =
    std::variant<TextView, MoveView, EnvView, StackView, HeapView, RuleView, ListView, OutputView,
                 WhereView, ShowView, StateView, ValueView, BreakpointsView, HistoryView>;

// What views are made of.
struct ViewContext {
  const StepProgram& program;
  const Walker& walker;
  bool has_input = false; // whether the program was given an input

  const Config& config() const { return walker.config(); }
  const Names& names() const { return program.names(); }
};

std::string reference_text(Value value, const ViewContext& v); // arrays as @3
std::string value_text(Value value, const ViewContext& v,
                       std::size_t limit = 100); // arrays as @3 [..]

PlaceView view_place(const ViewContext& v, StepPosition at);
HereView view_here(const ViewContext& v);
std::string view_end(const ViewContext& v); // HereView::end

// The text of a value in an environment.
using ValueText = std::string (*)(Value value, const ViewContext& v);
std::vector<VariableView> view_environment(const ViewContext& v, const ResolvedVersion& code,
                                           Env env, ValueText text);
// Frame 0 is the current one. `number` must be at most the number of continuations.
StackFrameView view_frame(const ViewContext& v, std::uint64_t number, ValueText text);
StackView view_stack(const ViewContext& v, std::size_t most);

// Blocks reachable from the current environment, then from the continuations: at most `most`
// blocks, after a walk over at most `budget` values. `cut`: there may be more.
std::vector<Address> reachable(const Config& c, std::size_t most, std::uint64_t budget, bool& cut);
BlockView view_block(const ViewContext& v, Address address, std::size_t most_elements);
HeapView view_heap(const ViewContext& v, std::size_t most);

// The lines from `before` lines above `line` to `after` lines below it, those that exist.
ListView view_source(const ViewContext& v, std::uint32_t line, std::uint32_t before,
                     std::uint32_t after);
OutputView view_output(const ViewContext& v, std::size_t from, std::size_t most);

RuleView view_rule(const ViewContext& v);
// The rule that fires next as a StepLine. Precondition: the program has not stopped.
StepLine view_step(const ViewContext& v);

StateView view_state(const ViewContext& v, bool whole);

} // namespace sourir
