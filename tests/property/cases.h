// Random cases for RapidCheck, which draws a seed. The generator's own choice sequence makes the
// case; RapidCheck shrinks the part of the sequence that was read: a shorter one is a smaller
// program.
#pragma once

#include "sourir/bisim/generate/random_program.h"
#include "sourir/syntax/ids.h"

#include <rapidcheck.h>

#include <functional>
#include <memory>
#include <string>

namespace sourir::testing {

// What a failure is reported as: enough to make the case again.
struct Recipe {
  std::uint32_t size = 0; // of the programs, at most, about
  std::vector<std::uint32_t> choices;
};
void showValue(const Recipe& recipe, std::ostream& out);

// A case with the names that it is written in.
struct Case {
  Recipe recipe;
  Names names;
  Policy policy;
  RandomCase random;
  std::uint64_t number = 0; // a hash of the choice sequence, for whatever is chosen besides
};
std::unique_ptr<Case> make(const Recipe& recipe);

// A property of cases: fails by RC_ASSERT and the like.
using CaseProperty = void (*)(Case&);

// Checks a property on `times` as many cases as RapidCheck is configured to try (RC_PARAMS,
// 100 by default); to be called from a test.
void check_cases(CaseProperty property, int times, std::uint32_t size);

// The same for anything else that is a function of a choice sequence.
using ChoicesProperty = void (*)(ChoiceSequence&);
void check_choices(ChoicesProperty property, int times);

} // namespace sourir::testing
