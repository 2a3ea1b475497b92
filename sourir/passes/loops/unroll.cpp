#include "sourir/passes/loops/unroll.h"

#include "sourir/passes/loops/loop_copies.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace sourir {
namespace {

constexpr std::uint64_t kMostCopies = 1000;

struct Wanted {
  std::uint32_t copies = 1;
  bool peeled = true;
  std::string_view label; // empty: all innermost loops
  std::uint64_t max_size = 100;
};

Wanted wanted(const PassOptions& options) {
  Wanted w;
  w.peeled = !options.has("times");
  const std::uint64_t number = w.peeled
                                   ? options.number("peel", 1)
                                   : std::max<std::uint64_t>(options.number("times", 1), 1) - 1;
  w.copies = static_cast<std::uint32_t>(std::min(number, kMostCopies));
  w.label = options.text("loop");
  w.max_size =
      w.label.empty() ? options.number("max-size", 100) : std::numeric_limits<std::uint64_t>::max();
  return w;
}

std::vector<std::size_t> chosen_loops(VersionTask& task, const Wanted& w) {
  const auto& loops = task.facts.loops().loops();
  const Cfg& cfg = task.facts.cfg();
  std::vector<std::uint8_t> innermost(loops.size(), 1);
  for (const Loop& loop : loops)
    if (loop.parent) innermost[*loop.parent] = 0;
  const auto named = [&](const Loop& loop) {
    const auto& labels = task.version.body[cfg[loop.header].begin].marks.labels;
    return std::any_of(labels.begin(), labels.end(),
                       [&](Label l) { return task.input.names.text(l) == w.label; });
  };
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < loops.size(); ++k)
    if (w.label.empty() ? innermost[k] != 0 : named(loops[k])) chosen.push_back(k);
  return chosen;
}

void unroll_loops(VersionTask& task, const Wanted& w) {
  LoopCopies copies(task);
  std::uint64_t rewrites = 0;
  for (const std::size_t loop : chosen_loops(task, w)) {
    std::string why;
    auto region = loop_region(task.facts, loop, w.max_size, why);
    if (region && copies.overlaps(*region)) why = "code behind it belongs to another copied loop";
    if (!why.empty()) {
      const Position at = task.facts.cfg()[task.facts.loops().loops()[loop].header].begin;
      const Place place{task.function.name, task.version.name, {}, at};
      task.remarks.push_back(
          fmt::format("the loop at {}: not copied: {}", print(place, task.input.names), why));
      continue;
    }
    copies.add(std::move(*region), w.copies, w.peeled);
    rewrites += w.copies;
  }
  if (rewrites > 0) task.restructured = {std::move(copies).write(), rewrites};
}

} // namespace

std::optional<PassResult> unroll(const PassInput& input) {
  const Wanted w = wanted(input.options);
  if (w.copies == 0) return std::nullopt;
  return rewrite_versions(input, [&](VersionTask& task) { unroll_loops(task, w); });
}

} // namespace sourir
