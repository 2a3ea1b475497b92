// The interface of all passes. A pass is a pure function from a well-formed program to another one
// that behaves the same, with the origins of its positions, from which the state map to its input
// is made. It changes only active versions that no exit targets (docs/soundness.md, "Frozen
// versions"), and may add versions.
#pragma once

#include "sourir/analysis/version_analyses.h"
#include "sourir/passes/core/options.h"
#include "sourir/passes/core/origin.h"
#include "sourir/syntax/feedback.h"
#include "sourir/syntax/state_map.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sourir {

struct PassInput {
  const Program& program;
  Names& names;
  const PassOptions& options;
  const Feedback& feedback;
  // Whether the state map is used: without it, a pass need not compute values for it.
  bool maps = true;
  // Analyses of the program, kept for the next pass; null: none are kept.
  ProgramAnalyses* analyses = nullptr;
  // The unchanged-function cache of a function pass, by function: functions that the pass has not
  // changed, and nothing else since. The pass skips these, and adds the functions that it does not
  // change; null: there is no cache.
  std::vector<bool>* unchanged = nullptr;
  // Receives remarks about what the pass did not do, also if nothing changed; null: none are
  // wanted.
  std::vector<std::string>* remarks = nullptr;
  // The program began as this part of another one, whose other functions may have exits to each
  // version and label of it: these stay as they are. Null: the program is all there is.
  const Program* part = nullptr;
  // Of a pipeline, for passes that ask for it (PassRow::uses_map): its first program, which
  // feedback is about, and the state map from `program` to it. Null: the program is the first one,
  // or feedback says nothing about results and unreached code.
  const Program* first = nullptr;
  const StateMap* map = nullptr;
};

struct PassResult {
  Program program;
  std::vector<VersionOrigin> origins; // of the versions that were changed or added
  std::uint64_t rewrites = 0;
  std::vector<std::string> remarks; // what was not done, and why
};

// Empty: nothing changed.
using Pass = std::optional<PassResult> (*)(const PassInput&);

// Every pass also takes `functions=f+g`: only these functions.
inline constexpr std::span<const OptionRow> kNoOptions;

// What the pass does in a function depends on that function alone and on what a pipeline does not
// change (function pass), or also on other functions: on what they do, on the versions of theirs
// that exits lead to (module pass).
enum class PassKind : std::uint8_t { Function, Module };

struct PassRow {
  std::string_view name;
  std::string_view summary; // one line
  std::string_view example; // of its use in --pass
  Pass run;
  std::span<const OptionRow> options;
  PassKind kind = PassKind::Module;
  bool uses_map = false; // PassInput::first and map
};

} // namespace sourir
