// Dominators, post-dominators and loops against their definitions, on random graphs; dominators
// also against Boost's.
#include "sourir/analysis/loops.h"

#include "bench/boost_dominators.h"
#include "tests/unit/random_graph.h"

#include <gtest/gtest.h>

#include <set>

namespace sourir {
namespace {

using Blocks = std::set<std::uint32_t>;

// What is reached from `from` without going through `without`.
Blocks reach(const Cfg& cfg, const std::vector<BlockId>& from, std::optional<BlockId> without) {
  Blocks seen;
  std::vector<BlockId> work;
  const auto enter = [&](BlockId b) {
    if ((!without || b != *without) && seen.insert(b.id).second) work.push_back(b);
  };
  for (const BlockId b : from) enter(b);
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    for (const BlockId to : cfg[b].successors) enter(to);
  }
  return seen;
}

bool dominates(const Cfg& cfg, BlockId a, BlockId b) {
  return cfg.reachable(a) && cfg.reachable(b) &&
         (a == b || !reach(cfg, cfg.roots(), a).contains(b.id));
}

// A path from b, not through `without`, to a block without successors.
bool reaches_end(const Cfg& cfg, BlockId b, std::optional<BlockId> without) {
  for (const std::uint32_t at : reach(cfg, {b}, without))
    if (cfg.blocks()[at].successors.empty()) return true;
  return false;
}

bool post_dominates(const Cfg& cfg, BlockId a, BlockId b) {
  for (const BlockId x : {a, b})
    if (!cfg.reachable(x) || !reaches_end(cfg, x, {})) return false;
  return a == b || !reaches_end(cfg, b, a);
}

template <class Check>
void on_random_graphs(Check check) {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    std::mt19937 random(seed);
    Names names;
    const std::size_t size = 1 + seed % 17;
    const Version version = testing::random_graph(random, size, names);
    std::vector<Label> roots;
    for (std::size_t n = 0; n < size; ++n)
      if (random() % 10 == 0) roots.push_back(testing::graph_label(names, n));
    const Cfg cfg(version, roots);
    SCOPED_TRACE(seed);
    check(cfg);
  }
}

template <class Visit>
void for_pairs(const Cfg& cfg, Visit visit) {
  for (std::uint32_t a = 0; a < cfg.blocks().size(); ++a)
    for (std::uint32_t b = 0; b < cfg.blocks().size(); ++b) visit(BlockId{a}, BlockId{b});
}

// The next one up is the one strictly above that all others strictly above are above.
void expect_tree(const Cfg& cfg, const Dominators& tree) {
  for_pairs(cfg, [&](BlockId a, BlockId b) {
    if (a == b || !tree.dominates(a, b)) return;
    ASSERT_TRUE(tree.immediate(b));
    EXPECT_TRUE(tree.dominates(a, *tree.immediate(b)));
  });
  for (const BlockId b : tree.preorder())
    if (const auto up = tree.immediate(b)) {
      EXPECT_TRUE(*up != b && tree.dominates(*up, b));
    }
}

TEST(Dominators, AreWhatTheDefinitionSays) {
  on_random_graphs([](const Cfg& cfg) {
    const Dominators tree = Dominators::of(cfg);
    for_pairs(cfg, [&](BlockId a, BlockId b) {
      EXPECT_EQ(tree.dominates(a, b), dominates(cfg, a, b)) << a.id << ' ' << b.id;
    });
    expect_tree(cfg, tree);
  });
}

TEST(Dominators, PostDominatorsToo) {
  on_random_graphs([](const Cfg& cfg) {
    const Dominators tree = Dominators::post(cfg);
    for_pairs(cfg, [&](BlockId a, BlockId b) {
      EXPECT_EQ(tree.dominates(a, b), post_dominates(cfg, a, b)) << a.id << ' ' << b.id;
    });
    expect_tree(cfg, tree);
  });
}

// Edges among nodes that 0 leads to, of a random graph with at most two edges a node.
std::vector<GraphEdge> random_edges(std::mt19937& random, std::uint32_t nodes) {
  std::vector<GraphEdge> all, reached;
  for (std::uint32_t n = 0; n < nodes; ++n)
    for (auto k = 1 + random() % 2; k > 0; --k)
      all.emplace_back(n, random() % 4 == 0 ? random() % nodes : (n + random() % 5) % nodes);
  std::vector<std::uint8_t> seen(nodes);
  std::vector<std::uint32_t> work = {0};
  seen[0] = 1;
  while (!work.empty()) {
    const std::uint32_t from = work.back();
    work.pop_back();
    for (const GraphEdge& edge : all) {
      if (edge.first != from) continue;
      reached.push_back(edge);
      if (!std::exchange(seen[edge.second], 1)) work.push_back(edge.second);
    }
  }
  return reached;
}

TEST(Dominators, AreThoseOfBoost) {
  std::size_t edges_seen = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    const std::uint32_t nodes = 1 + random() % 200;
    const auto edges = random_edges(random, nodes);
    edges_seen += edges.size();
    EXPECT_EQ(immediate_dominators(edges, nodes, 0), bench::boost_dominators(edges, nodes, 0))
        << seed;
  }
  EXPECT_GT(edges_seen, 5000U);
}

