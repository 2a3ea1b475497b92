#include "sourir/bisim/lockstep_run.h"

#include "sourir/semantics/eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace sourir {
namespace {

bool is_exit(const Config& c) {
  return std::holds_alternative<resolved::Assume>(c.instr()) ||
         std::holds_alternative<resolved::Anchor>(c.instr());
}

const ResolvedVersion* default_version(const Config& c, const LinkedProgram::Fun& f,
                                       Env arguments) {
  return *std::ranges::find_if(f.dispatch, [&](const ResolvedVersion* version) {
    return first_failing(c.heap, arguments, version->when) == version->when.size();
  });
}

} // namespace

bool forces_next_exit(const Config& c) {
  const Next here = next(c);
  return here.rule != nullptr &&
         (here.rule->forced() || here.rule->deopt == RuleDeopt::Invalidated);
}

std::optional<OtherVersion> enters_other_version(const Config& c) {
  if (!c.schedule->enters() || !std::holds_alternative<resolved::Call>(c.instr())) return {};
  const Next here = next(c);
  if (here.rule == nullptr) return {};
  const auto* const push = std::get_if<effect::Push>(&here.derivation.transition->effect);
  if (push == nullptr) return {};
  const ResolvedVersion* const without =
      default_version(c, *c.program->function(push->callee->function), push->arguments.data());
  if (without == push->callee) return {};
  return OtherVersion{without, push->callee};
}

RunResult LockstepRun::run() {
  const ResolvedVersion* const main =
      default_version(s_.output, s_.output.program->main(), s_.output.env());
  if (main != s_.output.code) count_entered({main, s_.output.code});
  while (!s_.over) window();
  check_forced();
  s_.result.states = s_.expected_states.count();
  s_.result.steps = s_.output.steps + s_.follower_steps + s_.follower.steps;
  s_.result.output_steps = s_.output.steps;
  return s_.result;
}

void LockstepRun::count_entered(const OtherVersion& versions) {
  ++s_.result.entered;
  for (const ResolvedVersion* one : {versions.without, versions.entered})
    s_.result.entered_versions.insert(version_key(one->function, one->version));
}

void LockstepRun::window() {
  const std::optional<Event> event = output_window();
  if (s_.over) return;
  if (s_.request.segment != nullptr && event->kind == Event::Kind::Limit &&
      event->text == name_of(Limit::Fuel))
    return end_segment();
  const TracedEvent& expected = s_.request.expected[next_event_];
  if (event->kind == Event::Kind::Limit || expected.event.kind == Event::Kind::Limit)
    return at_limit(*event);
  ++s_.result.events;
  if (*event != expected.event) return other_event(*event, expected);
  ++next_event_;
  if (s_.following) follow(*event);
  if (!s_.over) {
    s_.result.agreed_output = s_.output.steps;
    s_.result.agreed_input = expected.steps;
    s_.result.agreed_events = next_event_;
  }
  s_.expected_states.clear();
  s_.over |= event->ends();
  s_.resumed = !s_.over && s_.mapped && !s_.following && s_.copied <= LockstepState::kCopiedValues;
  if (s_.resumed) s_.anchor();
}

void LockstepRun::at_limit(const Event& event) {
  const Event& last = s_.request.expected.back().event;
  if (last.kind == Event::Kind::Limit && event.kind != Event::Kind::Limit) {
    if (s_.request.expected.back().event.text == name_of(Limit::Fuel) &&
        input_never_ends(s_.setting.never) &&
        s_.differ(Oracle::Divergence, "input",
                  fmt::format("{} comes to the same state again and again, {} {}", s_.input_name(),
                              s_.output_name(), describe(event))))
      return;
  }
  if (last.kind == Event::Kind::Limit)
    return s_.end_at_limit(last, s_.input_name() + " " + describe(last));
  const bool numbered = s_.request.schedule.mode == Schedule::Mode::Random;
  if (!numbered && event.text == name_of(Limit::Fuel)) {
    s_.output.schedule = &s_.setting.never; // all forced exits were taken
    if (s_.request.schedule.mode == Schedule::Mode::Always)
      s_.output.schedule = &s_.request.schedule;
    Limits more = s_.setting.limits;
    more.fuel *= 2;
    s_.output.limits = &more;
    const bool forever = diverges_silently(s_.output) && !input_repeats();
    s_.output.limits = &s_.limits;
    if (forever && s_.differ(Oracle::Divergence, kind_of_instr(*s_.output.code, s_.output.pc),
                             fmt::format("{} comes to the same state again and again, {} ends",
                                         s_.output_name(), s_.input_name())))
      return;
  }
  s_.end_at_limit(event, s_.output_name() + " " + describe(event));
}

