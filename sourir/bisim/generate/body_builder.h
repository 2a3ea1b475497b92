// The body of one function as a tree: statements drawn one after another, each over the variables
// in scope.
#pragma once

#include "sourir/bisim/generate/expression_maker.h"
#include "sourir/bisim/generate/random_context.h"
#include "sourir/bisim/generate/tree_builder.h"

#include <array>

namespace sourir::random {

class BodyBuilder {
public:
  // A tree of about `size` nodes, for a function that takes at most `most_steps` steps, about.
  BodyBuilder(Generation& generation, Tree& tree, std::uint32_t size, std::uint64_t most_steps);

  // The body of a function with this signature. If its first parameter is fuel, the body may call
  // the unfinished callees of the library.
  void function(const Signature& signature);
  void main();

  std::uint64_t steps() const { return nodes_.cost().steps(); }
  std::uint64_t reads() const { return nodes_.cost().reads(); }
  std::uint32_t calls_back() const { return calls_back_; }

private:
  enum class Statement : std::uint8_t {
    Print,
    Declare,
    Assign,
    Alias,
    Array,
    Store,
    Branch,
    KindBranch,
    Loop,
    Call,
    CallThrough,
    Read,
    Assert,
    Hint,
    Drop,
    Cycle,
    kCount
  };

  ChoiceSequence& choices() { return generation_.choices; }
  bool has(Feature f) const { return policy_.has(f); }
  bool room() const { return nodes_.scope().size() < policy_.scope; }
  RunCost& cost() { return nodes_.cost(); }

  void statement();
  void print();
  void declare_scalar();
  void assign();
  void alias();
  void make_some_array();
  void store();
  void cycle();
  void read();
  void assertion();
  void hint();
  void drop();
  void branch();
  void kind_branch();
  void loop();
  void call();
  void call_through();
  void call_to(Expr callee, const Signature& signature, bool back);

  void statements(std::uint32_t mean);
  void two_arms(Expr condition, std::optional<VarIndex> narrowed, TypeSet if_true);
  void arm(NodeId owner, bool second, bool may_end, std::optional<VarIndex> drop);
  void return_or_stop();
  void out_of_fuel();

  Generation& generation_;
  const Policy& policy_;
  Tree& tree_;
  TreeBuilder nodes_;
  ExpressionMaker values_;
  std::array<std::uint16_t, static_cast<std::size_t>(Statement::kCount)> weights_{};
  std::uint32_t weight_sum_ = 0;
  std::uint32_t size_, calls_back_ = 0;
  bool is_main_ = false;
};

} // namespace sourir::random
