#include "sourir/passes/run_pipeline.h"

#include "sourir/passes/core/foreign_result.h"
#include "sourir/passes/registry.h"
#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/json/json_reader.h"
#include "sourir/syntax/match.h"
#include "sourir/syntax/text/printer.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <unordered_map>
#include <utility>

namespace sourir {
namespace {

// The map in which all versions that are changed or new are unmapped.
StateMap unknown_map(const Program& before, const Program& after) {
  StateMap map;
  for (const Function& function : after.functions) {
    const Function* const old = find_function(before, function.name);
    for (const Version& version : function.versions) {
      const Version* const source = old == nullptr ? nullptr : find_version(*old, version.name);
      if (source == nullptr || *source != version)
        map.versions.push_back({function.name, version.name, {}, {}, {}});
    }
  }
  return map;
}

// By function pass, the functions that it did not change and nothing has changed since: an
// iteration of a fixpoint changes few functions.
class UnchangedFunctions {
public:
  // Null for a module pass.
  std::vector<bool>* of(const RunPass& pass, const Program& program) {
    if (pass.row->kind != PassKind::Function) return nullptr;
    std::vector<bool>& unchanged = by_pass_[pass.text];
    unchanged.resize(program.functions.size());
    return &unchanged;
  }
  void invalidate(const std::vector<VersionOrigin>& changed, const Program& program) {
    for (std::size_t f = index_.size(); f < program.functions.size(); ++f)
      index_.emplace(program.functions[f].name, f);
    for (const VersionOrigin& one : changed)
      for (auto& [pass, unchanged] : by_pass_)
        if (const std::size_t f = index_.at(one.function); f < unchanged.size())
          unchanged[f] = false;
  }

private:
  std::unordered_map<std::string, std::vector<bool>> by_pass_; // key: the pass with its options
  std::unordered_map<FunName, std::size_t> index_;             // passes do not move functions
};

// --- One run -------------------------------------------------------------------------------------

class Runner {
public:
  // composes: the maps of the passes, to the first program.
  Runner(Program program, Names& names, const Feedback& feedback, const PipelineHooks& hooks,
         bool composes)
      : names_(names), feedback_(feedback), hooks_(hooks) {
    if (composes || hooks.part) first_ = program;
    if (composes) result_.map.emplace();
    result_.program = std::move(program);
  }

  // Whether anything changed.
  bool steps(const Pipeline& pipeline) {
    bool changed = false;
    for (const PipelineStep& one : pipeline) {
      if (result_.stopped) break;
      changed |= step(one);
    }
    return changed;
  }
  PipelineResult take() && { return std::move(result_); }

private:
  using Clock = std::chrono::steady_clock;

  bool step(const PipelineStep& one) {
    return match(
        one.step, [&](const RunPass& pass) { return run(pass); },
        [&](const RunCommand& command) { return run(command); },
        [&](const Repeat& repeat) { return run(repeat); });
  }

  static double since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }

  // Processor time of this process, in milliseconds.
  static double processor() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

  bool run(const RunPass& pass) {
    std::vector<std::string> remarks;
    const double start = processor();
    const PassInput input{result_.program,
                          names_,
                          pass.options,
                          feedback_,
                          hooks_.maps || result_.map.has_value(),
                          &analyses(),
                          unchanged_.of(pass, result_.program),
                          &remarks,
                          hooks_.part ? &first_ : nullptr,
                          result_.map ? &first_ : nullptr,
                          result_.map ? &*result_.map : nullptr};
    auto done = pass.foreign ? run_foreign(pass, input) : pass.row->run(input);
    if (result_.stopped) return false;
    PassReport report{pass.text, done.has_value(), 0, processor() - start, {}};
    report.remarks = std::move(remarks);
    if (!done) return finish(std::move(report), nullptr, [] { return StateMap{}; });
    unchanged_.invalidate(done->origins, done->program);
    report.rewrites = done->rewrites;
    report.remarks.insert(report.remarks.end(), done->remarks.begin(), done->remarks.end());
    return finish(std::move(report), &done->program,
                  [&] { return state_map(done->origins, result_.program, done->program); });
  }