// Whether the input uses up its fuel and has no further event after that.
bool LockstepRun::input_never_ends(const Schedule& schedule) {
  Input input(s_.request.reads, s_.setting.names);
  Config c = start(s_.setting.input, input, schedule, s_.setting.limits);
  std::string printed;
  StepResult last;
  while ((last = step(c, printed)).status == StepStatus::Stepped) printed.clear();
  if (last.status != StepStatus::AtLimit || last.limit != Limit::Fuel) return false;
  Limits more = s_.setting.limits;
  more.fuel *= 2;
  c.limits = &more;
  return diverges_silently(std::move(c));
}

Oracle LockstepRun::event_oracle() const {
  if (s_.result.watched > 0) return Oracle::Watches;
  if (s_.result.forced == 0 && !s_.request.schedule.enters()) return Oracle::Events;
  return s_.setting.options.as.value_or(Oracle::ForcedExits);
}

// Whether the input diverges, too: with exits forced as in the output, or from the state after the
// output's last exit.
bool LockstepRun::input_repeats() {
  if (s_.request.schedule.mode == Schedule::Mode::Always)
    return input_never_ends(s_.request.schedule);
  return s_.following && s_.anchored && diverges_silently(s_.follower);
}

std::optional<Event> LockstepRun::output_window() {
  std::string printed;
  for (;;) {
    if (s_.following && !s_.quiet && (due() || wanted_by_segment())) s_.expect_state();
    if (s_.over || s_.interrupted(s_.output)) return std::nullopt;
    if (at_end_of_segment()) return Event{Event::Kind::Limit, std::string(name_of(Limit::Fuel))};
    if (const auto versions = enters_other_version(s_.output)) count_entered(*versions);
    const StepResult r = is_exit(s_.output) ? step_at_exit(printed) : step(s_.output, printed);
    if (const auto why = exits_.failed()) forced_exit_failed(*why);
    if (s_.over) return std::nullopt;
    if (s_.mapped) s_.mapper.follow(s_.output);
    if (s_.suspended_above && s_.output.frames.size() < *s_.suspended_above)
      s_.suspended_above.reset();
    if (auto event = seen(r, std::move(printed), s_.output)) return event;
    printed.clear();
  }
}

StepResult LockstepRun::step_at_exit(std::string& printed) {
  const ResolvedVersion* const code = s_.output.code;
  const Pc pc = s_.output.pc;
  const std::uint64_t before = s_.output.opportunities;
  const StepResult r = exits_.step(printed);
  if (s_.output.opportunities > before) s_.result.opportunities.add(code, pc);
  return r;
}

// Whether the segment is asked to compare positions, and has not compared this one yet.
bool LockstepRun::wanted_by_segment() const {
  const ComparedPositions* const compared =
      s_.request.segment != nullptr ? s_.request.segment->compared : nullptr;
  return compared != nullptr && compared->code == s_.output.code &&
         !compared->states.contains(s_.output.pc);
}

bool LockstepRun::at_end_of_segment() const {
  const Segment* const segment = s_.request.segment;
  if (segment == nullptr || !segment->until || s_.output.steps == segment->from->steps)
    return false;
  return s_.output.pc == *segment->until && s_.output.code == segment->from->code &&
         s_.output.frames.size() == segment->from->frames.size();
}

// The input must pass through the states that are expected so far. If it has an event before, it
// does not; if it has none within its steps, that is not known.
void LockstepRun::end_segment() {
  s_.over = true;
  if (!s_.following) return;
  s_.expect_state();
  if (s_.result.agreement != Agreement::Equivalent || s_.expected_states.all_met()) return;
  const auto event = advance(s_.follower, [&](const Config& c) {
    s_.expected_states.visit(c);
    return !s_.expected_states.all_met();
  });
  if (!event) return;
  if (event->kind == Event::Kind::Limit)
    s_.end_at_limit(*event, s_.input_name() + " " + describe(*event) +
                                " before it comes to a state that the map gives");
  else
    s_.unmet_state(*s_.expected_states.first_unmet());
}

