// Composition and renaming of exits (Lemma 8; soundness.md): the paper's example, swap, capture,
// blocks, unknown values; composing is the same as two exits in a row.
#include "tests/unit/exits.h"

#include "sourir/syntax/expr.h"

#include <gtest/gtest.h>

namespace sourir {
namespace {

using testing::exit_in;
using testing::shown;

std::string composed(const std::string& first, const std::string& second,
                     const std::vector<std::string>& scope = {}) {
  Names names;
  FreshNames fresh(names);
  for (const std::string& x : scope) fresh.use(names.intern<Var>(x));
  return shown(compose(exit_in(first, names), exit_in(second, names), fresh), names);
}

std::string renamed(const std::string& exit,
                    const std::vector<std::pair<std::string, std::string>>& renaming,
                    const std::vector<std::string>& scope = {}) {
  Names names;
  FreshNames fresh(names);
  for (const std::string& x : scope) fresh.use(names.intern<Var>(x));
  std::unordered_map<Var, Var> to;
  for (const auto& [x, y] : renaming) to.emplace(names.intern<Var>(x), names.intern<Var>(y));
  return shown(rename(exit_in(exit, names), to, fresh), names);
}

TEST(Compose, PapersExample) {
  EXPECT_EQ(composed("(F, V2, La) [var x = 1]", "(F, V0, Lb) [var y = x]"),
            "(F, V0, Lb) [var y = 1]");
}

TEST(Compose, IsSimultaneous) {
  EXPECT_EQ(composed("(f, v, L) [var x = y, var y = x]", "(f, w, L) [var x = x, var y = y]"),
            "(f, w, L) [var x = y, var y = x]");
  EXPECT_EQ(composed("(f, v, L) [var x = y, var y = x]", "(f, w, L) [var x = y, var y = x]"),
            "(f, w, L) [var x = x, var y = y]");
  EXPECT_EQ(composed("(f, v, L) [var x = y, var y = x]", "(f, w, L) [var z = (x - y)]"),
            "(f, w, L) [var z = (y - x)]");
}

TEST(Compose, TakesWholeEntriesDirectly) {
  EXPECT_EQ(composed("(f, v, L) [var x = (a + 1), var y = b[0]]",
                     "(f, w, L) [var x = x, var z = x, var y = y]"),
            "(f, w, L) [var x = (a + 1), var z = (a + 1), var y = b[0]]");
}

TEST(Compose, MakesATemporaryForWhatWouldNest) {
  EXPECT_EQ(composed("(f, v, L) [var x = (a + 1), var y = b]",
                     "(f, w, L) [var p = (x * y), var q = (x - 1)]", {"a", "b"}),
            "(f, w, L) [var p = (x * b), var q = (x - 1)] with {\n  var x = (a + 1)\n}");
  EXPECT_EQ(composed("(f, v, L) [var x = (a + 1)]", "(f, w, L) [var p = (x * 2)]", {"a", "x"}),
            "(f, w, L) [var p = (x_1 * 2)] with {\n  var x_1 = (a + 1)\n}");
}

TEST(Compose, MakesATemporaryForALiteralArray) {
  EXPECT_EQ(composed("(f, v, L) [var x = nil]", "(f, w, L) [var p = x[0], var q = length(x)]"),
            "(f, w, L) [var p = x[0], var q = length(x)] with {\n  var x = nil\n}");
}

TEST(Compose, AppendsOuterFramesInnermostFirst) {
  EXPECT_EQ(composed("(f, v, L) [var x = a], (g, v, R) [var r = $, var x = b]",
                     "(h, w, L) [var y = x], (f, w, S) [var s = $, var x = x]"),
            "(h, w, L) [var y = a], (f, w, S) [var s = $, var x = a], "
            "(g, v, R) [var r = $, var x = b]");
}

TEST(Compose, RunsTheFirstBlockThenTemporariesThenTheSecond) {
  EXPECT_EQ(composed("(f, v, L) [var x = t, var y = (t + 1)] with {\n  var t = (a * 2)\n}",
                     "(f, w, L) [var x = u, var y = y] with {\n  array u = [x, y, 3]\n"
                     "  u[0] <- (y * y)\n}",
                     {"a"}),
            "(f, w, L) [var x = u, var y = y] with {\n  var t = (a * 2)\n  var y = (t + 1)\n"
            "  array u = [t, y, 3]\n  u[0] <- (y * y)\n}");
}

TEST(Compose, DoesNotCapture) {
  // t of the second block is not the t of the first's origin, nor that of its block.
  EXPECT_EQ(composed("(f, v, L) [var x = t]",
                     "(f, w, L) [var x = x, var z = t] with {\n"
                     "  var t = 1\n}",
                     {"t"}),
            "(f, w, L) [var x = t, var z = t_1] with {\n  var t_1 = 1\n}");
  EXPECT_EQ(composed("(f, v, L) [var x = t] with {\n  var t = 2\n}",
                     "(f, w, L) [var x = x, var z = t] with {\n  var t = (x + 1)\n}"),
            "(f, w, L) [var x = t, var z = t_1] with {\n  var t = 2\n  var t_1 = (t + 1)\n}");
  // The first's outer frames keep their meaning.
  EXPECT_EQ(composed("(f, v, L) [], (g, v, R) [var r = $, var t = t]",
                     "(f, w, L) [var z = t] with {\n  var t = 1\n}"),
            "(f, w, L) [var z = t_1], (g, v, R) [var r = $, var t = t] with {\n  var t_1 = 1\n}");
}

TEST(Compose, KeepsComments) {
  EXPECT_EQ(composed("(f, v, L) [var x = t] with {\n  # a\n  var t = 2 # b\n  # c\n}",
                     "(f, w, L) [var z = t] with {\n  # d\n  var t = (x + 1)\n  # e\n}"),
            "(f, w, L) [var z = t_1] with {\n  # a\n  var t = 2 # b\n  # c\n  # d\n"
            "  var t_1 = (t + 1)\n  # e\n}");
}

TEST(Compose, WhatTheFirstCannotRebuildStaysUnknown) {
  EXPECT_EQ(composed("(f, v, L) [var x = ?, var y = a]",
                     "(f, w, L) [var p = (x + y), var q = y, var z = ?], "
                     "(f, w, R) [var r = $, var s = x]"),
            "(f, w, L) [var q = a, var z = ?, var p = ?], (f, w, R) [var r = $, var s = ?]");
  // Not bound at all: not well-formed, and treated alike.
  EXPECT_EQ(composed("(f, v, L) []", "(f, w, L) [var p = x]"), "(f, w, L) [var p = ?]");
}

TEST(Compose, BlockLinesThatNeedUnknownValuesGo) {
  EXPECT_EQ(composed("(f, v, L) [var x = ?, var y = a]",
                     "(f, w, L) [var p = t, var q = u, var r = k] with {\n  var t = (x + 1)\n"
                     "  var u = (y + 1)\n  array k = [t]\n}"),
            "(f, w, L) [var q = u, var p = ?, var r = ?] with {\n  var u = (a + 1)\n}");
  // A store of an unknown value: the array, what holds it and what is the same array.
  EXPECT_EQ(composed("(f, v, L) [var x = ?]",
                     "(f, w, L) [var p = a, var q = b, var r = c, var s = d, var t = e] with {\n"
                     "  array a = [1]\n  var b = a\n  array c = [b]\n  array d = [2]\n"
                     "  var e = length(a)\n  a[0] <- x\n  d[0] <- 3\n}"),
            "(f, w, L) [var s = d, var p = ?, var q = ?, var r = ?, var t = ?] with {\n"
            "  array d = [2]\n  d[0] <- 3\n}");
}

TEST(Compose, ValuesAreReadBeforeTheSecondBlockStores) {
  // Such a store is not well-formed; nothing is read after it all the same.
  EXPECT_EQ(composed("(f, v, L) [var x = a[0], var y = a]",
                     "(f, w, L) [var p = x] with {\n  y[0] <- 1\n}", {"a"}),
            "(f, w, L) [var p = x] with {\n  var x = a[0]\n  a[0] <- 1\n}");
}

TEST(Rename, ChangesTheOriginOnly) {
  EXPECT_EQ(renamed("(f, v, L) [var x = x, var y = (x + y)], (g, v, R) [var x = $, var y = x] "
                    "with {\n  array t = [x, length(y)]\n  t[x] <- y\n}",
                    {{"x", "x_1"}, {"y", "z"}}, {"x", "y", "x_1", "z"}),
            "(f, v, L) [var x = x_1, var y = (x_1 + z)], (g, v, R) [var x = $, var y = x_1] "
            "with {\n  array t = [x_1, length(z)]\n  t[x_1] <- z\n}");
  EXPECT_EQ(renamed("(f, v, L) [var x = y, var y = x]", {{"x", "y"}, {"y", "x"}}),
            "(f, v, L) [var x = x, var y = y]");
}

TEST(Rename, MovesBlockNamesOutOfTheWay) {
  const std::string exit = "(f, v, L) [var x = x, var y = t] with {\n  var t = x\n  var u = t\n}";
  EXPECT_EQ(renamed(exit, {{"x", "t"}}),
            "(f, v, L) [var x = t, var y = t_1] with {\n  var t_1 = t\n  var u = t_1\n}");
  // A name in scope that the exit does not mention is in the way too.
  EXPECT_EQ(renamed(exit, {}, {"t"}),
            "(f, v, L) [var x = x, var y = t_1] with {\n  var t_1 = x\n  var u = t_1\n}");
  // The caller may name them.
  EXPECT_EQ(renamed(exit, {{"t", "t"}}, {"t"}), exit);
  EXPECT_EQ(renamed(exit, {{"t", "k"}}),
            "(f, v, L) [var x = x, var y = k] with {\n  var k = x\n  var u = k\n}");
}

TEST(Substitute, SaysWhatDoesNotFit) {
  Names names;
  const Var x = names.intern<Var>("x"), y = names.intern<Var>("y");
  const Expr sum = Binary{BinaryOp::Add, x, std::int64_t{1}};
  EXPECT_EQ(substitute(SimpleExpr(x), {{x, sum}}), sum);
  EXPECT_EQ(substitute(sum, {{x, SimpleExpr(y)}}), Expr(Binary{BinaryOp::Add, y, std::int64_t{1}}));
  EXPECT_EQ(substitute(sum, {{x, sum}}), std::nullopt);
  EXPECT_EQ(substitute(Index{x, y}, {{x, SimpleExpr(Nil{})}}), std::nullopt);
  EXPECT_EQ(substitute(Length{SimpleExpr(x)}, {{x, SimpleExpr(Nil{})}}),
            Expr(Length{SimpleExpr(Nil{})}));
}

} // namespace
} // namespace sourir
