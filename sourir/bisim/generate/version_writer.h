// Writes the versions of a function from its tree. The first one, the base, is the tree itself. The
// others have exits to versions that exist already, at gaps of the tree, and are specialized;
// whatever they do between the gaps, at a gap their state is that of the tree.
#pragma once

#include "sourir/bisim/generate/exit_writer.h"

namespace sourir::random {

// Control and calls of one version; ExitWriter fills the gaps, TreeRewriter the operands.
class VersionWriter {
public:
  // Version `version` of the function, which was planned (version_output.h).
  VersionWriter(Generation& generation, std::deque<WrittenFunction>& functions,
                WrittenFunction& function, std::size_t version)
      : out_(generation, functions, function, version) {}
  VersionWriter(const VersionWriter&) = delete;
  VersionWriter& operator=(const VersionWriter&) = delete;

  void write();

private:
  void resume(BodyEnv& env, NodeId entry);
  void block(BodyEnv& env, NodeId first);
  void node(BodyEnv& env, NodeId id);
  void plain(BodyEnv& env, NodeId id);
  void declare(BodyEnv& env, VarIndex k, Instruction instr);
  void write_return(BodyEnv& env, const Return& instr);
  void branch(BodyEnv& env, NodeId id);
  bool enter_loop(BodyEnv& env, NodeId id);
  void loop(BodyEnv& env, NodeId id);
  void call(BodyEnv& env, NodeId id);
  // The function whose body is written in place of the call; null: the call stays.
  WrittenFunction* inlinable(const BodyEnv& env, const Call& call);
  void inline_call(BodyEnv& env, NodeId id, const Call& call, WrittenFunction& callee);

  VersionOutput out_;
  FactTrail facts_{out_};
  TreeRewriter rewriter_{out_};
  ExitWriter exits_{out_, facts_, rewriter_};
  Label header_;                // of the loop that was entered last
  std::optional<Label> peeled_; // where an iteration peeled off it continues if it ends the loop
};

} // namespace sourir::random
