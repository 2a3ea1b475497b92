// Writes the versions of a function from its tree. The first one, the base, says what the tree
// says. The others take exits to versions that stand already, at gaps of the tree, and are
// specialized; whatever they do between the gaps, at a gap their state is that of the tree.
#pragma once

#include "sourir/bisim/generate/random_body.h"

#include <deque>

namespace sourir::random {

// What a version has relied on since some assume or context: a chain, so that a place remembers
// its facts at no cost. An exit may enter that place only where these facts hold.
using FactId = std::uint32_t;
struct Fact {
  VarIndex variable;
  std::optional<Literal> equals; // else: it is of this kind
  Kind kind;
  FactId before; // kNone: the first one
};

struct Spot {
  std::uint32_t position = kNone; // in the body; kNone: the version does not have it
  FactId facts = kNone;
};

// A place in a body that was inlined, by the calls that lead there, innermost first.
struct InlinedSpot {
  struct Level {
    NodeId call = kNone; // in the caller; kNone in the version's own function
    Var result = {};     // of that call
    FactId facts = kNone;
    std::vector<std::pair<VarIndex, Var>> names; // in scope
  };
  NodeId node = kNone;
  std::uint32_t position = 0;
  std::vector<Level> levels;
};

struct Written {
  Version out;
  bool finished = false;
  bool targeted = false;              // an exit names it
  std::vector<Var> real;              // the names of the tree's variables here
  std::vector<std::uint8_t> left_out; // constants that are no variables here
  std::vector<Spot> at;               // by node: where it stands
  std::vector<Spot> exit;             // by node: the exit before it, if there is one
  std::vector<Spot> after;            // by call: the position behind it
  std::vector<InlinedSpot> inlined;
  std::vector<Fact> facts;
  std::vector<Label> exit_labels; // by position: the label for exits that come here
  std::uint32_t next_label = 0, next_var = 0;
  NodeId entry = kNone; // of a continuation
  Label entry_label = {};
  std::vector<VarIndex> entry_scope;
};

struct WrittenFunction {
  Tree tree;
  std::deque<Written> versions; // base, then as they were begun
  std::uint32_t conts = 0;
};

class VersionWriter {
public:
  VersionWriter(Context& context, std::deque<WrittenFunction>& functions, WrittenFunction& function,
                std::size_t version);

  // Chooses the names, what is left out, and (`when`) a context.
  void plan(bool when);
  void write();

private:
  struct Slot {
    Var name;
    SimpleExpr value; // the name, or a literal that it is known to have
    bool absent = false;
    std::optional<Kind> kind;
  };
  // A body being written: the function's own, or one that is inlined.
  struct Env {
    WrittenFunction& function;
    std::vector<Slot> slots;
    std::vector<VarIndex> scope = {};
    Env* caller = nullptr;
    NodeId call = kNone; // the caller's
    Var result = {};     // its name in the version being written
    std::optional<Label> join = {};
    FactId facts = kNone;
    // The first of the nodes without effect that end here, and the size of the scope before it.
    NodeId run = kNone;
    std::size_t run_scope = 0;

    const Tree& tree() const { return function.tree; }
  };
  struct UndoFact {
    VarIndex variable;
    Slot old;
    FactId facts;
    const Env* env;
  };
  using Ahead = std::vector<std::pair<VarIndex, Expr>>;

  // --- control (random_writer.cpp)
  Env own_env();
  void push(Instruction instr);
  Label fresh_label() { return context_.names.label(version_.next_label++); }
  Var fresh_var() { return context_.names.var(version_.next_var++); }
  void block(Env& env, NodeId first);
  void node(Env& env, NodeId id);
  void plain(Env& env, NodeId id);
  void declare(Env& env, VarIndex k, Instruction instr);
  void leave(Env& env, const Return& instr);
  void branch(Env& env, NodeId id);
  bool enter_loop(Env& env, NodeId id);
  void loop(Env& env, NodeId id);
  void resume(Env& env, NodeId entry);
  Spot here(const Env& env) const {
    return {static_cast<std::uint32_t>(version_.out.body.size()), env.facts};
  }
  // Whether it is the version's only place for the gaps of its own tree.
  bool in_place(const Env& env) const { return !env.caller && peeling_ == 0; }
  void finish();

