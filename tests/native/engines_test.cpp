// The engines with native code against the reference, on the programs of the corpus.
#include "native/engine/compiler_loader.h"
#include "tests/unit/engine_corpus.h"

namespace sourir::testing {
namespace {

using Engine = native::NativeSettings::Engine;

void compare_under_schedules(const native::NativeSettings& settings) {
  EXPECT_GT(compare_all("never", settings).programs, 300);
  for (const char* deopt : {"always", "p:0.1:7", "every:3", "at:1,3", "enter:any:1"})
    compare_all(deopt, settings);
}

TEST(NativeEngine, DoesWhatTheReferenceDoes) {
  compare_under_schedules(
      {.engine = Engine::Native, .level = 0, .compiler = native::compiler_from_library()});
}

TEST(NativeEngine, DoesSoOptimized) {
  EXPECT_GT(compare_all(
                "never",
                {.engine = Engine::Native, .level = 2, .compiler = native::compiler_from_library()})
                .programs,
            300);
}

TEST(AutoEngine, DoesWhatTheReferenceDoesWhereEverythingIsHotAtOnce) {
  compare_under_schedules({.engine = Engine::Auto,
                           .level = 0,
                           .tiers = {.calls_until_native = 2, .iterations_until_native = 2},
                           .compiler = native::compiler_from_library(),
                           .background = false});
}

} // namespace
} // namespace sourir::testing
