// Going from one handler to the next.
#pragma once

#include "native/interpreter/interpreter.h"

namespace sourir::native {

// Without optimization, or with a sanitizer, compilers make no tail calls: then a loop calls the
// handlers (Interpreter::run).
#if defined(__OPTIMIZE__) && !defined(SOURIR_NO_TAIL_CALLS)
inline constexpr bool kTailCalls = kCollects; // that is, without a sanitizer
#else
inline constexpr bool kTailCalls = false;
#endif

[[gnu::always_inline]] inline void next(Insn* ip, char* base, Interpreter* m) {
  if constexpr (kTailCalls) {
    return ip->run(ip, base, m);
  } else {
    m->registers.parked = ip;
    m->registers.parked_base = base;
  }
}

// The value of the instruction has this kind.
inline void note(Insn* ip, Tag tag) {
  if (ip->seen == static_cast<std::uint8_t>(tag)) return;
  ip->seen = static_cast<std::uint8_t>(tag);
  ip->site->result |= type_set(tag);
}

// An instruction whose forms are exchanged for ever stays general.
inline constexpr std::uint8_t kMostMisses = 8;
inline void quicken(Insn* ip, Handler run) {
  if (ip->misses < kMostMisses && ip->run != run) {
    ++ip->misses;
    ip->run = run;
  }
}

// The operands of an instruction with two.
template <Form form>
struct Operands {
  static Value left(const Insn* ip, const char* base) {
    return form == Form::LeftLiteral ? literal_of(ip) : value_at(base, ip->a);
  }
  static Value right(const Insn* ip, const char* base) {
    return form == Form::RightLiteral ? literal_of(ip) : value_at(base, ip->b);
  }
  static std::uint64_t left_bits(const Insn* ip, const char* base) {
    return form == Form::LeftLiteral ? ip->literal : bits_at(base, ip->a);
  }
  static std::uint64_t right_bits(const Insn* ip, const char* base) {
    return form == Form::RightLiteral ? ip->literal : bits_at(base, ip->b);
  }
  // Both are of this kind, where the literal is known to be.
  static bool are(Tag tag, const Insn* ip, const char* base) {
    return (form == Form::LeftLiteral || tag_at(base, ip->a) == tag) &&
           (form == Form::RightLiteral || tag_at(base, ip->b) == tag);
  }
};

} // namespace sourir::native
