// Analyses as rows of text, for `sourir analyze`.
#pragma once

#include "sourir/analysis/effects.h"
#include "sourir/analysis/version_analyses.h"

#include <string>
#include <string_view>

namespace sourir {

struct ReportRow {
  std::string key;                // a position, a block (B3), a loop (L0) or a function
  std::string subject;            // the instruction, or the positions of the block
  std::vector<std::string> facts; // what holds before it
};
using ReportRows = std::vector<ReportRow>;

// What an analysis is called, and its rows for one version.
struct Reporter {
  std::string_view name;
  std::string_view summary;
  ReportRows (*rows)(VersionAnalyses& facts, const ProgramEffects& effects, const Names& names);
};
// In alphabetical order. `effects` is not among them: it is about functions.
std::span<const Reporter> all_reporters();
const Reporter* find_reporter(std::string_view name); // null: there is none

// A row for each function.
ReportRows effect_rows(const Program& program, const ProgramEffects& effects, const Names& names);

// An instruction on one line.
std::string one_line(const Instruction& instr, const Names& names);
std::string block_name(BlockId b);

} // namespace sourir