  // An error stops the run; what others rely on is checked before they do.
  std::optional<PassResult> run_foreign(const RunPass& pass, const PassInput& input) {
    auto ran = hooks_.plugin ? hooks_.plugin(pass, input)
                             : Result<std::optional<PassResult>>(pass.row->run(input));
    std::string problem = ran ? "" : ran.error().message;
    if (ran && *ran) problem = foreign_result_problem(**ran, input.program, names_);
    if (problem.empty()) return *std::move(ran);
    if (ran) result_.rejected = std::move((*ran)->program);
    result_.error = "the pass " + pass.text + ": " + problem;
    result_.stopped = true;
    return std::nullopt;
  }

  bool run(const RunCommand& command) {
    const auto start = Clock::now();
    const PassOptions none;
    auto answer = hooks_.command
                      ? hooks_.command(command.command, {result_.program, names_, none, feedback_})
                      : failure("no commands here");
    if (!answer) {
      result_.error = answer.error().message;
      result_.stopped = true;
      return false;
    }
    auto& output = *answer;
    const bool changed = output.program != result_.program;
    if (changed) unchanged_ = {};
    PassReport report{"exec:" + command.command, changed, changed ? 1U : 0U, since(start), {}};
    return finish(std::move(report), changed ? &output.program : nullptr, [&] {
      return output.map ? *output.map : unknown_map(result_.program, output.program);
    });
  }

  bool run(const Repeat& repeat) {
    bool changed = false;
    // A step that changed nothing changes nothing until another one has: after as many of these
    // in a row as there are steps, the fixpoint is reached.
    std::size_t quiet = 0;
    for (std::uint64_t n = 0; n < repeat.bound; ++n)
      for (const PipelineStep& one : repeat.body) {
        const bool again = step(one);
        changed |= again;
        quiet = again ? 0 : quiet + 1;
        if (quiet == repeat.body.size() || result_.stopped) return changed;
      }
    result_.remarks.push_back("fix: the last of " + std::to_string(repeat.bound) +
                              " iterations still changed something; fix:N(...) allows more");
    return changed;
  }

  // `after` becomes the program, unless the hook answers Undo; null: nothing changed.
  bool finish(PassReport report, Program* after, const std::function<StateMap()>& map) {
    Verdict verdict = Verdict::Continue;
    if (hooks_.after_pass)
      verdict = hooks_.after_pass(
          {report, result_.program, after != nullptr ? *after : result_.program, map});
    result_.stopped |= verdict != Verdict::Continue;
    if (verdict == Verdict::Undo) return false;
    if (after != nullptr) {
      if (result_.map) {
        const double start = processor();
        result_.map = compose(*result_.map, map(), first_, result_.program, *after, names_);
        result_.map_milliseconds += processor() - start;
      }
      analyses_.reset();
      result_.program = std::move(*after);
    }
    result_.reports.push_back(std::move(report));
    return after != nullptr;
  }

  ProgramAnalyses& analyses() {
    if (!analyses_) analyses_ = std::make_unique<ProgramAnalyses>(result_.program);
    return *analyses_;
  }

  Names& names_;
  const Feedback& feedback_;
  const PipelineHooks& hooks_;
  std::unique_ptr<ProgramAnalyses> analyses_; // of the result so far
  UnchangedFunctions unchanged_;
  Program first_;
  PipelineResult result_;
};

} // namespace

namespace {

// Feedback about results and unreached code is what passes place by the map.
bool uses_map(const Pipeline& pipeline, const Feedback& feedback) {
  if (feedback.results.empty() && feedback.unreached.empty()) return false;
  return std::ranges::any_of(pipeline, [&](const PipelineStep& step) {
    return match(
        step.step, [](const RunPass& run) { return run.row->uses_map; },
        [](const RunCommand&) { return false; },
        [&](const Repeat& repeat) { return uses_map(repeat.body, feedback); });
  });
}

} // namespace

PipelineResult run_pipeline(const Pipeline& pipeline, Program program, Names& names,
                            const Feedback& feedback, const PipelineHooks& hooks) {
  const bool composes = hooks.compose_maps || uses_map(pipeline, feedback);
  Runner runner(std::move(program), names, feedback, hooks, composes);
  runner.steps(pipeline);
  PipelineResult result = std::move(runner).take();
  if (!hooks.compose_maps) result.map.reset();
  return result;
}

