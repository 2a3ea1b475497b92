// Programs whose main is replaced by one that calls a function with generated arguments and prints
// its result and the arrays that it was given: so a version is entered in states that the program
// itself may not reach (docs/soundness.md, "Open world").
#pragma once

#include "sourir/bisim/generate/choice_sequence.h"
#include "sourir/bisim/lockstep.h"
#include "sourir/semantics/value.h"
#include "sourir/syntax/ast.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace sourir {

// The program with a main of one version that does this; empty if it has no place in the program
// (an exit targets main).
std::optional<Program> with_main(const Program& program, const std::vector<Stmt>& body,
                                 Names& names);
// The map without main, which is another one now.
StateMap without_main(StateMap map, Names& names);
// Records the replaced main in the counterexample.
void show_main(LockstepVerdict& verdict, const Program& driver, Names& names);

class CallDrivers {
public:
  // `reads`: for a run of the program, so that arguments can be like those of real calls.
  CallDrivers(const Program& program, const std::vector<Value>& reads, std::uint64_t seed,
              Names& names);

  // The body of the `number`th main (from 0) that calls it. In turn: one argument is the next
  // interesting value; all are random; they are like those of a call that the program does, but for
  // parameters that `f` calls: these are the functions, one after the other, that take as many
  // arguments.
  std::vector<Stmt> body(const Function& f, std::uint64_t number);

private:
  // An argument of a real call: a literal, or the elements of an array.
  struct Seen {
    SimpleExpr literal;
    std::optional<std::vector<SimpleExpr>> elements;
  };
  void watch(const Program& program, const std::vector<Value>& reads);
  SimpleExpr seen_literal(Value v) const;

  SimpleExpr literal();
  // An array that exists already, or a new one, which may hold existing ones.
  SimpleExpr array(Version& main, std::vector<Var>& arrays, const Seen* like);
  SimpleExpr argument(Version& main, std::vector<Var>& arrays, const Seen* like);
  // For a parameter that a version of `f` calls: the `turn`th function for it, if there is one.
  std::optional<FunName> callee(const Function& f, Var parameter, std::uint64_t turn) const;

  Names& names_;
  FunName main_;
  ChoiceSequence choices_;
  std::vector<SimpleExpr> literals_, interesting_;
  std::vector<FunName> functions_;
  std::unordered_map<std::size_t, std::vector<FunName>> taking_;      // by the number of arguments
  std::unordered_map<FunName, std::vector<std::vector<Seen>>> calls_; // a few of each function
};

} // namespace sourir
