// Results of analyses as rows of text, for `sourir analyze`.
#pragma once

#include "sourir/analysis/effects.h"
#include "sourir/analysis/version_analyses.h"

#include <string>
#include <string_view>

namespace sourir {

struct ReportRow {
  std::string key;                // a position, a block (B3), a loop (L0) or a function
  std::string subject;            // the instruction, or the positions of the block
  std::vector<std::string> facts; // results of the analysis for it
};
using ReportRows = std::vector<ReportRow>;

// The name of an analysis, its summary, and its rows for one version.
struct Reporter {
  std::string_view name;
  std::string_view summary;
  ReportRows (*rows)(VersionAnalyses& facts, const ProgramEffects& effects, const Names& names);
};
// In alphabetical order.
std::span<const Reporter> all_reporters();
const Reporter* find_reporter(std::string_view name); // null: there is none

// The same for the whole program: a row for each function, or for each version (F.V).
struct ProgramReporter {
  std::string_view name;
  std::string_view summary;
  ReportRows (*rows)(const Program& program, const ProgramEffects& effects, const Names& names);
};
std::span<const ProgramReporter> all_program_reporters();
const ProgramReporter* find_program_reporter(std::string_view name); // null: there is none

// An instruction on one line.
std::string one_line(const Instruction& instr, const Names& names);
std::string block_name(BlockId b);

} // namespace sourir
