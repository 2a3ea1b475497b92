#include "sourir/analysis/drawing.h"

#include <fmt/format.h>

#include <string_view>

namespace sourir {
namespace {

// With \l at the end of each line, for lines of code.
std::string in_dot(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\n') {
      result += "\\l";
    } else {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result + '"';
}

// Mermaid takes a number between # and ; for a character, and <br/> for a new line.
std::string in_mermaid(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::string result = "\"";
  bool indents = true;
  for (const char c : text) {
    indents = c == '\n' || (indents && c == ' ');
    if (c == '\n')
      result += "<br/>";
    else if (indents)
      result += "#160;";
    else if (std::string_view("\"#&;<>`\\").find(c) != std::string_view::npos)
      result += fmt::format("#{};", static_cast<int>(c));
    else
      result += c;
  }
  return result + '"';
}

std::string dot_attributes(const Drawing::Edge& edge) {
  std::string all;
  const auto add = [&](std::string_view one) { all.append(all.empty() ? "" : ", ").append(one); };
  if (!edge.label.empty()) add("label=" + in_dot(edge.label));
  if (edge.line == Drawing::Line::Exit) add("color=firebrick");
  if (edge.line == Drawing::Line::Outer) add("color=firebrick, style=dashed");
  return all.empty() ? "" : " [" + all + "]";
}

} // namespace

std::string to_dot(const Drawing& drawing) {
  std::string out = fmt::format("digraph {{\n  node [shape=box{}];\n",
                                drawing.code ? ", fontname=monospace" : "");
  for (const Drawing::Cluster& cluster : drawing.clusters) {
    const std::string indent = cluster.name.empty() ? "  " : "    ";
    if (!cluster.name.empty())
      out += fmt::format("  subgraph cluster_{} {{\n    label={};\n", cluster.id,
                         in_dot(cluster.name));
    for (const Drawing::Node& node : cluster.nodes)
      out += fmt::format("{}{} [label={}{}];\n", indent, node.id, in_dot(node.text),
                         node.active ? ", style=bold" : "");
    if (!cluster.name.empty()) out += "  }\n";
  }
  for (const Drawing::Edge& edge : drawing.edges)
    out += fmt::format("  {} -> {}{};\n", edge.from, edge.to, dot_attributes(edge));
  return out + "}\n";
}

std::string to_mermaid(const Drawing& drawing) {
  std::string out = "flowchart TD\n", active;
  for (const Drawing::Cluster& cluster : drawing.clusters) {
    const std::string indent = cluster.name.empty() ? "  " : "    ";
    if (!cluster.name.empty())
      out += fmt::format("  subgraph {} [{}]\n", cluster.id, in_mermaid(cluster.name));
    for (const Drawing::Node& node : cluster.nodes) {
      out += fmt::format("{}{}[{}]\n", indent, node.id, in_mermaid(node.text));
      if (node.active) active += (active.empty() ? "" : ",") + node.id;
    }
    if (!cluster.name.empty()) out += "  end\n";
  }
  for (const Drawing::Edge& edge : drawing.edges) {
    const std::string label = edge.label.empty() ? "" : "|" + in_mermaid(edge.label) + "|";
    const bool exits = edge.line != Drawing::Line::Flow;
    out += fmt::format("  {} {}{} {}\n", edge.from, exits ? "-.->" : "-->", label, edge.to);
  }
  if (!active.empty()) out += "  classDef active stroke-width:3px\n  class " + active + " active\n";
  if (drawing.code) out += "  classDef default text-align:left,font-family:monospace\n";
  return out;
}

} // namespace sourir
