#include "sourir/cli/opt_verify.h"

#include "sourir/bisim/entry_check.h"
#include "sourir/bisim/generate/generated_inputs.h"
#include "sourir/bisim/structure_check.h"
#include "sourir/cli/check_inputs.h"
#include "sourir/cli/counterexample_json.h"
#include "sourir/cli/load_file.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"

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

} // namespace sourir
