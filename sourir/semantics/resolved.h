// The resolved form of a program: versions with their names resolved (the instruction streams I of
// the dissertation) and the linked program P that holds them; exits, bindings and back edges of
// resolved instructions. Positions are dense (those of Version::body), variables are slots of an
// environment, labels are positions, frames of exits point at resolved versions. A linked program
// is not changed after its constructor, so any thread may read it.
#pragma once

#include "sourir/semantics/value.h"
#include "sourir/syntax/ast.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace sourir {

using Pc = std::uint32_t;
using Slot = std::uint32_t;
class ResolvedVersion;

namespace resolved {

inline constexpr Slot kLiteral = ~Slot{0};

struct Operand { // se
  Value literal;
  Slot slot = kLiteral;
};

enum class Shape : std::uint8_t { Simple, Unary, Binary, Index, Length, KindTest, ElementsTest };

struct Expr {
  Shape shape = Shape::Simple;
  std::uint8_t op = 0; // UnaryOp, BinaryOp or Kind
  Operand a, b;        // Index: a is the array
};

struct Decl {
  Slot x;
  std::optional<Expr> e;
};
struct Drop {
  Slot x;
};
struct Assign {
  Slot x;
  Expr e;
};
struct ArrayDecl {
  Slot x;
  Expr length;
};
struct ArrayDef {
  Slot x;
  std::vector<Expr> elements;
};
struct ArrayUpdate {
  Slot x;
  Expr index, value;
};
struct Branch {
  Expr e;
  Pc if_true, if_false;
};
struct Goto {
  Pc target;
};
struct Print {
  Expr e;
};
struct Read {
  Slot x;
};
struct Assert {
  Expr e;
};
struct Call {
  Slot x;
  Expr callee;
  std::vector<Expr> arguments;
};
struct Return {
  Expr e;
};
struct Stop {
  Expr e;
};
struct Entry {
  Slot name; // of the target
  Expr value;
};
struct Frame {
  const ResolvedVersion* code = nullptr;
  Pc pc = 0;
  std::vector<Entry> varmap;
};
struct OuterFrame {
  Frame frame;
  Slot result = 0; // of the target
};
using Deferred = std::variant<Decl, ArrayDecl, ArrayDef, ArrayUpdate>;
struct Exit {
  Frame frame;
  std::vector<OuterFrame> outer;
  std::vector<Deferred> with;
  bool stays = false; // its target is its own position with the identity: it makes no progress
  Slot made = 0;      // number of names that its block makes and that are no slots of the origin
};
struct Assume {
  std::vector<Expr> guards;
  Exit exit;
};
struct Anchor {
  Exit exit;
};
struct GuardHint {};

// In the order of sourir::Instruction.
using Instr = std::variant<Decl, Drop, Assign, ArrayDecl, ArrayDef, ArrayUpdate, Branch, Goto,
                           Print, Read, Assert, Call, Return, Stop, Assume, Anchor, GuardHint>;

} // namespace resolved

// I: one version. The instructions in namespace `resolved` correspond to those of the AST.
class ResolvedVersion {
public:
  FunName function;
  VerName version;
  const Version* source = nullptr;
  std::vector<resolved::Instr> instrs; // versions of main have a final stop more
  std::vector<Var> slots;              // parameters (or names of a continuation) first
  std::unordered_map<Var, Slot> slot_index;
  std::uint32_t parameters = 0;
  std::vector<resolved::Expr> when;
  std::vector<std::pair<Pc, Label>> labels; // sorted by position
  std::unordered_map<Label, Pc> positions;

  // F.V.L+n with the last label at or before pc, or F.V+n.
  Place place(Pc pc) const;
  std::optional<Slot> slot_of(Var name) const;
};

// P: all functions. Keeps references to the program and its names, which must outlive it.
class LinkedProgram {
public:
  struct Fun {
    FunName name;
    std::uint32_t arity = 0;
    std::vector<const ResolvedVersion*> versions; // all, as listed
    std::vector<const ResolvedVersion*>
        dispatch; // those that calls may enter; the last has no context
  };

  // The program must be well-formed, or a well-formed one without its main.
  LinkedProgram(const Program& program, const Names& names);

