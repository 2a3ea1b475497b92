// The handlers of the register bytecode, and what they share: continuing with the next instruction,
// recording feedback, quickening, operands. Each handler starts in its general form. Fields of an
// instruction: bytecode.h, and as listed here (offsets of slots unless stated otherwise).
#pragma once

#include "native/interpreter/bytecode.h"
#include "native/interpreter/interpreter.h"
#include "sourir/syntax/expr.h"

namespace sourir::native {

// x := a op b
Handler binary_handler(BinaryOp op, Form form);
// x := op a
Handler unary_handler(UnaryOp op);

// The use of a test.
enum class Test : std::uint8_t {
  Branch,   // a branch
  Back,     // a branch with a back edge
  Guard,    // a guard of an assume, which fails on errors
  LastGuard // the same; also counts where it holds
};
// a op b, a comparison: continues at x or at c (bytes from this instruction)
Handler compare_handler(BinaryOp op, Form form, Test test);
// the boolean a
Handler truth_handler(Test test);
// a is of the type `tag`
Handler type_handler(Test test);
Handler elements_handler(Test test); // Guard or LastGuard
// the expression at `literal` (resolved::Expr); guards only
Handler expression_handler(Test test);

namespace ops {
void set(Insn* ip, char* base, Interpreter* m);         // x := literal
void move(Insn* ip, char* base, Interpreter* m);        // x := a
void type_test(Insn* ip, char* base, Interpreter* m);   // x := a is tag
void count(Insn* ip, char* base, Interpreter* m);       // increases the word at `literal`
void jump_to(Insn* ip, char* base, Interpreter* m);     // continues at x
void jump_back(Insn* ip, char* base, Interpreter* m);   // the same, a back edge
void assert_true(Insn* ip, char* base, Interpreter* m); // a

void length(Insn* ip, char* base, Interpreter* m);        // x := length(a)
void load(Insn* ip, char* base, Interpreter* m);          // x := a[b]
void load_at(Insn* ip, char* base, Interpreter* m);       // x := a[literal]
void store(Insn* ip, char* base, Interpreter* m);         // x[a] := b
void store_at(Insn* ip, char* base, Interpreter* m);      // x[literal] := b
void store_literal(Insn* ip, char* base, Interpreter* m); // x[a] := literal
void new_nils(Insn* ip, char* base, Interpreter* m); // x := an array of a nils; b: the frame's end
void new_of(Insn* ip, char* base, Interpreter* m);   // x := the c values from a on; b: as above

void check_callee(Insn* ip, char* base, Interpreter* m); // a is a function of c parameters
// x := the function at `literal` (FunctionCell), called with the arguments from a on: its frame
void call_function(Insn* ip, char* base, Interpreter* m);
void call_tiered(Insn* ip, char* base,
                 Interpreter* m);                      // the same, in native code where installed
void call_value(Insn* ip, char* base, Interpreter* m); // the same for the function value b
void call_value_tiered(Insn* ip, char* base, Interpreter* m);
void return_value(Insn* ip, char* base, Interpreter* m); // a

void print(Insn* ip, char* base, Interpreter* m); // a
void read(Insn* ip, char* base, Interpreter* m);  // x
void stop(Insn* ip, char* base, Interpreter* m);  // a
void opportunity(Insn* ip, char* base,
                 Interpreter* m); // takes the exit `literal` (resolved::Exit) if the host wants it
void take_exit(Insn* ip, char* base, Interpreter* m); // takes the exit `literal`

void exit_interpreter(Insn* ip, char* base,
                      Interpreter* m);               // return address of the lowest frame of a run
void end_main(Insn* ip, char* base, Interpreter* m); // the same for main: stops
void not_translated(Insn* ip, char* base, Interpreter* m); // FunctionCell::baseline, at first
// FunctionCell::baseline where a call selects the version
void dispatch_version(Insn* ip, char* base, Interpreter* m);
void continue_at(Insn* ip, char* base, Interpreter* m);  // continues at the instruction `literal`
void go_on_tiered(Insn* ip, char* base, Interpreter* m); // the same, in native code where installed
void unreachable_end(Insn* ip, char* base, Interpreter* m); // unreachable in well-formed programs
} // namespace ops

// --- What the handlers share ---

// Without optimization, or with a sanitizer, compilers emit no tail calls: then a loop calls the
// handlers (Interpreter::run).
#if defined(__OPTIMIZE__) && !defined(SOURIR_NO_TAIL_CALLS)
inline constexpr bool kTailCalls = kCollects; // true without a sanitizer
#else
inline constexpr bool kTailCalls = false;
#endif

[[gnu::always_inline]] inline void next(Insn* ip, char* base, Interpreter* m) {
  if constexpr (kTailCalls) {
    return ip->run(ip, base, m);
  } else {
    m->registers.next_insn = ip;
    m->registers.parked_base = base;
  }
}

// Records the type of the instruction's value.
inline void record(Insn* ip, Tag tag) {
  if (ip->recorded == static_cast<std::uint8_t>(tag)) return;
  ip->recorded = static_cast<std::uint8_t>(tag);
  ip->site->result |= type_set(tag);
}

// Rewrites of an instruction at most: no endless exchange of its forms.
inline constexpr std::uint8_t kMostMisses = 8;
inline void quicken(Insn* ip, Handler run) {
  if (ip->rewrites < kMostMisses && ip->run != run) {
    ++ip->rewrites;
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
  // Both are of this type; a literal is not tested.
  static bool are(Tag tag, const Insn* ip, const char* base) {
    return (form == Form::LeftLiteral || tag_at(base, ip->a) == tag) &&
           (form == Form::RightLiteral || tag_at(base, ip->b) == tag);
  }
};

} // namespace sourir::native
