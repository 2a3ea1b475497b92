#include "sourir/bisim/lockstep_run.h"

#include "sourir/bisim/check_limits.h"
#include "sourir/semantics/eval.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

namespace sourir {
namespace {

Limits limits_of(const LockstepOptions& options) {
  Limits limits = check_limits(options.fuel);
  limits.depth = options.depth;
  return limits;
}

bool is_exit(const Config& c) {
  return std::holds_alternative<resolved::Assume>(c.instr()) ||
         std::holds_alternative<resolved::Anchor>(c.instr());
}

} // namespace

LockstepSetting::LockstepSetting(const Program& input_program, const Program& output_program,
                                 const StateMap& map, const LockstepOptions& chosen,
                                 Names& all_names)
    : names(all_names), options(chosen), input(input_program, all_names),
      output(output_program, all_names), live(input_program),
      places(map, input, output_program, live), limits(limits_of(chosen)) {}

std::vector<TracedEvent> trace_of(LockstepSetting& setting, const LinkedProgram& program,
                                  const std::vector<Value>& reads) {
  Input input(reads, setting.names);
  Config c = start(program, input, setting.never, setting.limits);
  std::vector<TracedEvent> events;
  do {
    auto event = advance(
        c, [&](const Config& now) { return (now.steps & 4095) != 4095 || !setting.interrupted(); });
    if (!event) event = Event{Event::Kind::Limit, "interrupted"};
    events.push_back({std::move(*event), c.steps});
  } while (!events.back().event.ends());
  return events;
}

LockstepRun::LockstepRun(LockstepSetting& setting, const RunRequest& request)
    : setting_(setting), request_(request), output_input_(request.reads, setting.names),
      follower_input_(request.reads, setting.names),
      output_(start(setting.output, output_input_, request.schedule, setting.limits)),
      follower_(start(setting.input, follower_input_, setting.never, setting.limits)),
      mapper_(setting.places), demands_(setting.fingerprints, setting.names, request.wanted),
      mapped_(!setting.options.events_only && !request.schedule.enters()), following_(mapped_),
      quiet_(request.only_after_exit) {}

RunResult LockstepRun::run() {
  while (!over_) window();
  check_forced();
  result_.states = demands_.count();
  result_.steps = output_.steps + follower_steps_ + follower_.steps;
  result_.output_steps = output_.steps;
  result_.opportunities = output_.opportunities;
  return result_;
}

void LockstepRun::window() {
  const std::optional<Event> event = output_window();
  if (over_) return;
  const TracedEvent& expected = request_.expected[next_event_];
  if (event->kind == Event::Kind::Limit || expected.event.kind == Event::Kind::Limit)
    return at_limit(*event);
  ++result_.events;
  if (*event != expected.event) return other_event(*event, expected);
  ++next_event_;
  if (following_) follow(*event);
  if (!over_) {
    result_.agreed_output = output_.steps;
    result_.agreed_input = expected.steps;
    result_.agreed_events = next_event_;
  }
  demands_.clear();
  over_ |= event->ends();
  resumed_ = !over_ && mapped_ && !following_ && copied_ <= kCopiedValues;
  if (resumed_) anchor();
}

void LockstepRun::at_limit(const Event& event) {
  const Event& last = request_.expected.back().event;
  if (last.kind == Event::Kind::Limit && event.kind != Event::Kind::Limit) {
    if (request_.expected.back().event.text == name_of(Limit::Fuel) &&
        input_never_ends(setting_.never) &&
        differ(Oracle::Divergence, "input",
               fmt::format("{} comes to the same state again and again, {} {}", input_name(),
                           output_name(), describe(event))))
      return;
  }
  if (last.kind == Event::Kind::Limit)
    return end(Agreement::Inconclusive, input_name() + " " + describe(last));
  const bool numbered = request_.schedule.mode == Schedule::Mode::Random;
  if (!numbered && event.text == name_of(Limit::Fuel)) {
    output_.schedule = &setting_.never; // what was to be forced was
    if (request_.schedule.mode == Schedule::Mode::Always) output_.schedule = &request_.schedule;
    Limits more = setting_.limits;
    more.fuel *= 2;
    output_.limits = &more;
    const bool forever = diverges_silently(output_) && !input_repeats();
    output_.limits = &setting_.limits;
    if (forever && differ(Oracle::Divergence, kind_of_instr(*output_.code, output_.pc),
                          fmt::format("{} comes to the same state again and again, {} ends",
                                      output_name(), input_name())))
      return;
  }
  end(Agreement::Inconclusive, output_name() + " " + describe(event));
}

// It uses up its fuel, and nothing is seen of it from there on.
bool LockstepRun::input_never_ends(const Schedule& schedule) {
  Input input(request_.reads, setting_.names);
  Config c = start(setting_.input, input, schedule, setting_.limits);
  std::string printed;
  StepResult last;
  while ((last = step(c, printed)).status == StepStatus::Stepped) printed.clear();
  if (last.status != StepStatus::AtLimit || last.limit != Limit::Fuel) return false;
  Limits more = setting_.limits;
  more.fuel *= 2;
  c.limits = &more;
  return diverges_silently(std::move(c));
}

Oracle LockstepRun::event_oracle() const {
  if (result_.forced == 0 && !request_.schedule.enters()) return Oracle::Events;
  return setting_.options.as.value_or(Oracle::ForcedExits);
}

// The input leaves wherever the output does, or goes on from where the output has left to.
bool LockstepRun::input_repeats() {
  if (request_.schedule.mode == Schedule::Mode::Always) return input_never_ends(request_.schedule);
  return following_ && anchored_ && diverges_silently(follower_);
}

bool LockstepRun::interrupted(const Config& c) {
  if ((c.steps & 4095) == 4095 && setting_.interrupted())
    end(Agreement::Inconclusive, "interrupted");
  return over_;
}

std::optional<Event> LockstepRun::output_window() {
  std::string printed;
  for (;;) {
    if (following_ && !quiet_ && due()) demand();
    if (over_ || interrupted(output_)) return std::nullopt;
    const StepResult r = is_exit(output_) ? at_exit(printed) : step(output_, printed);
    if (over_) return std::nullopt;
    if (mapped_) mapper_.follow(output_);
    if (auto event = seen(r, std::move(printed), output_)) return event;
    printed.clear();
  }
}

// The first ones all, then fewer and fewer.
bool LockstepRun::due() {
  const std::uint64_t dense = setting_.options.all_states;
  const std::uint64_t n = seen_states_++;
  return n < dense || n % (1 + n / dense) == 0;
}

// Empty: not mapped, or the run has ended because the map is wrong.
std::optional<SourceFrames> LockstepRun::source_frames(BorrowedBlocks& blocks, std::size_t most) {
  SourceFrames frames = mapper_.frames(output_, blocks, most);
  if (frames.kind == SourceFrames::Kind::NoValue)
    differ(Oracle::States, "no-value",
           fmt::format("an expression of the state map at {} has no value ({})",
                       print(output_.code->place(output_.pc), setting_.names),
                       name_of(frames.why)));
  else if (!setting_.places.problem().empty())
    differ(Oracle::States, "no-place", setting_.places.problem());
  if (over_ || !frames.mapped()) return std::nullopt;
  return frames;
}

void LockstepRun::demand() {
  BorrowedBlocks blocks(output_.heap);
  const auto frames = source_frames(blocks, kComparedFrames);
  if (frames)
    demands_.add(output_.heap, frames->views(), frames->depth, output_.steps,
                 returned_value(*output_.code, output_.pc, output_.heap, output_.env()));
  else
    ++result_.not_mapped;
}

// From here to the same event. The input must make it, too.
void LockstepRun::follow(const Event& event) {
  const auto followed = advance(follower_, [&](const Config& c) {
    demands_.visit(c);
    return true;
  });
  if (followed->kind == Event::Kind::Limit)
    return end(Agreement::Inconclusive,
               input_name() + ", from a state that the map gives, " + describe(*followed));
  if (*followed != event) {
    following_ = false;
    differ(Oracle::States, kinds_of(event, *followed),
           fmt::format("{} {}; {}, from the state that the map gives after the last exit, {}",
                       output_name(), describe(event), input_name(), describe(*followed)));
    return;
  }
  if (const Demand* const unmet = demands_.first_unmet()) unmet_demand(*unmet);
}

// Forced exits are those that the schedule says, no more and no fewer.
void LockstepRun::check_forced() {
  if (injected_ == result_.forced || result_.agreement != Agreement::Equivalent) return;
  end(Agreement::Inconclusive, fmt::format("the checker has failed: {} exits were to be forced, {} "
                                           "were",
                                           injected_, result_.forced));
  result_.checker_failed = true;
}

void LockstepRun::end(Agreement agreement, std::string what) {
  result_.agreement = agreement;
  result_.what = std::move(what);
  result_.output_step = output_.steps;
  over_ = true;
}

bool LockstepRun::differ(Oracle oracle, std::string_view detail, std::string what) {
  if (!setting_.options.oracles.has(oracle)) return false;
  end(Agreement::Different, std::move(what));
  result_.oracle = oracle;
  result_.kind = fmt::format("{}:{}", name_of(oracle), detail);
  return true;
}

// More often than the input's run has states is in a circle, though no state need come again.
void LockstepRun::count_deoptimization(const ResolvedVersion* code, Pc pc) {
  const TracedEvent& last = request_.expected.back();
  if (result_.forced != 0 || last.event.kind == Event::Kind::Limit) return;
  const std::uint64_t bound = last.steps + kMoreDeoptimizations;
  if (++deoptimizations_[{code, pc}] > bound)
    differ(Oracle::DeoptBound, kind_of_instr(*code, pc),
           fmt::format("the exit at {} is taken for the {}th time; {} ends after {} steps",
                       print(code->place(pc), setting_.names), bound + 1, input_name(),
                       last.steps));
}

// In a state behind the last event.
void LockstepRun::agreed_in(const Demand* met) {
  if (met == nullptr || anchored_) return;
  result_.agreed_output = met->step;
  result_.agreed_input = met->met_step;
}

void LockstepRun::unmet_demand(const Demand& demand) {
  if (!differ(Oracle::States, kind_of_instr(*demand.code, demand.pc),
              input_name() + " does not pass through the state that the map gives"))
    return;
  result_.unmet = demand.number;
  agreed_in(demands_.last_met(&demand));
  result_.output_step = demand.step;
}

void LockstepRun::other_event(const Event& event, const TracedEvent& expected) {
  std::string what = fmt::format("{} {}, {} {} (event {})", output_name(), describe(event),
                                 input_name(), describe(expected.event), next_event_ + 1);
  if (following_ && anchored_) {
    const auto followed = advance(follower_, [&](const Config& c) {
      demands_.visit(c);
      return true;
    });
    if (*followed == event && demands_.all_met()) {
      what += fmt::format("; so does {} from the state that the map gives after the last exit",
                          input_name());
      result_.input_at_fault = own_exits_only_;
      if (own_exits_only_) what += ", which an exit of its own leads to";
    }
  }
  over_ = true;
  if (!differ(event_oracle(), kinds_of(event, expected.event), std::move(what))) return;
  if (following_ && !anchored_) {
    advance(follower_, [&](const Config& c) {
      demands_.visit(c);
      return true;
    });
    agreed_in(demands_.last_met());
  }
  const bool done = event.kind != Event::Kind::Stuck; // the step before is the one to look at
  result_.output_step = output_.steps - (done ? 1 : 0);
  result_.input_step = expected.steps - (expected.event.kind != Event::Kind::Stuck ? 1 : 0);
}

} // namespace sourir
