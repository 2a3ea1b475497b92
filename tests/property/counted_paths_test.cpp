// What counters of events rest on: the numbers of paths, and the edges of loops that are counted;
// each against walks through random graphs.
#include "native/llvm_lowering/counted_loop_edges.h"
#include "native/llvm_lowering/path_numbering.h"
#include "tests/property/cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace sourir::testing {

namespace {

using native::EdgeWorth;
using native::FlowEdge;
using native::LoopEdge;
using native::PathNumbering;

// --- Paths ---

using Path =
    std::vector<std::pair<std::uint32_t, std::uint32_t>>; // nodes, and the edges after them

Path path_of(const PathNumbering& numbers, std::uint64_t number) {
  Path path;
  for (const PathNumbering::Step& s : numbers.path(number)) path.emplace_back(s.node, s.edge);
  return path;
}

// A graph whose nodes are all reachable: of any shape, with several edges between two nodes, and
// some edges that are cut from the beginning.
class Flow {
public:
  explicit Flow(ChoiceSequence& choices)
      : nodes_(1 + choices.below(9)), most_prefixes_(prefixes(choices)) {
    for (std::uint32_t n = 1; n < nodes_; ++n) add(choices.below(n), n, choices);
    for (std::uint32_t more = choices.below(2 * nodes_); more > 0; --more)
      add(choices.below(nodes_), choices.below(nodes_), choices);
  }

  std::uint32_t nodes() const { return nodes_; }
  std::uint64_t most_prefixes() const { return most_prefixes_; }
  const std::vector<FlowEdge>& edges() const { return edges_; }
  PathNumbering numbered() const { return {nodes_, edges_, most_prefixes_}; }
  std::vector<std::uint32_t> out(std::uint32_t node) const {
    std::vector<std::uint32_t> result;
    for (std::uint32_t e = 0; e < edges_.size(); ++e)
      if (edges_[e].from == node) result.push_back(e);
    return result;
  }
  bool reaches(std::uint32_t from, std::uint32_t to) const {
    std::set<std::uint32_t> reached{from};
    for (std::size_t before = 0; before != reached.size();) {
      before = reached.size();
      for (const FlowEdge& e : edges_)
        if (reached.contains(e.from)) reached.insert(e.to);
    }
    return reached.contains(to);
  }

private:
  static std::uint64_t prefixes(ChoiceSequence& choices) {
    constexpr std::uint64_t kMany = 1 << 20;
    return choices.chance(1, 3) ? kMany : 1 + choices.below(6);
  }
  void add(std::uint32_t from, std::uint32_t to, ChoiceSequence& choices) {
    edges_.push_back({from, to, choices.chance(1, 10)});
  }

  std::uint32_t nodes_;
  std::uint64_t most_prefixes_;
  std::vector<FlowEdge> edges_;
};

// Keeps the path register as code does, and the path beside it.
class Walk {
public:
  explicit Walk(const PathNumbering& numbers)
      : numbers_(numbers), register_(numbers.start_at_entry()) {}

