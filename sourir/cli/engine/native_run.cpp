#include "sourir/cli/engine/native_run.h"

#include "native/tiering/compile_job.h"
#include "native/tiering/native_settings.h"
#include "native/tiering/program_part.h"
#include "sourir/bisim/added_version_check.h"
#include "sourir/bisim/structure_check.h"
#include "sourir/cli/engine/replay_records.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"
#include "sourir/passes/core/feedback_form.h"
#include "sourir/semantics/text/state_text.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace sourir {

NativeRun::NativeRun(const RunOptions& options, Output& out, Names& names)
    : settings_(engine_settings(options.engine, options.limits, options.tiers, names)),
      hooks_{[this](std::string_view line) { print(line); }, &stop_requested()}, out_(out),
      names_(names), options_(options) {
  settings_.keeps_feedback = !options.feedback_out.empty();
  if (settings_.keeps_feedback)
    hooks_.optimized = [this](const native::CompileJob& job) { keep_feedback(job); };
  settings_.counts_dispatches = !options.stats.empty() || !options.report.empty();
  settings_.checks_contexts = settings_.counts_dispatches;
  settings_.abandon_compiler =
      options.tier_log.empty() && options.why.empty() && options.feedback_out.empty() &&
      options.stats.empty() && options.report.empty() && !options.json && !options.tiers.verify &&
      options.tiers.profile.trigger.empty() && options.tiers.events.recording == nullptr;
  hooks_.warn = [this](std::string_view what) {
    const std::scoped_lock lock(writing_);
    say(fmt::format("sourir: warning: {}\n", what));
  };
  if (options.tiers.verify) settings_.verifier = verifier_.hook();
  if (options.tier_log.empty() || options.tier_log == "schedule") return;
  log_form_ = options.tier_log == "json"       ? TierForm::JsonLines
              : options.tier_log == "versions" ? TierForm::Versions
                                               : TierForm::Text;
  hooks_.tiers = [this](const native::TierEvent& event) { receive(event); };
}

void NativeRun::record_to(WhyHistory& history) {
  history_ = &history;
  hooks_.tiers = [this](const native::TierEvent& event) { receive(event); };
  hooks_.ended = [this](std::span<const native::TierCounts> counts) {
    const std::scoped_lock lock(writing_);
    history_->end(counts);
  };
}

void NativeRun::receive(const native::TierEvent& event) {
  if (history_ != nullptr) {
    const std::scoped_lock lock(writing_);
    history_->add(event);
  }
  if (log_form_) write_log(tier_log(event, *log_form_, names_));
}

void NativeRun::keep_feedback(const native::CompileJob& job) {
  if (job.kind != native::CompileJob::Kind::Function) return;
  const FunName function = job.version->function;
  FeedbackFile::OfFunction one{function, job.predicates, job.when};
  std::string text = function_feedback_json(one, program_->source(), names_);
  const std::scoped_lock lock(writing_);
  const auto known = std::ranges::find(made_from_, function, &FeedbackFile::OfFunction::function);
  const auto at = static_cast<std::size_t>(known - made_from_.begin());
  made_from_.resize(std::max(made_from_.size(), at + 1));
  made_from_text_.resize(made_from_.size());
  made_from_[at] = std::move(one);
  made_from_text_[at] = std::move(text);
}

std::string NativeRun::feedback(native::EngineRun& run) const {
  if (!run.feedback) return incomplete_feedback_json(made_from_text_);
  FeedbackFile file = *std::move(run.feedback);
  file.functions = made_from_;
  if (run.sampling)
    for (const auto& code : run.sampling->code)
      for (const profiler::SampledPosition& position : code->positions)
        if (position.samples() != 0)
          file.samples.push_back(
              {code->name, position.place, position.what, position.elements, position.counts});
  return feedback_json(file, program_->source(), names_);
}

void NativeRun::write_log(const std::string& lines) {
  const std::scoped_lock lock(writing_);
  if (tiers_to_ != nullptr) return tiers_to_->write(lines);
  out_.flush(); // keeps the order of lines on a terminal
  say(lines);
}

std::string NativeRun::open_perf_map() {
  hooks_.made = [this](const native::MadeCode& made) {
    const std::scoped_lock lock(writing_);
    perf_map_.add(made, names_);
  };
  return perf_map_.open();
}

void NativeRun::print(std::string_view line) {
  const std::scoped_lock lock(writing_);
  out_.write_line(line);
  if (schedule_) schedule_->printed(line);
  if (out_.failed()) request_stop();
}

void NativeRun::flush() {
  const std::scoped_lock lock(writing_);
  out_.flush();
}

native::EngineRun NativeRun::run(const LinkedProgram& program, Input& input,
                                 const Schedule& schedule) {
  program_ = &program;
  if (options_.tier_log == "schedule") {
    schedule_.emplace(program, names_, [this](const std::string& line) { write_log(line); });
    schedule_->begin(options_.engine, options_.deopt);
    hooks_.steps = [this](const native::TierStep& step) { schedule_->step(record_of(step)); };
  }
  native::EngineRun run = native::run_engine(program, input, schedule, settings_, hooks_);
  if ((abandoned_ = run.compiler_abandoned)) return run;
  abandoned_ = run.abandoned;
  if (run.left_native_code)
    run.outcome.message += ", whose frames are not known";
  else if (schedule_ && !abandoned_)
    schedule_->end(run.outcome, run.last, run.events);
  if (!abandoned_) {
    advise(run.statistics);
    return run;
  }
  run.outcome.message = "stopped; the program still ran, its frames are not known";
  // With a limit: the thread that holds the lock may be blocked in a write to a full pipe.
  static_cast<void>(writing_.try_lock_for(std::chrono::milliseconds(200)));
  return run;
}

