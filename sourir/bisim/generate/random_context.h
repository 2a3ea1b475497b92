// What all parts of the generator share while they make one program: the choices, the policy, the
// names and the functions that may be called.
#pragma once

#include "sourir/bisim/generate/choice_sequence.h"
#include "sourir/bisim/generate/random_tree.h"
#include "sourir/syntax/ids.h"

#include <cstdint>
#include <vector>

namespace sourir::random {

// The names of random programs, made once a case and looked up by number.
class NamePool {
public:
  // odd: some variables bear names that are words of the extensions.
  NamePool(Names& names, bool odd) : names_(names), odd_(odd) {}

  Var var(std::uint32_t k);          // a, b, .., z, a1, ..
  Label label(std::uint32_t k);      // L0, L1, ..
  FunName function(std::uint32_t k); // f0, f1, ..
  VerName version(std::uint32_t k);  // base, v1, v2, ..
  Str string(std::uint32_t k);       // k < kStrings, the empty one first
  FunName main() { return names_.intern<FunName>("main"); }
  VerName anonymous() { return names_.intern<VerName>("anon"); }
  Names& names() { return names_; }

  static constexpr std::uint32_t kStrings = 12;

private:
  Names& names_;
  bool odd_;
  std::vector<Var> vars_;
  std::vector<Label> labels_;
};

} // namespace sourir::random

namespace sourir {

// The properties of random programs: which features occur at all, how often, how large. Each case
// of a campaign draws its own policy (swarm testing): a program that lacks most features does more
// with those it has.
enum class Feature : std::uint8_t {
  // the base
  Branches,
  Loops,
  Calls,
  Indirect,  // calls through variables and tables of functions
  Recursion, // with fuel; functions that call one another, too
  Arrays,    // that alias
  Nested,    // arrays in arrays
  Cycles,    // arrays in themselves
  Strings,
  Floats,    // also -0.0, huge ones, infinities and NaN made at run time
  FunValues, // functions as values
  EdgeIntegers,
  Reads,
  Asserts,
  Hints, // guard_hint
  Drops, // before the end of a block
  Stops, // stop and return before the end
  // the text
  Notes, // scope annotations
  Comments,
  OddNames,  // variables called `is`, `when`, `cont`, `anchor`, `with`
  NotNormal, // not in normal form: falling through into labels, names declared again
  // the versions
  Assumes,
  Anchors,
  Facts,         // code specialized for what a guard has tested
  Folding,       // constant variables omitted; they live on in varmaps
  Renaming,      // variables have other names in the version, also one another's
  Inlining,      // exits with outer frames
  Peeling,       // the first iteration of a loop apart
  Contexts,      // when [...]
  Continuations, // cont, entered by exits
  Deferred,      // exits to a later gap: `with` blocks
  Backward,      // exits that go back over instructions without effect
  SelfTargets,
  PartialVarmaps, // expressions in exits that are not visibly total (they do not fail)
  kCount,
};

struct Policy {
  std::uint32_t size = 60;      // instructions, about, all versions together
  std::uint32_t steps = 20'000; // that a run takes, about, at most
  std::uint64_t features = 0;
  std::uint8_t versions = 2; // of a function at most, besides the base
  std::uint8_t exits = 25;   // percent of the places that get an exit
  std::uint8_t errors = 0;   // per mille of the operations that may go wrong at run time
  std::uint8_t scope = 10;   // variables in scope, about, at most
  std::uint8_t inline_depth = 2;

  bool has(Feature f) const { return (features >> static_cast<unsigned>(f)) & 1; }
  Policy& set(Feature f, bool on = true) {
    const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(f);
    features = on ? features | bit : features & ~bit;
    return *this;
  }
};

inline constexpr std::uint64_t kAllFeatures =
    (std::uint64_t{1} << static_cast<unsigned>(Feature::kCount)) - 1;

// Every feature, nothing goes wrong, normal form.
Policy full_policy(std::uint32_t size);
// A drawn one for programs of at most about `size` instructions.
Policy random_policy(ChoiceSequence& choices, std::uint32_t size);

} // namespace sourir

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

// The making of one program.
struct Generation {
  ChoiceSequence& choices;
  const Policy& policy;
  NamePool& names;
  Library library = {};
  std::int64_t left = 0; // instructions that versions may still have, about
};

} // namespace sourir::random