  void at(std::uint32_t node) { path_.emplace_back(node, PathNumbering::kNoEdge); }
  void take(std::uint32_t edge) {
    path_.back().second = edge;
    register_ += numbers_.added_by(edge);
    if (!numbers_.is_cut(edge)) return;
    end();
    register_ = numbers_.start_after(edge);
  }
  void end() {
    RC_ASSERT(register_ < numbers_.paths());
    RC_ASSERT(path_of(numbers_, register_) == path_);
    path_.clear();
  }

private:
  const PathNumbering& numbers_;
  std::uint64_t register_;
  Path path_;
};

void the_register_is_the_number_of_the_path(ChoiceSequence& choices) {
  const Flow flow(choices);
  const PathNumbering numbers = flow.numbered();
  Walk walk(numbers);
  walk.at(0);
  std::uint32_t node = 0;
  for (int steps = 0; steps < 100; ++steps) {
    const std::vector<std::uint32_t> out = flow.out(node);
    if (out.empty()) return walk.end();
    const std::uint32_t edge = out[choices.below(static_cast<std::uint32_t>(out.size()))];
    walk.take(edge);
    node = flow.edges()[edge].to;
    walk.at(node);
  }
}

// All paths, found without numbers: from the entry and the targets of cut edges.
std::set<Path> all_paths(const Flow& flow, const PathNumbering& numbers) {
  std::set<std::uint32_t> starts{0};
  for (std::uint32_t e = 0; e < flow.edges().size(); ++e)
    if (numbers.is_cut(e)) starts.insert(flow.edges()[e].to);
  std::vector<Path> open;
  for (const std::uint32_t n : starts) open.push_back({{n, PathNumbering::kNoEdge}});
  std::set<Path> all;
  while (!open.empty()) {
    Path path = std::move(open.back());
    open.pop_back();
    RC_ASSERT(path.size() <= flow.nodes()); // otherwise a cycle without a cut
    const std::vector<std::uint32_t> out = flow.out(path.back().first);
    if (out.empty()) all.insert(path);
    for (const std::uint32_t e : out) {
      path.back().second = e;
      if (numbers.is_cut(e)) {
        all.insert(path);
        continue;
      }
      open.push_back(path);
      open.back().emplace_back(flow.edges()[e].to, PathNumbering::kNoEdge);
    }
  }
  return all;
}

void numbers_are_those_of_all_paths(ChoiceSequence& choices) {
  const Flow flow(choices);
  const PathNumbering numbers = flow.numbered();
  const std::set<Path> all = all_paths(flow, numbers);
  RC_ASSERT(numbers.paths() == all.size());
  std::set<Path> numbered;
  for (std::uint64_t n = 0; n < numbers.paths(); ++n) numbered.insert(path_of(numbers, n));
  RC_ASSERT(numbered == all);
}

void cuts_bound_the_prefixes(ChoiceSequence& choices) {
  const Flow flow(choices);
  const PathNumbering numbers = flow.numbered();
  std::map<std::uint32_t, std::set<Path>> prefixes; // by the node that they reach
  for (const Path& path : all_paths(flow, numbers))
    for (std::size_t n = 0; n < path.size(); ++n)
      prefixes[path[n].first].insert({path.begin(), path.begin() + static_cast<std::ptrdiff_t>(n)});
  for (const auto& [node, reaching] : prefixes) RC_ASSERT(reaching.size() <= flow.most_prefixes());
}

// An edge that was not to be cut is cut where it closes a cycle, or with all others into a merge.
void nothing_else_is_cut(ChoiceSequence& choices) {
  const Flow flow(choices);
  const PathNumbering numbers = flow.numbered();
  for (std::uint32_t e = 0; e < flow.edges().size(); ++e) {
    const FlowEdge& edge = flow.edges()[e];
    if (edge.cut) RC_ASSERT(numbers.is_cut(e));
    if (edge.cut || !numbers.is_cut(e) || flow.reaches(edge.to, edge.from)) continue;
    std::size_t into = 0;
    for (std::uint32_t other = 0; other < flow.edges().size(); ++other)
      if (flow.edges()[other].to == edge.to) {
        ++into;
        RC_ASSERT(numbers.is_cut(other));
      }
    RC_ASSERT(into > 1);
  }
}

TEST(PathNumbering, TheRegisterIsTheNumberOfThePath) {
  check_choices(the_register_is_the_number_of_the_path, 50);
}
TEST(PathNumbering, NumbersAreThoseOfAllPaths) {
  check_choices(numbers_are_those_of_all_paths, 20);
}
TEST(PathNumbering, CutsBoundThePrefixes) { check_choices(cuts_bound_the_prefixes, 20); }
TEST(PathNumbering, NothingElseIsCut) { check_choices(nothing_else_is_cut, 50); }

// --- Loops ---

struct RandomLoop {
  explicit RandomLoop(ChoiceSequence& choices) : blocks(1 + choices.below(7)) {
    for (std::uint32_t n = 1; n < blocks; ++n) {
      add(choices.below(n), n, choices); // each is reached from the header, and leads back to it
      add(n, choices.below(n), choices);
    }
    add(choices.below(blocks), LoopEdge::kOutside, choices);
    for (std::uint32_t more = choices.below(blocks + 2); more > 0; --more) {
      const std::uint32_t to = choices.below(blocks + 1);
      add(choices.below(blocks), to == blocks ? LoopEdge::kOutside : to, choices);
    }
  }

