// A version in the form that the interpreter runs, made when the version is first entered.
#pragma once

#include "native/interpreter/insn.h"
#include "sourir/semantics/resolved.h"

#include <array>
#include <map>
#include <memory>
#include <vector>

namespace sourir::native {

struct Bytecode;

// The frames that an exit makes, outermost first.
struct Landing {
  const resolved::Exit* of = nullptr;
  struct Frame {
    Bytecode* code = nullptr;
    Insn* at = nullptr;     // where the innermost goes on; what the others wait for
    void* middle = nullptr; // what Tiering knows of the place, where it was asked
  };
  std::vector<Frame> frames;
  std::uint64_t bytes = 0; // of all of them
};

struct Bytecode {
  const ResolvedVersion* code = nullptr;
  std::vector<Insn> insns;            // never moves once made
  std::vector<std::uint32_t> entries; // by position: its first instruction
  std::vector<SiteFeedback> sites;    // by position, and a spare one
  std::uint32_t frame_bytes = 0;      // slots and temporaries; frames of callees begin behind
  // Where synthesized frames wait: an instruction that names the slot of the result, and one that
  // goes on at the position.
  std::map<std::pair<Pc, Slot>, std::unique_ptr<std::array<Insn, 2>>> waiting;

  std::vector<std::unique_ptr<Landing>> landings; // by position; made when the exit is first taken

  Insn* entry(Pc pc) { return &insns[entries[pc]]; }
};

// How the machine wants its bytecode.
struct TranslationOptions {
  bool forced_exits = false; // the schedule is asked at each exit that could be taken
  bool tiers = false;        // calls look for native code, and count
};

std::unique_ptr<Bytecode> translate(const ResolvedVersion& code, Machine& machine,
                                    const TranslationOptions& options);

} // namespace sourir::native
