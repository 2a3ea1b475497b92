// What all parts of the generator share while they make one program: the choices, the policy, the
// names and the functions that may be called.
#pragma once

#include "sourir/bisim/generate/random_names.h"
#include "sourir/bisim/generate/random_policy.h"
#include "sourir/bisim/generate/random_types.h"

#include <vector>

namespace sourir::random {

// A function that calls may go to, and what a call costs at most, about.
struct Callee {
  FunName name;
  Signature signature;
  std::uint64_t steps = 0, reads = 0;
  bool called = false;
};
struct Family { // functions of one signature that values and tables may hold
  Signature signature;
  std::vector<std::uint32_t> members; // index into Library::callees
  std::uint64_t steps = 0, reads = 0;
};
struct Library {
  std::vector<Callee> callees;
  std::vector<Family> families;
  std::uint32_t finished = 0; // callees before this index are made, those after it are being made
};

struct Context {
  ChoiceSequence& choices;
  const Policy& policy;
  NamePool& names;
  Library library = {};
  std::int64_t left = 0; // instructions that versions may still have, about
};

} // namespace sourir::random
