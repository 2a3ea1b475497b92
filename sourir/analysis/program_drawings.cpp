#include "sourir/analysis/program_drawings.h"

#include "sourir/analysis/report.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/program_index.h"
#include "sourir/syntax/text/printer.h"

#include <map>
#include <memory>

namespace sourir {
namespace {

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

Drawing::Line line_to(std::size_t frame) {
  return frame == 0 ? Drawing::Line::Exit : Drawing::Line::Outer;
}

// One cluster a version, with a node a block.
class BlockDrawing {
public:
  BlockDrawing(const Program& program, const Names& names)
      : program_(program), names_(names), targets_(program), positions_(program) {
    drawing_.code = true;
    for (const Function& f : program.functions)
      for (const Version& v : f.versions) add(f, v);
  }

  struct DrawnVersion {
    const Version* version;
    std::string id;
    std::unique_ptr<VersionAnalyses> facts;

    std::string node(BlockId b) const { return id + block_name(b); }
  };
  const std::vector<DrawnVersion>& versions() const { return versions_; }

  void edge(std::string from, std::string to, std::string label = {},
            Drawing::Line line = Drawing::Line::Flow) {
    drawing_.edges.push_back({std::move(from), std::move(to), std::move(label), line});
  }
  // Those of the frames of its exits.
  void exit_edges(const DrawnVersion& from) {
    const Cfg& cfg = from.facts->cfg();
    for (Position at = 0; at < from.version->body.size(); ++at) {
      const Metadata* const exit = exit_of(from.version->body[at].instr);
      if (exit == nullptr || !cfg.reachable(at)) continue;
      for (std::size_t i = 0; i < frame_count(*exit); ++i) {
        const Place& to = *frame_at(*exit, i).target;
        const DrawnVersion& there = versions_[numbers_.at({to.function, to.version})];
        if (const auto position = positions_.resolve(to))
          edge(from.node(cfg.block_of(at)), there.node(there.facts->cfg().block_of(*position)),
               i == 0 ? "exit" : "outer frame", line_to(i));
      }
    }
  }
  Drawing take() && { return std::move(drawing_); }

private:
  void add(const Function& f, const Version& v) {
    numbers_.emplace(std::pair(f.name, v.name), versions_.size());
    DrawnVersion& drawn = versions_.emplace_back(
        DrawnVersion{&v, "v" + std::to_string(versions_.size()) + "_",
                     std::make_unique<VersionAnalyses>(program_, f, v, targets_)});
    auto& cluster = drawing_.clusters.emplace_back(
        Drawing::Cluster{drawn.id, version_name(f.name, v.name, names_), {}});
    for (const BlockId b : drawn.facts->cfg().reverse_postorder())
      cluster.nodes.push_back({drawn.node(b), block_text(v, drawn.facts->cfg()[b], names_)});
  }

  const Program& program_;
  const Names& names_;
  const ExitTargets targets_;
  ProgramPositions positions_;
  std::vector<DrawnVersion> versions_;
  std::map<std::pair<FunName, VerName>, std::size_t> numbers_;
  Drawing drawing_;
};

} // namespace

Drawing cfg_drawing(const Program& program, const Names& names) {
  BlockDrawing drawing(program, names);
  for (const auto& version : drawing.versions()) {
    const Cfg& cfg = version.facts->cfg();
    for (const BlockId b : cfg.reverse_postorder()) {
      const auto& to = cfg[b].successors;
      for (std::size_t k = 0; k < to.size(); ++k)
        drawing.edge(version.node(b), version.node(to[k]),
                     to.size() == 2 ? (k == 0 ? "true" : "false") : "");
    }
  }
  for (const auto& version : drawing.versions()) drawing.exit_edges(version);
  return std::move(drawing).take();
}

Drawing dominators_drawing(const Program& program, const Names& names, bool post) {
  BlockDrawing drawing(program, names);
  for (const auto& version : drawing.versions()) {
    const Dominators& tree = post ? version.facts->post_dominators() : version.facts->dominators();
    for (const BlockId b : tree.preorder())
      if (const auto up = tree.immediate(b)) drawing.edge(version.node(*up), version.node(b));
  }
  return std::move(drawing).take();
}

Drawing versions_drawing(const Program& program, const Names& names) {
  Drawing drawing;
  std::map<std::pair<FunName, VerName>, std::string> ids;
  auto& nodes = drawing.clusters.emplace_back().nodes;
  for (const Function& f : program.functions)
    for (const Version& v : f.versions) {
      nodes.push_back({"v" + std::to_string(nodes.size()), version_name(f.name, v.name, names),
                       &v == active_version(f)});
      ids.emplace(std::pair(f.name, v.name), nodes.back().id);
    }
  for (const Function& f : program.functions)
    for (const Version& v : f.versions)
      for (Position at = 0; at < v.body.size(); ++at) {
        const Metadata* const exit = exit_of(v.body[at].instr);
        for (std::size_t i = 0; exit != nullptr && i < frame_count(*exit); ++i) {
          const Place& to = *frame_at(*exit, i).target;
          const auto& labels = v.body[at].leading.labels;
          const std::string from =
              labels.empty() ? "+" + std::to_string(at) : std::string(names.text(labels.front()));
          drawing.edges.push_back({ids.at({f.name, v.name}), ids.at({to.function, to.version}),
                                   from + " to " + std::string(names.text(*to.label)), line_to(i)});
        }
      }
  return drawing;
}

} // namespace sourir
