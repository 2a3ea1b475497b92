#include "sourir/bisim/lockstep_state.h"

#include "sourir/bisim/check_limits.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <limits>

namespace sourir {

LockstepState::LockstepState(LockstepSetting& run_setting, const RunRequest& run_request)
    : setting(run_setting), request(run_request), limits(setting.limits),
      input_limits(setting.limits), output_input(request.reads, setting.names),
      follower_input(request.reads, setting.names),
      output(start(setting.output, output_input, request.schedule, limits)),
      follower(start(setting.input, follower_input, setting.never, input_limits)),
      mapper(setting.places), expected_states(setting.fingerprints, setting.names, request.wanted),
      mapped(!setting.options.events_only && !request.schedule.enters()), following(mapped),
      quiet(request.only_after_exit) {
  if (request.segment == nullptr) return;
  input_limits.fuel = request.segment->input_steps;
  output = *request.segment->from;
  output.schedule = &request.schedule;
  output.input = &output_input;
  output.limits = &limits;
  limits.fuel = output.steps + request.segment->steps;
  mapper.follow(output);
  follower = *request.segment->input;
  follower.input = &follower_input;
  follower.limits = &input_limits;
  anchored = true;
}

void LockstepState::end(Agreement agreement, std::string what) {
  result.agreement = agreement;
  result.what = std::move(what);
  result.output_step = output.steps;
  over = true;
}

void LockstepState::end_at_limit(const Event& limit, std::string what) {
  end(Agreement::Inconclusive, std::move(what));
  result.kind = limit.text;
}

bool LockstepState::differ(Oracle oracle, std::string_view detail, std::string what) {
  if (!setting.options.oracles.has(oracle)) return false;
  end(Agreement::Different, std::move(what));
  result.oracle = oracle;
  result.kind = fmt::format("{}:{}", name_of(oracle), detail);
  return true;
}

std::optional<SourceFrames> LockstepState::source_frames(BorrowedBlocks& blocks, std::size_t most) {
  SourceFrames frames = mapper.frames(output, blocks, most);
  if (frames.kind == SourceFrames::Kind::NoValue)
    differ(Oracle::States, "no-value",
           fmt::format("an expression of the state map at {} has no value ({})",
                       print(output.code->place(output.pc), setting.names), name_of(frames.why)));
  else if (!setting.places.problem().empty())
    differ(Oracle::States, "no-place", setting.places.problem());
  if (over || !frames.mapped()) return std::nullopt;
  return frames;
}

bool LockstepState::interrupted(const Config& c) {
  if ((c.steps & 4095) == 4095 && setting.interrupted())
    end(Agreement::Inconclusive, "interrupted");
  return over;
}

void LockstepState::unmet_state(const ExpectedState& expected_state) {
  // An exit of the input itself may make another state.
  if (was_suspended)
    return end(Agreement::Inconclusive,
               input_name() + " may have exited before it comes to a state that the map gives");
  if (!differ(Oracle::States, kind_of_instr(*expected_state.code, expected_state.pc),
              input_name() + " does not pass through the state that the map gives"))
    return;
  result.unmet = expected_state.number;
  agreed_in(expected_states.last_met(&expected_state));
  result.output_step = expected_state.step;
}

void LockstepState::agreed_in(const ExpectedState* met) {
  if (met == nullptr || anchored) return;
  result.agreed_output = met->step;
  result.agreed_input = met->met_step;
}

void LockstepState::suspend(std::size_t frames) {
  if (frames == 0 || request.segment == nullptr) {
    following = false;
    return;
  }
  if (!suspended_above || frames < *suspended_above) suspended_above = frames;
  was_suspended = true;
}

void LockstepState::expect_state() {
  if (suspended_above) return;
  BorrowedBlocks blocks(output.heap);
  const auto frames = source_frames(blocks, kComparedFrames);
  ComparedPositions* const compared =
      request.segment != nullptr ? request.segment->compared : nullptr;
  if (frames && compared != nullptr && compared->code == output.code) {
    compared->states.insert(output.pc);
    if (!frames->complete) compared->partial.insert(output.pc);
  }
  if (frames)
    expected_states.add(output.heap, frames->views(), frames->depth, output.steps,
                        returned_value(*output.code, output.pc, output.heap, output.env()));
  if (!frames || !frames->complete) ++result.not_mapped;
}

void LockstepState::anchor() {
  following = false;
  BorrowedBlocks blocks(output.heap);
  const auto frames = source_frames(blocks, std::numeric_limits<std::size_t>::max());
  if (!frames || !frames->complete) return;
  copied += output.stack.size() + output.heap.bytes / Heap::kValueBytes;
  if (copied > kCopiedValues) return;
  follower_steps += follower.steps;
  follower = configuration(output, *frames, setting.input, follower_input, setting.never);
  follower.limits = &input_limits;
  following = anchored = true;
  suspended_above.reset();
  was_suspended = false;
}

void LockstepState::note_exit(const ResolvedVersion* code, Pc pc) {
  ComparedPositions* const compared =
      request.segment != nullptr ? request.segment->compared : nullptr;
  if (compared != nullptr && compared->code == code) compared->exits.insert(pc);
}

namespace {

Limits limits_of(const LockstepOptions& options) {
  Limits limits = check_limits(options.fuel);
  limits.depth = options.depth;
  return limits;
}

} // namespace

LockstepSetting::LockstepSetting(const Program& input_program, const Program& output_program,
                                 const StateMap& map, const LockstepOptions& chosen,
                                 Names& all_names)
    : names(all_names), options(chosen), input(input_program, all_names),
      output(output_program, all_names), live(input_program),
      places(map, input, output_program, live), limits(limits_of(chosen)) {
  for (const Function& f : input_program.functions)
    for (const ResolvedVersion* code : input.function(f.name)->versions)
      for (const resolved::Instr& instr : code->instrs)
        if (const auto* const exit = exit_of(instr); exit != nullptr && !exit->stays)
          exit_targets.emplace(exit->frame.code, exit->frame.pc);
}

std::vector<TracedEvent> trace_of(LockstepSetting& setting, const LinkedProgram& program,
                                  const std::vector<Value>& reads) {
  Input input(reads, setting.names);
  return trace_of(start(program, input, setting.never, setting.limits), setting);
}

std::vector<TracedEvent> trace_of(Config c, const LockstepSetting& setting) {
  std::vector<TracedEvent> events;
  do {
    auto event = advance(
        c, [&](const Config& now) { return (now.steps & 4095) != 4095 || !setting.interrupted(); });
    if (!event) event = Event{Event::Kind::Limit, "interrupted"};
    events.push_back({std::move(*event), c.steps});
  } while (!events.back().event.ends());
  return events;
}

} // namespace sourir
