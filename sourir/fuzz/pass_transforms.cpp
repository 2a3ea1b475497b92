#include "sourir/fuzz/pass_transforms.h"

#include "sourir/fuzz/random_feedback.h"
#include "sourir/passes/registry.h"

#include <algorithm>

namespace sourir {
namespace {

// What a pass does without options may not be all that it can do.
constexpr const char* kMore[] = {"checkpoints:as=assume",
                                 "checkpoints:everywhere",
                                 "fresh-version:name=second",
                                 "speculate:branches=true",
                                 "insert-from-anchor:branches=true",
                                 "inline:max-size=200:max-total=2000",
                                 "O1",
                                 "O2"};

std::optional<Transformed> run_one(const RunPass& pass, const TransformInput& in) {
  const Feedback feedback = random_feedback(in);
  auto done = pass.row->run({in.program, in.names, pass.options, feedback});
  if (!done) return std::nullopt;
  StateMap map = state_map(done->origins, in.program, done->program);
  return Transformed{std::move(done->program), std::move(map), done->rewrites};
}

Result<std::optional<Transformed>> run_all(const Pipeline& pipeline, const AskCommand& ask,
                                           const TransformInput& in) {
  PipelineHooks hooks;
  hooks.compose_maps = true;
  if (ask)
    hooks.command = [&](const std::string& command, const PassInput& input) {
      return ask(command, input.program, in.names);
    };
  PipelineResult done = run_pipeline(pipeline, in.program, in.names, random_feedback(in), hooks);
  if (!done.error.empty()) return failure("{}", done.error);
  if (done.program == in.program) return std::optional<Transformed>();
  std::uint64_t rewrites = 0;
  for (const PassReport& report : done.reports) rewrites += report.rewrites;
  return Transformed{std::move(done.program), std::move(*done.map), rewrites};
}

std::variant<Transform, PipelineError> transform(const std::string& text, const AskCommand& ask) {
  auto parsed = parse_pipeline(text);
  if (auto* error = std::get_if<PipelineError>(&parsed)) return std::move(*error);
  auto& pipeline = std::get<Pipeline>(parsed);
  if (pipeline.size() == 1)
    if (auto* pass = std::get_if<RunPass>(&pipeline.front().step))
      return Transform{
          text, [pass = std::move(*pass)](const TransformInput& in) { return run_one(pass, in); }};
  return Transform{text, [pipeline = std::move(pipeline), ask](const TransformInput& in) {
                     return run_all(pipeline, ask, in);
                   }};
}

// Where the steps of a pipeline begin and end: at commas outside of quotes and brackets.
std::vector<std::pair<std::size_t, std::size_t>> steps_of(std::string_view text) {
  std::vector<std::pair<std::size_t, std::size_t>> steps;
  std::size_t begin = 0;
  int open = 0;
  char quote = '\0';
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ',';
    if (at < text.size() && quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(') {
      ++open;
    } else if (c == ')') {
      --open;
    } else if (c == ',' && (open <= 0 || at == text.size())) {
      steps.emplace_back(begin, at);
      begin = at + 1;
    }
  }
  return steps;
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\n"), text.size());
  const std::size_t end = text.find_last_not_of(" \t\n");
  return std::string(text.substr(begin, end == std::string_view::npos ? 0 : end + 1 - begin));
}

void add_all(std::vector<Transform>& transforms) {
  std::vector<std::string> texts;
  for (const PassRow& row : all_passes()) texts.emplace_back(row.name);
  for (const char* const more : kMore) texts.emplace_back(more);
  for (const std::string& text : texts) {
    auto made = transform(text, {});
    if (auto* one = std::get_if<Transform>(&made)) transforms.push_back(std::move(*one));
  }
}

} // namespace

std::variant<PassTransforms, PipelineError> pass_transforms(const std::string& text,
                                                            AskCommand command) {
  PassTransforms all;
  add_all(all.transforms);
  if (trimmed(text) == "all") return all;
  for (const auto& [begin, end] : steps_of(text)) {
    const std::string step = trimmed(std::string_view(text).substr(begin, end - begin));
    const auto known = std::ranges::find(all.transforms, step, &Transform::text);
    if (known == all.transforms.end()) {
      auto made = transform(step, command);
      if (auto* error = std::get_if<PipelineError>(&made)) {
        const std::size_t skipped = text.find_first_not_of(" \t\n", begin);
        error->at += skipped == std::string::npos ? begin : skipped;
        return std::move(*error);
      }
      all.under_test.push_back(all.transforms.size());
      all.transforms.push_back(std::get<Transform>(std::move(made)));
    } else {
      all.under_test.push_back(static_cast<std::size_t>(known - all.transforms.begin()));
    }
  }
  return all;
}

FuzzPlan with_transforms(FuzzPlan plan, PassTransforms transforms) {
  plan.transforms = std::move(transforms.transforms);
  plan.under_test = std::move(transforms.under_test);
  return plan;
}

} // namespace sourir
