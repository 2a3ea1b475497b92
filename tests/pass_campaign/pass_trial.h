// One pass on one program, and everything that is asked of its result.
#pragma once

#include "sourir/bisim/lockstep.h"
#include "sourir/passes/pass.h"

#include <functional>
#include <string>
#include <vector>

namespace sourir::testing {

// A pass with options, by its place in a pipeline: "checkpoints:everywhere".
struct PassChoice {
  const PassRow* row = nullptr;
  PassOptions options;
  std::string text;
};

struct Trial {
  enum class Problem : std::uint8_t { None, Structure, Behavior, Limit, Unchanged };
  Problem problem = Problem::None;
  std::string text; // what is wrong
  bool changed = false;
  Program output; // the input, if nothing has changed
  std::uint64_t rewrites = 0;
  std::uint64_t mapped = 0, mandatory = 0; // Coverage
  LockstepVerdict verdict;
};

// What a program reads, and what it is said to do when it runs, right or wrong.
struct Surroundings {
  std::vector<std::vector<Value>> reads;
  std::uint64_t feedback_seed = 0;
};
// What is said of some places of the program: what was always so when it ran, or (by the seed) just
// anything. It depends on the place and the seed only.
Feedback random_feedback(const Program& program, const Surroundings& around, Names& names);

// Failures that are probably the same have the same.
std::string kind_of(const Trial& trial);

Trial try_pass(const PassChoice& pass, const Program& program, const Surroundings& around,
               Names& names);

// A smaller tape that fails, too: parts are taken out or become zeros, words become smaller.
using Fails = std::function<bool(const std::vector<std::uint32_t>&)>;
std::vector<std::uint32_t> shrink_tape(std::vector<std::uint32_t> words, const Fails& fails);

// A smaller program on which the pass still has the same kind of problem.
Program shrink(const PassChoice& pass, Program program, const Surroundings& around, Names& names);

} // namespace sourir::testing
