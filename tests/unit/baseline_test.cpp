// The baseline against the reference, on the programs of the corpus. (Random ones:
// tests/property/engine_properties.cpp.)
#include "tests/unit/engine_corpus.h"

namespace sourir::testing {
namespace {

TEST(Baseline, DoesWhatTheReferenceDoesOnTheCorpus) {
  const Counts plain = compare_all("never");
  EXPECT_GT(plain.programs, 300);
  EXPECT_GT(plain.stuck, 40);
  EXPECT_GT(plain.limits, 3);
  EXPECT_GT(plain.left, 30);
}

TEST(Baseline, ExitsWhereTheReferenceExits) {
  const Counts plain = compare_all("never");
  for (const char* deopt : {"p:0.1:7", "p:0.5:1", "every:3", "calls", "at:1,3"})
    EXPECT_GE(compare_all(deopt).left, plain.left) << deopt;
  EXPECT_GT(compare_all("always").left, plain.left + 20);
  for (const char* enter : {"enter:any:1", "enter:1:base", "enter:0:base"}) compare_all(enter);
}

} // namespace
} // namespace sourir::testing
