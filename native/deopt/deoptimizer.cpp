#include "native/deopt/deoptimizer.h"

#include "native/deopt/materialize.h"
#include "sourir/syntax/match.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sourir::native {

namespace {

constexpr std::uint64_t kPollEvery = 1024; // exits of OSR code
constexpr std::size_t kMostFrames = 64;    // that are materialized in place

template <class F>
void for_each_slot(const resolved::Exit& exit, F&& f) {
  const auto use = [&](const resolved::Expr& e) {
    for (const resolved::Operand& operand : {e.a, e.b})
      if (operand.slot != resolved::kLiteral) f(operand.slot);
  };
  for (const resolved::Deferred& line : exit.with)
    match(
        line,
        [&](const resolved::Decl& i) {
          if (i.e) use(*i.e);
        },
        [&](const resolved::ArrayDecl& i) { use(i.length); },
        [&](const resolved::ArrayDef& i) { std::ranges::for_each(i.elements, use); },
        [&](const resolved::ArrayUpdate& i) { f(i.x), use(i.index), use(i.value); });
  const auto use_all = [&](const resolved::Frame& frame) {
    for (const resolved::Entry& entry : frame.varmap) use(entry.value);
  };
  use_all(exit.frame);
  for (const resolved::OuterFrame& outer : exit.outer) use_all(outer.frame);
}

const Value* values_at(const char* base) { return reinterpret_cast<const Value*>(base); }
Value* values_at(char* base) { return reinterpret_cast<Value*>(base); }

} // namespace

// --- From an exit to a continuation, without frames ---

ExitDispatch& Deoptimizer::dispatch_of(const DeoptEvent& event) {
  BaselineCode& origin = versions_.baseline_code(*event.version);
  FrameTranslation& to = frame_translation(versions_, origin, event.pc, *event.exit);
  if (!to.dispatch) to.dispatch = exit_dispatch(*event.exit, host_.dispatch_target(*event.exit));
  return *to.dispatch;
}

// The parameters are evaluated at base, where they stay for the code. A failure is found again,
// and reported, where the frames are materialized.
OsrCode Deoptimizer::dispatch(DeoptEvent event, const Value* slots, char* base) {
  if (event.reason != DeoptReason::Exit) return {};
  if (event.exited_entry != nullptr && event.exited_entry->number != 0) return {}; // not again
  ExitDispatch& exit = dispatch_of(event);
  if (exit.target == nullptr) return {};
  const std::size_t count = event.version->slots.size();
  Value* const values = values_at(base);
  Value* const scratch = values + exit.target->variables.size();
  Value* const end = scratch + (exit.parameters.with.empty() ? 0 : count + exit.parameters.made);
  if (reinterpret_cast<char*>(end) > registers_.stack_limit) return {};
  std::fill(values, end, Value::unbound());
  values_.top = end;
  const std::array<Value*, 1> place{values};
  if (materialize(heap_, {slots, count}, exit.parameters, place, scratch)) return {};
  const DeoptCause cause =
      event.forced ? DeoptCause() : failed_guard(*event.version, event.pc, slots, exit);
  const OsrCode on = host_.dispatch(event, exit, cause, values);
  if (on.code == nullptr || !has_room(on, {.base = base})) {
    ++statistics_.dispatch_misses;
    return {};
  }
  --registers_.fuel;
  ++statistics_.exits;
  ++statistics_.exits_to_native;
  ++statistics_.dispatched;
  host_.exit_dispatched(event, *exit.target, values, on);
  return on;
}

// --- From an exit to frames ---

bool Deoptimizer::fits(const FrameTranslation& to, const char* base) const {
  return registers_.frames + (to.frames.size() - 1) <= registers_.frames_limit &&
         base + to.bytes <= registers_.stack_limit;
}

// Precondition: the values of the frames are at base.
ResumePoint Deoptimizer::push_return_frames(FrameTranslation& to, char* base) {
  for (const FrameTranslation::Frame& frame : std::span(to.frames).first(to.frames.size() - 1)) {
    *registers_.frames++ = {frame.at, base};
    base += frame.code->frame_bytes;
  }
  ++statistics_.exits;
  FrameTranslation::Frame& innermost = to.frames.back();
  host_.resumed(*innermost.code->code, to.exit->frame.pc, values_at(base));
  return {innermost.code, innermost.at, base, &innermost.target};
}