namespace {

// --- One function, for the tiers -----------------------------------------------------------------

Pipeline restricted(Pipeline pipeline, const std::string& functions) {
  for (PipelineStep& step : pipeline)
    match(
        step.step, [&](RunPass& pass) { pass.options.set("functions", functions); },
        [](RunCommand&) {},
        [&](Repeat& repeat) { repeat.body = restricted(std::move(repeat.body), functions); });
  return pipeline;
}

bool makes_speculative_versions(const PipelineStep& step) {
  const auto* const run = std::get_if<RunPass>(&step.step);
  return run != nullptr && (run->row->name == "fresh-version" || run->row->name == "checkpoints" ||
                            run->row->name == "speculate");
}

std::string names_of(const std::vector<FunName>& functions, const Names& names) {
  std::string text;
  for (const FunName f : functions) text.append(text.empty() ? "" : "+").append(names.text(f));
  return text;
}

// The steps begin with the copy for the context, and copy the other functions only.
void copy_for(std::span<const Expr> context, FunName function, const Names& names,
              Pipeline& steps) {
  const PassRow* const row = find_pass("fresh-version");
  std::erase_if(steps, [&](PipelineStep& step) {
    auto* const run = std::get_if<RunPass>(&step.step);
    if (run == nullptr || run->row != row) return false;
    std::string others;
    for (const std::string_view f : run->options.list("functions"))
      if (f != names.text(function)) others.append(others.empty() ? "" : "+").append(f);
    run->options.set("functions", others);
    return others.empty();
  });
  RunPass copy{.row = row, .options = {}, .text = std::string(row->name)};
  copy.options.set("functions", std::string(names.text(function)));
  for (const Expr& guard : context) copy.options.set("context", print(guard, names));
  steps.insert(steps.begin(), PipelineStep{.step = std::move(copy)});
}

} // namespace

Pipeline for_function(Pipeline pipeline, FunName function, const Feedback& feedback,
                      const Names& names, std::span<const Expr> context) {
  std::vector<FunName> spoken_of = {function};
  const auto add = [&](const Place& at) {
    if (std::ranges::find(spoken_of, at.function) == spoken_of.end())
      spoken_of.push_back(at.function);
  };
  for (const Feedback::Predicate& held : feedback.predicates) add(held.at);
  for (const Feedback::BranchCounts& counts : feedback.branches) add(counts.at);
  const auto rest = std::ranges::find_if_not(pipeline, makes_speculative_versions);
  Pipeline first(pipeline.begin(), rest), then(rest, pipeline.end());
  first = restricted(std::move(first), names_of(spoken_of, names));
  then = restricted(std::move(then), names_of({function}, names));
  first.insert(first.end(), then.begin(), then.end());
  if (!context.empty()) copy_for(context, function, names, first);
  return first;
}

std::optional<OptimizedFunction> optimize_function(const Program& program, FunName function,
                                                   const Feedback& feedback,
                                                   const Pipeline& pipeline, Names& names,
                                                   const PipelineHooks& given,
                                                   std::span<const Expr> context) {
  const auto active = [function](const Program& p) {
    return std::ranges::find(p.functions, function, &Function::name)->versions.front().name;
  };
  PipelineHooks hooks = given;
  hooks.compose_maps = true;
  hooks.part = true;
  const Pipeline steps = for_function(pipeline, function, feedback, names, context);
  PipelineResult result = run_pipeline(steps, program, names, feedback, hooks);
  if (!result.error.empty() && hooks.failed) hooks.failed(result.error);
  if (active(result.program) == active(program)) return std::nullopt;
  return OptimizedFunction{std::move(result.program), std::move(*result.map)};
}

Result<CommandOutput> read_pass_answer(std::string_view json, Names& names) {
  JsonProblem problem;
  const auto root = read_json(json, problem);
  if (!root) return failure("{}", problem.message);
  std::string problems;
  JsonReader reader(names, [&](Span, const std::string& message) {
    problems += (problems.empty() ? "" : "; ") + message;
  });
  CommandOutput output;
  reader.object(
      *root,
      needs("program",
            [&](const JsonValue& v) { output.program = read_program(v, reader).program; }),
      may_have("state_map", [&](const JsonValue& v) { output.map = read_state_map(v, reader); }));
  if (reader.problems() > 0) return failure("{}", problems);
  return output;
}

} // namespace sourir