TEST(Cfg, BlocksWithManyPredecessorsComeOnce) {
  Names names;
  Version version{.name = names.intern<VerName>("v")};
  constexpr std::size_t kBlocks = 1000;
  for (std::size_t n = 0; n <= kBlocks; ++n) {
    Stmt stmt;
    stmt.leading.labels.push_back(testing::graph_label(names, n));
    stmt.instr = n == kBlocks ? Instruction(Stop{})
                              : Branch{SimpleExpr(true), testing::graph_label(names, n + 1),
                                       testing::graph_label(names, kBlocks)};
    version.body.push_back(std::move(stmt));
  }
  EXPECT_EQ(Cfg(version, {}).reverse_postorder().size(), kBlocks + 1);
}

TEST(Dominators, DeepGraphs) {
  Names names;
  Version version{.name = names.intern<VerName>("v")};
  constexpr std::size_t kBlocks = 300'000;
  for (std::size_t n = 0; n < kBlocks; ++n) {
    Stmt stmt;
    stmt.leading.labels.push_back(testing::graph_label(names, n));
    stmt.instr = n + 1 == kBlocks ? Instruction(Stop{})
                                  : Branch{SimpleExpr(true), testing::graph_label(names, n + 1),
                                           testing::graph_label(names, n / 2)};
    version.body.push_back(std::move(stmt));
  }
  const Cfg cfg(version, {});
  const Dominators tree = Dominators::of(cfg);
  EXPECT_TRUE(tree.dominates(BlockId{0}, BlockId{kBlocks - 1}));
  EXPECT_TRUE(Dominators::post(cfg).dominates(BlockId{kBlocks - 1}, BlockId{0}));
  EXPECT_GT(Loops(cfg, tree).loops().size(), kBlocks / 4);
}

// All blocks that reach a latch without passing the header.
Blocks natural_loop(const Cfg& cfg, BlockId header) {
  std::vector<BlockId> latches;
  for (const BlockId p : cfg[header].predecessors)
    if (dominates(cfg, header, p)) latches.push_back(p);
  if (latches.empty()) return {};
  Blocks loop = {header.id};
  for (std::uint32_t b = 0; b < cfg.blocks().size(); ++b)
    for (const BlockId latch : latches)
      if (cfg.reachable(BlockId{b}) && reach(cfg, {BlockId{b}}, header).contains(latch.id))
        loop.insert(b);
  return loop;
}

Blocks blocks_of(const Loops& loops, std::size_t l) {
  Blocks found;
  for (const BlockId b : loops.blocks(l)) found.insert(b.id);
  return found;
}

TEST(Loops, AreWhatTheDefinitionSays) {
  std::size_t nested = 0;
  on_random_graphs([&](const Cfg& cfg) {
    const Loops loops(cfg, Dominators::of(cfg));
    std::size_t headers = 0;
    for (std::uint32_t b = 0; b < cfg.blocks().size(); ++b)
      headers += !natural_loop(cfg, BlockId{b}).empty();
    EXPECT_EQ(headers, loops.loops().size());
    for (std::size_t l = 0; l < loops.loops().size(); ++l) {
      const Loop& loop = loops.loops()[l];
      const Blocks expected = natural_loop(cfg, loop.header);
      EXPECT_EQ(blocks_of(loops, l), expected);
      EXPECT_EQ(loops.blocks(l)[0], loop.header);
      for (std::uint32_t b = 0; b < cfg.blocks().size(); ++b)
        EXPECT_EQ(loops.contains(l, BlockId{b}), expected.contains(b));
      if (loop.parent) {
        ++nested;
        EXPECT_LT(*loop.parent, l);
        EXPECT_TRUE(loops.contains(*loop.parent, loop.header));
      }
    }
  });
  EXPECT_GT(nested, 20U);
}

TEST(Loops, TheInnermostLoopIsTheSmallest) {
  on_random_graphs([](const Cfg& cfg) {
    const Loops loops(cfg, Dominators::of(cfg));
    for (std::uint32_t b = 0; b < cfg.blocks().size(); ++b) {
      std::optional<std::size_t> smallest;
      for (std::size_t l = 0; l < loops.loops().size(); ++l)
        if (loops.contains(l, BlockId{b}) &&
            (!smallest || loops.blocks(l).size() < loops.blocks(*smallest).size()))
          smallest = l;
      EXPECT_EQ(loops.innermost(BlockId{b}), smallest);
    }
  });
}

TEST(Loops, PreheadersLeadNowhereElse) {
  on_random_graphs([](const Cfg& cfg) {
    const Loops loops(cfg, Dominators::of(cfg));
    for (std::size_t l = 0; l < loops.loops().size(); ++l) {
      Blocks outside;
      const BlockId header = loops.loops()[l].header;
      for (const BlockId p : cfg[header].predecessors)
        if (!loops.contains(l, p)) outside.insert(p.id);
      bool root = false;
      for (const BlockId r : cfg.roots()) root |= r == header;
      const bool expected =
          !root && outside.size() == 1 && cfg.blocks()[*outside.begin()].successors.size() == 1;
      EXPECT_EQ(loops.loops()[l].preheader.has_value(), expected);
      if (expected) {
        EXPECT_TRUE(outside.contains(loops.loops()[l].preheader->id));
      }
    }
  });
}

} // namespace
} // namespace sourir
