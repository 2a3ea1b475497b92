// Drawings of a program: control flow, dominators, versions with exits.
#pragma once

#include "sourir/analysis/drawing.h"
#include "sourir/analysis/version_analyses.h"

namespace sourir {

// The basic blocks of all versions that a root reaches, a cluster a version; the edges of control
// flow, and for each exit one to the block of each of its frames.
Drawing cfg_drawing(const Program& program, const Names& names);
Drawing dominators_drawing(const Program& program, const Names& names, bool post);
// A node a version; for each exit an edge to the version of each of its frames, labelled with the
// position of the exit and the target label.
Drawing versions_drawing(const Program& program, const Names& names);

} // namespace sourir
