// Deoptimization metadata: how a state of one version maps to a state of another (dissertation
// 2.4, 2.6), its `with` blocks, and which expressions may fail. One type for the exits of assume
// and anchor, state maps of passes, the checker and native exits. Three functions transform it:
// compose and rename (here) and materialize (sourir/semantics/materialize.h).
#pragma once

#include "sourir/syntax/expr.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace sourir {

// A comment or (text empty, own_line) a blank line. `slot` k < labels: at label k; k == labels:
// at the instruction. Own-line comments stand before that item, the others end its line. `text`
// has no leading '#'.
struct Comment {
  std::uint32_t slot = 0;
  bool own_line = true;
  std::string text;
  friend bool operator==(const Comment&, const Comment&) = default;
};

// A position: F.V.L, F.V.L+offset, or (no label) F.V+offset. Exits in programs always name a
// label and offset 0; state maps and messages use all three.
struct Place {
  FunName function;
  VerName version;
  std::optional<Label> label;
  std::uint32_t offset = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

std::string print(const Place& place, const Names& names); // F.V.L+n

// x = e in a varmap: x of the target gets the value of e in the origin.
struct Binding {
  Var name;
  Expr value;
  friend bool operator==(const Binding&, const Binding&) = default;
};

// xi = F.V.L [x = e, ...]. `unknown` lists variables of the target that cannot be rebuilt
// (printed `x = ?`); only state maps have any.
struct Frame {
  Place target;
  std::vector<Binding> varmap;
  std::vector<Var> unknown;
  friend bool operator==(const Frame&, const Frame&) = default;
};

// A frame of xi*: a continuation to synthesize; it resumes at target with the result in `result`.
struct OuterFrame {
  Place target;
  Var result;
  std::vector<Binding> varmap;
  std::vector<Var> unknown;
  friend bool operator==(const OuterFrame&, const OuterFrame&) = default;
};

struct Decl { // var x = e       (no e: nil)
  Var name;
  std::optional<Expr> value;
  friend bool operator==(const Decl&, const Decl&) = default;
};
struct ArrayDecl { // array x[e]
  Var name;
  Expr length;
  friend bool operator==(const ArrayDecl&, const ArrayDecl&) = default;
};
struct ArrayDef { // array x = [e, ...]
  Var name;
  std::vector<Expr> elements;
  friend bool operator==(const ArrayDef&, const ArrayDef&) = default;
};
struct ArrayUpdate { // x[e] <- e
  Var array;
  Expr index, value;
  friend bool operator==(const ArrayUpdate&, const ArrayUpdate&) = default;
};

// The instructions of a `with` block: they only make and change new values.   [ext]
using DeferredInstr = std::variant<Decl, ArrayDecl, ArrayDef, ArrayUpdate>;
struct Deferred {
  DeferredInstr instr;
  std::vector<Comment> comments; // slot 0
  friend bool operator==(const Deferred&, const Deferred&) = default;
};

// The name that a line of a block declares, or the array that it changes.
Var subject(const DeferredInstr& line);
bool makes_subject(const DeferredInstr& line);
// visit(Expr&) or visit(const Expr&) for each expression of a line, in order.
template <class Line, class Visit>
void for_each_expr(Line& line, Visit&& visit) {
  const auto one = [&](auto& i) {
    using Instr = std::decay_t<decltype(i)>;
    if constexpr (std::is_same_v<Instr, Decl>) {
      if (i.value) visit(*i.value);
    } else if constexpr (std::is_same_v<Instr, ArrayDecl>) {
      visit(i.length);
    } else if constexpr (std::is_same_v<Instr, ArrayDef>) {
      for (auto& e : i.elements) visit(e);
    } else {
      static_assert(std::is_same_v<Instr, ArrayUpdate>);
      visit(i.index), visit(i.value);
    }
  };
  std::visit(one, line);
}

// xi xi* with { ... }: outer frames innermost first.
struct Metadata {
  Frame frame;
  std::vector<OuterFrame> outer;
  std::vector<Deferred> with;
  std::vector<Comment> with_end; // own-line comments before the closing brace
  friend bool operator==(const Metadata&, const Metadata&) = default;
};

// The metadata from the origin of `first` directly to the target of `second`, whose origin is the
// target of `first`: target and frames of `second` with the varmap of `first` substituted, then the
// outer frames of `first` (Lemma 8 in docs/theory.md). Guards that move along are rewritten by
// substitute() (expr.h). The block is that of `first`, then a `var` under a fresh name for each
// value of its varmap that does not fit into a flat expression where it is needed, then that of
// `second`, its names fresh. Precondition: `fresh` contains the names in scope at the origin.
// What `first` cannot rebuild stays unknown: an entry of `second` that mentions it, and a line of
// its block, which is omitted. A store with an unknown part makes its array unknown, and all
// names of the block that may be the same array, hold it or be held by it.
Metadata compose(const Metadata& first, const Metadata& second, FreshNames& fresh);

// The metadata with the variables of the origin renamed; the names of the target keep theirs.
// A name that the block makes is renamed by `to`; otherwise it is kept unless `fresh` contains it
// (then it could capture a name in scope at the new origin, all of which `fresh` must contain).
Metadata rename(const Metadata& metadata, const std::unordered_map<Var, Var>& to,
                FreshNames& fresh);

// The names that the `with` block of an exit makes.
class WithBlock {
public:
  explicit WithBlock(const std::vector<Deferred>& block);

  struct Made {
    std::size_t by;                      // number of the instruction
    bool array;                          // by `array`
    std::optional<std::uint64_t> length; // of the array, if it is a literal or a list
  };
  // The first declaration of the name; null: none.
  const Made* find(Var name) const;

private:
  std::unordered_map<Var, Made> made_;
};

// Why the expression may have no value ("`+` needs numbers"); empty: it visibly has one, whatever
// values the variables have.
std::optional<std::string> may_fail(const Expr& expr);
std::optional<std::string> may_fail(const DeferredInstr& instr, const WithBlock& block);

} // namespace sourir
