// How a run ends, and what is said of the frames then.
#include "native/deopt/source_frames.h"
#include "native/engine/machine.h"
#include "sourir/syntax/scopes.h"

#include <algorithm>

namespace sourir::native {

std::vector<WalkedFrame> Machine::walk(const Insn* ip, const char* base) const {
  const auto slots = [](const char* at) { return reinterpret_cast<const Value*>(at); };
  std::vector<WalkedFrame> frames{{bytecode_of(ip).code, ip->pc, slots(base), {}}};
  for_each_activation([&](const Activation& a) {
    if (a.waiting != nullptr) {
      const Insn* call = a.waiting->call;
      frames.push_back({bytecode_of(call).code, call->pc + 1, slots(a.waiting->base),
                        static_cast<Slot>(call->x / sizeof(Value))});
    } else if (const auto pc = a.native->call_at(a.address); pc && !a.replaced) {
      frames.push_back({a.native->code, *pc + 1, nullptr, {}});
    }
  });
  return frames;
}

namespace {

// By slot, unbound what is not in scope: the stack of the machine still holds what was there.
std::vector<Value> environment(const LinkedProgram& program, const WalkedFrame& frame) {
  const ResolvedVersion& code = *frame.code;
  std::vector<Value> values(code.slots.size(), Value::unbound());
  if (frame.slots == nullptr) return values;
  const auto& functions = program.source().functions;
  const auto function = std::ranges::find(functions, code.function, &Function::name);
  const auto position = std::min<Pc>(frame.pc, static_cast<Pc>(code.source->body.size()));
  if (const auto scope = scope_at(program.source(), *function, *code.source, position))
    for (const Var x : *scope) values[*code.slot_of(x)] = frame.slots[*code.slot_of(x)];
  if (frame.result) values[*frame.result] = Value::unbound();
  return values;
}

// In terms of the program as it was written, where no version was made at run time.
std::vector<WalkedFrame> written(std::vector<WalkedFrame> frames, const LinkedProgram& program,
                                 const Tiering& tiering) {
  std::unordered_map<const ResolvedVersion*, const AddedVersion*> added;
  std::vector<WalkedFrame> all;
  for (const WalkedFrame& f : frames) {
    const auto [at, fresh] = added.try_emplace(f.code, nullptr);
    if (fresh) at->second = tiering.added(*f.code);
    if (at->second == nullptr) {
      all.push_back(f);
      continue;
    }
    for (const SourcePlace& place :
         source_places(*at->second, *f.code, program, f.pc, &f != frames.data()))
      all.push_back({place.code, place.pc, nullptr, {}});
  }
  return all;
}

} // namespace

void Machine::end(const StepResult& last, const Insn* ip, const char* base) {
  if (ip != nullptr) {
    const std::vector<WalkedFrame> frames = written(walk(ip, base), program_, tiering_);
    std::vector<std::vector<Value>> environments;
    std::vector<FrameState> states;
    for (const WalkedFrame& f : std::span(frames).first(std::min(frames.size(), kReportedFrames))) {
      environments.push_back(environment(program_, f));
      states.push_back({f.code, f.pc, environments.back().data(), f.result.value_or(0)});
    }
    conclude(last, states, frames.size(), {});
  }
  std::longjmp(escape_, 1);
}

void Machine::conclude(const StepResult& last, std::span<const FrameState> frames,
                       std::uint64_t depth, Value result) {
  ended_.last = reference_state(program_, input_, schedule_, settings_.limits,
                                {.frames = frames,
                                 .depth = depth,
                                 .result = result,
                                 .input_position = input_position_,
                                 .output_bytes = output_bytes_,
                                 .heap_bytes = heap.used()});
  ended_.outcome = describe(ended_.last, last, depth);
}

void Machine::stuck(StuckReason why, Insn* ip, char* base) {
  end({.status = StepStatus::Stuck, .why = why}, ip, base);
}

void Machine::limit(Limit limit, Insn* ip, char* base) {
  end({.status = StepStatus::AtLimit, .limit = limit}, ip, base);
}

void Machine::interrupted(Insn* ip, char* base) { end({.status = StepStatus::Stepped}, ip, base); }

void Machine::stop(Value result) {
  conclude({.status = StepStatus::Stopped}, {}, 0, result);
  std::longjmp(escape_, 1);
}

void Machine::run_main() {
  Registers& r = registers;
  *r.frames++ = {from_start_.data(), reinterpret_cast<char*>(&r.result)};
  const auto room =
      static_cast<std::uint64_t>(reinterpret_cast<Waiting*>(waiting_.end()) - r.frames);
  r.frames_limit = r.frames + std::min(room, settings_.limits.depth);
  depth_at_start_ = r.frames_limit - r.frames;
  values.top = values.begin();
  const ResolvedVersion& code = *version_for(program_.main(), values.top);
  char* const base = reinterpret_cast<char*>(values.top);
  if (const NativeCode* native = tiering_.code_of(code)) {
    const Position to = called_native(native->entry, base, 0);
    interpret(to);
  } else {
    interpret({bytecode(code).entry(0), base});
  }
}

// Of what the frames were nothing is left.
void Machine::stack_used_up() {
  ended_.outcome =
      sourir::describe(Config(), {.status = StepStatus::AtLimit, .limit = Limit::Depth});
  std::longjmp(escape_, 1);
}

EngineRun Machine::run(const std::byte* low) {
  stack_low_ = low;
  sampling_.begin(__builtin_frame_address(0));
  if (setjmp(escape_) == 0) run_main();
  sampling_.end();
  if (sampling_.on()) ended_.sampling = tiering_.sampled();
  for (const Function& f : program_.source().functions) statistics.calls += cell(f.name).calls;
  statistics.opportunities = opportunities_ - forcing_;
  statistics.forced -= forcing_;
  statistics.arrays = heap.allocated();
  statistics.watched = heap.watched();
  statistics.invalidated = heap.invalidated();
  ended_.statistics = tiering_.counted();
  ended_.clock = clock();
  return std::move(ended_);
}

} // namespace sourir::native
