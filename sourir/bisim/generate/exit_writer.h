// Exits in the gaps of a version: assumes and anchors to versions that stand already, to
// continuations, and to their own place.
#pragma once

#include "sourir/bisim/generate/deferred_work.h"
#include "sourir/bisim/generate/guard_maker.h"
#include "sourir/bisim/generate/inlined_exits.h"

namespace sourir::random {

class ExitWriter {
public:
  ExitWriter(VersionOutput& out, FactTrail& facts, TreeRewriter& rewriter)
      : out_(out), facts_(facts), rewriter_(rewriter) {}

  // Writes what comes before the node: sometimes a scope annotation, sometimes an exit; and records
  // the positions that exits of later versions may go to.
  void gap(BodyEnv& env, NodeId id);
  // The arm of the branch after the last gap that a guard there leaves as the only one; taken once.
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
