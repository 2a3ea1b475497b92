// The laws of the lattices of all analyses, on the states that occur in random programs; and the
// analyses against definitions without a solver, where there are such.
#include "sourir/analysis/guards.h"
#include "sourir/analysis/reaching.h"
#include "sourir/analysis/usable_exits.h"
#include "sourir/analysis/values.h"
#include "sourir/analysis/version_analyses.h"
#include "sourir/bisim/generate/random_program.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace sourir {
namespace {

// Every version of some random programs.
void on_versions(const std::function<void(VersionAnalyses&, const ProgramEffects&)>& check) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    ChoiceSequence choices(seed);
    Names names;
    const Policy policy = random_policy(choices, 20 + 10 * (seed % 12));
    const RandomCase random = random_case(choices, policy, names);
    const ExitTargets targets(random.program);
    const ProgramEffects effects(random.program);
    SCOPED_TRACE(seed);
    for (const Function& f : random.program.functions)
      for (const Version& v : f.versions) {
        VersionAnalyses facts(random.program, f, v, targets);
        check(facts, effects);
      }
  }
}

template <class S>
S joined(S a, const S& b) {
  const S before = a;
  const bool changed = a.join(b);
  EXPECT_EQ(changed, !(a == before)) << "what join says about a change";
  return a;
}

template <class S>
bool below(const S& a, const S& b) {
  return joined(a, b) == b;
}

template <class S>
void expect_laws(const S& a, const S& b, const S& c) {
  EXPECT_EQ(joined(a, a), a) << "idempotent";
  EXPECT_EQ(joined(a, b), joined(b, a)) << "commutative";
  EXPECT_EQ(joined(joined(a, b), c), joined(a, joined(b, c))) << "associative";
  EXPECT_TRUE(below(a, joined(a, b))) << "an upper bound";
}

// What comes out of a larger state is larger.
template <Analysis A>
void expect_monotone(const Cfg& cfg, A& analysis, BlockId b, const typename A::State& small,
                     const typename A::State& large) {
  typename A::State s = small, l = large;
  replay(cfg, analysis, b, s, [](Position, const auto&) {});
  replay(cfg, analysis, b, l, [](Position, const auto&) {});
  EXPECT_TRUE(below(s, l)) << "monotone";
}

template <Analysis A>
std::size_t expect_lattice(const Cfg& cfg, A& analysis) {
  const auto solution = solve(cfg, analysis);
  const auto& order = cfg.reverse_postorder();
  std::size_t different = 0;
  for (std::size_t n = 0; n + 2 < order.size(); ++n) {
    const auto& a = solution[order[n].id];
    const auto& b = solution[order[n + 1].id];
    const auto& c = solution[order[(n * 7 + 3) % order.size()].id];
    if (!a || !b || !c) continue;
    different += !(*a == *b);
    expect_laws(*a, *b, *c);
    expect_monotone(cfg, analysis, order[n], *a, joined(*a, *b));
  }
  return different;
}

// The solution is one: what a block leaves is below what its successors begin with.
template <Analysis A>
void expect_solved(const Cfg& cfg, A& analysis) {
  static_assert(A::kDirection == Direction::Forward);
  const auto solution = solve(cfg, analysis);
  for (const BlockId b : cfg.reverse_postorder()) {
    if (!solution[b.id]) continue;
    typename A::State state = *solution[b.id];
    replay(cfg, analysis, b, state, [](Position, const auto&) {});
    for (std::size_t k = 0; k < cfg[b].successors.size(); ++k) {
      typename A::State taken = state;
      if constexpr (EdgeAnalysis<A>) {
        if (!analysis.edge(taken, b, k)) continue;
      }
      const auto& there = solution[cfg[b].successors[k].id];
      ASSERT_TRUE(there);
      EXPECT_TRUE(below(taken, *there));
    }
  }
}

TEST(Lattice, LiveVariables) {
  std::size_t different = 0;
  on_versions([&](VersionAnalyses& facts, const ProgramEffects&) {
    LiveVariables problem{facts.version()};
    different += expect_lattice(facts.cfg(), problem);
  });
  EXPECT_GT(different, 50U);
}

TEST(Lattice, Constants) {
  std::size_t different = 0;
  on_versions([&](VersionAnalyses& facts, const ProgramEffects&) {
    different += expect_lattice(facts.cfg(), facts.constants_problem());
    expect_solved(facts.cfg(), facts.constants_problem());
  });
  EXPECT_GT(different, 50U);
}

