#include "sourir/bisim/lockstep.h"

#include "sourir/bisim/first_difference.h"
#include "sourir/bisim/generate/choice_sequence.h"
#include "sourir/bisim/lockstep_run.h"
#include "sourir/bisim/random_schedules.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {
namespace {

// What the schedules of the options ask for, and what of it no run has done yet.
class Requests {
public:
  Requests(const std::vector<std::string>& schedules, const LinkedProgram& output, Names& names)
      : output_(output), names_(names) {
    for (const std::string& text : schedules) {
      const auto parsed = parse_schedule(text, names);
      if (parsed && parsed->watch.any()) open_.emplace_back(split_watch(text).second);
      if (!parsed || parsed->mode == Schedule::Mode::Never) continue;
      const std::string at = parsed->mapped ? "map:at:" : "at:";
      if (parsed->mode != Schedule::Mode::At) open_.push_back(text);
      for (const std::uint64_t n : parsed->numbers) open_.push_back(at + std::to_string(n));
      for (const Place& place : parsed->places) open_.push_back(at + print(place, names));
    }
  }

  // A run under `schedule`, which is one of those of `text` in the options.
  void met(const std::string& text, const Schedule& schedule, const RunResult& run) {
    most_opportunities_ = std::max(most_opportunities_, run.opportunities.count());
    if (run.watched > 0) std::erase(open_, split_watch(text).second);
    const std::string at = schedule.mapped ? "map:at:" : "at:";
    const std::string_view exits = split_watch(text).first;
    if (schedule.mode != Schedule::Mode::At || exits == "each" || exits == "pairs") {
      if (run.forced + run.mapped_exits + run.entered > 0) std::erase(open_, text);
      return;
    }
    for (const std::uint64_t n : schedule.numbers)
      if (schedule.mapped ? run.mapped_numbers.contains(n) : n <= run.opportunities.count())
        std::erase(open_, at + std::to_string(n));
    for (const auto& [code, pc] : run.forced_places)
      for (const Place& place : schedule.places)
        if (output_.find(place) == std::pair(code, pc))
          std::erase(open_, at + print(place, names_));
  }
  void left_out(const std::string& text, std::size_t runs) {
    left_out_.push_back(fmt::format("{}: {} of it left out: the steps of all runs are used up "
                                    "(--fuel N allows more)",
                                    text, runs == 1 ? "a run" : fmt::format("{} runs", runs)));
  }

  std::vector<std::string> unmet() const {
    std::vector<std::string> all;
    for (const std::string& open : open_) all.push_back(open + ": " + why(open));
    all.insert(all.end(), left_out_.begin(), left_out_.end());
    return all;
  }

private:
  std::string why(std::string_view open) const {
    if (open.find("watch:") < 2) return "no guard was watched";
    if (open.starts_with("map:")) return "no run comes to a position there that the map has";
    if (open.starts_with("enter:")) return "no call enters another version because of it";
    if (open == "pairs") return "no run comes to two exits that could be forced";
    if (!open.starts_with("at:")) return "no run comes to an exit that could be forced";
    if (open.find('.') != std::string_view::npos) return "no exit could be forced there";
    return fmt::format("no run comes to so many exits that could be forced (the most: {})",
                       most_opportunities_);
  }

  const LinkedProgram& output_;
  const Names& names_;
  std::vector<std::string> open_, left_out_;
  std::uint64_t most_opportunities_ = 0;
};

class Check {
public:
  Check(const Program& input, const Program& output, const StateMap& map,
        const LockstepOptions& options, Names& names)
      : setting_(input, output, map, options, names),
        requests_(options.deopt, setting_.output, names), random_(options.seed) {}

