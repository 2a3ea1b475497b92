// Graphs of a program in the language of Graphviz: control flow, dominators, versions with exits.
#pragma once

#include "sourir/analysis/version_analyses.h"

#include <string>

namespace sourir {

// One digraph for the whole program, a cluster a version.
std::string cfg_dot(const Program& program, const Names& names);
std::string dominators_dot(const Program& program, const Names& names, bool post);
// Versions, the active ones bold; for each exit an edge to its target and dashed edges to its outer
// frames, labelled with the position of the exit and the target label.
std::string versions_dot(const Program& program, const Names& names);

} // namespace sourir
