#include "sourir/analysis/call_graph.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

#include <algorithm>
#include <numeric>

namespace sourir {
namespace {

const FunName* callee_of(const Instruction& instr) {
  const auto* const call = std::get_if<Call>(&instr);
  const auto* const simple = call != nullptr ? std::get_if<SimpleExpr>(&call->callee) : nullptr;
  return simple != nullptr ? std::get_if<FunName>(simple) : nullptr;
}

} // namespace

CallGraph::CallGraph(const Program& program)
    : order_(program.functions.size()), recursive_(program.functions.size()) {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  for (std::size_t f = 0; f < program.functions.size(); ++f)
    index_.emplace(program.functions[f].name, f);
  Graph graph(program.functions.size());
  for (std::size_t f = 0; f < program.functions.size(); ++f)
    for (const Version& v : program.functions[f].versions)
      for (const Stmt& stmt : v.body)
        if (const FunName* callee = callee_of(stmt.instr)) {
          const std::size_t to = index_.at(*callee);
          boost::add_edge(f, to, graph);
          if (to == f) recursive_[f] = 1;
        }
  std::vector<std::size_t> component(program.functions.size());
  std::vector<std::size_t> size(program.functions.size());
  // A component gets its number when all that it reaches have theirs.
  boost::strong_components(graph, boost::make_iterator_property_map(
                                      component.begin(), boost::get(boost::vertex_index, graph)));
  for (const std::size_t c : component) ++size[c];
  for (std::size_t f = 0; f < component.size(); ++f)
    if (size[component[f]] > 1) recursive_[f] = 1;
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::size_t a, std::size_t b) { return component[a] < component[b]; });
}

std::optional<std::size_t> CallGraph::index(FunName function) const {
  const auto found = index_.find(function);
  return found == index_.end() ? std::nullopt : std::optional(found->second);
}

} // namespace sourir