  LockstepVerdict run(const std::vector<std::vector<Value>>& all_reads) {
    for (const auto& reads : all_reads)
      if (goes_on()) try_input(reads);
    if (goes_on()) verdict_.unmet = requests_.unmet();
    count_places();
    return std::move(verdict_);
  }

private:
  bool different() const { return verdict_.agreement == Agreement::Different; }
  bool goes_on() {
    const auto* const interrupt = setting_.options.interrupt;
    verdict_.interrupted |= interrupt != nullptr && *interrupt;
    return !different() && !verdict_.interrupted && !verdict_.checker_failed;
  }
  void count_places() {
    for (const Function& f : setting_.output.source().functions)
      for (const ResolvedVersion* code : setting_.output.function(f.name)->versions)
        for (const resolved::Instr& instr : code->instrs)
          if (const auto* const exit = exit_of(instr)) verdict_.exit_places += !exit->stays;
    verdict_.reached_places = reached_.size();
    verdict_.forced_places = forced_.size();
  }
  bool has_fuel() { return goes_on() && verdict_.steps < setting_.options.all_fuel; }

  bool is_deterministic(const LinkedProgram& program, const std::vector<TracedEvent>& events,
                        const std::vector<Value>& reads, const std::string& name) {
    const auto again = trace_of(setting_, program, reads);
    if (std::ranges::equal(events, again, {}, &TracedEvent::event, &TracedEvent::event))
      return true;
    verdict_.agreement = Agreement::Inconclusive;
    verdict_.checker_failed = true;
    verdict_.report = name + " differs from itself: the checker has failed\n";
    return false;
  }

  void try_input(const std::vector<Value>& reads) {
    const LockstepOptions& options = setting_.options;
    const std::vector<TracedEvent> expected = trace_of(setting_, setting_.input, reads);
    verdict_.steps += expected.back().steps;
    if (!goes_on()) return;
    if (!is_deterministic(setting_.input, expected, reads, options.input_name)) return;
    if (options.events_only &&
        !is_deterministic(setting_.output, trace_of(setting_, setting_.output, reads), reads,
                          options.output_name))
      return;
    const RunResult stays = try_schedule("never", reads, expected);
    verdict_.opportunities += stays.opportunities.count();
    if (setting_.options.deopt.empty())
      for (const std::string& deopt : schedules(stays))
        if (has_fuel()) try_schedule(deopt, reads, expected);
    try_requests(stays, reads, expected);
    const bool watches = options.watches || options.deopt.empty();
    if (watches && has_fuel() && watch_plan(setting_.output, {.all = true}))
      try_schedule("watch:always", reads, expected);
  }

  void try_requests(const RunResult& stays, const std::vector<Value>& reads,
                    const std::vector<TracedEvent>& expected) {
    for (const std::string& deopt : setting_.options.deopt) {
      const auto runs = runs_of(deopt, stays.opportunities, random_);
      for (std::size_t i = 0; i < runs.size(); ++i) {
        if (runs[i] == "never") continue;
        if (goes_on() && !has_fuel()) {
          requests_.left_out(deopt, runs.size() - i);
          break;
        }
        if (goes_on()) try_schedule(runs[i], reads, expected, &deopt);
      }
    }
  }

  // The schedules after `never`, where the options give none.
  std::vector<std::string> schedules(const RunResult& stays) {
    std::vector<std::string> all;
    if (stays.opportunities.count() > 0) {
      const std::uint32_t most = setting_.options.schedules;
      all = single_exits(setting_.options.every_place
                             ? stays.opportunities.choose_of_every_place(most, random_)
                             : stays.opportunities.choose(most, random_));
      all.insert(all.begin(), "always");
      all.push_back(fmt::format("p:0.1:{}", random_ % 1'000'000));
    }
    if (!setting_.options.events_only)
      if (auto steps = mapped_exits(stays.output_steps, setting_.options.mapped_exits, random_))
        all.push_back(std::move(*steps));
    return all;
  }

