// States near one of a program, from which parts of a version are tried.
#include "sourir/bisim/varied_states.h"

#include "sourir/semantics/eval.h"
#include "sourir/semantics/step.h"
#include "tests/unit/running.h"

#include <gtest/gtest.h>

namespace sourir::testing {
namespace {

TEST(VariedStates, GuardsThatConnectVariablesOfOtherTypesPass) {
  for (const char* const guard : {"(p && q)", "(p || q)"}) {
    Running running(std::string("function main()\nversion opt\n  var p = 1\n  var q = nil\n"
                                "  assume [") +
                    guard +
                    "] else (main, base, L) [var q = q]\n  stop\nversion base\n  var q\n"
                    ">L:\n  stop\n");
    Config c = running.start();
    std::string printed;
    while (!std::holds_alternative<resolved::Assume>(c.instr())) step(c, printed);
    const std::vector<Config> found = with_passing_guards(c, running.names().intern<Str>("text"));
    ASSERT_FALSE(found.empty()) << guard;
    const auto& guards = std::get<resolved::Assume>(found[0].instr()).guards;
    EXPECT_EQ(first_failing(found[0].heap, found[0].env(), guards), guards.size()) << guard;
  }
}

} // namespace
} // namespace sourir::testing
