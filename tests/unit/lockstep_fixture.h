// Two programs and a map between them, for tests of the lock-step checker.
#pragma once

#include "tests/unit/exits.h"

#include "sourir/bisim/lockstep.h"
#include "sourir/syntax/json/load.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace sourir::testing {

class LockstepFixture : public ::testing::Test {
protected:
  Names names;
  LockstepOptions options;
  std::vector<std::vector<Value>> reads{{}};

  Program program(const std::string& text) {
    Loaded loaded = load("t.sou", text, names);
    for (const Diagnostic& d : loaded.problems.sorted())
      if (d.severity == Severity::Error) ADD_FAILURE() << d.message << "\n" << text;
    return std::move(loaded.program);
  }
  std::string example(const std::string& name) {
    std::ifstream in(std::filesystem::path(SOURIR_SOURCE_DIR) / "examples" / name);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  LockstepVerdict check(const std::string& input, const std::string& output,
                        const StateMap& map = {}) {
    const Program one = program(input), other = program(output);
    return check_lockstep(one, other, map, reads, options, names);
  }
  // "4 [var x = x]": the state at position 4 of F.base.
  std::optional<Metadata> at_base(const std::string& text) {
    if (text == "?") return std::nullopt;
    const std::size_t blank = text.find(' ');
    Metadata state = exit_in("(F, base, here)" + text.substr(blank), names);
    state.frame.target.label.reset();
    state.frame.target.offset = static_cast<std::uint32_t>(std::stoul(text));
    return state;
  }
  // A map of F.fast to F.base, with the entries of kFast unless others are given.
  StateMap fast(const std::map<Position, std::string>& instead = {}) {
    std::map<Position, std::string> states{{0, "0 [var n = n]"},
                                           {1, "1 [var n = n, var x = x]"},
                                           {2, "2 [var n = n, var x = x, var y = y]"},
                                           {3, "3 [var n = n, var x = x, var y = y]"},
                                           {4, "4 [var n = n, var x = x, var y = y, var s = s]"},
                                           {5, "5 [var n = n, var x = x, var y = y, var s = s]"}};
    for (const auto& [at, text] : instead) states[at] = text;
    VersionMap map{names.intern<FunName>("F"), names.intern<VerName>("fast"), {}, {}, {}};
    for (const auto& [at, text] : states) map.states.emplace(at, at_base(text));
    return {{map}};
  }
  LockstepVerdict check_fast(const std::map<Position, std::string>& instead) {
    return check(kMain + kBase, kMain + kFast + kBaseVersion, fast(instead));
  }
  LockstepVerdict check_changed(std::string_view from, std::string_view to) {
    const std::string changed = replaced(kFast, from, to);
    EXPECT_NE(changed, kFast);
    return check(kMain + kBase, kMain + changed + kBaseVersion, fast());
  }

  const std::string kMain = R"(function main()
version base
  call a = 'F(3)
  print a
  call b = 'F(nil)
  print b
  stop
)";
  const std::string kBaseVersion = R"(version base
  var x = 5
  var y = 1
>start:
  branch (n is int) $num $other
$num:
  var s = (n + x)
  print s
  return (s + y)
$other:
  return y
)";
  const std::string kBase = "function F(var n)\n" + kBaseVersion;
  const std::string kFast = R"(function F(var n)
version fast
  var x = 5
  var y = 1
  assume [(n is int)] else (F, base, start) [var n = n, var x = x, var y = y]
  var s = (n + 5)
  print s
  return (s + 1)
)";
};

} // namespace sourir::testing
