#include "sourir/semantics/config.h"

#include "sourir/semantics/eval.h"
#include "sourir/semantics/growth.h"

#include <algorithm>

namespace sourir {

const char* name_of(Limit limit) {
  static constexpr const char* kNames[] = {"none", "fuel", "heap", "depth", "array", "output"};
  return kNames[static_cast<std::size_t>(limit)];
}

bool Heap::elements_are(Value array, Tag tag) const {
  const std::uint32_t index = array.as_array().index;
  const auto [types, fresh] = counts.try_emplace(index);
  if (fresh)
    for (const Value v : blocks[index]) types->second.add(v.tag());
  return types->second.of(tag) == blocks[index].size();
}

void Heap::recount(std::uint32_t block, Tag from, Tag to) {
  const auto types = counts.find(block);
  if (types == counts.end()) return;
  types->second.remove(from);
  types->second.add(to);
}

Config start(const LinkedProgram& program, Input& input, const Schedule& schedule,
             const Limits& limits) {
  Config c;
  c.program = &program;
  c.input = &input;
  c.schedule = &schedule;
  c.watch_plan = watch_plan(program, schedule.watch);
  c.limits = &limits;
  c.code = entered(c, program.main(), c.env());
  c.stack.assign(c.code->slots.size(), Value::unbound());
  return c;
}

namespace {

bool holds(const Config& c, const ResolvedVersion& version, Env arguments) {
  return first_failing(c.heap, arguments, version.when) == version.when.size();
}

} // namespace

std::vector<const ResolvedVersion*> enterable(const Config& c, const LinkedProgram::Fun& f,
                                              Env arguments) {
  std::vector<const ResolvedVersion*> all;
  for (const ResolvedVersion* version : f.versions)
    if (!version->source->cont && holds(c, *version, arguments)) all.push_back(version);
  return all;
}

// [ext]  P(F) = F(x1, .., xn) : V1 when e1* : I1, .., Vm when em* : Im    no continuations
// k is the least j with M E ei -> true for all ei of ej*    or the schedule chooses such a j
// or Vk was added, and the schedule of growth chooses it
// ----------------------------------------------------------------------------
// M E F enters Vk : Ik
const ResolvedVersion* entered(const Config& c, const LinkedProgram::Fun& f, Env arguments) {
  using enum Schedule::Mode;
  const Schedule& s = *c.schedule;
  if (c.growth != nullptr && c.code != nullptr)
    if (const ResolvedVersion* const added = c.growth->entered(c, f.name)) return added;
  if (s.enters()) {
    const std::uint64_t number = c.code == nullptr ? 0 : c.calls + 1; // 0: the start
    const auto all = enterable(c, f, arguments);
    if (s.mode == EnterAny) return all[s.chosen(number, all.size())];
    if (s.mode == EnterAt ? s.call == number : s.function == f.name)
      for (const ResolvedVersion* version : all)
        if (version->version == s.version) return version;
  }
  return *std::ranges::find_if(
      f.dispatch, [&](const ResolvedVersion* version) { return holds(c, *version, arguments); });
}

bool same_state(const Config& a, const Config& b) {
  return a.code == b.code && a.pc == b.pc && a.frames == b.frames && a.base == b.base &&
         a.stack == b.stack && a.heap.blocks == b.heap.blocks && a.watches == b.watches &&
         a.input_position == b.input_position && a.opportunities == b.opportunities &&
         a.calls == b.calls && a.events == b.events && a.grown == b.grown &&
         a.returned == b.returned && a.steps == b.steps && a.output_bytes == b.output_bytes &&
         a.result == b.result;
}

} // namespace sourir