  // The number of edges from there to the outside, at least.
  std::uint32_t way_out(std::uint32_t block) const {
    std::set<std::uint32_t> near{LoopEdge::kOutside};
    for (std::uint32_t length = 0;; ++length) {
      if (near.contains(block)) return length;
      const std::set<std::uint32_t> before = near;
      for (const LoopEdge& e : edges)
        if (before.contains(e.to)) near.insert(e.from);
    }
  }

  std::uint32_t blocks;
  std::vector<LoopEdge> edges;

private:
  void add(std::uint32_t from, std::uint32_t to, ChoiceSequence& choices) {
    edges.push_back({from, to, choices.below(4)});
  }
};

struct Executions {
  std::vector<std::int64_t> of_block, of_edge;
};

// Some executions of the loop, each from the header to the outside.
Executions executed(const RandomLoop& loop, ChoiceSequence& choices) {
  Executions n{std::vector<std::int64_t>(loop.blocks),
               std::vector<std::int64_t>(loop.edges.size())};
  for (std::uint32_t times = 1 + choices.below(3); times > 0; --times)
    for (std::uint32_t block = 0, steps = 0; block != LoopEdge::kOutside; ++steps) {
      ++n.of_block[block];
      std::vector<std::uint32_t> out;
      for (std::uint32_t e = 0; e < loop.edges.size(); ++e)
        if (loop.edges[e].from == block) out.push_back(e);
      // After some steps straight out.
      const std::uint32_t edge =
          steps > 50 ? *std::ranges::min_element(
                           out, {}, [&](std::uint32_t e) { return loop.way_out(loop.edges[e].to); })
                     : out[choices.below(static_cast<std::uint32_t>(out.size()))];
      ++n.of_edge[edge];
      block = loop.edges[edge].to;
    }
  return n;
}

void counted_edges_tell_all_executions(ChoiceSequence& choices) {
  const RandomLoop loop(choices);
  const std::vector<EdgeWorth> counted = native::counted_edges(loop.blocks, loop.edges);
  const Executions n = executed(loop, choices);
  std::vector<std::int64_t> told(loop.blocks);
  for (const EdgeWorth& e : counted)
    for (std::uint32_t b = 0; b < loop.blocks; ++b) told[b] += n.of_edge[e.edge] * e.executions[b];
  RC_ASSERT(told == n.of_block);
}

// Those out of the loop, and of the others as few as possible.
void few_edges_are_counted(ChoiceSequence& choices) {
  const RandomLoop loop(choices);
  const std::vector<EdgeWorth> counted = native::counted_edges(loop.blocks, loop.edges);
  std::set<std::uint32_t> edges;
  for (const EdgeWorth& e : counted) edges.insert(e.edge);
  RC_ASSERT(edges.size() == counted.size());
  for (std::uint32_t e = 0; e < loop.edges.size(); ++e)
    if (loop.edges[e].to == LoopEdge::kOutside) RC_ASSERT(edges.contains(e));
  RC_ASSERT(counted.size() == loop.edges.size() - (loop.blocks - 1));
}

TEST(CountedLoopEdges, TellAllExecutions) { check_choices(counted_edges_tell_all_executions, 50); }
TEST(CountedLoopEdges, AreFew) { check_choices(few_edges_are_counted, 20); }

} // namespace

} // namespace sourir::testing
