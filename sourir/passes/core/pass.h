// The interface of all passes (architecture.md "Passes"). A pass is a pure function from a
// well-formed program to another one that behaves the same, with what is needed to say how the
// states of the result map to the states of its input. It changes only active versions that no exit
// targets (soundness.md, "Who may be rewritten"), and may add versions.
#pragma once

#include "sourir/analysis/program_analyses.h"
#include "sourir/passes/core/options.h"
#include "sourir/passes/core/origin.h"
#include "sourir/syntax/feedback.h"

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
  // Whether anybody will look at the state map: a pass need not find out values for it.
  bool maps = true;
  // What is known about the program so far; null: nothing is kept for the next pass.
  ProgramAnalyses* analyses = nullptr;
  // Of a local pass, by function: it found nothing to do there, and the function is as it was then.
  // It need not look there, and adds where else it finds nothing; null: nobody remembers.
  std::vector<bool>* settled = nullptr;
  // Takes what a pass says about what it did not do, also if nothing changed; null: nobody listens.
  std::vector<std::string>* remarks = nullptr;
  // The program began as this part of another one, whose other functions may have exits to each
  // version and label of it: these stay as they are. Null: the program is all there is.
  const Program* part = nullptr;
};

struct PassResult {
  Program program;
  std::vector<VersionOrigin> origins; // of the versions that were changed or added
  std::uint64_t rewrites = 0;
  std::vector<std::string> remarks; // for people: what was not done, and why
};

// Empty: nothing changed.
using Pass = std::optional<PassResult> (*)(const PassInput&);

// Every pass also takes `functions=f+g`: only these functions.
inline constexpr std::span<const OptionRow> kNoOptions;

// Local: what it does in a function depends on that function alone, and on what a pipeline does not
// change. Whole: also on others, by what they do or by which versions of theirs exits lead to.
enum class Reach { Local, Whole };

struct PassRow {
  std::string_view name;
  std::string_view summary; // one line
  std::string_view example; // of its use in --pass
  Pass run;
  std::span<const OptionRow> options;
  Reach reach = Reach::Whole;
};

} // namespace sourir
