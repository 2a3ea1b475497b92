// What a tape says: a program, what is around it, and a pipeline.
#include "sourir/bisim/generate/odd_operands.h"
#include "sourir/bisim/generate/random_idioms.h"
#include "sourir/bisim/generate/random_program.h"
#include "sourir/fuzz/trial.h"
#include "sourir/fuzz/trial_bias.h"

#include <algorithm>
#include <array>

namespace sourir {
namespace {

class TrialCaseMaker {
public:
  TrialCaseMaker(Tape& tape, const TrialPlan& plan)
      : tape_(tape), plan_(plan), made_(std::make_unique<TrialCase>()) {}

  std::unique_ptr<TrialCase> run() {
    // What the pipeline ends with decides what the program looks like.
    const std::optional<std::size_t> last = draw_last();
    const bool inlining = tape_.chance(1, 3);
    const TrialBias& bias = bias_for(last ? text_of(*last) : "", tape_);
    const bool seeded = !plan_.engines.empty(); // it says what engines do, too
    made_->feedback_seed = seeded || tape_.chance(3, 4) ? tape_.word() : 0;
    if (last) draw_pipeline(*last, bias, inlining);
    draw_program(bias, inlining);
    return std::move(made_);
  }

private:
  std::size_t draw(std::size_t n) { return tape_.below(static_cast<std::uint32_t>(n)); }
  std::string_view text_of(std::size_t transform) const { return plan_.transforms[transform].text; }

  std::optional<std::size_t> draw_last() {
    if (!plan_.looked_at.empty()) return plan_.looked_at[draw(plan_.looked_at.size())];
    if (plan_.transforms.empty()) return std::nullopt;
    return draw(plan_.transforms.size());
  }

  void add(std::string_view text) {
    const auto found = std::ranges::find(plan_.transforms, text, &Transform::text);
    if (text.empty() || found == plan_.transforms.end()) return;
    made_->pipeline.push_back(static_cast<std::size_t>(found - plan_.transforms.begin()));
  }
  void prepare(const TrialBias& bias) {
    for (const std::string_view text : bias.before) add(text);
  }

  void draw_pipeline(std::size_t last, const TrialBias& bias, bool inlining) {
    if (inlining && !text_of(last).starts_with("inline")) {
      prepare(bias_for("inline", tape_));
      if (tape_.chance(1, 2)) add("speculate");
      add("inline");
    }
    const bool anything = tape_.chance(1, 2);
    if (anything)
      for (std::size_t n = draw(std::max(plan_.chain, 1U)); n > 0; --n)
        made_->pipeline.push_back(draw(plan_.transforms.size()));
    if (tape_.chance(3, 4)) prepare(bias);
    made_->pipeline.push_back(last);
  }

  Policy draw_policy(const TrialBias& bias, bool inlining) {
    const std::uint32_t small = std::max(plan_.size / 3, 1U);
    const std::array sizes{small, plan_.size, plan_.size, plan_.size * 3};
    Policy policy = random_policy(tape_, std::max(sizes[draw(sizes.size())], 1U));
    policy.steps = plan_.steps;
    if (bias.policy != nullptr && tape_.chance(3, 4)) bias.policy(policy);
    if (inlining) bias_for("inline", tape_).policy(policy);
    return policy;
  }

  static void forbid_exits(Policy& policy) {
    policy.versions = 0;
    for (const Feature f : {Feature::Assumes, Feature::Anchors, Feature::Contexts,
                            Feature::Continuations, Feature::Inlining})
      policy.set(f, false);
  }

  void draw_program(const TrialBias& bias, bool inlining) {
    Policy policy = draw_policy(bias, inlining);
    const bool base_only = tape_.chance(bias.base_only ? 2 : 1, 3);
    if (base_only) forbid_exits(policy);
    RandomCase random = random_case(tape_, policy, made_->names);
    made_->program = std::move(random.program);
    made_->inputs = std::move(random.inputs);
    made_->leave = std::move(random.leave);
    if (!base_only) return;
    const IdiomsFor whom = plan_.engines.empty() ? IdiomsFor::Passes : IdiomsFor::Engines;
    if (tape_.chance(2, 3)) put_idioms(made_->program, made_->inputs, tape_, made_->names, whom);
    if (tape_.chance(1, 3)) put_odd_operands(made_->program, tape_, made_->names);
  }

  Tape& tape_;
  const TrialPlan& plan_;
  std::unique_ptr<TrialCase> made_;
};

} // namespace

std::unique_ptr<TrialCase> make_case(Tape& tape, const TrialPlan& plan) {
  return TrialCaseMaker(tape, plan).run();
}

} // namespace sourir