  // `request_text`: the text in the options that asks for it.
  RunResult try_schedule(const std::string& deopt, const std::vector<Value>& reads,
                         const std::vector<TracedEvent>& expected,
                         const std::string* request_text = nullptr) {
    Schedule schedule = *parse_schedule(deopt, setting_.names);
    (void)resolve(schedule, setting_.output); // places that the output does not have are not taken
    const bool after_exit = deopt.starts_with("at:") && !schedule.watch.any();
    RunRequest request{reads, expected, schedule, after_exit, nullptr};
    const RunResult result = schedule.mapped ? MappedExitRun(setting_, request).run()
                                             : LockstepRun(setting_, request).run();
    if (request_text != nullptr) requests_.met(*request_text, schedule, result);
    ++verdict_.runs;
    verdict_.steps += result.steps;
    verdict_.events += result.events;
    verdict_.states += result.states;
    verdict_.forced += result.forced;
    result.opportunities.add_places(reached_);
    forced_.insert(result.forced_places.begin(), result.forced_places.end());
    verdict_.exits += result.exits;
    verdict_.moved_exits += result.moved_exits;
    verdict_.mapped_exits += result.mapped_exits;
    verdict_.not_mapped += result.not_mapped;
    verdict_.entered += result.entered;
    verdict_.watched += result.watched;
    verdict_.invalidated += result.invalidated;
    if (result.agreement != Agreement::Inconclusive)
      verdict_.entered_versions.insert(result.entered_versions.begin(),
                                       result.entered_versions.end());
    verdict_.skipped += result.skipped;
    verdict_.checker_failed |= result.checker_failed;
    verdict_.inconclusive += result.agreement == Agreement::Inconclusive;
    if (result.agreement == Agreement::Equivalent || different()) return result;
    const bool first = verdict_.agreement == Agreement::Equivalent;
    if (result.agreement == Agreement::Different || first) {
      verdict_.agreement = result.agreement;
      verdict_.input_at_fault = result.input_at_fault;
      verdict_.oracle = result.oracle;
      verdict_.kind = result.kind;
      describe(result, deopt, request);
    }
    return result;
  }

  void describe(const RunResult& result, const std::string& deopt, const RunRequest& request) {
    Counterexample found;
    found.what = result.what;
    found.deopt = deopt;
    for (const Value v : request.reads) found.reads.push_back(input_text(v));
    found.input.name = setting_.options.input_name;
    found.output.name = setting_.options.output_name;
    if (request.schedule.mapped) {
      found.deopt = fmt::format("map:at:{}", result.output_step + 1);
      MappedExitRun(setting_, request, &found).run();
    } else if (result.agreement == Agreement::Different) {
      show_points(found, result, request);
      show_states(found, result, request);
    }
    verdict_.report = text(found);
    if (result.agreement == Agreement::Different) verdict_.counterexample = std::move(found);
  }

  void show_points(Counterexample& found, const RunResult& result, const RunRequest& request) {
    std::size_t read = 0;
    const auto stand = [&](CounterexampleSide& side, const LinkedProgram& program,
                           const Schedule& schedule, std::uint64_t agreed,
                           std::optional<std::uint64_t> differs) {
      Input input(request.reads, setting_.names);
      Config c = start(program, input, schedule, setting_.limits);
      forward(c, agreed);
      if (!c.stopped()) side.agreed = run_point(c);
      if (differs) forward(c, *differs);
      read = std::max<std::size_t>(read, c.input_position);
      if (!differs || c.stopped()) return;
      side.differs = run_point(c);
      list(side, *c.code, c.pc, setting_.names);
    };
    stand(found.output, setting_.output, request.schedule, result.agreed_output,
          result.output_step);
    stand(found.input, setting_.input, setting_.never, result.agreed_input, result.input_step);
    show_forced(found, result, request);
    show_first_state(found, result, request);
    found.reads.resize(std::min(found.reads.size(), read + 1));
    found.events = result.agreed_events;
    if (found.events > 0)
      found.last_event = sourir::describe(request.expected[found.events - 1].event);
  }

  // Without a map: with one, the states that differ are known.
  void show_first_state(Counterexample& found, const RunResult& result, const RunRequest& request) {
    if (!setting_.options.events_only || !result.input_step) return;
    Input input(request.reads, setting_.names), output_input(request.reads, setting_.names);
    Config in = start(setting_.input, input, setting_.never, setting_.limits);
    Config out = start(setting_.output, output_input, request.schedule, setting_.limits);
    forward(in, result.agreed_input);
    forward(out, result.agreed_output);
    const auto differ = first_difference(in, *result.input_step, out, result.output_step);
    if (!differ || (differ->left == *result.input_step && differ->right == result.output_step))
      return;
    forward(in, differ->left);
    forward(out, differ->right);
    found.first_state = {run_point(in), run_point(out)};
  }