  // --- inlining (random_inline.cpp)
  void call(Env& env, NodeId id);
  WrittenFunction* inlinable(const Env& env, const Call& call);
  void inline_call(Env& env, NodeId id, const Call& call, WrittenFunction& callee);

  // --- expressions (random_rewrite.cpp)
  SimpleExpr simple(const Env& env, const SimpleExpr& e) const;
  Expr expr(const Env& env, const Expr& e) const;
  std::vector<Expr> exprs(const Env& env, const std::vector<Expr>& es) const;
  Var name(const Env& env, Var x) const { return env.slots[x.id].name; }
  // The value of the expression where it is known.
  std::optional<Literal> known(const Env& env, const Expr& e) const;

  // --- facts (random_facts.cpp)
  bool may_be_literal(const Tree& tree, VarIndex k) const;
  void learn(Env& env, VarIndex k, std::optional<Literal> equals, Kind kind);
  void forget(Env& env, std::size_t mark);
  bool implied(const Env& env, const Written& target, FactId facts) const;
  struct Guard {
    Expr test;
    VarIndex variable = kNone; // what is known behind it
    std::optional<Literal> equals = {};
    Kind kind = Kind::Nil;
  };
  Guard guard(const Env& env);
  FunName member(std::uint8_t family);
  Guard fact_guard(const Env& env, VarIndex k);
  Expr some_test(const Env& env);
  void context();

  // --- exits (random_exits.cpp, random_ahead.cpp, random_nested.cpp)
  void gap(Env& env, NodeId id);
  bool exit_at(Env& env, NodeId id);
  void put_exit(Env& env, NodeId id, Metadata exit);
  std::optional<std::pair<Expr, bool>> branch_guard(const Env& env, NodeId id);
  struct Target {
    Written* version;
    Spot spot;
  };
  std::optional<Target> target(const Env& env, NodeId id, bool exits_too);
  Place place(const Env& env, const Target& target);
  Label label_at(Written& version, std::uint32_t position);
  std::vector<Binding> varmap(const Env& env, const Written& target,
                              const std::vector<VarIndex>& scope) const;
  bool outer_frames(const Env& env, Metadata& exit);
  std::size_t candidates(const Env& env) const;
  std::optional<Metadata> exit_here(Env& env, NodeId id);
  std::optional<Metadata> exit_into_inlined(Env& env, NodeId id);
  void record_inlined(const Env& env, NodeId id, Spot at);
  bool fits(const Env& env, const Written& version, const InlinedSpot& spot, NodeId id,
            std::size_t levels) const;
  std::optional<Metadata> exit_back(Env& env, NodeId id);
  std::optional<Metadata> exit_ahead(Env& env, NodeId id);
  std::optional<Metadata> exit_to_continuation(Env& env, NodeId id);
  bool self_target(Env& env);
  void begin_continuation(const Env& env, NodeId entry);
  bool defer(const Env& env, const Node& node, bool last, Metadata& exit,
             std::vector<VarIndex>& scope);
  void defer_value(VarIndex k, Expr value, bool last, Metadata& exit);
  void defer_array(VarIndex k, DeferredInstr instr, Var made, std::size_t length, Metadata& exit);
  bool defer_store(const Env& env, const ArrayUpdate& i, Metadata& exit);
  bool total(const Expr& e) const;
  void note(const Env& env);

  Tape& tape() { return context_.tape; }
  bool has(Feature f) const { return context_.policy.has(f); }
  // For what is not in the tree. Where there is none, versions become short, not wrong.
  std::int64_t room() const {
    return context_.left - static_cast<std::int64_t>(function_.tree.nodes.size());
  }
  bool is_base() const { return number_ == 0; }
  bool is_continuation() const { return version_.entry != kNone; }

  Context& context_;
  std::deque<WrittenFunction>& functions_;
  WrittenFunction& function_;
  Written& version_;
  std::size_t number_;
  Marks pending_;
  std::vector<UndoFact> trail_;
  std::uint32_t peeling_ = 0, loops_ = 0, inlined_ = 0;
  Label header_;                // of the loop that was entered last
  std::optional<Label> peeled_; // where a round before it goes on that does not enter it
  std::optional<bool> arm_;     // the one that the guard just written has left over
  Ahead ahead_;                 // values of variables behind deferred instructions
  std::vector<std::pair<Var, std::size_t>> made_; // arrays of the block, and their lengths
};

} // namespace sourir::random
