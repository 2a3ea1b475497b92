// The tree of one function while it is made: the variables in scope, the block that nodes are
// appended to, and what a run of the function costs.
#pragma once

#include "sourir/bisim/generate/random_context.h"
#include "sourir/bisim/generate/random_tree.h"

namespace sourir::random {

inline constexpr std::uint64_t kMostReads = 40; // of a run

// What a run of the function costs at most, as far as the function is made.
class RunCost {
public:
  explicit RunCost(std::uint64_t most_steps) : most_steps_(most_steps) {}

  std::uint64_t steps() const { return steps_; }
  std::uint64_t reads() const { return reads_; }
  // Executions of the statement being made in one call: the product of the loops around it.
  std::uint64_t times() const { return times_; }
  void enter_loop(std::uint64_t iterations) { times_ *= iterations; }
  void leave_loop(std::uint64_t iterations) { times_ /= iterations; }
  // A statement of so many steps and reads, at the current number of times.
  void add(std::uint64_t steps, std::uint64_t reads) {
    steps_ += times_ * steps;
    reads_ += times_ * reads;
  }
  bool affordable(std::uint64_t steps, std::uint64_t reads) const {
    return steps_ + times_ * steps <= most_steps_ && reads_ + times_ * reads <= kMostReads;
  }

private:
  std::uint64_t times_ = 1, steps_ = 0, most_steps_, reads_ = 0;
};

class TreeBuilder {
public:
  TreeBuilder(ChoiceSequence& choices, const Policy& policy, Tree& tree, std::uint64_t most_steps)
      : choices_(choices), policy_(policy), tree_(tree), cost_(most_steps) {}

  // A new variable in scope, whose declaration is appended next.
  VarIndex declare(const Type& type);
  void leave_scope(VarIndex k);
  const std::vector<VarIndex>& scope() const { return scope_; } // in order of declaration
  std::size_t own() const { return own_; } // those of the current block start here in scope()

  // A variable in scope whose values fit, or that is accepted; none if there is no such variable.
  std::optional<VarIndex> pick(const Type& want);
  template <class Accept>
  std::optional<VarIndex> pick_if(Accept&& accept);

  // Appends a node to the current block.
  NodeId append(Instruction instr, Shape shape = Shape::Plain);
  RunCost& cost() { return cost_; }
  const RunCost& cost() const { return cost_; }

  // Blocks: open() begins one inside of the node `owner`, close() returns it.
  struct Mark {
    Block block;
    NodeId owner;
    std::size_t begin, first_own;
  };
  Mark open(NodeId owner);
  Block close(const Mark& mark);
  void drop_own(const Mark& mark);
  std::uint32_t depth() const { return depth_; }
  const Block& block() const { return current_; }

private:
  ChoiceSequence& choices_;
  const Policy& policy_;
  Tree& tree_;
  RunCost cost_;
  std::vector<VarIndex> scope_;
  std::size_t own_ = 0;
  std::vector<std::uint32_t> free_names_;
  std::uint32_t next_name_ = 0;
  Block current_;
  NodeId owner_ = kNone;
  std::uint32_t depth_ = 0;
};

template <class Accept>
std::optional<VarIndex> TreeBuilder::pick_if(Accept&& accept) {
  if (scope_.empty()) return std::nullopt;
  const auto n = static_cast<std::uint32_t>(scope_.size());
  std::uint32_t at = choices_.below(n);
  for (std::uint32_t i = 0; i < n; ++i, at = at + 1 == n ? 0 : at + 1)
    if (accept(scope_[at])) return scope_[at];
  return std::nullopt;
}

} // namespace sourir::random
