#include "native/engine/stack_walk.h"

#include "native/deopt/materialize.h"
#include "sourir/syntax/scopes.h"

#include <algorithm>

namespace sourir::native {

// By turns: return frames down to an entry frame, then the native frames below it, by their links.
void for_each_activation(const Interpreter& interpreter, const CodeCache& cache,
                         const std::function<void(const Activation&)>& visit) {
  const ReturnFrame* at = interpreter.registers.frames;
  for (const EntryFrame* entry = interpreter.registers.entries;; entry = entry->outer) {
    const ReturnFrame* const low = entry ? entry->frames : interpreter.first_frame();
    while (at > low)
      if (!interpreter.is_lowest((--at)->call)) visit({.return_frame = at});
    if (entry == nullptr) return;
    bool replaced = entry->replaced;
    const auto* link = static_cast<const std::uint64_t*>(entry->native_frame);
    for (; link != nullptr; link = reinterpret_cast<const std::uint64_t*>(link[0])) {
      const NativeCode* code = cache.code_at(link[1]);
      if (code == nullptr) break;
      visit({.native = code, .address = link[1], .replaced = replaced});
      replaced = false;
    }
  }
}

CodeInUse code_in_use(const Interpreter& interpreter, const CodeCache& cache, const Insn* ip) {
  CodeInUse in_use;
  const Insn* last = nullptr;
  const auto interpreted = [&](const Insn* at) { // recursion repeats the same call
    if (at != last) in_use.versions.insert(interpreter.bytecode_of(at).code);
    last = at;
  };
  if (ip != nullptr) interpreted(ip);
  for_each_activation(interpreter, cache, [&](const Activation& a) {
    if (a.return_frame != nullptr)
      interpreted(a.return_frame->call);
    else
      in_use.native.insert(a.native);
  });
  return in_use;
}

std::vector<WalkedFrame> walk(const Interpreter& interpreter, const CodeCache& cache,
                              const Insn* ip, const char* base) {
  const auto slots = [](const char* at) { return reinterpret_cast<const Value*>(at); };
  std::vector<WalkedFrame> frames{{interpreter.bytecode_of(ip).code, ip->pc, slots(base), {}, {}}};
  for_each_activation(interpreter, cache, [&](const Activation& a) {
    if (a.return_frame != nullptr) {
      const Insn* call = a.return_frame->call;
      frames.push_back({interpreter.bytecode_of(call).code,
                        call->pc + 1,
                        slots(a.return_frame->base),
                        static_cast<Slot>(call->x / sizeof(Value)),
                        {}});
    } else if (const auto pc = a.native->call_at(a.address); pc && !a.replaced) {
      frames.push_back({a.native->code, *pc + 1, nullptr, {}, {}});
    }
  });
  return frames;
}

namespace {

// The variables in scope there; none if it cannot be told.
std::vector<Var> variables_at(const LinkedProgram& program, const WalkedFrame& frame) {
  const ResolvedVersion& code = *frame.code;
  const auto& functions = program.source().functions;
  const auto function = std::ranges::find(functions, code.function, &Function::name);
  const auto position = std::min<Pc>(frame.pc, static_cast<Pc>(code.source->body.size()));
  const auto scope = scope_at(program.source(), *function, *code.source, position);
  return scope ? std::vector<Var>(scope->begin(), scope->end()) : std::vector<Var>();
}

} // namespace

std::vector<Value> environment(const LinkedProgram& program, const WalkedFrame& frame) {
  const ResolvedVersion& code = *frame.code;
  if (!frame.rebuilt.empty()) return frame.rebuilt;
  std::vector<Value> values(code.slots.size(), Value::unbound());
  if (frame.slots == nullptr) return values;
  for (const Var x : variables_at(program, frame))
    values[*code.slot_of(x)] = frame.slots[*code.slot_of(x)];
  if (frame.result) values[*frame.result] = Value::unbound();
  return values;
}

void add_optimized_out(const LinkedProgram& program, const WalkedFrame& frame,
                       FrameReport& report) {
  if (frame.rebuilt.empty()) return;
  for (const Var x : variables_at(program, frame)) {
    const Slot slot = *frame.code->slot_of(x);
    if (frame.rebuilt[slot].is(Tag::Unbound) && slot != frame.result)
      report.values.emplace_back(x, "<optimized out>");
  }
  std::ranges::sort(report.values, {},
                    [&](const auto& value) { return *frame.code->slot_of(value.first); });
}

namespace {

// The frames that the innermost one represents, with their values; empty: they are not known.
std::vector<WalkedFrame> rebuild(Heap& heap, const OptimizedVersion& version,
                                 const WalkedFrame& frame, const LinkedProgram& program) {
  if (frame.slots == nullptr || &version.code() != frame.code) return {};
  const std::optional<resolved::Exit> exit = version.known_state(frame.pc, program);
  if (!exit || !exit->with.empty()) return {};
  std::vector<WalkedFrame> frames(exit->outer.size() + 1);
  std::vector<Value*> places;
  for (std::size_t i = frames.size(); i-- > 0;) { // outermost first
    const resolved::Frame& to = i == 0 ? exit->frame : exit->outer[i - 1].frame;
    frames[i] = {to.code, to.pc, nullptr, {}, {}};
    if (i > 0) frames[i].result = exit->outer[i - 1].result;
    frames[i].rebuilt.assign(std::max<std::size_t>(to.code->slots.size(), 1), Value::unbound());
    places.push_back(frames[i].rebuilt.data());
  }
  const std::span<const Value> env(frame.slots, frame.code->slots.size());
  if (materialize(heap, env, *exit, places, nullptr).why != StuckReason::None) return {};
  return frames;
}

} // namespace

std::vector<WalkedFrame> in_source(Heap& heap, const std::vector<WalkedFrame>& frames,
                                   const LinkedProgram& program, const CodeCache& cache) {
  std::unordered_map<const ResolvedVersion*, const OptimizedVersion*> known;
  std::vector<WalkedFrame> all;
  for (const WalkedFrame& f : frames) {
    const auto [at, fresh] = known.try_emplace(f.code, nullptr);
    if (fresh) at->second = cache.version_of(*f.code);
    if (at->second == nullptr) {
      all.push_back(f);
      continue;
    }
    if (&f == frames.data())
      if (all = rebuild(heap, *at->second, f, program); !all.empty()) continue;
    for (const SourcePlace& place :
         source_places(*at->second, *f.code, program, f.pc, &f != frames.data()))
      all.push_back({place.code, place.pc, nullptr, {}, {}});
  }
  return all;
}

namespace {

// The frames at the start of an outlined loop, or of the rest of a stack.
void add_start(std::vector<SourcePlace>& places, const OutlinedFrom& rest) {
  if (rest.callee) add_start(places, *rest.callee);
  places.push_back({rest.from, rest.head});
}

// A place of the program, or of a version that an outlined loop is of.
void add_found(std::vector<SourcePlace>& places, const OptimizedVersion& added,
               const LinkedProgram& running, const Place& place) {
  if (const auto there = running.find(place))
    return places.push_back({there->first, there->second});
  const OutlinedFrom* rest = added.outlined_from ? &*added.outlined_from : nullptr;
  while (rest != nullptr && rest->function != place.function) rest = rest->callee.get();
  if (rest == nullptr) return;
  if (place.label || place.offset == 0) return add_start(places, *rest);
  const auto end = static_cast<Pc>(rest->from->instrs.size() - 1);
  places.push_back({rest->from, std::min(rest->origin(place.offset), end)});
}

void add_start(std::vector<SourcePlace>& places, const OptimizedVersion& added,
               const LinkedProgram& running) {
  if (added.outlined_from) return add_start(places, *added.outlined_from);
  places.push_back({running.function(added.code().function)->dispatch.front(), 0});
}

} // namespace

std::vector<SourcePlace> source_places(const OptimizedVersion& added, const ResolvedVersion& code,
                                       const LinkedProgram& running, Pc pc, bool at_call) {
  const auto map = std::ranges::find_if(added.map.versions, [&](const VersionMap& v) {
    return v.function == code.function && v.version == code.version;
  });
  std::vector<SourcePlace> places;
  const auto add = [&](const Place& place) { add_found(places, added, running, place); };
  const auto same_position = [&] {
    if (map->identity) add({map->identity->function, map->identity->version, {}, pc});
  };
  if (map != added.map.versions.end() && at_call) {
    const auto listed = map->call_sites.find(pc - 1);
    if (listed == map->call_sites.end())
      same_position();
    else if (listed->second)
      for (const OuterFrame& frame : listed->second->frames) add(frame.target);
  } else if (map != added.map.versions.end()) {
    const auto listed = map->states.find(pc);
    if (listed == map->states.end()) {
      same_position();
    } else if (listed->second) {
      add(listed->second->frame.target);
      for (const OuterFrame& outer : listed->second->outer) add(outer.target);
    }
  }
  if (places.empty()) add_start(places, added, running);
  return places;
}

} // namespace sourir::native
