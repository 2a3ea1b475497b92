#include "sourir/cli/engine/engine_report.h"

#include <fmt/format.h>

namespace sourir {

std::string engine_statistics_text(const EndedRun& run) {
  const native::EngineStatistics& s = *run.counts;
  std::string out;
  const auto line = [&](std::string_view what, std::uint64_t n, std::string_view unit = "") {
    out += fmt::format("{:<20}{:>14}{}{}\n", what, n, unit.empty() ? "" : " ", unit);
  };
  out += fmt::format("{:<20}{:>14}\n", "engine", run.engine);
  line("prints", s.prints);
  line("reads", s.reads);
  line("calls", s.calls, "(of the interpreter)");
  line("deoptimizations", s.exits);
  line("  forced", s.forced);
  line("  to native code", s.exits_to_native);
  line("  cascades", s.cascades, "(exits in a row, each from what the one before entered)");
  line("  longest", s.longest_cascade, "exits");
  line("elements watched", s.watched);
  line("  invalidated", s.invalidated, "(by a store)");
  line("resumes", s.resumes, "(native code left for the same instruction in the baseline)");
  line("loops entered", s.loops);
  line("opportunities", s.opportunities, "(counted where exits are forced)");
  line("arrays", s.arrays);
  line("versions compiled", s.compiled);
  line("  optimized", s.optimized, "(from what was seen)");
  line("  retired", s.retired);
  line("  freed", s.freed);
  if (s.verified + s.differing + s.undecided != 0) {
    line("  verified", s.verified, "(the same from the state that asked for it on)");
    line("  differing", s.differing, "(not used)");
    line("  undecided", s.undecided);
  }
  line("machine code", s.machine_code_bytes, "bytes");
  out += fmt::format("{:<20}{:>14.3f}\n", "seconds compiling", s.compile_seconds);
  out += fmt::format("{:<20}{:>14.3f}\n", "seconds", run.seconds);
  return out;
}

Json engine_statistics_object(const EndedRun& run) {
  const native::EngineStatistics& s = *run.counts;
  return {{"engine", run.engine},
          {"prints", s.prints},
          {"reads", s.reads},
          {"calls", s.calls},
          {"deoptimizations", s.exits},
          {"forced", s.forced},
          {"to_native", s.exits_to_native},
          {"cascades", s.cascades},
          {"longest_cascade", s.longest_cascade},
          {"watched", s.watched},
          {"invalidated", s.invalidated},
          {"resumes", s.resumes},
          {"loops_entered", s.loops},
          {"opportunities", s.opportunities},
          {"blocks", s.arrays},
          {"compiled", s.compiled},
          {"optimized", s.optimized},
          {"retired", s.retired},
          {"freed", s.freed},
          {"verified", s.verified},
          {"differing", s.differing},
          {"undecided", s.undecided},
          {"machine_code_bytes", s.machine_code_bytes},
          {"compile_seconds", s.compile_seconds},
          {"seconds", run.seconds}};
}

} // namespace sourir
