// Random control-flow graphs as versions: one branch, goto or stop a block.
#pragma once

#include "sourir/syntax/ast.h"

#include <random>
#include <string>

namespace sourir::testing {

inline Label graph_label(Names& names, std::size_t n) {
  return names.intern<Label>("L" + std::to_string(n));
}

inline Version random_graph(std::mt19937& random, std::size_t blocks, Names& names) {
  Version version{.name = names.intern<VerName>("v")};
  for (std::size_t n = 0; n < blocks; ++n) {
    const auto target = [&] { // near ones more often, so that loops nest
      const std::size_t far = random() % blocks, near = (n + blocks - 1 + random() % 4) % blocks;
      return graph_label(names, random() % 4 == 0 ? far : near);
    };
    Stmt stmt;
    stmt.leading.labels.push_back(graph_label(names, n));
    const auto kind = random() % 8;
    if (kind < 4)
      stmt.instr = Branch{SimpleExpr(true), target(), target()};
    else if (kind < 7)
      stmt.instr = Goto{target()};
    else
      stmt.instr = Stop{};
    version.body.push_back(std::move(stmt));
  }
  return version;
}

} // namespace sourir::testing
