// The type feedback that the baseline records (site_feedback.h).
#include "native/engine/machine.h"
#include "native/runtime/deep_stack.h"
#include "tests/unit/running.h"

#include <gtest/gtest.h>

namespace sourir::testing {
namespace {

using namespace sourir::native;

// Runs main to its end; the feedback is there afterwards.
class Recorded {
public:
  explicit Recorded(const std::string& text)
      : running_(text), input_(std::vector<Value>(), running_.names()),
        machine_(running_.program(), input_, schedule_, settings_, hooks_) {
    on_deep_stack({}, [&](const StackBounds&) { outcome = machine_.run().outcome; });
  }
  // Of the active version of main.
  const SiteFeedback& at(Pc pc) const {
    return machine_.feedback().recorded(*running_.program().main().dispatch.front())[pc];
  }
  FunName function(std::string_view name) { return running_.names().intern<FunName>(name); }
  Outcome outcome;

private:
  struct Begun {
    Begun() { native::Heap::begin(); }
  } begun_;
  Running running_;
  Input input_;
  Schedule schedule_;
  NativeSettings settings_{.engine = NativeSettings::Engine::Baseline};
  EngineHooks hooks_;
  Machine machine_;
};

TypeSet set(std::initializer_list<Tag> tags) {
  TypeSet all;
  for (const Tag tag : tags) all |= type_set(tag);
  return all;
}

TEST(BaselineFeedback, KindsOfValues) {
  const Recorded r("function main()\n var x = 1\n var y = nil\n y <- (x + 1)\n y <- 2.5\n"
                   " y <- (y * 2.0)\n x <- y\n stop 3\n");
  EXPECT_EQ(r.at(0).result, set({Tag::Int}));
  EXPECT_EQ(r.at(1).result, set({Tag::Nil}));
  EXPECT_EQ(r.at(2).result, set({Tag::Int}));
  EXPECT_EQ(r.at(4).result, set({Tag::Float}));
  EXPECT_EQ(r.at(5).result, set({Tag::Float}));
  EXPECT_EQ(r.outcome.result, Value(std::int64_t{3}));
}

// Both counts of a branch stop at the same time, so the ratio of iterations to exits stays 3. A
// successor that is first taken after that is still counted once.
TEST(BaselineFeedback, CountsOfBranchesKeepTheirRatio) {
  const Recorded r("function main()\n var i = 0\n goto outer\nouter:\n"
                   " branch (i < 100000) $round $end\n$round:\n var j = 3\n goto inner\ninner:\n"
                   " branch (j > 0) $body $done\n$body:\n j <- (j - 1)\n goto inner\n$done:\n"
                   " drop j\n i <- (i + 1)\n goto outer\n$end:\n stop\n");
  EXPECT_EQ(r.at(5).times_taken(), SiteFeedback::kMostCounted);
  EXPECT_EQ(r.at(5).times_not_taken(), (SiteFeedback::kMostCounted - 1) / 3);
  EXPECT_EQ(r.at(2).times_taken(), SiteFeedback::kMostCounted);
  EXPECT_EQ(r.at(2).times_not_taken(), 1U);
  SiteFeedback reached = r.at(5), sum = reached;
  reached.result = kAnyType;
  for (int i = 0; i < 2; ++i) sum.add(reached);
  EXPECT_EQ(sum.times_taken(), 3 * SiteFeedback::kMostCounted);
  EXPECT_EQ(sum.times_not_taken(), 3 * ((SiteFeedback::kMostCounted - 1) / 3));
}

// The form for integers gives way to others, and each kind is recorded.
TEST(BaselineFeedback, KindsThatChange) {
  const Recorded r("function main()\n var i = 0\n var x = 1\n goto loop\nloop:\n"
                   " branch (i < 10) $body $done\n$body:\n x <- (x + i)\n i <- (i + 1)\n"
                   " branch (i == 5) $odd $next\n$odd:\n x <- 0.5\n goto next\nnext:\n goto loop\n"
                   "$done:\n stop\n");
  EXPECT_EQ(r.at(4).result, set({Tag::Int, Tag::Float}));
  EXPECT_EQ(r.at(5).result, set({Tag::Int}));
  EXPECT_EQ(r.at(3).taken, 10U);
  EXPECT_EQ(r.at(3).not_taken, 1U);
  EXPECT_EQ(r.at(6).taken, 1U);
  EXPECT_EQ(r.at(6).not_taken, 9U);
}

TEST(BaselineFeedback, Storages) {
  const Recorded r("function main()\n array a = [1, 2]\n array b = [1.5, nil]\n var i = 0\n"
                   " var x = a[i]\n x <- b[0]\n x <- b[1]\n a[0] <- 5\n a[1] <- true\n stop\n");
  const auto storage = [](Storage s) { return 1U << static_cast<unsigned>(s); };
  EXPECT_EQ(r.at(3).storages, storage(Storage::Int));
  EXPECT_EQ(r.at(3).result, set({Tag::Int}));
  EXPECT_EQ(r.at(4).result, set({Tag::Float}));
  EXPECT_EQ(r.at(5).result, set({Tag::Nil}));
  EXPECT_EQ(r.at(6).storages, storage(Storage::Int));
  EXPECT_EQ(r.at(7).result, set({Tag::Bool}));
}

TEST(BaselineFeedback, CalleesAndTheirResults) {
  const std::string head = "function main()\n array fs = ['a, 'b, 'c, 'd]\n var i = 0\n goto loop\n"
                           "loop:\n branch (i < ";
  const std::string rest = ") $body $done\n$body:\n call x = fs[i]()\n i <- (i + 1)\n drop x\n"
                           " goto loop\n$done:\n stop\nfunction a()\n return 1\nfunction b()\n"
                           " return true\nfunction c()\n return 1\nfunction d()\n return nil\n";
  Recorded two(head + "2" + rest);
  EXPECT_EQ(two.at(4).targets, 2);
  EXPECT_EQ(two.at(4).callees[1], two.function("b"));
  EXPECT_EQ(two.at(4).result, set({Tag::Int, Tag::Bool}));
  EXPECT_EQ(Recorded(head + "3" + rest).at(4).targets, 3);
  EXPECT_EQ(Recorded(head + "4" + rest).at(4).targets, 255);
}

TEST(BaselineFeedback, Guards) {
  const Recorded r("function main()\nversion fast\n var i = 0\n goto loop\nloop:\n"
                   " assume [(i < 3), (i is int)] else (main, base, out) [var i = i]\n"
                   " i <- (i + 1)\n goto loop\nversion base\n var i = 0\n>out:\n stop i\n");
  EXPECT_EQ(r.at(2).taken, 3U);
  EXPECT_EQ(r.at(2).not_taken, 1U);
  EXPECT_EQ(r.outcome.result, Value(std::int64_t{3}));
}

} // namespace
} // namespace sourir::testing
