#include "sourir/bisim/lockstep.h"

#include "sourir/bisim/lockstep_run.h"
#include "sourir/bisim/tape.h"
#include "sourir/semantics/run.h"
#include "sourir/syntax/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace sourir {
namespace {

constexpr std::size_t kShownFrames = 3;

class Check {
public:
  Check(const Program& input, const Program& output, const StateMap& map,
        const LockstepOptions& options, Names& names)
      : setting_(input, output, map, options, names), random_(options.seed) {}

  LockstepVerdict run(const std::vector<std::vector<Value>>& all_reads) {
    for (const auto& reads : all_reads)
      if (!different()) try_input(reads);
    return std::move(verdict_);
  }

private:
  bool different() const { return verdict_.agreement == Agreement::Different; }
  bool goes_on() const { return !different() && verdict_.steps < setting_.options.all_fuel; }

  void try_input(const std::vector<Value>& reads) {
    const std::vector<TracedEvent> expected = trace_of(setting_, reads);
    verdict_.steps += expected.back().steps;
    if (!std::ranges::equal(expected, trace_of(setting_, reads), {}, &TracedEvent::event,
                            &TracedEvent::event)) {
      verdict_.agreement = Agreement::Inconclusive;
      verdict_.report = "the input differs from itself: the checker has failed\n";
      return;
    }
    const std::uint64_t opportunities = try_schedule("never", reads, expected);
    verdict_.opportunities += opportunities;
    if (opportunities == 0 || !goes_on()) return;
    try_schedule("always", reads, expected);
    for (const std::uint64_t n : single_exits(opportunities))
      if (goes_on()) try_schedule(fmt::format("at:{}", n), reads, expected);
    if (goes_on()) try_schedule(fmt::format("p:0.1:{}", random_ % 1'000'000), reads, expected);
  }

  // Each alone, or some of them.
  std::set<std::uint64_t> single_exits(std::uint64_t opportunities) {
    std::set<std::uint64_t> numbers;
    const std::uint64_t most = setting_.options.schedules;
    while (numbers.size() < std::min(opportunities, most))
      numbers.insert(opportunities <= most ? numbers.size() + 1
                                           : 1 + next_random(random_) % opportunities);
    return numbers;
  }

  // Returns the number of its opportunities.
  std::uint64_t try_schedule(const std::string& leave, const std::vector<Value>& reads,
                             const std::vector<TracedEvent>& expected) {
    const Schedule schedule = std::get<Schedule>(parse_schedule(leave, setting_.names));
    RunRequest request{reads, expected, schedule, leave.starts_with("at:"), nullptr};
    const RunResult result = LockstepRun(setting_, request).run();
    ++verdict_.runs;
    verdict_.steps += result.steps;
    verdict_.events += result.events;
    verdict_.states += result.states;
    verdict_.forced += result.forced;
    verdict_.exits += result.exits;
    verdict_.not_mapped += result.not_mapped;
    verdict_.skipped += result.skipped;
    verdict_.inconclusive += result.agreement == Agreement::Inconclusive;
    if (result.agreement == Agreement::Equivalent || different()) return result.opportunities;
    const bool first = verdict_.agreement == Agreement::Equivalent;
    if (result.agreement == Agreement::Different || first) {
      verdict_.agreement = result.agreement;
      verdict_.input_at_fault = result.input_at_fault;
      verdict_.oracle = result.oracle;
      verdict_.kind = result.kind;
      verdict_.report = report(result, leave, request);
    }
    return result.opportunities;
  }

  std::string report(const RunResult& result, const std::string& leave, RunRequest request) {
    std::string out = fmt::format("{}\nseen with --leave={}, after {} steps of the output",
                                  result.what, leave, result.output_step);
    for (std::size_t i = 0; i < request.reads.size(); ++i)
      out += fmt::format("{}{}", i == 0 ? ", input " : " ", input_text(request.reads[i]));
    out += '\n';
    if (result.agreement == Agreement::Inconclusive) return out;
    out += "the output:\n" +
           state_of(setting_.output, request.schedule, request.reads, result.output_step);
    if (result.input_step)
      out += "the input:\n" +
             state_of(setting_.input, setting_.never, request.reads, *result.input_step);
    if (result.unmet) {
      Wanted wanted;
      wanted.number = *result.unmet;
      request.wanted = &wanted;
      LockstepRun(setting_, request).run();
      out += unmet_text(wanted);
    }
    return out;
  }

  std::string input_text(Value v) const {
    const auto literal = to_literal(v);
    return literal ? print(*literal, setting_.names) : "?";
  }

  // The innermost frames after so many steps.
  std::string state_of(const LinkedProgram& program, const Schedule& schedule,
                       const std::vector<Value>& reads, std::uint64_t steps) {
    Input input(reads, setting_.names);
    Config c = start(program, input, schedule, setting_.limits);
    std::string printed, out;
    while (c.steps < steps && step(c, printed).status == StepStatus::Stepped) {
    }
    for (const FrameReport& frame : frames_of(c, kShownFrames)) {
      out += "  " + print(frame.place, setting_.names) + ":";
      for (const auto& [name, value] : frame.values)
        out += fmt::format(" {} = {}", setting_.names.text(name), value);
      out += '\n';
    }
    return out;
  }

  static std::string unmet_text(const Wanted& wanted) {
    std::string out =
        "which stands for this state of the input:\n" + text(wanted.demanded, nullptr);
    if (wanted.candidates == 0)
      return out + "the input does not stand at that place before its next event\n";
    out += fmt::format("the input stands there {} time(s) before its next event; most like it is\n",
                       wanted.candidates);
    return out + text(wanted.nearest, &wanted.demanded);
  }

  // With a mark where it is not as in the other one.
  static std::string text(const ShownState& state, const ShownState* other) {
    std::string out = fmt::format("    {} frame(s)\n", state.depth);
    for (std::size_t i = 0; i < state.lines.size(); ++i) {
      const auto& [name, value] = state.lines[i];
      const bool same =
          other == nullptr || (i < other->lines.size() && other->lines[i].name == name &&
                               other->lines[i].value == value);
      out +=
          fmt::format("  {} {}{}{}\n", same ? " " : "!", name, value.empty() ? "" : " = ", value);
    }
    return out;
  }

  LockstepSetting setting_;
  std::uint64_t random_;
  LockstepVerdict verdict_;
};

} // namespace

LockstepVerdict check_lockstep(const Program& input, const Program& output, const StateMap& map,
                               const std::vector<std::vector<Value>>& reads,
                               const LockstepOptions& options, Names& names) {
  return Check(input, output, map, options, names).run(reads);
}

} // namespace sourir
