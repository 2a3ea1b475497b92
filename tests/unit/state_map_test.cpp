// State maps: identity, listed positions, call sites, composition, coverage.
#include "tests/unit/exits.h"

#include "sourir/syntax/state_map.h"

#include <gtest/gtest.h>

namespace sourir {
namespace {

using testing::exit_in;
using testing::shown;

class StateMaps : public ::testing::Test {
protected:
  Names names;
  FunName main = names.intern<FunName>("main"), f = names.intern<FunName>("f");
  VerName v = names.intern<VerName>("v"), w = names.intern<VerName>("w");

  Program program(const std::string& text) {
    Diagnostics problems;
    Program result = parse(Source("t.sou", text), names, problems).program;
    for (const Diagnostic& d : problems.sorted()) ADD_FAILURE() << d.message << "\n" << text;
    return result;
  }
  Metadata exit(const std::string& text) { return exit_in(text, names); }
  // Its outer frames and block, as a frame that waits.
  CallSiteFrames waits(const std::string& outer, const std::string& with = "") {
    const Metadata m = exit("(main, v, L) [], " + outer + with);
    return {m.outer, m.with};
  }
  std::string text(const std::optional<Metadata>& m) { return m ? shown(*m, names) : "?"; }
  std::string text(const std::optional<CallSiteFrames>& p) {
    if (!p) return "?";
    std::string all = shown({{}, p->frames, p->with, {}}, names);
    return all.substr(all.find("], ") + 3);
  }
  Place version(FunName function, VerName name) { return {function, name, {}, 0}; }
};

constexpr const char* kInput = R"(function main()
version v
  var x = 1
  var y = 2
  call r = 'f(x)
>L: print (r + y)
  return 0
function f(var a)
version v
  print a
  return a
)";

TEST_F(StateMaps, AVersionThatIsNotListedMapsToItself) {
  const Program p = program(kInput);
  EXPECT_EQ(text(mapped({}, p, main, v, 2)), "(main, v, +2) [var x = x, var y = y]");
  EXPECT_EQ(text(mapped({}, p, main, v, 0)), "(main, v, +0) []");
  EXPECT_EQ(text(mapped({}, p, main, v, 99)), "?");
  EXPECT_EQ(text(mapped({}, p, main, w, 0)), "?");
  EXPECT_EQ(text(mapped_call_site({}, p, main, v, 2)),
            "(main, v, +3) [var r = $, var x = x, var y = y]");
  EXPECT_EQ(text(mapped_call_site({}, p, main, v, 1)), "?");
}

TEST_F(StateMaps, ListedPositionsDifferFromTheIdentity) {
  const Program p = program(kInput);
  StateMap map{{{main, w, version(main, v), {}, {}}, {f, w, {}, {}, {}}}};
  map.versions[0].states = {{2, exit("(main, v, L) [var x = 1]")}, {3, std::nullopt}};
  map.versions[0].call_sites = {{2, std::nullopt}};
  map.versions[1].states = {{1, exit("(f, v, L) []")}};
  EXPECT_EQ(text(mapped(map, p, main, w, 1)), "(main, v, +1) [var x = x]");
  EXPECT_EQ(text(mapped(map, p, main, w, 2)), "(main, v, L) [var x = 1]");
  EXPECT_EQ(text(mapped(map, p, main, w, 3)), "?");
  EXPECT_EQ(text(mapped_call_site(map, p, main, w, 2)), "?");
  EXPECT_EQ(text(mapped(map, p, f, w, 0)), "?");
  EXPECT_EQ(text(mapped(map, p, f, w, 1)), "(f, v, L) []");
  EXPECT_EQ(text(mapped(map, p, f, v, 0)), "(f, v, +0) [var a = a]");
  map.versions[0].call_sites = {
      {4, waits("(main, v, L) [var r = $], (f, v, L) [var q = $]", " with {\n  var t = 1\n}")}};
  EXPECT_EQ(print(map, names), "main.w = main.v\n"
                               "main.w+2 -> (main, v, L) [var x = 1]\n"
                               "main.w+3 -> ?\n"
                               "main.w+4 waits -> r = $ in (main, v, L) [], q = $ in (f, v, L) [] "
                               "with {\n  var t = 1\n}\n"
                               "f.w = ?\n"
                               "f.w+1 -> (f, v, L) []\n");
}

// middle: constants folded (y is gone). output: f inlined into main.
constexpr const char* kMiddle = R"(function main()
version v
  var x = 1
  call r = 'f(x)
>L: print (r + 2)
  return 0
function f(var a)
version v
  print a
  return a
)";
constexpr const char* kOutput = R"(function main()
version v
  var x = 1
  var a = x
  print a
  var r = a
  drop a
  print (r + 2)
  return 0
