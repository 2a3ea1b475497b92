// The targets of the exits of a generated version, and the frames that the exits make.
#pragma once

#include "sourir/bisim/generate/guard_maker.h"
#include "sourir/bisim/generate/tree_rewriter.h"

namespace sourir::random {

class ExitTargets {
public:
  struct Target {
    WrittenVersion* version;
    Spot spot;
  };

  // The rewriter's deferred values are those of the state that the exit makes.
  ExitTargets(VersionOutput& out, const TreeRewriter& rewriter) : out_(out), rewriter_(rewriter) {}

  std::size_t candidates(const BodyEnv& env) const;
  // A version that has the gap before the node and relies there only on facts known in `env`.
  // `exits_too`: preferably the exit that it has in that gap, so that exits cascade.
  std::optional<Target> find(const BodyEnv& env, NodeId id, bool exits_too);
  // Labels the position.
  Place place(const BodyEnv& env, const Target& target);
  std::vector<Binding> varmap(const BodyEnv& env, const WrittenVersion& target,
                              const std::vector<VarIndex>& scope) const;
  // The frame of the body itself, over these variables.
  Frame frame(const BodyEnv& env, const Target& target, const std::vector<VarIndex>& scope);
  // Adds the frames of the functions that the body is inlined into. False: one of them has no
  // version that an exit may enter here.
  bool add_outer_frames(const BodyEnv& env, Metadata& exit);

private:
  Label label_at(WrittenVersion& version, std::uint32_t position);

  VersionOutput& out_;
  const TreeRewriter& rewriter_;
};

// Exits into bodies that the target has inlined as well. One frame of the target then stands for
// several, as in a version that was copied after inlining.
class InlinedExits {
public:
  InlinedExits(VersionOutput& out, ExitTargets& targets) : out_(out), targets_(targets) {}

  // Records some gaps in inlined bodies as targets of exits.
  void record(const BodyEnv& env, NodeId id, Spot at);
  std::optional<Metadata> exit(BodyEnv& env, NodeId id);

private:
  // Whether the spot is the gap of this node, reached by the same calls, and relies only on facts
  // known in `env`.
  bool fits(const BodyEnv& env, const WrittenVersion& version, const InlinedSpot& spot, NodeId id,
            std::size_t levels) const;

  VersionOutput& out_;
  ExitTargets& targets_;
};

} // namespace sourir::random
