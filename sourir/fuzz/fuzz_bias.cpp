#include "sourir/fuzz/fuzz_bias.h"

#include <algorithm>

namespace sourir {
namespace {

constexpr std::string_view kFresh = "fresh-version", kAnchors = "checkpoints",
                           kAssumes = "checkpoints:as=assume",
                           kEverywhere = "checkpoints:everywhere", kSpeculate = "speculate",
                           kBranches = "speculate:branches=true";

void only(Policy& policy, std::initializer_list<Feature> features) {
  policy.features = 0;
  for (const Feature f : features) policy.set(f);
}
void many_exits(Policy& policy) {
  for (const Feature f :
       {Feature::Calls, Feature::Arrays, Feature::Assumes, Feature::Inlining, Feature::Deferred,
        Feature::Facts, Feature::Renaming, Feature::Backward, Feature::Continuations})
    policy.set(f);
  policy.versions = 3;
  policy.exits = 70;
}
// Exits that do something, one after the other.
void blocks(Policy& policy) {
  only(policy, {Feature::Arrays, Feature::Nested, Feature::Assumes, Feature::Deferred,
                Feature::PartialVarmaps, Feature::Strings});
  policy.versions = 3;
  policy.exits = 70;
  policy.size += 20;
}
void hints(Policy& policy) { policy.set(Feature::Hints).set(Feature::Branches); }
void calls(Policy& policy) { policy.set(Feature::Calls).set(Feature::Assumes); }
void loops(Policy& policy) {
  only(policy, {Feature::Loops, Feature::Branches});
  policy.size += 300;
}
void elements(Policy& policy) {
  only(policy, {Feature::Loops, Feature::Branches, Feature::Arrays, Feature::Nested});
  policy.size += 150;
}
void joins(Policy& policy) { policy.set(Feature::Loops).set(Feature::Branches); }
void not_normal(Policy& policy) { policy.set(Feature::NotNormal); }

constexpr std::string_view kSecond = "fresh-version:name=second";

constexpr FuzzBias kUsual{.pass = "", .before = {kFresh, kAnchors, kSpeculate}};
constexpr FuzzBias kBiases[] = {
    {.pass = "checkpoints", .before = {kFresh}},
    {.pass = "compose-assumes", .before = {kFresh, kAssumes, kSecond}, .policy = many_exits},
    {.pass = "compose-assumes", .before = {}, .policy = blocks},
    {.pass = "compose-assumes",
     .before = {kFresh, kEverywhere, "deferred-materialization", kSecond, kEverywhere,
                "deferred-materialization"},
     .policy = many_exits},
    {.pass = "constprop", .before = {kFresh, kAnchors, kSpeculate}},
    {.pass = "constprop", .before = {}, .base_only = true},
    {.pass = "dce", .before = {kFresh, kAnchors, kSpeculate}},
    {.pass = "dce",
     .before = {kFresh, kAnchors, kBranches, "inline", "lower-anchors"},
     .policy = calls,
     .base_only = true},
    {.pass = "deferred-materialization",
     .before = {kFresh, kEverywhere, "constprop"},
     .policy = joins,
     .base_only = true},
    {.pass = "drop-assumes", .before = {kFresh, kAssumes}},
    {.pass = "gvn", .before = {kFresh, kAnchors, kSpeculate}, .base_only = true},
    {.pass = "hoist-predicates",
     .before = {kFresh, kAssumes, kBranches},
     .policy = hints,
     .base_only = true},
    {.pass = "inline", .before = {kFresh, kAnchors}, .policy = calls},
    {.pass = "inline",
     .before = {kFresh, kEverywhere, "deferred-materialization"},
     .policy = many_exits},
    {.pass = "inline", .before = {kFresh, "constprop"}, .policy = calls},
    {.pass = "insert-from-anchor", .before = {kFresh, kAnchors}, .policy = hints},
    {.pass = "late-declarations",
     .before = {"inline:max-size=200:max-total=2000", "copyprop", "dce"},
     .policy = calls,
     .base_only = true},
    {.pass = "licm", .before = {}, .policy = loops, .base_only = true},
    {.pass = "load-elimination",
     .before = {kFresh, kAnchors},
     .policy = elements,
     .base_only = true},
    {.pass = "lower-anchors", .before = {kFresh, kAnchors}},
    {.pass = "move-assumes", .before = {kFresh, kAssumes}, .policy = hints, .base_only = true},
    {.pass = "move-assumes",
     .before = {kFresh, kAssumes, kBranches, "constprop", "unreachable"},
     .policy = hints,
     .base_only = true},
    {.pass = "normalize", .before = {}, .policy = not_normal},
    {.pass = "speculate", .before = {kFresh, kAnchors}, .policy = hints},
    {.pass = "split", .before = {kFresh, kAnchors}, .policy = joins, .base_only = true},
    {.pass = "types", .before = {kFresh, kAnchors, kSpeculate}, .base_only = true},
    {.pass = "undo", .before = {kFresh, kAnchors, kBranches}, .policy = hints, .base_only = true},
    {.pass = "unreachable", .before = {kFresh, "constprop"}, .policy = joins, .base_only = true},
};
static_assert(std::ranges::is_sorted(kBiases, {}, &FuzzBias::pass));

} // namespace

const FuzzBias& bias_for(std::string_view transform, ChoiceSequence& choices) {
  const std::string_view pass = transform.substr(0, transform.find(':'));
  const auto rows = std::ranges::equal_range(kBiases, pass, {}, &FuzzBias::pass);
  if (rows.empty()) return kUsual;
  return rows[choices.below(static_cast<std::uint32_t>(rows.size()))];
}

} // namespace sourir
