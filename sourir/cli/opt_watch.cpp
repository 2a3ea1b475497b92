#include "sourir/cli/opt_watch.h"

#include "sourir/bisim/entry_check.h"
#include "sourir/bisim/generate/generated_inputs.h"
#include "sourir/bisim/structure_check.h"
#include "sourir/cli/check_inputs.h"
#include "sourir/cli/counterexample_json.h"
#include "sourir/cli/line_diff.h"
#include "sourir/cli/load_file.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"
#include "sourir/os/terminal.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/wellformed.h"

#include <fmt/format.h>

namespace sourir {

std::string PassVerifier::read_inputs(const std::string& path, const Program& program,
                                      Names& names) {
  if (!path.empty()) return check_inputs(path, program, options_.seed, names, inputs_);
  inputs_ = generated_inputs(program, options_.seed, names);
  return {};
}

bool PassVerifier::fits(const PassEvent& event, const StateMap& map, Names& names) {
  const auto problems = structural_problems(event.before, event.after, map, names);
  for (const std::string& problem : problems)
    say_error(fmt::format("the pass {}: {}", event.report.pass, problem));
  if (!problems.empty()) status_ = exit_status::kFound;
  return problems.empty();
}

bool PassVerifier::agrees(const PassEvent& event, Names& names) {
  const StateMap map = event.map();
  if (!fits(event, map, names)) return false;
  ++changes_;
  options_.interrupt = &stop_requested();
  LockstepVerdict verdict =
      check_lockstep(event.before, event.after, map, inputs_, options_, names);
  if (verdict.agreement != Agreement::Different)
    verdict.add(check_entries(event.before, event.after, map, inputs_.front(), options_, names));
  sum_.runs += verdict.runs;
  sum_.steps += verdict.steps;
  sum_.events += verdict.events;
  sum_.states += verdict.states;
  sum_.forced += verdict.forced;
  sum_.not_mapped += verdict.not_mapped;
  sum_.mapped_exits += verdict.mapped_exits;
  sum_.inconclusive += verdict.inconclusive;
  if (verdict.agreement == Agreement::Equivalent) return true;
  const bool different = verdict.agreement == Agreement::Different;
  if (status_ != exit_status::kFound)
    status_ = different ? exit_status::kFound : exit_status::kInconclusive;
  if (different)
    say_error(fmt::format("the pass {} changes what the program does{}", event.report.pass,
                          verdict.input_at_fault
                              ? "; but the program's own exits are wrong: it does the same "
                                "without the pass when it leaves there"
                              : ""));
  else
    say(fmt::format("inconclusive: {} (--fuel N allows more steps)\n", event.report.pass));
  say(verdict.report);
  if (!different) return true;
  const std::string again = fmt::format("{} --opt-bisect-limit={}", command_, changes_);
  say(fmt::format("again:\n  {}\n", again));
  difference_ = difference_json(verdict, again);
  (*difference_)["pass"] = event.report.pass;
  return false;
}

Json PassVerifier::json() const {
  Json json{{"changes", changes_},
            {"runs", sum_.runs},
            {"steps", sum_.steps},
            {"events", sum_.events},
            {"states", sum_.states},
            {"forced", sum_.forced},
            {"not_mapped", sum_.not_mapped},
            {"mapped_exits", sum_.mapped_exits},
            {"inconclusive", sum_.inconclusive}};
  if (difference_) json["difference"] = *difference_;
  return json;
}

std::string PassVerifier::text() const {
  return fmt::format("verified: {}, {} of {}, {} compared, {} not mapped, {} left through the map, "
                     "{} inconclusive\n",
                     counted(changes_, "change"), counted(sum_.runs, "run"),
                     counted(sum_.steps, "step"), counted(sum_.states, "state"), sum_.not_mapped,
                     counted(sum_.mapped_exits, "position"), sum_.inconclusive);
}

namespace {

// Up to this many instructions well-formedness is checked after each pass: it costs little.
constexpr std::size_t kSmall = 10000;
constexpr std::size_t kWholeDiff = 1000000; // lines

bool is_small(const Program& program) {
  std::size_t count = 0;
  for (const Function& function : program.functions)
    for (const Version& version : function.versions) count += version.body.size();
  return count < kSmall;
}

std::string summary(const PassReport& report) {
  if (!report.changed) return fmt::format("{}: no change", report.pass);
  return fmt::format("{}: {}", report.pass, counted(report.rewrites, "rewrite"));
}

} // namespace

void PassWatch::show(const PassEvent& event) const {
  if (!options_.print_after_all && !options_.print_changed) return;
  say(fmt::format("*** {}\n", printable(summary(event.report))));
  if (!event.report.changed) return;
  const std::string after = print(event.after, names_);
  say(options_.print_changed ? line_diff(print(event.before, names_), after, kWholeDiff) : "");
  say(options_.print_after_all ? after : "");
}

// Numbers the changes, so that the one that breaks a program can be found by halving.
bool PassWatch::over_limit(const PassReport& report) {
  if (!report.changed || options_.bisect_limit == OptOptions::kNoLimit) return false;
  const bool over = ++changes_ > options_.bisect_limit;
  say(fmt::format("bisect: change {}: {}{}\n", changes_, printable(summary(report)),
                  over ? ": left out; the pipeline ends here" : ""));
  return over;
}

bool PassWatch::broken(const Program& program, const std::string& pass) {
  if (is_wellformed(program, names_)) return false;
  show_not_wellformed(fmt::format("output of {}", pass), program, names_);
  say_error(fmt::format("the output of {} is not well-formed", pass));
  say("This is a bug of sourir " SOURIR_VERSION ". Please report it with the command line, the "
      "files that it names\nand this message; with --print-after-all it shows the program before "
      "the pass, too.\n");
  status_ = exit_status::kBug;
  return true;
}

Verdict PassWatch::after(const PassEvent& event) {
  if (over_limit(event.report)) return Verdict::Undo;
  show(event);
  const bool look = event.report.changed && (options_.check_each || is_small(event.after));
  if (look && broken(event.after, "the pass " + event.report.pass)) return Verdict::Undo;
  if (verifier_ != nullptr && event.report.changed && !verifier_->agrees(event, names_)) {
    status_ = exit_status::kFound;
    return Verdict::Undo;
  }
  if (!interrupted()) return Verdict::Continue;
  say_error(
      fmt::format("interrupted after the pass {}: what is shown is its result", event.report.pass));
  status_ = exit_status::kInterrupted;
  return Verdict::Stop;
}

void PassWatch::finish(const PipelineResult& result) {
  const bool looked = options_.check_each || is_small(result.program);
  if (!looked && status_ == exit_status::kFine)
    broken(result.program, "the passes (--check-each says which)");
  if (verifier_ != nullptr && status_ == exit_status::kFine) status_ = verifier_->status();
  if (options_.bisect_limit != OptOptions::kNoLimit && changes_ <= options_.bisect_limit)
    say(fmt::format("bisect: {} in all\n", counted(changes_, "change")));
}

} // namespace sourir
