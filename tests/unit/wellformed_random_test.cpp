// The scope analysis against its definition on small random programs: all paths through a version
// are followed with an explicit map from names to declarations.
#include "sourir/syntax/json/load.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

namespace sourir::testing {
namespace {

constexpr int kParameter = -1, kExit = -2;

// One function f(a) of simple instructions, each line with its label `L<line>`.
struct Line {
  enum class Kind { Decl, Drop, Use, Goto, Branch, Return, Anchor } kind;
  char name = 'a';           // of Decl, Drop, Use, Return
  int first = 0, second = 0; // targets of Goto, Branch, Anchor
  std::string domain = {};   // of Anchor
};

std::string text_of(const std::vector<Line>& lines) {
  std::string text = "stop\nfunction f(var a)\n";
  const auto label = [](int line) { return "L" + std::to_string(line); };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    text += label(static_cast<int>(i)) + ": ";
    const std::string name(1, line.name);
    switch (line.kind) {
    case Line::Kind::Decl: text += "var " + name; break;
    case Line::Kind::Drop: text += "drop " + name; break;
    case Line::Kind::Use: text += "print " + name; break;
    case Line::Kind::Goto: text += "goto " + label(line.first); break;
    case Line::Kind::Branch:
      text += "branch true " + label(line.first) + " " + label(line.second);
      break;
    case Line::Kind::Return: text += "return 1"; break;
    case Line::Kind::Anchor: {
      text += "anchor else (f, anon, " + label(line.first) + ") [";
      for (std::size_t k = 0; k < line.domain.size(); ++k)
        text += (k == 0 ? "var " : ", var ") + std::string(1, line.domain[k]);
      text += "]";
    }
    }
    text += "\n";
  }
  return text;
}

// Whether the rules of scopes hold, by following every edge until nothing changes.
class Definition {
public:
  explicit Definition(const std::vector<Line>& lines) : lines_(lines), scopes_(lines.size()) {}

  bool holds() {
    reach(0, {{'a', kParameter}});
    for (const Line& line : lines_)
      if (line.kind == Line::Kind::Anchor && !scopes_[target(line.first)]) {
        Scope scope;
        for (const char name : line.domain) scope[name] = kExit;
        reach(line.first, scope);
      }
    for (std::size_t i = 0; i < lines_.size() && holds_; ++i)
      if (lines_[i].kind == Line::Kind::Anchor && scopes_[i]) {
        std::string names;
        for (const auto& [name, declaration] : *scopes_[target(lines_[i].first)]) names += name;
        holds_ = names == lines_[i].domain;
      }
    return holds_;
  }

private:
  using Scope = std::map<char, int>;
  static std::size_t target(int line) { return static_cast<std::size_t>(line); }

  void reach(int position, Scope scope) {
    work_.emplace_back(position, std::move(scope));
    for (; !work_.empty() && holds_; work_.pop_front()) {
      const auto [at, here] = work_.front();
      if (at == static_cast<int>(lines_.size())) {
        holds_ = false; // runs off the end
      } else if (auto& known = scopes_[target(at)]) {
        join(*known, here);
      } else {
        known = here;
        step(at, here);
      }
    }
  }

  void join(const Scope& known, const Scope& here) {
    holds_ = known.size() == here.size();
    for (const auto& [name, declaration] : here) {
      const auto other = known.find(name);
      holds_ = holds_ && other != known.end() &&
               (declaration == other->second || declaration == kExit || other->second == kExit);
    }
  }

  void step(int at, Scope scope) {
    const Line& line = lines_[target(at)];
    switch (line.kind) {
    case Line::Kind::Decl: holds_ = scope.emplace(line.name, at).second; break;
    case Line::Kind::Drop: holds_ = scope.erase(line.name) == 1; break;
    case Line::Kind::Use: holds_ = scope.contains(line.name); break;
    case Line::Kind::Goto: work_.emplace_back(line.first, scope); return;
    case Line::Kind::Branch:
      work_.emplace_back(line.first, scope);
      work_.emplace_back(line.second, scope);
      return;
    case Line::Kind::Return: return;
    case Line::Kind::Anchor: break;
    }
    work_.emplace_back(at + 1, scope);
  }

  const std::vector<Line>& lines_;
  std::vector<std::optional<Scope>> scopes_;
  std::deque<std::pair<int, Scope>> work_;
  bool holds_ = true;
};

std::vector<Line> random_lines(std::mt19937& random) {
  const auto below = [&](std::size_t n) { return static_cast<int>(random() % n); };
  std::vector<Line> lines(3 + random() % 9);
  for (Line& line : lines) {
    constexpr Line::Kind kinds[] = {Line::Kind::Decl,   Line::Kind::Drop,   Line::Kind::Use,
                                    Line::Kind::Goto,   Line::Kind::Branch, Line::Kind::Branch,
                                    Line::Kind::Return, Line::Kind::Anchor, Line::Kind::Anchor};
    line.kind = kinds[below(std::size(kinds))];
    line.name = static_cast<char>('a' + below(2));
    line.first = below(lines.size());
    line.second = below(lines.size());
    for (const char name : {'a', 'b'})
      if (below(3) < (name == 'a' ? 2 : 1)) line.domain += name;
  }
  lines.back().kind = Line::Kind::Return;
  return lines;
}

TEST(WellformedRandom, AcceptsExactlyWhatTheDefinitionDoes) {
  std::mt19937 random(7);
  int accepted = 0, rejected = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::vector<Line> lines = random_lines(random);
    const std::string text = text_of(lines);
    Names names;
    const Loaded loaded = load("test.sou", text, names);
    const bool holds = Definition(lines).holds();
    ASSERT_EQ(!loaded.problems.has_errors(), holds)
        << text
        << (holds ? render(loaded.problems.sorted().front(), loaded.source, false) : "accepted");
    ++(holds ? accepted : rejected);
  }
  EXPECT_GT(accepted, 300);
  EXPECT_GT(rejected, 300);
  RecordProperty("accepted", accepted);
}

} // namespace
} // namespace sourir::testing
