// Watched guards, in random programs with functions for them: what can be observed stays the same,
// one rule applies, and steps are undone exactly.
#include "sourir/bisim/generate/random_idioms.h"
#include "tests/property/properties.h"
#include "tests/property/runs.h"

#include <fmt/format.h>

namespace sourir::testing {

namespace {

void add_watched_functions(Case& c) {
  ChoiceSequence choices(c.number);
  put_idioms(c.random.program, c.random.inputs, choices, c.names, IdiomsFor::Watches);
}

} // namespace

void watched_guards_are_not_observed(Case& c) {
  add_watched_functions(c);
  const Ran never = run(c, c.random.program, "never");
  for (const std::string& exits : {std::string("never"), std::string("always"),
                                   std::string("calls"), fmt::format("p:0.1:{}", c.number % 1000)})
    must_agree(never, run(c, c.random.program, exits + "/watch:always"),
               "--watch=always --deopt=" + exits);
}

void watches_are_undone_exactly(Case& c) {
  add_watched_functions(c);
  c.random.deopt += "/watch:always";
  undo_is_exact(c);
  history_goes_anywhere(c);
}

void one_rule_applies_with_watches(Case& c) {
  add_watched_functions(c);
  c.random.deopt += "/watch:always";
  one_rule_applies(c);
}

} // namespace sourir::testing