function f(var a)
version v
  print a
  return a
)";

class Composed : public StateMaps {
protected:
  void SetUp() override {
    VersionMap folded{main, v, version(main, v), {}, {}};
    folded.states = {{1, exit("(main, v, M) [var x = x, var y = 2]")},
                     {2, exit("(main, v, L) [var x = x, var y = 2, var r = r]")}};
    folded.states[1]->frame.target = {main, v, {}, 2};
    folded.states[3] = std::nullopt;
    folded.call_sites = {{1, waits("(main, v, L) [var r = $, var x = x, var y = 2]")}};
    first.versions = {folded};
    VersionMap inlined{main, v, {}, {}, {}};
    inlined.states = {{0, exit("(main, v, M) []")},
                      {2, exit("(f, v, M) [var a = a], (main, v, L) [var r = $, var x = x]")},
                      {3, exit("(f, v, M) [var a = a], (main, v, L) [var r = $, var x = (a + 0)]")},
                      {5, exit("(main, v, L) [var x = x, var r = r]")},
                      {6, exit("(main, v, M) [var x = x, var r = r]")}};
    inlined.states[0]->frame.target = {main, v, {}, 0};
    inlined.states[2]->frame.target = {f, v, {}, 0};
    inlined.states[3]->frame.target = {f, v, {}, 1};
    inlined.states[6]->frame.target = {main, v, {}, 3};
    second.versions = {inlined};
  }
  Program input = program(kInput), middle = program(kMiddle), output = program(kOutput);
  StateMap first, second;
};

TEST_F(Composed, CallSiteFramesAreMappedToo) {
  const StateMap both = compose(first, second, input, middle, output, names);
  EXPECT_EQ(text(mapped(both, input, main, v, 2)),
            "(f, v, +0) [var a = a], (main, v, L) [var r = $, var x = x, var y = 2]");
  EXPECT_EQ(text(mapped(both, input, main, v, 3)),
            "(f, v, +1) [var a = a], (main, v, L) [var r = $, var x = (a + 0), var y = 2]");
  EXPECT_EQ(text(mapped(both, input, main, v, 5)),
            "(main, v, L) [var x = x, var y = 2, var r = r]");
  EXPECT_EQ(text(mapped(both, input, main, v, 0)), "(main, v, +0) []");
  EXPECT_EQ(text(mapped(both, input, main, v, 1)), "?"); // not mapped by the second
  EXPECT_EQ(text(mapped(both, input, main, v, 6)), "?"); // not mapped by the first
  EXPECT_EQ(text(mapped(both, input, f, v, 1)), "(f, v, +1) [var a = a]");
}

TEST_F(Composed, TheIdentityIsNeutral) {
  EXPECT_EQ(compose(first, {}, input, middle, middle, names), first);
  const StateMap left = compose({}, second, middle, middle, output, names);
  const auto by_number = [&](const StateMap& map, Position at) {
    return testing::replaced(text(mapped(map, middle, main, v, at)), " L)", " +2)");
  };
  for (Position at = 0; at < 8; ++at) EXPECT_EQ(by_number(left, at), by_number(second, at));
  EXPECT_EQ(compose({}, {}, input, input, input, names), StateMap{});
}

TEST_F(Composed, DifferencesThatCancelAreNotStored) {
  // There: x is kept as z. Back: z is called x again.
  const Program there = program("function main()\nversion v\nvar z = 1\nprint z\nreturn 0\n");
  const Program back = program("function main()\nversion v\nvar x = 1\nprint x\nreturn 0\n");
  StateMap to_there{{{main, v, version(main, v), {{1, exit("(main, v, M) [var x = z]")}}, {}}}};
  StateMap to_back{{{main, v, version(main, v), {{1, exit("(main, v, M) [var z = x]")}}, {}}}};
  to_there.versions[0].states[1]->frame.target = {main, v, {}, 1};
  to_back.versions[0].states[1]->frame.target = {main, v, {}, 1};
  to_there.versions[0].states[2] = to_there.versions[0].states[1];
  to_there.versions[0].states[2]->frame.target.offset = 2;
  to_back.versions[0].states[2] = to_back.versions[0].states[1];
  to_back.versions[0].states[2]->frame.target.offset = 2;
  const StateMap both = compose(to_there, to_back, back, there, back, names);
  ASSERT_EQ(both.versions.size(), 1u);
  EXPECT_TRUE(both.versions[0].states.empty()) << print(both, names);
}

