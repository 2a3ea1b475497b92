// Random syntactically complete programs (not well-formed ones): every instruction, every odd
// name and literal, labels, scope notes and comments in every place where the parser puts them.
#pragma once

#include "sourir/syntax/ast.h"

#include <cstdint>
#include <random>

namespace sourir::testing {

class RandomProgram {
public:
  RandomProgram(std::uint32_t seed, Names& names) : random_(seed), names_(names) {}

  Program program();

private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool chance(std::uint32_t percent) { return below(100) < percent; }
  template <class N>
  N name();
  template <class Make>
  auto several(std::uint32_t most, Make make);
  std::int64_t integer();
  Float number();
  Str string();
  SimpleExpr simple();
  Expr expr();
  std::vector<Expr> exprs(std::uint32_t least, std::uint32_t most);
  std::vector<Binding> varmap();
  Place place();
  Metadata exit();
  DeferredInstr deferred();
  Instruction instruction();
  std::string comment_text(bool own_line);
  // Own-line comments with blank lines between them only.
  void own_lines(std::vector<Comment>& out, std::uint32_t slot);
  LeadingTrivia leading(bool end);
  Version version(bool last);
  Function function(bool first, bool last);

  std::mt19937 random_;
  Names& names_;
};

} // namespace sourir::testing
