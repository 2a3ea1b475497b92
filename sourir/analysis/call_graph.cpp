#include "sourir/analysis/call_graph.h"

#include "sourir/syntax/exits.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

#include <algorithm>

namespace sourir {

const FunName* constant_callee(const Call& call) {
  const auto* const simple = std::get_if<SimpleExpr>(&call.callee);
  return simple != nullptr ? std::get_if<FunName>(simple) : nullptr;
}

CallGraph::CallGraph(const Program& program) {
  for (const Function& f : program.functions)
    index_.emplace(f.name, static_cast<Index>(index_.size()));
  callees_.resize(index_.size());
  unknown_.resize(index_.size());
  for (const Function& f : program.functions) add_callees(f);
  find_components();
}

void CallGraph::add_callees(const Function& function) {
  const Index self = index(function.name);
  std::vector<Index>& callees = callees_[self];
  for (const Version& version : function.versions)
    for (const Stmt& stmt : version.body) {
      if (const auto* const call = std::get_if<Call>(&stmt.instr)) {
        const FunName* const name = constant_callee(*call);
        if (name != nullptr && index_.contains(*name))
          callees.push_back(index(*name));
        else
          unknown_[self] = 1;
      }
      const Metadata* const exit = exit_of(stmt.instr);
      for (std::size_t i = 0; exit != nullptr && i < frame_count(*exit); ++i)
        if (const FunName to = frame_at(*exit, i).target->function; to != function.name)
          callees.push_back(index(to));
    }
  std::sort(callees.begin(), callees.end());
  callees.erase(std::unique(callees.begin(), callees.end()), callees.end());
}

void CallGraph::find_components() {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  Graph graph(size());
  for (Index f = 0; f < size(); ++f)
    for (const Index g : callees_[f]) boost::add_edge(f, g, graph);
  component_.resize(size());
  // Boost numbers a component after all components that it reaches: callees first.
  components_.resize(static_cast<std::size_t>(boost::strong_components(
      graph, boost::make_iterator_property_map(component_.begin(),
                                               boost::get(boost::vertex_index, graph)))));
  for (Index f = 0; f < size(); ++f) components_[component_[f]].push_back(f);
}

bool CallGraph::recursive(Index f) const {
  return components_[component_[f]].size() > 1 ||
         std::binary_search(callees_[f].begin(), callees_[f].end(), f);
}

} // namespace sourir
