#include "sourir/analysis/dot.h"

#include "sourir/analysis/report.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/text/printer.h"

#include <functional>

namespace sourir {
namespace {

std::string quoted(std::string_view text) {
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

std::string version_name(FunName f, VerName v, const Names& names) {
  return std::string(names.text(f)) + "." + std::string(names.text(v));
}

std::string block_text(const Version& version, const Block& block, const Names& names) {
  std::string text;
  for (Position at = block.begin; at < block.end; ++at) {
    for (const Label label : version.body[at].leading.labels)
      text.append(names.text(label)).append(":\n");
    text += "  " + one_line(version.body[at].instr, names) + "\n";
  }
  if (block.begin == block.end) text = "end\n";
  return text;
}

// The graphs of the versions; edges(cluster prefix, analyses) returns the text of the edges.
using Edges = std::function<std::string(const std::string&, VersionAnalyses&)>;
std::string clusters(const Program& program, const Names& names, const Edges& edges) {
  const ExitTargets targets(program);
  std::string out = "digraph {\n  node [shape=box, fontname=monospace];\n";
  std::size_t number = 0;
  for (const Function& f : program.functions)
    for (const Version& v : f.versions) {
      VersionAnalyses facts(program, f, v, targets);
      const std::string prefix = "v" + std::to_string(number++) + "_";
      out += "  subgraph cluster_" + prefix +
             " {\n    label=" + quoted(version_name(f.name, v.name, names)) + ";\n";
      for (const BlockId b : facts.cfg().reverse_postorder())
        out += "    " + prefix + block_name(b) +
               " [label=" + quoted(block_text(v, facts.cfg()[b], names)) + "];\n";
      out += edges(prefix, facts) + "  }\n";
    }
  return out + "}\n";
}

std::string edge(const std::string& prefix, BlockId from, BlockId to, std::string_view label) {
  std::string text = "    " + prefix + block_name(from) + " -> " + prefix + block_name(to);
  if (!label.empty()) text += " [label=" + quoted(label) + "]";
  return text + ";\n";
}

} // namespace

std::string cfg_dot(const Program& program, const Names& names) {
  return clusters(program, names, [](const std::string& prefix, VersionAnalyses& facts) {
    std::string out;
    const Cfg& cfg = facts.cfg();
    for (const BlockId b : cfg.reverse_postorder()) {
      const auto& to = cfg[b].successors;
      for (std::size_t k = 0; k < to.size(); ++k)
        out += edge(prefix, b, to[k], to.size() == 2 ? (k == 0 ? "true" : "false") : "");
    }
    return out;
  });
}

std::string dominators_dot(const Program& program, const Names& names, bool post) {
  return clusters(program, names, [&](const std::string& prefix, VersionAnalyses& facts) {
    std::string out;
    const Dominators& tree = post ? facts.post_dominators() : facts.dominators();
    for (const BlockId b : tree.preorder())
      if (const auto up = tree.immediate(b)) out += edge(prefix, *up, b, "");
    return out;
  });
}

std::string versions_dot(const Program& program, const Names& names) {
  std::string out = "digraph {\n  node [shape=box];\n", edges;
  const auto node = [&](FunName f, VerName v) { return quoted(version_name(f, v, names)); };
  for (const Function& f : program.functions)
    for (const Version& v : f.versions) {
      const bool active = &v == active_version(f);
      out += "  " + node(f.name, v.name) + (active ? " [style=bold];\n" : ";\n");
      for (Position at = 0; at < v.body.size(); ++at) {
        const Metadata* const exit = exit_of(v.body[at].instr);
        for (std::size_t i = 0; exit != nullptr && i < frame_count(*exit); ++i) {
          const Place& to = *frame_at(*exit, i).target;
          const auto& labels = v.body[at].leading.labels;
          const std::string from =
              labels.empty() ? "+" + std::to_string(at) : std::string(names.text(labels.front()));
          edges += "  " + node(f.name, v.name) + " -> " + node(to.function, to.version) +
                   " [label=" + quoted(from + " to " + std::string(names.text(*to.label))) +
                   (i > 0 ? ", style=dashed];\n" : "];\n");
        }
      }
    }
  return out + edges + "}\n";
}

} // namespace sourir
