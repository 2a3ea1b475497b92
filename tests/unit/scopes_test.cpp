#include "sourir/syntax/exits.h"
#include "sourir/syntax/json/load.h"
#include "sourir/syntax/scope_flow.h"
#include "sourir/syntax/scopes.h"

#include <gtest/gtest.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

namespace sourir::testing {
namespace {

using Lines = std::vector<std::string>;

// A well-formed program, and its scopes as text: "x y", or "-" where no root reaches.
struct Scoped {
  explicit Scoped(const std::string& text) : loaded(load("test.sou", text, names)) {
    EXPECT_FALSE(loaded.problems.has_errors())
        << render(loaded.problems.sorted().front(), loaded.source, false);
  }
  std::string words(const std::optional<Scope>& scope) const {
    if (!scope) return "-";
    std::string result;
    for (const Var name : *scope)
      result += (result.empty() ? "" : " ") + std::string(names.text(name));
    return result;
  }
  Lines scopes(std::size_t function = 0, std::size_t version = 0) const {
    const Function& f = loaded.program.functions.at(function);
    Lines result;
    for (const auto& scope : scopes_of(loaded.program, f, f.versions.at(version)))
      result.push_back(words(scope));
    return result;
  }

  Names names;
  Loaded loaded;
};

TEST(Scopes, FollowDeclarationsAndDrops) {
  EXPECT_EQ(Scoped("var a\nvar b\narray c[1]\ndrop a\nvar a\ncall d = 'f(1)\nprint d\n"
                   "function f(var x)\nreturn x")
                .scopes(),
            (Lines{"", "a", "a b", "a b c", "b c", "b c a", "b c a d", "b c a d"}));
}

TEST(Scopes, FollowEdgesAndLeaveOutWhatNothingReaches) {
  const Scoped program(R"(
function main()
  stop
function f(var p, var q)
  var x = p
  branch q $A $B
$A:
  var y = x
  drop y
  goto End
$B:
  drop q
  var q = x
  stop
  print q
End:
  return x
)");
  EXPECT_EQ(program.scopes(1), (Lines{"p q", "p q x", "p q x", "p q x y", "p q x", "p q x", "p x",
                                      "p x q", "-", "p q x", "-"}));
}

TEST(Scopes, OfARootBehindAnInstructionThatDoesNotFallThrough) {
  const Scoped program(R"(
function main()
  call r = 'f(1)
  stop
function f(var n)
version fast
  assume [(n == 1)] else (f, slow, Here) [var x = n]
  return n
version slow
  return n
>Here:
  return x
)");
  EXPECT_EQ(program.scopes(1, 1), (Lines{"n", "x", "-"}));
}

TEST(Scopes, OfAContinuationStartWithItsNames) {
  const Scoped program(R"(
stop
function f(var p)
version base
  return p
version c cont L [b, a]
  drop b
  goto L2
L2:
  return a
)");
  EXPECT_EQ(program.scopes(1, 1), (Lines{"b a", "a", "a", "-"}));
}

TEST(Scopes, OfLabelsThatOnlyExitsLeadToComeFromTheFirstExit) {
  const Scoped program(R"(
call r = 'f(1)
function f(var x)
version fast
  assume [(x == 1)] else (f, base, L) [var b = 1, var a = x], (f, base, M) [var r = $, var x = 1]
  anchor else (f, base, L) [var a = 1, var b = x]
  return x
version base
  return x
L:
  drop a
  return b
M:
  return r
)");
  EXPECT_EQ(program.scopes(1, 1), (Lines{"x", "b a", "b", "r x", "-"}));
}

TEST(LabelPositions, CountTheEntryOfAContinuationAndTheEnd) {
  const Scoped program("A: B: print 1\ngoto C\nC:\nfunction f()\nversion v\nreturn 1\n"
                       "version c cont L []\nL: M: return 1");
  const auto positions = [&](std::size_t function, std::size_t version) {
    std::set<std::pair<std::string, std::uint32_t>> result;
    const Function& f = program.loaded.program.functions.at(function);
    for (const auto& [label, at] : label_positions(f.versions.at(version)))
      result.emplace(program.names.text(label), at);
    return result;
  };
  using Positions = std::set<std::pair<std::string, std::uint32_t>>;
  EXPECT_EQ(positions(0, 0), (Positions{{"A", 0}, {"B", 0}, {"C", 2}}));
  EXPECT_EQ(positions(1, 1), (Positions{{"L", 0}, {"M", 0}}));
}

TEST(Scopes, ALongStraightProgramNeedsNoStack) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) {
    const std::string n = std::to_string(i);
    text += "branch true $A" + n + " $B" + n + "\n$A" + n + ":\ngoto C" + n + "\n$B" + n +
            ":\ngoto C" + n + "\nC" + n + ":\n";
  }
  const Scoped program(text + "print 1");
  const Function& main = program.loaded.program.functions[0];
  const auto end = static_cast<std::uint32_t>(main.versions[0].body.size());
  EXPECT_TRUE(scope_at(program.loaded.program, main, main.versions[0], end));
}