TEST(Lattice, AvailableGuards) {
  std::size_t different = 0;
  on_versions([&](VersionAnalyses& facts, const ProgramEffects& effects) {
    AvailableGuards problem(facts.version(), facts.cfg(), &effects);
    different += expect_lattice(facts.cfg(), problem);
    expect_solved(facts.cfg(), problem);
  });
  EXPECT_GT(different, 50U);
}

TEST(Lattice, UsableExits) {
  std::size_t different = 0;
  on_versions([&](VersionAnalyses& facts, const ProgramEffects&) {
    UsableExits problem(facts.version());
    different += expect_lattice(facts.cfg(), problem);
    expect_solved(facts.cfg(), problem);
  });
  EXPECT_GT(different, 50U);
}

TEST(Lattice, ReachingDefinitions) {
  std::size_t different = 0;
  on_versions([&](VersionAnalyses& facts, const ProgramEffects&) {
    ReachingDefinitions problem(facts.version(), facts.cfg(), facts.scopes());
    different += expect_lattice(facts.cfg(), problem);
    expect_solved(facts.cfg(), problem);
  });
  EXPECT_GT(different, 50U);
}

TEST(Lattice, KnownValues) {
  std::size_t different = 0;
  on_versions([&](VersionAnalyses& facts, const ProgramEffects&) {
    ValuesAnalysis problem(facts.version());
    different += expect_lattice(facts.cfg(), problem);
    expect_solved(facts.cfg(), problem);
  });
  EXPECT_GT(different, 50U);
}

// A variable is live where a path leads to a use of it without a definition between.
bool live_by_search(const Version& version, const Cfg& cfg, Position from, Var x) {
  std::set<Position> seen;
  std::vector<Position> work = {from};
  while (!work.empty()) {
    const Position at = work.back();
    work.pop_back();
    if (at >= version.body.size() || !seen.insert(at).second) continue;
    VarSet uses;
    add_uses(version.body[at].instr, uses);
    if (uses.contains(x)) return true;
    const Var* const defined = defined_by(version.body[at].instr);
    if (defined != nullptr && *defined == x) continue;
    if (version.body[at].instr == Instruction(Drop{x})) continue;
    const Block& block = cfg[cfg.block_of(at)];
    if (at + 1 < block.end)
      work.push_back(at + 1);
    else
      for (const BlockId to : block.successors) work.push_back(cfg[to].begin);
  }
  return false;
}

TEST(Liveness, IsWhatTheDefinitionSays) {
  std::size_t live = 0;
  on_versions([&](VersionAnalyses& facts, const ProgramEffects&) {
    const Version& version = facts.version();
    for (Position at = 0; at < version.body.size(); at += 3) {
      if (!facts.cfg().reachable(at) || !facts.scopes()[at]) continue;
      const VarSet before = facts.liveness().before(at);
      for (const Var x : *facts.scopes()[at]) {
        live += before.contains(x);
        EXPECT_EQ(before.contains(x), live_by_search(version, facts.cfg(), at, x));
      }
      for (const Var x : before) {
        const auto& scope = *facts.scopes()[at];
        EXPECT_NE(std::find(scope.begin(), scope.end(), x), scope.end());
      }
    }
  });
  EXPECT_GT(live, 1000U);
}

TEST(CallGraph, ComponentsAreWhatTheDefinitionSays) {
  std::size_t recursive = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    ChoiceSequence choices(seed);
    Names names;
    const Policy policy = random_policy(choices, 150);
    const RandomCase random = random_case(choices, policy, names);
    const CallGraph graph(random.program);
    const auto reaches = [&](CallGraph::Index from, CallGraph::Index to) { // in a step or more
      std::set<CallGraph::Index> seen;
      std::vector<CallGraph::Index> work = graph.callees(from);
      while (!work.empty()) {
        const CallGraph::Index f = work.back();
        work.pop_back();
        if (!seen.insert(f).second) continue;
        for (const CallGraph::Index g : graph.callees(f)) work.push_back(g);
      }
      return seen.contains(to);
    };
    for (CallGraph::Index f = 0; f < graph.size(); ++f) {
      EXPECT_EQ(graph.recursive(f), reaches(f, f));
      recursive += graph.recursive(f);
      for (CallGraph::Index g = 0; g < graph.size(); ++g) {
        const bool same = f == g || (reaches(f, g) && reaches(g, f));
        EXPECT_EQ(graph.component(f) == graph.component(g), same);
        if (reaches(f, g) && !same) {
          EXPECT_LT(graph.component(g), graph.component(f)) << "callees first";
        }
      }
    }
  }
  EXPECT_GT(recursive, 10U);
}

} // namespace
} // namespace sourir
