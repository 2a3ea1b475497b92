#include "sourir/bisim/input_states.h"

#include "sourir/bisim/named_values.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sourir {

SourceFrames InputStateMaker::frames_of(const Config& output, BorrowedBlocks& blocks) {
  StackMapper mapper(setting_.places);
  mapper.follow(output);
  return mapper.frames(output, blocks, ~std::size_t{0});
}

InputState InputStateMaker::beside(Config output) {
  BorrowedBlocks blocks(output.heap);
  SourceFrames frames = frames_of(output, blocks);
  if (!frames.mapped()) return {};
  if (frames.complete) return {InputState::Kind::Exact, configuration_of(output, frames)};
  if (auto entry = at_entry(output, frames)) return {InputState::Kind::Exact, std::move(entry)};
  look_at_entries();
  for (auto f = frames.frames.begin(); f != frames.frames.end(); ++f) {
    const NewFrame* const caller = std::next(f) == frames.frames.end() ? nullptr : &*std::next(f);
    if (!seen_.complete(*f, caller, setting_.live.at(*f->code, f->pc), output.heap))
      return {InputState::Kind::Unknown, {}};
  }
  return {InputState::Kind::Seen, configuration_of(output, frames)};
}

Config InputStateMaker::chosen(Config output, std::size_t choice) {
  BorrowedBlocks blocks(output.heap);
  SourceFrames frames = frames_of(output, blocks);
  const ShownValues shown = shown_by(output, frames);
  for (NewFrame& frame : frames.frames) {
    pass_parameters(frame, output);
    for (const Slot x : setting_.live.at(*frame.code, frame.pc))
      if (frame.env[x].is(Tag::Unbound))
        frame.env[x] = unknown_.choose(*frame.code, frame.pc, x, choice, shown, output.heap);
  }
  return configuration_of(output, frames);
}

// The map need not know all parameters at the entry: the caller passed them.
std::optional<Config> InputStateMaker::at_entry(const Config& output,
                                                const SourceFrames& frames) const {
  if (output.pc != 0 || output.code != &code_ || output.frames.size() != 1) return {};
  // The frame of the caller is the last one; above that of the function may be inlined ones.
  const ResolvedVersion& code = *frames.frames[frames.frames.size() - 2].code;
  if (code.function != code_.function) return {};
  Config input = output;
  input.program = &setting_.input;
  Continuation& caller = input.frames.front();
  caller.code = setting_.input.version(caller.code->function, caller.code->version);
  input.code = &code;
  input.stack.resize(input.base + code_.parameters);
  input.stack.resize(input.base + code.slots.size(), Value::unbound());
  return input;
}

void InputStateMaker::look_at_entries() {
  if (std::exchange(looks_, true)) return;
  for (const Config& entry : entries_) {
    const InputState start = beside(entry);
    if (start.kind == InputState::Kind::Exact) seen_.record(*start.state, kSeenSteps);
  }
}

void InputStateMaker::look_at(const Config& input, std::uint64_t steps) {
  if (looks_ && looked_at_ < kSeenSteps) looked_at_ += seen_.record(input, steps);
}

// In frames of the function itself a parameter has what the caller passed.
void InputStateMaker::pass_parameters(NewFrame& frame, const Config& output) const {
  if (frame.code->function != code_.function || output.frames.empty()) return;
  const auto parameters = std::span(code_.slots).first(code_.parameters);
  for (const Slot slot : setting_.live.at(*frame.code, frame.pc)) {
    const auto named = std::ranges::find(parameters, frame.code->slots[slot]);
    if (frame.env[slot].is(Tag::Unbound) && named != parameters.end())
      frame.env[slot] = output.stack[named - parameters.begin()];
  }
}

ShownValues InputStateMaker::shown_by(const Config& output, const SourceFrames& frames) const {
  ShownValues shown;
  if (output.code == &code_) shown.named = named_from(code_, output.pc);
  for (const NewFrame& f : frames.frames)
    std::ranges::copy_if(f.env, std::back_inserter(shown.arrays),
                         [](Value v) { return v.is(Tag::Array); });
  return shown;
}

} // namespace sourir
