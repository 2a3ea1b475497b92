// Makes the tree of one function: statements as builders over a tracker of what is in scope.
#pragma once

#include "sourir/bisim/generate/random_names.h"
#include "sourir/bisim/generate/random_policy.h"
#include "sourir/bisim/generate/random_tree.h"

#include <array>

namespace sourir::random {

// What calls may go to, and what that costs.
struct Callee {
  FunName name;
  Signature signature;
  std::uint64_t steps = 0, reads = 0; // at most, about
  bool called = false;
};
struct Family { // functions of one signature that values and tables may hold
  Signature signature;
  std::vector<std::uint32_t> members; // index into Library::callees
  std::uint64_t steps = 0, reads = 0;
};
struct Library {
  std::vector<Callee> callees;
  std::vector<Family> families;
  std::uint32_t finished = 0; // callees before it are there; those behind are being made
};

struct Context {
  Tape& tape;
  const Policy& policy;
  NamePool& names;
  Library library = {};
  std::int64_t left = 0; // instructions that versions may still have, about
};

class BodyBuilder {
public:
  BodyBuilder(Context& context, Tree& tree, std::uint32_t size, std::uint64_t most_steps);

  // The body of a function with this signature; the unfinished callees of the library may be
  // called back if it has fuel.
  void function(const Signature& signature);
  void main();

  std::uint64_t steps() const { return steps_; }
  std::uint64_t reads() const { return reads_; }
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

  // --- the tracker (random_scope.cpp)
  VarIndex declare(const Type& type);
  void leave_scope(VarIndex k);
  bool room() const { return scope_.size() < policy_.scope; }
  // A variable in scope whose values fit.
  std::optional<VarIndex> pick(const Type& want);
  template <class Accept>
  std::optional<VarIndex> pick_if(Accept&& accept);
  NodeId append(Instruction instr, Shape shape = Shape::Plain);
  Tape& tape() { return context_.tape; }
  bool has(Feature f) const { return policy_.has(f); }

  // --- expressions (random_expr.cpp)
  Kind pick_kind(TypeSet set);
  Literal literal(Kind k, const Type& want);
  std::int64_t integer();
  double floating();
  FunName function_value(std::uint8_t family);
  SimpleExpr simple(const Type& want);
  Expr expr(const Type& want);
  Expr int_operation();
  Expr float_operation();
  Expr bool_operation();
  Expr comparison();
  Expr kind_test();
  std::optional<Expr> element(const Type& want);
  std::optional<SimpleExpr> index_inside(VarIndex array);
  // Whether an operand may be of a wrong kind or value here.
  bool goes_wrong() { return policy_.errors > 0 && tape().chance(policy_.errors, 1000); }
  SimpleExpr array(const Type& want);
  VarIndex make_array(const Type& want);

  // --- statements (random_statements.cpp, random_control.cpp)
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
  bool affordable(std::uint64_t steps, std::uint64_t reads) const;

  // --- blocks (random_control.cpp)
  struct Mark {
    Block block;
    NodeId owner;
    std::size_t begin, first_own;
  };
  void two_arms(Expr condition, std::optional<VarIndex> narrowed, TypeSet if_true);
  void arm(NodeId owner, bool second, bool may_leave, std::optional<VarIndex> drop);
  void statements(std::uint32_t mean);
  Mark open(NodeId owner);
  Block close(const Mark& mark);
  void drop_own(const Mark& mark);
  void leave();
  void out_of_fuel();

  Context& context_;
  const Policy& policy_;
  Tree& tree_;
  std::array<std::uint16_t, static_cast<std::size_t>(Statement::kCount)> weights_{};
  std::uint32_t weight_sum_ = 0;
  TypeSet kinds_; // that occur as literals

  std::vector<VarIndex> scope_; // in order of declaration
  std::size_t own_ = 0;         // those of the block being made start here in scope_
  std::vector<std::uint32_t> free_names_;
  std::uint32_t next_name_ = 0;
  Block current_;
  NodeId owner_ = kNone;
  std::uint32_t size_, depth_ = 0, loops_ = 0;
  std::uint64_t times_ = 1; // that the statement being made is done at most
  std::uint64_t steps_ = 0, most_steps_, reads_ = 0;
  std::uint32_t calls_back_ = 0;
  bool is_main_ = false;
};

inline constexpr std::uint64_t kMostReads = 40;    // of a run
inline constexpr std::uint32_t kMostCallsBack = 2; // in the body of a recursive function

template <class Accept>
std::optional<VarIndex> BodyBuilder::pick_if(Accept&& accept) {
  if (scope_.empty()) return std::nullopt;
  const auto n = static_cast<std::uint32_t>(scope_.size());
  std::uint32_t at = tape().below(n);
  for (std::uint32_t i = 0; i < n; ++i, at = at + 1 == n ? 0 : at + 1)
    if (accept(scope_[at])) return scope_[at];
  return std::nullopt;
}

} // namespace sourir::random
