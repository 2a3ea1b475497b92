// A version in the form that the interpreter runs, made when the version is first entered.
#pragma once

#include "native/deopt/frame_translation.h"
#include "native/interpreter/insn.h"
#include "native/runtime/function_cell.h"
#include "sourir/semantics/resolved.h"

#include <array>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace sourir::native {

struct Bytecode : BaselineCode {
  std::vector<Insn> insns;            // never moves once made
  std::vector<std::uint32_t> entries; // by position: its first instruction
  std::span<SiteFeedback> sites;      // by position
  SiteFeedback spare;                 // of what is of no interest
  // What return frames of exits wait for: an instruction that names the slot of the result, and one
  // that goes on at the position.
  std::map<std::pair<Pc, Slot>, std::unique_ptr<std::array<Insn, 2>>> return_insns;

  Insn* entry(Pc pc) { return &insns[entries[pc]]; }
};

struct TranslationOptions {
  bool forced_exits = false; // the schedule is asked at each exit that could be taken
  bool tiers = false;        // calls look for native code, and count
};

// sites: one record a position. cells: by the id of the function's name.
std::unique_ptr<Bytecode> translate(const ResolvedVersion& code, std::span<SiteFeedback> sites,
                                    FunctionCell* cells, const TranslationOptions& options);

} // namespace sourir::native
