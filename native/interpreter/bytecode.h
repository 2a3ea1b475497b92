// A version in the form that the interpreter runs, made when the version is first entered.
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

// The register bytecode. An instruction holds the address of its handler, which does it and jumps
// to the next one's: direct threading by tail calls. Operands are slots of the frame, as offsets in
// bytes, or the one literal that an instruction may hold. Handlers rewrite `run` to a form for the
// types that they meet (quickening); what a form for one type need not record, because the general
// one recorded it before, costs nothing.

class Interpreter;
struct Insn;

// `base`: slot 0 of the current frame.
using Handler = void (*)(Insn* ip, char* base, Interpreter* m);

struct Insn {
  Handler run = nullptr;
  SiteFeedback* site = nullptr; // never null; what is of no interest goes to a spare one
  std::uint32_t x = 0;          // the slot of the result; a branch: where it goes if true
  std::uint32_t a = 0, b = 0;   // operands
  std::uint32_t c = 0;          // a branch: where it goes if false. In bytes, from this instruction
  std::uint64_t literal = 0;    // bits of the literal operand, or what the handler says
  Pc pc = 0;
  Tag tag = Tag::Nil;           // of the literal
  std::uint8_t misses = 0;      // how often it was rewritten
  std::uint8_t recorded = 0xFF; // the tag recorded last
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
// In two parts, as values are read: a load of 16 bytes would wait for both stores.
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