// The frames are materialized above everything that they may overwrite, then copied to base.
BaselinePosition Deoptimizer::exit_baseline(const resolved::Exit& exit, Insn* ip, char* base) {
  BaselineCode& origin = versions_.baseline_code_at(ip);
  const Pc pc = versions_.pc_of(ip);
  FrameTranslation& to = frame_translation(versions_, origin, pc, exit);
  if (!fits(to, base)) host_.limit(Limit::Depth, {ip, base});
  values_.top = values_at(base + std::max<std::uint64_t>(to.bytes, origin.frame_bytes));
  const Value* from = values_.top;
  const std::span<const Value> env(values_at(base), origin.code->slots.size());
  const RebuildFailure failure = materialize(heap_, env, exit, values_);
  if (failure.why != StuckReason::None) host_.stuck(failure.why, {ip, base});
  if (failure.limit != Limit::None) host_.limit(failure.limit, {ip, base});
  char* place = base;
  for (const FrameTranslation::Frame& frame : to.frames) {
    const std::size_t slots = frame.code->code->slots.size();
    std::copy(from, from + slots, values_at(place));
    from += slots;
    place += frame.code->frame_bytes;
  }
  const ResumePoint on = push_return_frames(to, base);
  host_.exited(exit, *origin.code, pc, on.base);
  return {on.ip, on.base};
}

// All slots, or those that the exit uses. The others become unbound: native code need not have
// kept them, and the frame is reported where the exit fails.
BaselinePosition Deoptimizer::copy_slots(BaselineCode& to, Pc pc, const Value* slots, char* base,
                                         const resolved::Exit* exit) {
  Value* const frame = values_at(base);
  const std::size_t count = to.code->slots.size(); // may extend over the limit, into a reserve
  if (exit == nullptr) {
    std::copy(slots, slots + count, frame);
  } else {
    std::fill(frame, frame + count, Value::unbound());
    for_each_slot(*exit, [&](Slot slot) {
      if (slot < count) frame[slot] = slots[slot];
    });
  }
  return {versions_.resume_insn(to, pc), base};
}

BaselinePosition Deoptimizer::bail_out(const ResolvedVersion& version, Pc pc, const Value* slots,
                                       char* base) {
  return copy_slots(versions_.baseline_code(version), pc, slots, base, nullptr);
}

ResumePoint Deoptimizer::bailout(BaselineCode& origin, const DeoptEvent& event, const Value* slots,
                                 char* base) {
  const BaselinePosition at = copy_slots(origin, event.pc, slots, base, nullptr);
  if (base + origin.frame_bytes > registers_.stack_limit) host_.limit(Limit::Depth, at);
  values_.top = values_at(base + origin.frame_bytes);
  host_.bailed_out(*event.version, event.pc, base);
  return {&origin, at.ip, at.base, nullptr, event.pc};
}

// Frames of the interpreter at `base` from the slots of a native frame.
ResumePoint Deoptimizer::materialize_frames(const DeoptEvent& event, const Value* slots,
                                            char* base) {
  BaselineCode& origin = versions_.baseline_code(*event.version);
  const resolved::Exit* const exit =
      event.exit != nullptr ? event.exit : host_.deopt_map(*event.version, event.pc);
  if (exit == nullptr) return bailout(origin, event, slots, base);
  --registers_.fuel;
  const auto in_baseline = [&] { return copy_slots(origin, event.pc, slots, base, exit); };
  FrameTranslation& to = frame_translation(versions_, origin, event.pc, *exit);
  if (!fits(to, base)) host_.limit(Limit::Depth, in_baseline());
  const std::span<const Value> env(slots, origin.code->slots.size());
  Value* const scratch = values_at(base + to.bytes);
  Value* const end = scratch + (exit->with.empty() ? 0 : env.size() + exit->made);
  if (to.frames.size() > kMostFrames || end > values_.end()) { // rare: by a copy
    const BaselinePosition at = exit_baseline(*exit, in_baseline().ip, base);
    return {&versions_.baseline_code_at(at.ip), at.ip, at.base, nullptr, exit->frame.pc};
  }
  std::array<Value*, kMostFrames> places;
  char* place = base;
  for (std::size_t i = 0; i < to.frames.size(); ++i) {
    places[i] = values_at(place);
    std::fill_n(places[i], to.frames[i].code->code->slots.size(), Value::unbound());
    place += to.frames[i].code->frame_bytes;
  }
  std::fill(scratch, end, Value::unbound());
  values_.top = end; // the collector scans the environment of the `with` block
  const RebuildFailure failure =
      materialize(heap_, env, *exit, std::span(places).first(to.frames.size()), scratch);
  if (failure.why != StuckReason::None) host_.stuck(failure.why, in_baseline());
  if (failure.limit != Limit::None) host_.limit(failure.limit, in_baseline());
  ResumePoint on = push_return_frames(to, base);
  on.pc = exit->frame.pc;
  host_.exited(*exit, *event.version, event.pc, on.base);
  return on;
}

// --- From frames to where execution resumes ---

BaselinePosition Deoptimizer::resume_after(const DeoptEvent& event, const Value* slots,
                                           char* base) {
  std::uint64_t chain = 0;
  if (const OsrCode on = dispatch(event, slots, base); on.code != nullptr) {
    count_in_a_row(chain);
    return enter(on, {.base = base}, chain);
  }
  const ResumePoint at = materialize_frames(event, slots, base);
  const OsrCode code = code_after(event, at, chain);
  return enter(code, at, chain);
}