  void show_forced(Counterexample& found, const RunResult& result, const RunRequest& request) {
    if (request.schedule.mode == Schedule::Mode::Never && !request.schedule.watch.any()) return;
    Input input(request.reads, setting_.names);
    Config c = start(setting_.output, input, request.schedule, setting_.limits);
    std::string printed;
    while (c.steps < result.output_step && !c.stopped()) {
      const bool forcing = forces_next_exit(c) || enters_other_version(c);
      std::optional<RunPoint> before;
      if (forcing && found.forced.size() < kShownExits) {
        before = run_point(c);
        list(found.output, *c.code, c.pc, setting_.names);
      }
      if (step(c, printed).status != StepStatus::Stepped) return;
      printed.clear();
      if (before) {
        found.forced.push_back({std::move(*before), run_point(c)});
        list(found.output, *c.code, c.pc, setting_.names);
      } else {
        found.more_forced += forcing;
      }
    }
  }

  static void forward(Config& c, std::uint64_t steps) {
    std::string printed;
    while (c.steps < steps && step(c, printed).status == StepStatus::Stepped) printed.clear();
  }

  // By repeating the run.
  void show_states(Counterexample& found, const RunResult& result, RunRequest request) {
    WantedState wanted;
    if (result.oracle == Oracle::OwnExits) {
      request.show_exits = true;
      found.states = LockstepRun(setting_, request).run().exits_differ;
    } else if (result.unmet) {
      wanted.number = *result.unmet;
      request.wanted = &wanted;
      LockstepRun(setting_, request).run();
      found.states = {"the map gives",
                      fmt::format("{} passes through", setting_.options.input_name),
                      wanted.demanded, wanted.nearest, wanted.candidates};
      if (wanted.candidates == 0)
        found.what += ": it does not stand at that place before its next event";
      else
        found.what += fmt::format(": it stands at that place {} time(s) before its next event",
                                  wanted.candidates);
      list(found.input, *wanted.code, wanted.pc, setting_.names);
    }
  }

  std::string input_text(Value v) const {
    const auto literal = to_literal(v);
    return literal ? print(*literal, setting_.names) : "?";
  }

  LockstepSetting setting_;
  Requests requests_;
  std::uint64_t random_;
  LockstepVerdict verdict_;
  std::set<std::pair<const ResolvedVersion*, Pc>> reached_, forced_;
};

} // namespace

void LockstepVerdict::add(LockstepVerdict one) {
  runs += one.runs;
  steps += one.steps;
  events += one.events;
  states += one.states;
  opportunities += one.opportunities;
  forced += one.forced;
  exit_places += one.exit_places;
  reached_places += one.reached_places;
  forced_places += one.forced_places;
  exits += one.exits;
  moved_exits += one.moved_exits;
  mapped_exits += one.mapped_exits;
  entered += one.entered;
  entered_versions.insert(one.entered_versions.begin(), one.entered_versions.end());
  unmet.insert(unmet.end(), one.unmet.begin(), one.unmet.end());
  not_mapped += one.not_mapped;
  skipped += one.skipped;
  inconclusive += one.inconclusive;
  checker_failed |= one.checker_failed;
  interrupted |= one.interrupted;
  const bool worse = one.agreement == Agreement::Different || agreement == Agreement::Equivalent;
  if (agreement == Agreement::Different || one.agreement == Agreement::Equivalent || !worse) return;
  agreement = one.agreement;
  oracle = one.oracle;
  kind = std::move(one.kind);
  report = std::move(one.report);
  input_at_fault = one.input_at_fault;
  counterexample = std::move(one.counterexample);
}

LockstepVerdict check_lockstep(const Program& input, const Program& output, const StateMap& map,
                               const std::vector<std::vector<Value>>& reads,
                               const LockstepOptions& options, Names& names) {
  return Check(input, output, map, options, names).run(reads);
}

} // namespace sourir
