// What the tiers did, for a replay in the reference (EngineHooks::steps).
#include "native/engine/machine.h"
#include "sourir/semantics/exits.h"
#include "sourir/syntax/scopes.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sourir::native {

namespace {

constexpr std::uint64_t kNotedStates = 2'000; // of one run; the steps after that have no state

std::int64_t saturated_fuel(std::uint64_t n) {
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(n, std::numeric_limits<std::int64_t>::max()));
}

// A frame of the interpreter, unbound what is not in scope: it still holds what was there.
std::vector<Value> in_scope(const Program& program, const ResolvedVersion& code, Pc pc,
                            const Value* slots) {
  std::vector<Value> values(code.slots.size(), Value::unbound());
  const auto function = std::ranges::find(program.functions, code.function, &Function::name);
  const auto position = std::min<Pc>(pc, static_cast<Pc>(code.source->body.size()));
  if (const auto scope = scope_at(program, *function, *code.source, position))
    for (const Var x : *scope) values[*code.slot_of(x)] = slots[*code.slot_of(x)];
  return values;
}

} // namespace

std::uint64_t Machine::clock() const {
  return static_cast<std::uint64_t>(saturated_fuel(settings_.limits.fuel) - fuel_ - registers.poll);
}

Config Machine::state_of(const FrameState& frame) const {
  return reference_state(program_, input_, schedule_, settings_.limits,
                         {.frames = {&frame, 1}, .result = {}});
}

void Machine::tell(TierStep step, std::span<const FrameState> frames) {
  step.clock = clock();
  step.added = tiering_.added(*step.code);
  Config state;
  if (!frames.empty() && noted_states_++ < kNotedStates) {
    state = reference_state(program_, input_, schedule_, settings_.limits,
                            {.frames = frames, .result = {}});
    step.state = &state;
  }
  const std::lock_guard names(names_mutex_);
  hooks_.steps(step);
}

// Of functions with several versions the arguments decide, in the reference as well.
void Machine::note_entered(const ResolvedVersion& code) {
  const FunctionCell& f = cell(code.function);
  if (f.fun->dispatch.size() != 1 || schedule_.enters()) return;
  noted_entered_.resize(std::max<std::size_t>(noted_entered_.size(), f.name.id + 1));
  const ResolvedVersion* const version = &code == f.fun->dispatch.front() ? nullptr : &code;
  if (std::exchange(noted_entered_[f.name.id], version) != version)
    tell({.kind = TierStep::Kind::Entered, .code = &code}, {});
}

void Machine::note_moved(const ResolvedVersion& from, Pc head, const AddedVersion& into) {
  tell({.kind = TierStep::Kind::Moved, .code = &from, .pc = head, .into = &into}, {});
}

void Machine::note_left(const resolved::Exit& exit, const ResolvedVersion& code, Pc pc,
                        const char* base) {
  std::vector<FrameState> frames{
      {exit.frame.code, exit.frame.pc, reinterpret_cast<const Value*>(base)}};
  const Waiting* waiting = registers.frames;
  for (const resolved::OuterFrame& outer : exit.outer) {
    --waiting;
    frames.push_back({outer.frame.code, outer.frame.pc,
                      reinterpret_cast<const Value*>(waiting->base), outer.result});
  }
  const auto depth = depth_at_start_ - (registers.frames_limit - registers.frames);
  const bool own = exit_of(code.instrs[pc]) == &exit;
  tell({.kind = own ? TierStep::Kind::Left : TierStep::Kind::Mapped,
        .depth = static_cast<std::uint64_t>(depth),
        .code = &code,
        .pc = pc,
        .exit = &exit},
       frames);
}

void Machine::note_resumed(const ResolvedVersion& code, Pc pc, const char* base,
                           std::int64_t depth) {
  const AddedVersion* const added = tiering_.added(code);
  const Program& program = added != nullptr ? *added->program : program_.source();
  const std::vector<Value> slots =
      in_scope(program, code, pc, reinterpret_cast<const Value*>(base));
  tell({.kind = TierStep::Kind::Resumed,
        .depth = static_cast<std::uint64_t>(depth_at_start_ - depth),
        .code = &code,
        .pc = pc},
       std::array{FrameState{&code, pc, slots.data()}});
}

} // namespace sourir::native
