// A directed graph to be drawn, and its text for Graphviz and for Mermaid.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sourir {

struct Drawing {
  struct Node {
    std::string id; // letters, digits and _; different from all others of the drawing
    std::string text;
    bool active = false; // drawn bold
  };
  struct Cluster { // nodes with a frame around them; without a name: none
    std::string id, name;
    std::vector<Node> nodes;
  };
  enum class Line : std::uint8_t {
    Flow,  // of control, or of a tree
    Exit,  // from an exit to the code of its innermost frame
    Outer, // from an exit to the code of an outer frame
  };
  struct Edge {
    std::string from, to; // nodes
    std::string label;    // empty: none
    Line line = Line::Flow;
  };
  std::vector<Cluster> clusters;
  std::vector<Edge> edges;
  bool code = false; // texts are lines of code
};

std::string to_dot(const Drawing& drawing);
std::string to_mermaid(const Drawing& drawing);

} // namespace sourir
