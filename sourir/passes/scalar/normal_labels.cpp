#include "sourir/passes/scalar/normal_labels.h"

#include "sourir/syntax/scopes.h"
#include "sourir/syntax/successors.h"

#include <algorithm>
#include <unordered_set>

namespace sourir {
namespace {

struct Edge {
  Position to, from;
  bool branch, second; // an arm of a branch; the false one
  Label label;
};

std::vector<Edge> edges_by_target(const Version& version) {
  const auto positions = label_positions(version);
  std::vector<Edge> edges;
  for (Position at = 0; at < version.body.size(); ++at) {
    const Successors next = successors(version.body[at].instr);
    const bool branch = next.second != nullptr;
    for (const Label* const label : {next.first, next.second})
      if (label != nullptr)
        edges.push_back({positions.at(*label), at, branch, label == next.second, *label});
  }
  std::stable_sort(edges.begin(), edges.end(),
                   [](const Edge& a, const Edge& b) { return a.to < b.to; });
  return edges;
}

// What one position needs.
class Target {
public:
  Target(std::span<const Edge> edges, const std::unordered_set<Label>& entered, FreshNames& fresh)
      : edges_(edges), entered_(entered), fresh_(fresh) {
    for (const Edge& e : edges)
      if (!e.branch) gotos_.insert(e.label);
  }

  // The only way here is one arm of a branch.
  void one_arm() { redirect(edges_[0], own_label(edges_[0].label)); }

  void several_ways(bool falls_or_starts) {
    const Label main = main_label();
    if (falls_or_starts) place.through = main;
    for (const Edge& e : edges_) {
      if (!e.branch) {
        redirect(e, entered_.contains(e.label) ? main : e.label);
      } else {
        const Label pad = pad_label(e.label, main);
        place.pads.emplace_back(pad, main);
        redirect(e, pad);
      }
    }
  }

  NormalLabels::Place place;
  std::vector<std::pair<Edge, Label>> redirected;

private:
  void redirect(const Edge& e, Label to) {
    if (to != e.label) redirected.emplace_back(e, to);
  }
  Label another(Label like) { return fresh_.fresh<Label>(fresh_.names().text(like)); }
  Label own_label(Label label) {
    if (!entered_.contains(label)) return label;
    place.added.push_back(another(label));
    return place.added.back();
  }
  // Where gotos go.
  Label main_label() {
    for (const bool branch : {false, true})
      for (const Edge& e : edges_)
        if (e.branch == branch && !entered_.contains(e.label)) return e.label;
    return own_label(edges_[0].label);
  }
  // A label that only branches use goes over to the first of them.
  Label pad_label(Label label, Label main) {
    if (label == main || gotos_.contains(label) || entered_.contains(label) ||
        std::find(place.gone.begin(), place.gone.end(), label) != place.gone.end())
      return another(label);
    place.gone.push_back(label);
    return label;
  }

  std::span<const Edge> edges_;
  const std::unordered_set<Label>& entered_;
  FreshNames& fresh_;
  std::unordered_set<Label> gotos_;
};

} // namespace

NormalLabels::NormalLabels(const Version& version, std::span<const Label> entered_labels,
                           FreshNames& fresh) {
  std::unordered_set<Label> entered(entered_labels.begin(), entered_labels.end());
  if (version.cont) entered.insert(version.cont->entry);
  const std::vector<Edge> all = edges_by_target(version);
  for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
    const Position at = all[first].to;
    while (last < all.size() && all[last].to == at) ++last;
    const std::span<const Edge> edges(all.data() + first, last - first);
    const bool falls = at > 0 && successors(version.body[at - 1].instr).next;
    Target target(edges, entered, fresh);
    if (edges.size() == 1 && edges[0].branch && !falls && at > 0)
      target.one_arm();
    else
      target.several_ways(falls || at == 0);
    Place& place = target.place;
    const std::size_t changes = (place.through ? 1 : 0) + place.pads.size() + place.added.size();
    if (changes + target.redirected.size() == 0) continue;
    changes_ += changes + target.redirected.size();
    places_.emplace(at, std::move(place));
    for (const auto& [edge, label] : target.redirected)
      (edge.second ? jumps_[edge.from].second : jumps_[edge.from].first) = label;
  }
}

const NormalLabels::Place* NormalLabels::at(Position at) const {
  const auto found = places_.find(at);
  return found == places_.end() ? nullptr : &found->second;
}

void NormalLabels::retarget(Position at, Instruction& jump) const {
  const auto found = jumps_.find(at);
  if (found == jumps_.end()) return;
  const auto& [first, second] = found->second;
  if (auto* const to = std::get_if<Goto>(&jump)) to->target = first.value_or(to->target);
  if (auto* const branch = std::get_if<Branch>(&jump)) {
    branch->if_true = first.value_or(branch->if_true);
    branch->if_false = second.value_or(branch->if_false);
  }
}

} // namespace sourir
