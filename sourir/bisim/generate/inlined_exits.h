// Exits into bodies that the target has inlined as well. One frame of the target then stands for
// several, as in a version that was copied after inlining.
#pragma once

#include "sourir/bisim/generate/exit_targets.h"

namespace sourir::random {

class InlinedExits {
public:
  InlinedExits(VersionOutput& out, ExitTargets& targets) : out_(out), targets_(targets) {}

  // Remembers, of some gaps in inlined bodies, that exits may go there.
  void record(const BodyEnv& env, NodeId id, Spot at);
  std::optional<Metadata> exit(BodyEnv& env, NodeId id);

private:
  // Whether the spot is the gap of this node, reached by the same calls, and relies on nothing that
  // is not known in `env`.
  bool fits(const BodyEnv& env, const WrittenVersion& version, const InlinedSpot& spot, NodeId id,
            std::size_t levels) const;

  VersionOutput& out_;
  ExitTargets& targets_;
};

} // namespace sourir::random
