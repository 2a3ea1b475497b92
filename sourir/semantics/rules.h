// The rules of the reduction relation, one function each; SEMANTICS.md lays them beside the paper.
#pragma once

#include "sourir/semantics/rule.h"

namespace sourir::rules {

Derivation Decl(const Config& c);
Derivation Drop(const Config& c);
Derivation Assign(const Config& c);
Derivation ArrayDecl(const Config& c);
Derivation ArrayDef(const Config& c);
Derivation ArrayUpdate(const Config& c);
Derivation BranchTrue(const Config& c);
Derivation BranchFalse(const Config& c);
Derivation Goto(const Config& c);
Derivation Print(const Config& c);
Derivation Read(const Config& c);
Derivation AssertPass(const Config& c);
Derivation Call(const Config& c);
Derivation Return(const Config& c);
Derivation ReturnStop(const Config& c);
Derivation Stop(const Config& c);
Derivation AssumePass(const Config& c);
Derivation AssumeDeopt(const Config& c);
Derivation AssumeLeave(const Config& c);
Derivation AnchorPass(const Config& c);
Derivation AnchorDeopt(const Config& c);
Derivation Hint(const Config& c);

// The instruction at L, which the table has already found to be of this kind.
template <class Instr>
const Instr& at(const Config& c) {
  return *std::get_if<Instr>(&c.instr());
}

} // namespace sourir::rules
