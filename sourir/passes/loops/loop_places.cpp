#include "sourir/passes/loops/loop_places.h"

#include "sourir/syntax/successors.h"

#include <algorithm>

namespace sourir {
namespace {

constexpr std::size_t kMostExits = 64;

bool is_goto(const Version& version, const Block& block) {
  return block.begin < block.end && std::holds_alternative<Goto>(version.body[block.end - 1].instr);
}

// Drops for the edge go before its goto, or to its target if only the loop leads there.
std::optional<Position> place_on(VersionTask& task, std::size_t loop, BlockId from, BlockId to) {
  const Cfg& cfg = task.facts.cfg();
  if (is_goto(task.version, cfg[from])) return cfg[from].end - 1;
  for (const BlockId p : cfg[to].predecessors)
    if (!task.facts.loops().contains(loop, p)) return std::nullopt;
  if (cfg[to].root) return std::nullopt;
  if (cfg[to].begin == task.version.body.size()) return std::nullopt;
  return cfg[to].begin;
}

} // namespace

std::optional<LoopPlaces> places_of(VersionTask& task, std::size_t loop) {
  const Cfg& cfg = task.facts.cfg();
  const Loops& loops = task.facts.loops();
  const BlockId header = loops.loops()[loop].header;
  LoopPlaces places{.loop = loop, .header = cfg[header].begin};
  if (cfg[header].root) return std::nullopt;
  for (const BlockId p : cfg[header].predecessors) {
    if (loops.contains(loop, p)) continue;
    if (!is_goto(task.version, cfg[p])) return std::nullopt;
    places.entries.push_back(cfg[p].end - 1);
  }
  const bool runs_off = successors(task.version.body.back().instr).next;
  if (places.entries.size() > 1 && runs_off) return std::nullopt;
  for (const auto& [from, to] : loops.exits(cfg, loop)) {
    const auto place = place_on(task, loop, from, to);
    if (!place || places.leaving.size() == kMostExits) return std::nullopt;
    const Instruction& there = task.version.body[*place].instr;
    if (!std::holds_alternative<Return>(there) && !std::holds_alternative<Stop>(there))
      places.leaving.push_back(*place);
  }
  std::sort(places.leaving.begin(), places.leaving.end());
  places.leaving.erase(std::unique(places.leaving.begin(), places.leaving.end()),
                       places.leaving.end());
  return places;
}

void insert_before(VersionTask& task, const LoopPlaces& places, std::vector<Instruction> instrs,
                   FreshNames& fresh) {
  if (places.entries.size() == 1) {
    for (Instruction& i : instrs) task.edit.insert(places.entries.front(), std::move(i));
    return;
  }
  const auto end = static_cast<Position>(task.version.body.size());
  const Label before = fresh.fresh<Label>("before_loop");
  const Label header = std::get<Goto>(task.version.body[places.entries.front()].instr).target;
  for (const Position at : places.entries) task.edit.replace(at, Goto{before});
  std::optional<Label> label = before;
  instrs.push_back(Goto{header});
  for (Instruction& i : instrs) {
    if (label)
      task.edit.insert_labelled(end, *label, std::move(i), places.header);
    else
      task.edit.insert(end, std::move(i), places.header);
    label.reset();
  }
}

} // namespace sourir
