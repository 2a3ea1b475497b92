// Two exits in a row and the composed exit give the same state: random programs whose optimized
// version deoptimizes to an intermediate one, which deoptimizes to the base. The base changes every
// array that it gets and prints everything, so that sharing and the whole stack of frames show.
#include "tests/unit/running.h"

#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <random>

namespace sourir {
namespace {

using Strings = std::vector<std::string>;

struct Scope {
  Strings ints, arrays;
};

class Generator {
public:
  explicit Generator(unsigned seed) : random_(seed) {}

  // A program and, in its order, the texts of the versions are "opt", "mid" and "base".
  std::string program() {
    const Scope origin{{"a", "b", "x"}, {"c", "t"}};
    std::string text = "function main()\nversion opt\n  var a = 1\n  var b = 20\n  var x = 300\n"
                       "  array c = [4, 5]\n  array t = [6, 7]\n";
    Scope middle;
    const std::string first = exit("mid", "M", origin, middle, Strings{"a", "x", "y", "t", "u"});
    Scope target;
    const std::string second = exit("base", "B", middle, target, Strings{"x", "t", "p", "q"});
    text += fmt::format("  assume false else {}\n  stop\n", first);
    text += fmt::format("version mid\n  stop\n>M: assume false else {}\n{}  stop\n", second,
                        shows(middle));
    return text + "version base\n  stop\n>B:\n" + shows(target) + "  return -1\n" + returns_;
  }

private:
  std::size_t below(std::size_t n) { return random_() % n; }
  const std::string& any(const Strings& all) { return all[below(all.size())]; }

  std::string number(const Scope& scope) {
    return scope.ints.empty() || below(3) == 0 ? std::to_string(below(9)) : any(scope.ints);
  }
  std::string value(const Scope& scope) {
    switch (below(scope.arrays.empty() ? 3 : 5)) {
    case 0: return number(scope);
    case 1: return fmt::format("({} - {})", number(scope), number(scope));
    case 2: return fmt::format("(-{})", number(scope));
    case 3: return fmt::format("{}[{}]", any(scope.arrays), below(2));
    default: return fmt::format("length({})", any(scope.arrays));
    }
  }

  // Adds what the block makes to the scope.
  std::string block(Scope& scope) {
    Strings lines, made;
    Strings free{"p", "q", "v", "y", "u", "t", "b"};
    for (std::size_t k = below(5); k > 0; --k) {
      const std::string name = any(free);
      if (taken(scope, name)) continue;
      switch (below(scope.arrays.empty() ? 2 : 3)) {
      case 0:
        lines.push_back(fmt::format("    var {} = {}", name, value(scope)));
        scope.ints.push_back(name);
        continue;
      case 1:
        lines.push_back(fmt::format("    array {} = [{}, {}]", name, value(scope), value(scope)));
        scope.arrays.push_back(name), made.push_back(name);
        break;
      default:
        lines.push_back(fmt::format("    var {} = {}", name, any(scope.arrays)));
        scope.arrays.push_back(name);
      }
      if (!made.empty() && below(2) == 0)
        lines.push_back(fmt::format("    {}[{}] <- {}", any(made), below(2), value(scope)));
    }
    return lines.empty() ? "" : fmt::format(" with {{\n{}\n  }}", fmt::join(lines, "\n"));
  }
  static bool taken(const Scope& scope, const std::string& name) {
    const auto in = [&](const Strings& all) {
      return std::find(all.begin(), all.end(), name) != all.end();
    };
    return in(scope.ints) || in(scope.arrays);
  }

  std::string varmap(const Scope& scope, Scope& domain, const Strings& names) {
    Strings entries;
    for (const std::string& name : names) {
      if (below(4) == 0) continue;
      const bool array = !scope.arrays.empty() && below(2) == 0;
      entries.push_back(fmt::format("var {} = {}", name, array ? any(scope.arrays) : value(scope)));
      (array ? domain.arrays : domain.ints).push_back(name);
    }
    return fmt::format("{}", fmt::join(entries, ", "));
  }

  std::string exit(const std::string& version, const std::string& label, Scope scope, Scope& domain,
                   const Strings& names) {
    const std::string with = block(scope);
    std::string text =
        fmt::format("(main, {}, {}) [{}]", version, label, varmap(scope, domain, names));
    for (std::size_t k = below(3); k > 0; --k) {
      Scope outer;
      const std::string entries = varmap(scope, outer, {"a", "t", "k"});
      const std::string at = fmt::format("R{}", ++frames_);
      text += fmt::format(", (main, base, {}) [var r = ${}{}]", at, entries.empty() ? "" : ", ",
                          entries);
      returns_ += fmt::format(">{}:\n{}  print r\n  return {}\n", at, shows(outer), frames_);
    }
    return text + with;
  }

  std::string shows(const Scope& scope) {
    std::string text;
    for (const std::string& x : scope.arrays)
      text += fmt::format("  {}[0] <- {}\n", x, 100 + ++marks_);
    for (const Strings* all : {&scope.ints, &scope.arrays})
      for (const std::string& x : *all) text += fmt::format("  print {}\n", x);
    return text;
  }

  std::mt19937 random_;
  std::size_t frames_ = 0, marks_ = 0;
  std::string returns_;
};

Metadata& exit_of(Program& program, std::size_t version, std::size_t position) {
  return std::get<Assume>(program.functions.at(0).versions.at(version).body.at(position).instr)
      .exit;
}

TEST(ComposeRandom, ComposedExitIsTwoExits) {
  std::size_t temporaries = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    const std::string text = Generator(seed).program();
    testing::Running twice(text);
    twice.run();

    Names names;
    Diagnostics problems;
    Program program = parse(Source("t.sou", text), names, problems).program;
    FreshNames fresh(names);
    for (const char* x : {"a", "b", "x", "c", "t"}) fresh.use(names.intern<Var>(x));
    Metadata& first = exit_of(program, 0, 5);
    const Metadata& second = exit_of(program, 1, 1);
    const std::size_t lines = first.with.size() + second.with.size();
    first = compose(first, second, fresh);
    temporaries += first.with.size() - lines;
    const std::string once_text = print(program, names);
    testing::Running once(once_text);
    once.run();
    ASSERT_EQ(once.lines, twice.lines) << text << "\n" << once_text;
    ASSERT_GT(once.statistics.steps, 0u);
  }
  EXPECT_GT(temporaries, 500u);
}

} // namespace
} // namespace sourir
