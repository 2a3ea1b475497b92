// Exits in the gaps of a version: assumes and anchors to versions that exist already, to
// continuations, and to their own place; the work that they do instead of the version.
#pragma once

#include "sourir/bisim/generate/guard_maker.h"
#include "sourir/bisim/generate/random_exit_targets.h"
#include "sourir/bisim/generate/tree_rewriter.h"

namespace sourir::random {

// What an exit does instead of the version: nodes after the gap of the exit, whose instructions go
// into its `with` block or whose values go into its varmap.
class DeferredWork {
public:
  // Values that the nodes give to variables become deferred values of the rewriter.
  DeferredWork(VersionOutput& out, TreeRewriter& rewriter) : out_(out), rewriter_(rewriter) {}

  // Defers some of the nodes from `id` on, and changes `scope` as they do. The node after them;
  // `id`: none could be deferred.
  NodeId defer_from(const BodyEnv& env, NodeId id, Metadata& exit, std::vector<VarIndex>& scope);

private:
  // Whether the form of the expression shows that it has a value in every state. Without errors
  // every expression counts as total.
  bool total(const Expr& e) const;
  bool defer(const BodyEnv& env, const Node& node, bool last, Metadata& exit,
             std::vector<VarIndex>& scope);
  void defer_value(VarIndex k, Expr value, bool last, Metadata& exit);
  void defer_array(VarIndex k, DeferredInstr instr, Var made, std::size_t length, Metadata& exit);
  bool defer_store(const BodyEnv& env, const ArrayUpdate& i, Metadata& exit);

  VersionOutput& out_;
  TreeRewriter& rewriter_;
  std::vector<std::pair<Var, std::size_t>> made_; // arrays of the block, and their lengths
};

class ExitWriter {
public:
  ExitWriter(VersionOutput& out, FactTrail& facts, TreeRewriter& rewriter)
      : out_(out), facts_(facts), rewriter_(rewriter) {}

  // Writes what comes before the node: sometimes a scope annotation, sometimes an exit; and records
  // the positions that exits of later versions may go to.
  void gap(BodyEnv& env, NodeId id);
  // The only arm that a guard in the last gap allows of the branch after it; the call resets it.
  std::optional<bool> take_decided_arm() { return std::exchange(decided_arm_, std::nullopt); }

private:
  bool exit_at(BodyEnv& env, NodeId id);
  void put_exit(BodyEnv& env, NodeId id, Metadata exit);
  std::optional<std::pair<Expr, bool>> branch_guard(const BodyEnv& env, NodeId id);
  std::optional<Metadata> exit_here(BodyEnv& env, NodeId id);
  std::optional<Metadata> exit_back(BodyEnv& env, NodeId id);
  std::optional<Metadata> exit_ahead(BodyEnv& env, NodeId id);
  std::optional<Metadata> exit_to_continuation(BodyEnv& env, NodeId id);
  void begin_continuation(const BodyEnv& env, NodeId entry);
  bool self_target(BodyEnv& env);
  void annotate(const BodyEnv& env);

  VersionOutput& out_;
  FactTrail& facts_;
  TreeRewriter& rewriter_;
  ExitTargets targets_{out_, rewriter_};
  InlinedExits inlined_{out_, targets_};
  DeferredWork deferred_{out_, rewriter_};
  GuardMaker guards_{out_};
  std::optional<bool> decided_arm_;
};

} // namespace sourir::random
