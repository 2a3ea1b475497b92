// What a tape says: a program, what is around it, and a pipeline.
#include "sourir/bisim/odd_operands.h"
#include "sourir/bisim/random_program.h"
#include "sourir/bisim/trial.h"

#include <algorithm>
#include <array>

namespace sourir {
namespace {

// What most passes need before they find work.
constexpr std::string_view kPreparation[] = {"fresh-version", "checkpoints", "speculate"};

void forbid_exits(Policy& policy) {
  policy.versions = 0;
  for (const Feature f : {Feature::Assumes, Feature::Anchors, Feature::Contexts,
                          Feature::Continuations, Feature::Inlining})
    policy.set(f, false);
}

std::uint32_t draw_size(Tape& tape, std::uint32_t about) {
  const std::uint32_t small = std::max(about * 2 / 3, 4U);
  const std::array sizes{small, about, about, about * 3};
  return std::max(sizes[tape.below(sizes.size())], 1U);
}

std::optional<std::size_t> find(const TrialPlan& plan, std::string_view text) {
  const auto found = std::ranges::find(plan.transforms, text, &Transform::text);
  if (found == plan.transforms.end()) return std::nullopt;
  return static_cast<std::size_t>(found - plan.transforms.begin());
}

// Whatever comes before, often what most passes need; in the end a pass that is looked at.
std::vector<std::size_t> draw_pipeline(Tape& tape, const TrialPlan& plan) {
  std::vector<std::size_t> pipeline;
  if (plan.transforms.empty()) return pipeline;
  if (tape.chance(1, 2))
    for (const std::string_view text : kPreparation)
      if (const auto found = find(plan, text)) pipeline.push_back(*found);
  const auto draw = [&](std::size_t n) { return tape.below(static_cast<std::uint32_t>(n)); };
  for (std::uint32_t i = tape.below(std::max(plan.chain, 1U)); i > 0; --i)
    pipeline.push_back(draw(plan.transforms.size()));
  pipeline.push_back(plan.looked_at.empty() ? draw(plan.transforms.size())
                                            : plan.looked_at[draw(plan.looked_at.size())]);
  return pipeline;
}

} // namespace

std::unique_ptr<TrialCase> make_case(Tape& tape, const TrialPlan& plan) {
  auto made = std::make_unique<TrialCase>();
  Policy policy = random_policy(tape, draw_size(tape, plan.size));
  policy.steps = static_cast<std::uint32_t>(std::min<std::uint64_t>(plan.fuel / 10, 20'000));
  const bool odd = tape.chance(1, 3);
  if (odd) forbid_exits(policy);
  made->feedback_seed = tape.chance(3, 4) ? tape.word() : 0;
  made->pipeline = draw_pipeline(tape, plan);
  RandomCase random = random_case(tape, policy, made->names);
  made->program = std::move(random.program);
  made->inputs = std::move(random.inputs);
  made->leave = std::move(random.leave);
  if (odd) put_odd_operands(made->program, tape, made->names);
  return made;
}

} // namespace sourir