TEST_F(Composed, CallSitesMayStandForSeveralFrames) {
  // first: main's call waits for f's call of g, which was inlined. second: x is spelled z.
  VersionMap inlined{main, v, version(main, v), {}, {}};
  inlined.call_sites = {{1, waits("(f, v, M) [var b = $, var t = x, var u = k], "
                                  "(main, v, L) [var r = $, var x = x, var y = k]",
                                  " with {\n  array k = [x]\n}")}};
  VersionMap respelled{main, v, {}, {}, {}};
  respelled.call_sites = {{1, waits("(main, v, L) [var r = $, var x = (z + 1)]")}};
  const Program out = program("function main()\nversion v\nvar z = 1\ncall r = 'f(z)\nreturn 0\n");
  const StateMap both = compose({{inlined}}, {{respelled}}, input, middle, out, names);
  EXPECT_EQ(text(mapped_call_site(both, input, main, v, 1)),
            "(f, v, M) [var b = $, var t = (z + 1), var u = k], "
            "(main, v, L) [var r = $, var x = (z + 1), var y = k] with {\n"
            "  array k = [(z + 1)]\n}");
}

TEST_F(Composed, EachFrameOfTheMiddleHasItsOwnVariables) {
  // Two frames of main wait, with another x each, and both are rebuilt with a block.
  VersionMap inlined{main, v, version(main, v), {}, {}};
  inlined.call_sites = {
      {1, waits("(main, v, L) [var r = $, var x = x, var y = k]", " with {\n  array k = [x]\n}")}};
  VersionMap two{main, v, {}, {}, {}};
  two.states = {{1, exit("(main, v, M) [var x = 5], (main, v, L) [var r = $, var x = z], "
                         "(main, v, L) [var r = $, var x = k]")}};
  two.states[1]->frame.target = {main, v, {}, 1};
  const Program out =
      program("function main()\nversion v\nvar z = 1\nvar k = 2\nprint z\nreturn 0\n");
  const StateMap both = compose({{inlined}}, {{two}}, input, middle, out, names);
  EXPECT_EQ(text(mapped(both, input, main, v, 1)),
            "(main, v, +1) [var x = 5], (main, v, L) [var r = $, var x = z, var y = k_1], "
            "(main, v, L) [var r = $, var x = k, var y = k_1_1] with {\n"
            "  array k_1 = [z]\n  array k_1_1 = [k]\n}");
}

TEST_F(Composed, UnknownStaysUnknown) {
  VersionMap lost{main, v, version(main, v), {}, {}};
  lost.states = {{1, exit("(main, v, M) [var x = ?]")}};
  lost.states[1]->frame.target = {main, v, {}, 1};
  const StateMap both = compose(first, {{lost}}, input, middle, middle, names);
  EXPECT_EQ(text(mapped(both, input, main, v, 1)), "(main, v, +2) [var y = 2, var x = ?]");
}

TEST_F(Composed, AFrameThatDoesNotWaitBehindACall) {
  const Program base = program(R"(function main()
version v
  return 0
version w cont L [r, x]
  print r
  return x
)");
  VersionMap exits{
      main, v, {}, {{0, exit("(main, v, M) [], (main, w, L) [var r = $, var x = 3]")}}, {}};
  exits.states[0]->frame.target = {main, v, {}, 0};
  const StateMap both = compose({}, {{exits}}, base, base, base, names);
  EXPECT_EQ(text(mapped(both, base, main, v, 0)),
            "(main, v, +0) [], (main, w, +0) [var r = $, var x = 3]");
}

TEST_F(Composed, Coverage) {
  // main: entry, call (twice), print, return; f: entry = print, return.
  EXPECT_EQ(coverage({}, input, input), (Coverage{7, 7}));
  // main: 1 listed, its call site, 2; 3 is not.
  EXPECT_EQ(coverage(first, input, middle), (Coverage{6, 7}));
  const Program loop = program("function main()\nvar i = 0\nl: branch (i < 3) $b $e\n"
                               "$b: i <- (i + 1)\nvar k = 1\ndrop k\ngoto l\n$e: stop\n");
  const VerName anon = names.intern<VerName>("anon");
  EXPECT_EQ(coverage({}, loop, loop), (Coverage{4, 4})); // entry, header, i + 1, stop
  const StateMap none{{{main, anon, {}, {}, {}}}};
  EXPECT_EQ(coverage(none, loop, loop), (Coverage{0, 4}));
}

} // namespace
} // namespace sourir