// --- against a second implementation -----------------------------------------------------------
// Sets at every position, propagated until nothing changes. The roots: the start, and the labels
// that exits target.
using Sets = std::vector<std::optional<std::set<Var>>>;

class NaiveScopes {
public:
  NaiveScopes(const Program& program, const Function& function, const Version& version)
      : version_(version), labels_(label_positions(version)), sets(version.body.size() + 1) {
    const auto& start = version.cont ? version.cont->names : function.params;
    reach(0, {start.begin(), start.end()});
    for (const Function& f : program.functions)
      for (const Version& v : f.versions)
        for (const Stmt& stmt : v.body) {
          if (const Metadata* const exit = exit_of(stmt.instr)) add_exit(function, *exit);
        }
  }

private:
  void add_exit(const Function& function, const Metadata& exit) {
    add_frame(function, exit.frame.target, exit.frame.varmap, nullptr);
    for (const OuterFrame& outer : exit.outer)
      add_frame(function, outer.target, outer.varmap, &outer.result);
  }
  void add_frame(const Function& function, const Place& target, const std::vector<Binding>& varmap,
                 const Var* result) {
    if (target.function != function.name || target.version != version_.name) return;
    std::set<Var> domain;
    if (result) domain.insert(*result);
    for (const Binding& binding : varmap) domain.insert(binding.name);
    const std::uint32_t at = labels_.at(*target.label);
    if (!sets[at]) reach(at, domain);
  }
  void reach(std::uint32_t position, std::set<Var> set) {
    std::deque<std::pair<std::uint32_t, std::set<Var>>> work{{position, std::move(set)}};
    for (; !work.empty(); work.pop_front()) {
      auto& [at, scope] = work.front();
      if (sets[at]) {
        EXPECT_EQ(*sets[at], scope);
        continue;
      }
      sets[at] = scope;
      if (at < version_.body.size()) step(at, scope, work);
    }
  }
  void step(std::uint32_t at, std::set<Var> scope,
            std::deque<std::pair<std::uint32_t, std::set<Var>>>& work) const {
    const Instruction& instr = version_.body[at].instr;
    if (const auto* decl = std::get_if<Decl>(&instr)) scope.insert(decl->name);
    if (const auto* array = std::get_if<ArrayDecl>(&instr)) scope.insert(array->name);
    if (const auto* array = std::get_if<ArrayDef>(&instr)) scope.insert(array->name);
    if (const auto* call = std::get_if<Call>(&instr)) scope.insert(call->result);
    if (const auto* drop = std::get_if<Drop>(&instr)) scope.erase(drop->name);
    if (const auto* jump = std::get_if<Goto>(&instr)) {
      work.emplace_back(labels_.at(jump->target), scope);
    } else if (const auto* branch = std::get_if<Branch>(&instr)) {
      work.emplace_back(labels_.at(branch->if_true), scope);
      work.emplace_back(labels_.at(branch->if_false), scope);
    } else if (!std::holds_alternative<Return>(instr) && !std::holds_alternative<Stop>(instr)) {
      work.emplace_back(at + 1, scope);
    }
  }

