#include "sourir/cli/engine/tier_verifier.h"

#include "native/tiering/program_part.h"
#include "sourir/bisim/state_entry.h"
#include "sourir/bisim/structure_check.h"
#include "sourir/semantics/text/version_text.h"

#include <fmt/format.h>

namespace sourir {

namespace {

using native::Verified;

// A version waits for it, perhaps the program too.
LockstepOptions options() {
  LockstepOptions o;
  o.fuel = 20'000;
  o.all_fuel = 400'000;
  o.depth = 10'000;
  o.schedules = 6;
  o.mapped_exits = 6;
  o.all_states = 64;
  o.input_name = "the program";
  o.output_name = "the new version";
  return o;
}

std::string made_for(const native::VersionToVerify& v) {
  const std::string name = version_name(v.added.code(), v.names);
  if (!v.added.outlined_from) return fmt::format("{}, made for calls", name);
  return fmt::format(
      "{}, made for the loop at {}", name,
      position_name(*v.added.outlined_from->from, v.added.outlined_from->head, v.names));
}

} // namespace

native::Verifier TierVerifier::hook() {
  return [this](const native::VersionToVerify& v) { return check(v); };
}

Verified TierVerifier::differs(const native::VersionToVerify& v, const std::string& how) {
  // In full of the first one; the others may well be the same mistake.
  const std::string shown = report_.empty() ? how : how.substr(0, how.find('\n'));
  report_ += fmt::format("error: {} is wrong, and is not used:\n{}{}", made_for(v), shown,
                         shown.ends_with('\n') ? "" : "\n");
  return Verified::Differs;
}

Verified TierVerifier::check(const native::VersionToVerify& v) {
  // The code may call what the optimizer was not shown.
  const Program& running = v.running.source();
  const Program before =
      v.added.source_program ? native::with_part(running, *v.added.source_program) : running;
  const Program after = native::with_part(before, *v.added.program);
  if (const auto problems = structural_problems(before, after, v.added.map, v.names);
      !problems.empty())
    return differs(v, fmt::format("  {}\n", problems.front()));
  const auto verdict = check_call(before, after, v.added.map, v.added.code().function, v.arguments,
                                  v.heap, options(), v.names);
  if (!verdict || verdict->agreement == Agreement::Inconclusive || verdict->input_at_fault ||
      verdict->checker_failed)
    return Verified::Undecided;
  if (verdict->agreement == Agreement::Equivalent) return Verified::Holds;
  return differs(v, verdict->report);
}

} // namespace sourir
