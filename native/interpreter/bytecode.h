// The register bytecode of the interpreter: instructions, access to frames, and the translation of
// a version, done when it is first entered. Operands are slots of the frame, as offsets in bytes.
#pragma once

#include "native/deopt/frame_translation.h"
#include "native/runtime/native_code.h"
#include "native/runtime/site_feedback.h"
#include "sourir/semantics/resolved.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace sourir::native {

class Interpreter;
struct Insn;

// `base`: slot 0 of the current frame.
using Handler = void (*)(Insn* ip, char* base, Interpreter* m);

// An instruction holds the address of its handler, which executes it and jumps to the handler of
// the next: direct threading by tail calls. Handlers rewrite `run` to a form for the types of their
// operands (quickening); that form records no types: the general one has recorded them.
struct Insn {
  Handler run = nullptr;
  SiteFeedback* site = nullptr; // never null; Bytecode::spare where nothing is recorded
  std::uint32_t x = 0;          // the slot of the result; a branch: the target if true
  std::uint32_t a = 0, b = 0;   // operands; jump_back: b is where frames enter native code
  std::uint32_t c = 0;          // a branch: the target if false. In bytes, from this instruction
  std::uint64_t literal = 0;    // bits of the literal operand, or as in handlers.h
  Pc pc = 0;
  Tag tag = Tag::Nil;           // of the literal
  std::uint8_t rewrites = 0;    // times `run` was rewritten
  std::uint8_t recorded = 0xFF; // the tag recorded last
  bool counted = false;         // as an event, just before: see TranslationOptions::events
};
static_assert(sizeof(Insn) == 48);

// Which operand is the literal.
enum class Form : std::uint8_t { Slots, LeftLiteral, RightLiteral };

inline std::uint64_t bits_at(const char* base, std::uint32_t offset) {
  return *reinterpret_cast<const std::uint64_t*>(base + offset);
}
inline Tag tag_at(const char* base, std::uint32_t offset) {
  return static_cast<Tag>(*reinterpret_cast<const std::uint8_t*>(base + offset + 8));
}
inline Value value_at(const char* base, std::uint32_t offset) {
  return Value::of_bits(bits_at(base, offset), tag_at(base, offset));
}
// Two stores, as values are read in two parts: a load of 16 bytes would wait for both.
inline void put(char* base, std::uint32_t offset, std::uint64_t bits, Tag tag) {
  *reinterpret_cast<std::uint64_t*>(base + offset) = bits;
  *reinterpret_cast<std::uint8_t*>(base + offset + 8) = static_cast<std::uint8_t>(tag);
}
inline void put(char* base, std::uint32_t offset, Value v) { put(base, offset, v.bits(), v.tag()); }
inline Value literal_of(const Insn* ip) { return Value::of_bits(ip->literal, ip->tag); }

inline Insn* jump(Insn* ip, std::uint32_t offset) {
  return reinterpret_cast<Insn*>(reinterpret_cast<char*>(ip) + static_cast<std::int32_t>(offset));
}

struct Bytecode : BaselineCode {
  std::vector<Insn> insns;            // does not move after translate()
  std::vector<std::uint32_t> entries; // by position: its first instruction
  std::span<SiteFeedback> sites;      // by position
  SiteFeedback spare;                 // never read
  std::uint64_t* events = nullptr;    // as in TranslationOptions
  // For the return frames of exits: in place of the call an instruction with the slot of the
  // result, then one that continues at the position.
  std::map<std::pair<Pc, Slot>, std::unique_ptr<std::array<Insn, 2>>> return_insns;

  Insn* entry(Pc pc) { return &insns[entries[pc]]; }
};

struct TranslationOptions {
  bool forced_exits = false; // the schedule is asked at each exit that could be taken
  bool tiers = false;        // calls check for native code, and are counted
  // Two words for each position, the first of which counts executions; null: they are not counted.
  std::uint64_t* events = nullptr;
};

// `sites`: one record for each position. `cells`: by the id of the function's name.
std::unique_ptr<Bytecode> translate(const ResolvedVersion& code, std::span<SiteFeedback> sites,
                                    FunctionCell* cells, const TranslationOptions& options);

} // namespace sourir::native
