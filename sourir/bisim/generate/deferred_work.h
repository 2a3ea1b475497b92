// What an exit does instead of the version: nodes after the gap of the exit, whose instructions go
// into its `with` block or whose values go into its varmap.
#pragma once

#include "sourir/bisim/generate/tree_rewriter.h"

namespace sourir::random {

class DeferredWork {
public:
  // Values that the nodes give to variables become deferred values of the rewriter.
  DeferredWork(VersionOutput& out, TreeRewriter& rewriter) : out_(out), rewriter_(rewriter) {}

  // Defers some of the nodes from `id` on, and changes `scope` as they do. The node after them;
  // `id`: none could be deferred.
  NodeId defer_from(const BodyEnv& env, NodeId id, Metadata& exit, std::vector<VarIndex>& scope);

private:
  // Whether an expression has a value in every state, visibly; without errors every expression has.
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

} // namespace sourir::random
