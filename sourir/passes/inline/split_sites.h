// Where and for what to clone code. Internal to split.
#pragma once

#include "sourir/passes/core/arities.h"
#include "sourir/passes/core/rewrite.h"

namespace sourir {

struct SplitSite {
  Position begin = 0, end = 0; // of one block; the jump at its end may be the last of them
  std::vector<Expr> tests;     // each total, none decided by what is known there
  bool call = false;           // of a variable; the tests compare it with functions that fit
};

// Which functions the calls in a program pass to the parameters of its functions, as literals.
// Found out when somebody asks: most programs call no variable.
class PassedFunctions {
public:
  explicit PassedFunctions(const Program& program) : program_(program) {}
  const std::vector<FunName>& to(FunName function, std::size_t parameter);

private:
  using ByParameter = std::vector<std::vector<FunName>>;
  void find();

  const Program& program_;
  std::optional<std::unordered_map<FunName, ByParameter>> passed_;
};

// The functions that have versions with a context of one predicate.
class FunctionsWithContexts {
public:
  explicit FunctionsWithContexts(const Program& program);
  const Function* find(FunName name) const; // null: it is none of them

private:
  std::unordered_map<FunName, const Function*> functions_;
};

// What sites depend on besides the version.
struct SplitProgram {
  PassedFunctions passed;
  FunctionsWithContexts contexts;
  Arities arities;
};

// By position; no two overlap.
std::vector<SplitSite> split_sites(VersionTask& task, SplitProgram& program);

} // namespace sourir