  const Fun* function(FunName name) const;
  const ResolvedVersion* version(FunName function, VerName version) const;
  // The version and position of a place; empty if there is no such position.
  std::optional<std::pair<const ResolvedVersion*, Pc>> find(const Place& place) const;
  const Fun& main() const { return *main_; } // precondition: the program has one
  const Names& names() const { return names_; }
  const Program& source() const { return program_; }

private:
  friend class Linker;

  const Program& program_;
  const Names& names_;
  std::vector<std::unique_ptr<ResolvedVersion>> codes_;
  std::unordered_map<FunName, Fun> functions_;
  const Fun* main_ = nullptr;
};

// --- Exits, bindings and back edges; inline, so that the compiler's library can use them ---------

// The exit of an assume or an anchor; null for all other instructions.
inline const resolved::Exit* exit_of(const resolved::Instr& instr) {
  if (const auto* const assume = std::get_if<resolved::Assume>(&instr)) return &assume->exit;
  const auto* const anchor = std::get_if<resolved::Anchor>(&instr);
  return anchor != nullptr ? &anchor->exit : nullptr;
}
inline resolved::Exit* exit_of(resolved::Instr& instr) {
  return const_cast<resolved::Exit*>(exit_of(std::as_const(instr)));
}

// The exit at a position; null: there is none, or the position is the end of the version.
inline const resolved::Exit* exit_at(const ResolvedVersion& code, Pc pc) {
  return pc < code.instrs.size() ? exit_of(code.instrs[pc]) : nullptr;
}

// The value of an instruction that only binds a variable; null for all others.
inline const resolved::Expr* bound_value(const resolved::Instr& instr) {
  if (const auto* const assign = std::get_if<resolved::Assign>(&instr)) return &assign->e;
  const auto* const decl = std::get_if<resolved::Decl>(&instr);
  return decl != nullptr && decl->e ? &*decl->e : nullptr;
}

// The slot whose array the instruction loads an element of, or stores one in.
inline std::optional<Slot> accessed_array(const resolved::Instr& instr) {
  if (const auto* const store = std::get_if<resolved::ArrayUpdate>(&instr)) return store->x;
  const resolved::Expr* const value = bound_value(instr);
  if (value == nullptr || value->shape != resolved::Shape::Index) return {};
  return value->a.slot == resolved::kLiteral ? std::nullopt : std::optional(value->a.slot);
}

// The variable that the instruction binds to a computed value, an input or the result of a call;
// empty: none. Instructions that make arrays do not count.
inline std::optional<Slot> bound_by(const resolved::Instr& instr) {
  if (const auto* const decl = std::get_if<resolved::Decl>(&instr)) return decl->x;
  if (const auto* const assign = std::get_if<resolved::Assign>(&instr)) return assign->x;
  if (const auto* const read = std::get_if<resolved::Read>(&instr)) return read->x;
  if (const auto* const call = std::get_if<resolved::Call>(&instr)) return call->x;
  return {};
}

// Whether it has a call of its own function by name.
inline bool calls_itself(const ResolvedVersion& code) {
  return std::ranges::any_of(code.instrs, [&](const resolved::Instr& i) {
    const auto* const call = std::get_if<resolved::Call>(&i);
    if (call == nullptr || call->callee.shape != resolved::Shape::Simple) return false;
    const resolved::Operand& callee = call->callee.a;
    return callee.slot == resolved::kLiteral && callee.literal.is(Tag::Fun) &&
           callee.literal.as_fun() == code.function;
  });
}

// Back edges: every engine counts them (as fuel where it does not count steps, and in the event
// counter of link.h) and polls there. An instruction is one if it may jump to itself or to one
// before it. A branch counts each time it is executed, whichever edge it takes.
inline bool is_back_edge(const resolved::Goto& i, Pc pc) { return i.target <= pc; }
inline bool is_back_edge(const resolved::Branch& i, Pc pc) {
  return i.if_true <= pc || i.if_false <= pc;
}
inline bool is_back_edge(const resolved::Instr& instr, Pc pc) {
  if (const auto* jump = std::get_if<resolved::Goto>(&instr)) return is_back_edge(*jump, pc);
  const auto* branch = std::get_if<resolved::Branch>(&instr);
  return branch != nullptr && is_back_edge(*branch, pc);
}

} // namespace sourir