// Whether the next state is compared: the first ones all, then fewer and fewer.
bool LockstepRun::due() {
  const std::uint64_t dense = s_.setting.options.all_states;
  const std::uint64_t n = seen_states_++;
  return n < dense || n % (1 + n / dense) == 0;
}

// The input's run up to the same event, which it must have, too.
void LockstepRun::follow(const Event& event) {
  const auto followed = advance(s_.follower, [&](const Config& c) {
    s_.expected_states.visit(c);
    return true;
  });
  if (followed->kind == Event::Kind::Limit)
    return s_.end_at_limit(*followed, s_.input_name() + ", from a state that the map gives, " +
                                          describe(*followed));
  if (*followed != event) {
    s_.following = false;
    s_.differ(Oracle::States, kinds_of(event, *followed),
              fmt::format("{} {}; {}, from the state that the map gives after the last exit, {}",
                          s_.output_name(), describe(event), s_.input_name(), describe(*followed)));
    return;
  }
  if (const ExpectedState* const unmet = s_.expected_states.first_unmet()) s_.unmet_state(*unmet);
}

// The forced exits are those of the schedule, no more and no fewer.
void LockstepRun::check_forced() {
  if (s_.injected == s_.result.forced || s_.result.agreement != Agreement::Equivalent) return;
  s_.end(Agreement::Inconclusive,
         fmt::format("the checker has failed: {} exits were to be forced, {} "
                     "were",
                     s_.injected, s_.result.forced));
  s_.result.checker_failed = true;
}

void LockstepRun::other_event(const Event& event, const TracedEvent& expected) {
  std::string what = fmt::format("{} {}, {} {} (event {})", s_.output_name(), describe(event),
                                 s_.input_name(), describe(expected.event), next_event_ + 1);
  if (s_.following && s_.anchored) {
    const auto followed = advance(s_.follower, [&](const Config& c) {
      s_.expected_states.visit(c);
      return true;
    });
    if (*followed == event && s_.expected_states.all_met()) {
      what += fmt::format("; so does {} from the state that the map gives after the last exit",
                          s_.input_name());
      s_.result.input_at_fault = s_.own_exits_only;
      if (s_.own_exits_only) what += ", which an exit of its own leads to";
    }
  }
  s_.over = true;
  if (!s_.differ(event_oracle(), kinds_of(event, expected.event), std::move(what))) return;
  if (s_.following && !s_.anchored) {
    advance(s_.follower, [&](const Config& c) {
      s_.expected_states.visit(c);
      return true;
    });
    s_.agreed_in(s_.expected_states.last_met());
  }
  const bool done = event.kind != Event::Kind::Stuck; // the step before differs
  s_.result.output_step = s_.output.steps - (done ? 1 : 0);
  s_.result.input_step = expected.steps - (expected.event.kind != Event::Kind::Stuck ? 1 : 0);
}

// Only a forced exit fails so, which the program itself would not take. One check alone compares
// that.
void LockstepRun::forced_exit_failed(StuckReason why) {
  const TracedEvent& expected = s_.request.expected[next_event_];
  if (s_.setting.options.as == Oracle::Transparency && expected.event.kind != Event::Kind::Limit)
    other_event({Event::Kind::Stuck, name_of(why)}, expected);
  s_.result.skipped = s_.result.agreement == Agreement::Equivalent;
}

MappedExitRun::MappedExitRun(LockstepSetting& setting, const RunRequest& request,
                             Counterexample* shown)
    : setting_(setting), request_(request), shown_(shown),
      output_input_(request.reads, setting.names), input_(request.reads, setting.names),
      output_(start(setting.output, output_input_, setting.never, setting.limits)),
      mapper_(setting.places) {}

RunResult MappedExitRun::run() {
  std::string printed;
  while (!over_ && !enough()) {
    choose();
    if (chosen_ && mapper_.complete(output_)) {
      if (take_mapped_exit())
        result_.mapped_numbers.insert(chosen_numbers_.begin(), chosen_numbers_.end());
      chosen_ = false;
      chosen_numbers_.clear();
      if (over_) break;
    }
    const StepResult stepped = step(output_, printed);
    const auto event = seen(stepped, std::move(printed), output_);
    printed.clear();
    mapper_.follow(output_);
    if (!event) continue;
    // An event other than the input's is reported by the run without exits.
    over_ = event->ends() || *event != request_.expected[next_event_].event;
    ++next_event_;
  }
  result_.steps = output_.steps + input_steps_;
  result_.output_steps = output_.steps;
  return result_;
}