  const Version& version_;
  std::unordered_map<Label, std::uint32_t> labels_;

public:
  Sets sets;
};

void compare_with_naive(const Program& program, const Function& function, const Version& version) {
  const Scopes scopes = scopes_of(program, function, version);
  const NaiveScopes naive(program, function, version);
  ASSERT_EQ(scopes.size(), naive.sets.size());
  for (std::uint32_t at = 0; at < scopes.size(); ++at) {
    ASSERT_EQ(scopes[at].has_value(), naive.sets[at].has_value()) << at;
    const auto one = scope_at(program, function, version, at);
    ASSERT_EQ(one.has_value(), scopes[at].has_value());
    if (!scopes[at]) continue;
    EXPECT_TRUE(std::ranges::equal(*one, *scopes[at])) << at;
    EXPECT_EQ(std::set<Var>(scopes[at]->begin(), scopes[at]->end()), *naive.sets[at]) << at;
    EXPECT_EQ(scopes[at]->size(), naive.sets[at]->size()) << at;
  }
}

TEST(Scopes, AgreeWithTheDefinitionOnAllExamples) {
  std::size_t versions = 0;
  for (const auto& file : std::filesystem::directory_iterator(SOURIR_SOURCE_DIR "/examples")) {
    if (file.path().extension() != ".sou") continue;
    std::ifstream stream(file.path(), std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    Names names;
    const Loaded loaded = load(file.path().filename().string(), text.str(), names);
    if (loaded.problems.has_errors()) continue;
    SCOPED_TRACE(file.path().filename().string());
    for (const Function& function : loaded.program.functions)
      for (const Version& version : function.versions) {
        compare_with_naive(loaded.program, function, version);
        ++versions;
      }
  }
  EXPECT_GT(versions, 0u);
}

// --- the set that can be undone ----------------------------------------------------------------

TEST(ScopeSet, UndoesWhatItDid) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    ScopeSet set;
    std::vector<std::pair<ScopeSet::Mark, std::pair<std::vector<Var>, ScopeHash>>> states;
    for (int step = 0; step < 60; ++step) {
      const Var name{static_cast<std::uint32_t>(random() % 9)};
      const auto declaration =
          random() % 4 == 0 ? Declaration::exit() : Declaration::at(random() % 3);
      states.push_back({set.mark(), {set.names(), set.hash()}});
      if (random() % 2 == 0)
        set.declare(name, declaration);
      else
        set.drop(name);
      if (random() % 7 != 0) continue;
      const std::size_t back = random() % states.size();
      set.undo_to(states[back].first);
      EXPECT_EQ(set.names(), states[back].second.first);
      EXPECT_EQ(set.hash(), states[back].second.second);
      states.resize(back + 1);
    }
    set.clear();
    EXPECT_TRUE(set.names().empty());
    EXPECT_EQ(set.hash(), ScopeHash());
  }
}

TEST(ScopeSet, ItsHashDoesNotDependOnTheOrder) {
  ScopeSet one, other;
  one.declare(Var{1}, Declaration::parameter());
  one.declare(Var{2}, Declaration::at(7));
  other.declare(Var{2}, Declaration::at(7));
  other.declare(Var{3}, Declaration::parameter());
  EXPECT_FALSE(one.hash().same_names(other.hash()));
  other.drop(Var{3});
  other.declare(Var{1}, Declaration::at(7));
  EXPECT_TRUE(one.hash().same_names(other.hash()));
  EXPECT_NE(one.hash(), other.hash());
  other.drop(Var{1});
  other.declare(Var{1}, Declaration::parameter());
  EXPECT_EQ(one.hash(), other.hash());
}

} // namespace
} // namespace sourir::testing
