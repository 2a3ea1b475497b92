#include "sourir/passes/presets.h"

#include "sourir/passes/registry.h"
#include "sourir/syntax/contains.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {
namespace {

using Passes = std::vector<std::string_view>;

// Those that there are.
std::string joined(const Passes& names) {
  std::string text;
  for (const std::string_view name : names)
    if (find_pass(name) != nullptr) text.append(text.empty() ? "" : ",").append(name);
  return text;
}

const Passes& classical() {
  static const Passes passes = {
      "constprop", "kinds", "copyprop",          "gvn",      "loads",      "licm",
      "dce",       "sink",  "late-declarations", "simplify", "unreachable"};
  return passes;
}

Passes with(const Passes& first, const Passes& second) {
  Passes all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

// `first`: passes that come once, before those that are repeated.
std::string speculative(const std::string& first = {}) {
  // O2 applied to its own result changes nothing: what it has worked on begins with no anchor any
  // more, so it gets no new ones; and what is left to do without them is done in `after`.
  const std::string before = "fresh-version:anchor,checkpoints:fresh,speculate";
  const std::string rounds =
      joined(with(classical(), {"hoist-predicates", "compose-assumes", "inline", "drop-assumes"}));
  // Anchors have done their work when calls are inlined; what they kept alive goes behind them.
  // Hints that read something else by now may be tested by the exits that are left.
  const std::string after = joined(with(
      classical(), {"speculate", "hoist-predicates", "compose-assumes", "inline", "drop-assumes"}));
  return fmt::format("{},{}fix({}),lower-anchors,fix({}),lower-anchors", before, first, rounds,
                     after);
}

// Once: repeated, recursive calls would be inlined again and again.
std::string for_tiers() {
  return speculative("fix(" + joined(classical()) + "),inline:max-depth=2:max-size=40,");
}

// First what makes work for the others.
std::string every_pass() {
  const Passes first = {"fresh-version", "checkpoints",     "speculate", "insert-from-anchor",
                        "move-assumes",  "compose-assumes", "inline",    "split",
                        "unroll",        "constprop",       "copyprop",  "hoist-predicates"};
  const Passes last = {"dce", "simplify", "unreachable", "drop-assumes", "lower-anchors"};
  Passes names = first;
  for (const PassRow& row : all_passes())
    if (!contains(first, row.name) && !contains(last, row.name)) names.push_back(row.name);
  return joined(with(names, last));
}

} // namespace

const std::vector<Preset>& all_presets() {
  static const std::vector<Preset> presets = {
      {"O1", "The classical passes, until nothing changes.", "fix(" + joined(classical()) + ")"},
      {"O2", "Speculation, then everything until nothing changes.", speculative()},
      {"jit", "What the tiers of a running program use: O2, and a little inlining of recursion.",
       for_tiers()},
      {"trace", "Loops twice, along the branches as they are expected to go (dissertation 2.7).",
       "fresh-version,checkpoints,unroll:times=2,speculate:branches=true,fix(" +
           joined(with(classical(), {"hoist-predicates", "drop-assumes"})) +
           "),lower-anchors,drop-assumes"},
      {"all", "Every pass once.", every_pass()},
  };
  return presets;
}

const Preset* find_preset(std::string_view name) {
  for (const Preset& preset : all_presets())
    if (preset.name == name) return &preset;
  return nullptr;
}

} // namespace sourir
