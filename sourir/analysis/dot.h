// Graphs of a program in the language of Graphviz: control flow, dominators, versions with exits.
#pragma once

#include "sourir/analysis/version_analyses.h"

#include <string>

namespace sourir {

// One digraph for the whole program, a cluster a version.
std::string cfg_dot(const Program& program, const Names& names);
std::string dominators_dot(const Program& program, const Names& names, bool post);
// Versions, and for each exit an edge to its target, labelled with the position of the exit, and
// dashed edges to its outer frames.
std::string versions_dot(const Program& program, const Names& names);

} // namespace sourir
