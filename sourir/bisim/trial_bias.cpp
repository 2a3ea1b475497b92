#include "sourir/bisim/trial_bias.h"

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
void hints(Policy& policy) { policy.set(Feature::Hints).set(Feature::Branches); }
void calls(Policy& policy) { policy.set(Feature::Calls).set(Feature::Assumes); }
void loops(Policy& policy) {
  only(policy, {Feature::Loops, Feature::Branches, Feature::Floats});
  policy.size += 60;
}
void elements(Policy& policy) {
  only(policy, {Feature::Loops, Feature::Branches, Feature::Arrays, Feature::Nested});
  policy.size += 60;
}
void joins(Policy& policy) { policy.set(Feature::Loops).set(Feature::Branches); }
void not_normal(Policy& policy) { policy.set(Feature::NotNormal); }

constexpr TrialBias kUsual{"", {kFresh, kAnchors, kSpeculate}};
constexpr TrialBias kBiases[] = {
    {"compose-assumes", {kFresh, kAssumes, "fresh-version:name=second"}, many_exits},
    {"drop-assumes", {kFresh, kAssumes}},
    {"hoist-predicates", {kFresh, kAssumes, kBranches}, hints, true},
    {"inline", {kFresh, kAnchors}, calls},
    {"insert-from-anchor", {kFresh, kAnchors}, hints},
    {"late-declarations", {"inline:max-size=200:max-total=2000", "copyprop", "dce"}, calls, true},
    {"licm", {kFresh, kAnchors}, loops, true},
    {"loads", {kFresh, kAnchors}, elements, true},
    {"lower-anchors", {kFresh, kAnchors}},
    {"move-assumes", {kFresh, kAssumes}, hints, true},
    {"normalize", {}, not_normal},
    {"sink", {kFresh, kEverywhere, "constprop"}, joins, true},
    {"speculate", {kFresh, kAnchors}, hints},
    {"split", {kFresh, kAnchors}, joins, true},
    {"undo", {kFresh, kAnchors, kBranches}, hints, true},
    {"unreachable", {kFresh, "constprop"}, joins, true},
};

} // namespace

const TrialBias& bias_for(std::string_view transform) {
  const std::string_view pass = transform.substr(0, transform.find(':'));
  const auto* const found = std::ranges::find(kBiases, pass, &TrialBias::pass);
  return found == std::end(kBiases) ? kUsual : *found;
}

} // namespace sourir