void Deoptimizer::exit_osr_code(const DeoptEvent& event, const Value* slots) {
  osr_exit_ = event;
  osr_exit_.exited = running_.code;
  osr_exit_.exited_entry = running_.entry;
  if (is_outside_context(osr_exit_, slots)) ++statistics_.outside_context;
  dispatched_ = dispatch(osr_exit_, slots, osr_base_);
  osr_resume_point_ = dispatched_.code != nullptr ? ResumePoint{.base = osr_base_}
                                                  : materialize_frames(event, slots, osr_base_);
}

// Whether the continuation exits at its start because of the type of a parameter that its context
// fixes: dispatch entered it in a state that its context does not hold of.
bool Deoptimizer::is_outside_context(const DeoptEvent& event, const Value* slots) const {
  if (running_.context == nullptr || event.reason != DeoptReason::Exit) return false;
  const auto* const assume = std::get_if<resolved::Assume>(&event.version->instrs.front());
  if (event.pc != 0 || event.forced || assume == nullptr) return false;
  return std::ranges::any_of(assume->guards, [&](const resolved::Expr& guard) {
    if (guard.shape != resolved::Shape::KindTest || guard.a.slot >= event.version->parameters)
      return false;
    const TypeSet types = running_.context->types[guard.a.slot];
    return types == TypeSet(static_cast<Kind>(guard.op)) && !holds(slots, guard);
  });
}

void Deoptimizer::count_in_a_row(std::uint64_t& chain) {
  if (++chain == 2) ++statistics_.cascades;
  statistics_.longest_cascade = std::max(statistics_.longest_cascade, chain);
}

OsrCode Deoptimizer::code_after(DeoptEvent event, const ResumePoint& at, std::uint64_t& chain) {
  if (event.reason != DeoptReason::Exit) return entered(host_.deoptimized(event), at);
  count_in_a_row(chain);
  event.slots = values_at(static_cast<const char*>(at.base));
  event.target = at.target;
  const OsrCode on = host_.deoptimized(event);
  if (on.code != nullptr) ++statistics_.exits_to_native;
  return entered(on, at);
}

OsrCode Deoptimizer::entered(const OsrCode& code, const ResumePoint& at) {
  if (code.code == nullptr || !has_room(code, at)) return {};
  host_.osr_entered(*at.code->code, at.pc, code);
  return code;
}

BaselinePosition Deoptimizer::enter(OsrCode code, ResumePoint at, std::uint64_t chain) {
  while (code.code != nullptr) {
    const std::optional<NativeResult> r = call(code, at);
    if (!r) break;
    if (r->tag != kDeoptimized)
      return host_.bind_result(Value::of_bits(r->bits, static_cast<Tag>(r->tag)));
    const DeoptEvent event = osr_exit_;
    at = osr_resume_point_;
    if (dispatched_.code != nullptr) {
      code = std::exchange(dispatched_, {});
      count_in_a_row(chain);
      continue;
    }
    // A safepoint, as at a back edge: exits may form a cycle.
    if (++exits_in_a_row_ % kPollEvery == 0 || registers_.fuel <= 0) host_.poll({at.ip, at.base});
    code = code_after(event, at, chain);
  }
  return {at.ip, at.base};
}

bool Deoptimizer::has_room(const OsrCode& code, const ResumePoint& at) const {
  if (code.parameters == nullptr && at.code != nullptr) return true;
  const std::size_t frame = at.code != nullptr ? at.code->frame_bytes : 0;
  const std::size_t bytes = code.code->code->slots.size() * sizeof(Value);
  return at.base + frame + bytes <= registers_.stack_limit;
}

// Empty: the stack has no room for its slots.
std::optional<NativeResult> Deoptimizer::call(const OsrCode& code, const ResumePoint& at) {
  const Value* slots = values_at(static_cast<const char*>(at.base));
  values_.top = values_at(at.base + (at.code != nullptr ? at.code->frame_bytes : 0));
  if (at.code == nullptr) {
    const ResolvedVersion& version = *code.code->code;
    values_.top += version.slots.size();
    std::fill(values_at(at.base) + version.parameters, values_.top, Value::unbound());
  } else if (code.parameters != nullptr) { // after the frame, where the collector scans
    if (!has_room(code, at)) return {};
    const Value* const from = slots;
    const std::size_t count = code.code->code->slots.size();
    slots = values_.top;
    for (const Slot slot : *code.parameters) *values_.top++ = from[slot];
    for (std::size_t s = code.parameters->size(); s < count; ++s) *values_.top++ = Value::unbound();
  }
  EntryFrame entry{registers_.entries, registers_.frames, nullptr, false};
  registers_.entries = &entry;
  ++statistics_.osr_entries;
  char* const before = std::exchange(osr_base_, at.base);
  const OsrCode code_before = std::exchange(running_, code);
  using Code = NativeResult (*)(std::int64_t, const Value*);
  const NativeResult r =
      reinterpret_cast<Code>(code.code->entry)(registers_.frames_limit - registers_.frames, slots);
  osr_base_ = before;
  running_ = code_before;
  registers_.entries = entry.outer;
  return r;
}

} // namespace sourir::native
