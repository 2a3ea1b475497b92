#include "sourir/bisim/generate/version_output.h"

namespace sourir::random {

void VersionOutput::push(Instruction instr) {
  version_.out.body.push_back({std::move(pending_), std::move(instr)});
  --context_.left;
  pending_ = {};
}

void VersionOutput::finish() {
  if (version_.out.body.empty()) // all of main was left out
    push(Stop{});
  version_.out.end = std::move(pending_);
  version_.finished = true;
}

bool VersionOutput::may_be_literal(const Tree& tree, VarIndex k) const {
  const Type& type = tree.vars[k].type;
  return !type.may_be(Kind::Array) && (context_.policy.errors == 0 || !type.may_be(Kind::Fun));
}

} // namespace sourir::random