void NativeRun::advise(const native::EngineStatistics& counts) {
  // A log for a replay is read by a program.
  const bool shows = !options_.tier_log.empty() && options_.tier_log != "schedule";
  const bool profiles = !options_.tiers.profile.trigger.empty();
  if (options_.engine != "auto" || !(shows || profiles) || counts.compiled != 0) return;
  advice_ = settings_.compiler ? nothing_compiled(options_.tiers, settings_.background)
                               : "nothing was compiled: this build makes no native code";
  if (options_.tier_log == "json") write_log(nothing_compiled_line(advice_));
}

void NativeRun::exit_abandoned(int status) { std::_Exit(finish(status)); }

std::string PerfMap::open() {
  const std::string path = fmt::format("/tmp/perf-{}.map", getpid());
  auto opened = open_to_write(path);
  if (const auto* problem = std::get_if<FileProblem>(&opened)) return problem->message;
  file_ = std::get<OpenFile>(std::move(opened));
  out_.emplace(file_.fd(), "'" + path + "'");
  return {};
}

void PerfMap::add(const native::MadeCode& made, const Names& names) {
  for (std::size_t i = 0; i < made.codes.size(); ++i) {
    const native::NativeCode& code = *made.codes[i];
    const std::string at = made.requests[i].entry ? "" : fmt::format("@{}", code.start);
    out_->write_line(
        fmt::format("{:x} {:x} {}{}", code.begin, code.size, version_name(*code.code, names), at));
  }
  out_->flush();
}

namespace {

using native::Verified;

std::string made_for(const native::VersionToVerify& v) {
  const std::string name = version_name(v.added.code(), v.names);
  if (!v.added.outlined_from) return fmt::format("{}, made for calls", name);
  return fmt::format(
      "{}, made for the loop at {}", name,
      position_name(*v.added.outlined_from->from, v.added.outlined_from->head, v.names));
}

} // namespace

TierVerifier::TierVerifier(bool brief) {
  if (brief) efforts_ = {effort(Effort::Size::Brief), effort(Effort::Size::Medium)};
  efforts_.push_back(effort(Effort::Size::Full));
}

// Small limits: the version, and perhaps the program, waits for the check.
TierVerifier::Effort TierVerifier::effort(Effort::Size size) {
  LockstepOptions options;
  options.fuel = size == Effort::Size::Full ? 20'000 : 2'000;
  options.all_fuel = 20 * options.fuel;
  options.depth = 10'000;
  options.schedules = 6;
  options.mapped_exits = 6;
  options.all_states = 64;
  options.input_name = "the program";
  options.output_name = "the new version";
  if (size == Effort::Size::Full) return {options, {}};
  const std::uint64_t times = size == Effort::Size::Brief ? 1 : 8;
  return {options,
          {.sampled_steps = {5'000, 20'000},
           .varied_states = 24 * times,
           .searched_states = 200 * times,
           .input_steps = 100'000 * times,
           .event_steps = 20'000 * times}};
}

native::Verifier TierVerifier::hook() {
  return [this](const native::VersionToVerify& v) { return check(v); };
}

Verified TierVerifier::differs(const native::VersionToVerify& v, const std::string& how) {
  // Only the first report is shown in full; the others may have the same cause.
  const std::string shown = report_.empty() ? how : how.substr(0, how.find('\n'));
  report_ += fmt::format("error: {} is wrong, and is not used:\n{}{}", made_for(v), shown,
                         shown.ends_with('\n') ? "" : "\n");
  return Verified::Differs;
}

Verified TierVerifier::check(const native::VersionToVerify& v) {
  // The whole program: the code may call functions that the optimizer did not get.
  const Program& running = v.running.source();
  const Program before =
      v.added.source_program ? native::with_part(running, *v.added.source_program) : running;
  const Program after = native::with_part(before, *v.added.program);
  if (const auto problems = structural_problems(before, after, v.added.map, v.names);
      !problems.empty())
    return differs(v, fmt::format("  {}\n", problems.front()));
  std::vector<CallState> states;
  for (const native::EntryState& state : v.states) states.push_back({state.arguments, state.heap});
  AddedVersionVerdict verdict{.agreement = Agreement::Inconclusive};
  for (auto e = efforts_.begin();
       e != efforts_.end() && verdict.agreement == Agreement::Inconclusive; ++e)
    verdict = check_added_version({before, after, v.added.map, v.added.code().function,
                                   v.added.code().version, states, !v.added.outlined_from},
                                  e->options, v.names, e->limits);
  tried_.add(verdict.tried);
  if (verdict.agreement == Agreement::Equivalent) return Verified::Holds;
  if (verdict.agreement == Agreement::Different) return differs(v, verdict.report);
  undecided_ += fmt::format("undecided: {} is not used: {}\n", made_for(v), verdict.report);
  return Verified::Undecided;
}

} // namespace sourir
