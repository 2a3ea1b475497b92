// Programs: functions, versions, statements and instructions (dissertation Figures 2.5 and 2.15),
// as plain aggregates with value semantics. Positions in the source text are in a SourceMap.
#pragma once

#include "sourir/syntax/match.h"
#include "sourir/syntax/metadata.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sourir {

struct Drop {
  Var name;
  friend bool operator==(const Drop&, const Drop&) = default;
};
struct Assign { // x <- e
  Var name;
  Expr value;
  friend bool operator==(const Assign&, const Assign&) = default;
};
struct Branch {
  Expr condition;
  Label if_true, if_false;
  friend bool operator==(const Branch&, const Branch&) = default;
};
struct Goto {
  Label target;
  friend bool operator==(const Goto&, const Goto&) = default;
};
struct Print {
  Expr value;
  friend bool operator==(const Print&, const Print&) = default;
};
struct Read {
  Var name;
  friend bool operator==(const Read&, const Read&) = default;
};
struct Assert { //   [ext]
  Expr condition;
  friend bool operator==(const Assert&, const Assert&) = default;
};
struct Call { // call x = e(e, ...); a trailing label becomes a label of the next position
  Var result;
  Expr callee;
  std::vector<Expr> arguments;
  friend bool operator==(const Call&, const Call&) = default;
};
struct Return {
  Expr value;
  friend bool operator==(const Return&, const Return&) = default;
};
struct Stop { // no e: stop 0
  std::optional<Expr> value;
  friend bool operator==(const Stop&, const Stop&) = default;
};
struct Assume {
  std::vector<Expr> guards;
  Metadata exit;
  friend bool operator==(const Assume&, const Assume&) = default;
};
struct Anchor { //   [ext]
  Metadata exit;
  friend bool operator==(const Anchor&, const Anchor&) = default;
};
struct GuardHint { //   [ext]
  std::vector<Expr> guards;
  friend bool operator==(const GuardHint&, const GuardHint&) = default;
};

using Instruction =
    std::variant<Decl, Drop, Assign, ArrayDecl, ArrayDef, ArrayUpdate, Branch, Goto, Print, Read,
                 Assert, Call, Return, Stop, Assume, Anchor, GuardHint>;

// {a, b}: exactly these are in scope; {a, ...} (open): at least these.
struct ScopeNote {
  std::vector<Var> names;
  bool open = false;
  friend bool operator==(const ScopeNote&, const ScopeNote&) = default;
};

// Labels, scope notes and comments before an instruction (or after the last one of a version).
struct LeadingTrivia {
  std::vector<Label> labels;
  std::vector<ScopeNote> scopes;
  std::vector<Comment> comments;
  friend bool operator==(const LeadingTrivia&, const LeadingTrivia&) = default;
};

struct Stmt {
  LeadingTrivia leading;
  Instruction instr;
  friend bool operator==(const Stmt&, const Stmt&) = default;
};

// "cont L [x, ...]": only exits enter the version, at L, its first position, with these
// variables.   [ext]
struct ContinuationHeader {
  Label entry;
  std::vector<Var> names;
  friend bool operator==(const ContinuationHeader&, const ContinuationHeader&) = default;
};

struct Version {
  VerName name;
  std::optional<ContinuationHeader> cont;
  std::vector<Expr> when; // the context; empty: none   [ext]
  std::vector<Stmt> body;
  LeadingTrivia end;             // labels, scopes and comments after the last instruction
  std::vector<Comment> comments; // slot 0: the header line
  friend bool operator==(const Version&, const Version&) = default;
};

struct Function {
  FunName name;
  std::vector<Var> params;
  std::vector<Version> versions;
  bool implicit = false; // main without a header: the leading lines of the file
  std::vector<Comment> comments;
  friend bool operator==(const Function&, const Function&) = default;
};

struct Program {
  std::vector<Function> functions;
  friend bool operator==(const Program&, const Program&) = default;
};

// The first version without `cont`, which calls enter where its context holds; null if there is
// none.
const Version* active_version(const Function& function);
// The last version with neither `cont` nor `when`; null if there is none.
const Version* base_version(const Function& function);
const Function* find_function(const Program& program, FunName name);
const Version* find_version(const Function& function, VerName name);

} // namespace sourir