void MappedExitRun::choose() {
  const std::uint64_t number = output_.steps + 1;
  if (!request_.schedule.forces_exit(number, false, output_.code, output_.pc)) return;
  chosen_ = true;
  if (std::ranges::binary_search(request_.schedule.numbers, number))
    chosen_numbers_.push_back(number);
  if (!request_.schedule.positions.empty()) result_.forced_places.emplace(output_.code, output_.pc);
}

bool MappedExitRun::enough() const {
  return input_steps_ > setting_.options.all_fuel || copied_ > kCopiedValues ||
         ((output_.steps & 4095) == 4095 && setting_.interrupted());
}

// False: there is no state that the map gives.
bool MappedExitRun::take_mapped_exit() {
  BorrowedBlocks blocks(output_.heap);
  const SourceFrames frames =
      mapper_.frames(output_, blocks, std::numeric_limits<std::size_t>::max());
  if (frames.kind == SourceFrames::Kind::NoValue)
    differ("no-value",
           fmt::format("an expression of the state map has no value ({})", name_of(frames.why)));
  if (!frames.mapped()) return false;
  ++result_.mapped_exits;
  copied_ += output_.stack.size() + output_.heap.bytes / Heap::kValueBytes;
  const Config c = configuration(output_, frames, setting_.input, input_, setting_.never);
  const std::optional<std::uint64_t> differs = continue_run(c);
  if (differs && shown_ != nullptr) show(c, *differs);
  return true;
}

// The steps of the input after which it differs; empty: it does not, or the run is inconclusive.
std::optional<std::uint64_t> MappedExitRun::continue_run(Config c) {
  const std::string& name = setting_.options.input_name;
  for (std::size_t i = next_event_;; ++i) {
    const std::uint64_t steps = c.steps;
    const auto event = advance(c, [&](const Config& now) {
      return (now.steps & 4095) != 4095 || !setting_.interrupted();
    });
    input_steps_ += c.steps - steps;
    const Event& expected = request_.expected[i].event;
    if (!event || expected.kind == Event::Kind::Limit) return {};
    if (event->kind == Event::Kind::Limit) return at_limit(std::move(c), *event);
    if (*event != expected) {
      const std::uint64_t before = c.steps - (event->kind == Event::Kind::Stuck ? 0 : 1);
      if (!differ(kinds_of(*event, expected),
                  fmt::format("{} {} from the state that the map gives; its own run {} (event {})",
                              name, describe(*event), describe(expected), i + 1)))
        return {};
      return before;
    }
    if (event->ends()) return {};
  }
}

std::optional<std::uint64_t> MappedExitRun::at_limit(Config c, const Event& event) {
  const std::string& name = setting_.options.input_name;
  Limits more = setting_.limits;
  more.fuel *= 2;
  c.limits = &more;
  const std::uint64_t steps = c.steps;
  if (event.text == name_of(Limit::Fuel) && diverges_silently(std::move(c))) {
    if (!differ("diverge", name +
                               " comes to the same state again and again from the state that the "
                               "map gives; its own run ends"))
      return {};
    return steps;
  }
  over_ = true;
  result_.agreement = Agreement::Inconclusive;
  result_.kind = event.text;
  result_.what = fmt::format("{} {} from a state that the map gives", name, describe(event));
  return {};
}

bool MappedExitRun::differ(std::string_view detail, std::string what) {
  if (!setting_.options.oracles.has(Oracle::MappedExits)) return false;
  over_ = true;
  result_.agreement = Agreement::Different;
  result_.oracle = Oracle::MappedExits;
  result_.kind = fmt::format("{}:{}", name_of(result_.oracle), detail);
  result_.what = std::move(what);
  result_.output_step = output_.steps;
  return true;
}

void MappedExitRun::show(Config c, std::uint64_t differs) const {
  RunPoint here = run_point(output_);
  here.rule = "exits through the state map, in front of";
  list(shown_->output, *output_.code, output_.pc, setting_.names);
  shown_->forced.push_back({std::move(here), run_point(c)});
  list(shown_->input, *c.code, c.pc, setting_.names);
  std::string printed;
  while (c.steps < differs && step(c, printed).status == StepStatus::Stepped) printed.clear();
  shown_->input.differs = run_point(c);
  if (!c.stopped()) list(shown_->input, *c.code, c.pc, setting_.names);
}

} // namespace sourir
