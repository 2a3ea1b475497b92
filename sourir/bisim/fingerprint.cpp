#include "sourir/bisim/fingerprint.h"

#include "sourir/analysis/liveness.h"
#include "sourir/semantics/eval.h"
#include "sourir/syntax/metadata.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sourir {
namespace {

Value comparable(Value v) {
  if (v.is(Tag::Float) && std::isnan(v.as_float()))
    return Value(std::numeric_limits<double>::quiet_NaN());
  return v;
}

std::uint64_t bits_of(Value v) {
  switch (v.tag()) {
  case Tag::Nil:
  case Tag::Unbound: return 0;
  case Tag::Bool: return v.as_bool() ? 1 : 0;
  case Tag::Int: return static_cast<std::uint64_t>(v.as_int());
  case Tag::Float: return std::bit_cast<std::uint64_t>(v.as_float());
  case Tag::String: return v.as_string().id;
  case Tag::Fun: return v.as_fun().id;
  case Tag::Array: return v.as_array().index;
  }
  return 0;
}

bool compares(const NotCompared& without, std::uint32_t frame, Slot slot) {
  return std::ranges::find(without, FrameSlot{frame, slot}) == without.end();
}

} // namespace

Pc after_gotos(const ResolvedVersion& code, Pc pc) {
  for (std::size_t n = 0; n < code.instrs.size() && pc < code.instrs.size(); ++n) {
    const auto* const jump = std::get_if<resolved::Goto>(&code.instrs[pc]);
    if (jump == nullptr) break;
    pc = jump->target;
  }
  return pc;
}

void Fingerprints::add(std::uint64_t word) {
  hash_ = (hash_ ^ word) * 0x9E37'79B9'7F4A'7C15;
  hash_ ^= hash_ >> 29;
}

void Fingerprints::add_place(const FrameView& frame) {
  add(reinterpret_cast<std::uintptr_t>(frame.code));
  add(place_of(frame));
  add(frame.result ? *frame.result + std::uint64_t{1} : 0);
}

void Fingerprints::add_value(Value v) {
  // One word each: long arrays take most of the time of a check.
  const std::uint64_t tag = static_cast<std::uint64_t>(v.tag()) * 0xD6E8'FEB8'6659'FD93;
  if (!v.is(Tag::Array)) return add(bits_of(comparable(v)) + tag);
  Number& known = numbers_[v.as_array().index];
  if (known.round != round_) {
    known = {round_, static_cast<std::uint32_t>(met_.size())};
    met_.push_back(v.as_array().index);
  }
  add(known.number + tag);
}

std::uint64_t Fingerprints::full(const Heap& heap, std::span<const FrameView> frames,
                                 std::uint64_t depth, const std::optional<Value>& returned,
                                 const NotCompared& without) {
  hash_ = depth;
  ++round_;
  met_.clear();
  if (numbers_.size() < heap.blocks.size()) numbers_.resize(heap.blocks.size());
  for (std::uint32_t i = 0; i < frames.size(); ++i) {
    const FrameView& frame = frames[i];
    add_place(frame);
    for_each_live(frame, [&](Slot x) {
      if (compares(without, i, x)) add_value(frame.env[x]);
    });
  }
  if (returned) add_value(*returned);
  std::uint64_t cells = 0;
  for (std::size_t i = 0; i < met_.size() && cells < kComparedCells; ++i) {
    const std::vector<Value>& block = heap.blocks[met_[i]];
    add(block.size());
    for (std::size_t k = 0; k < block.size() && cells < kComparedCells; ++k, ++cells)
      add_value(block[k]);
  }
  return hash_;
}

std::uint64_t Fingerprints::quick(const Heap& heap, const FrameView& frame, std::uint64_t depth,
                                  const NotCompared& without) {
  hash_ = depth;
  add_place(frame);
  for_each_live(frame, [&](Slot x) {
    if (!compares(without, 0, x)) return;
    const Value v = frame.env[x];
    add(static_cast<std::uint64_t>(v.tag()));
    add(v.is(Tag::Array) ? heap.blocks[v.as_array().index].size() : bits_of(comparable(v)));
  });
  return hash_;
}

NotCompared Fingerprints::without_value(std::span<const FrameView> frames) {
  NotCompared found;
  for (std::uint32_t i = 0; i < frames.size(); ++i)
    for_each_live(frames[i], [&](Slot x) {
      if (frames[i].env[x].is(Tag::Unbound)) found.push_back({i, x});
    });
  return found;
}

std::optional<Value> returned_value(const ResolvedVersion& code, Pc pc, const Heap& heap, Env env) {
  const auto* const instr =
      pc < code.instrs.size() ? std::get_if<resolved::Return>(&code.instrs[pc]) : nullptr;
  if (instr == nullptr) return std::nullopt;
  const EvalResult result = eval(heap, env, instr->e);
  return result ? std::optional(result.value) : std::nullopt;
}

std::vector<FrameView> frames_of_config(const Config& c, std::size_t most) {
  std::vector<FrameView> frames{{c.code, c.pc, std::nullopt, c.env()}};
  for (std::size_t i = c.frames.size(); i > 0 && frames.size() < most; --i) {
    const Continuation& k = c.frames[i - 1];
    frames.push_back({k.code, k.pc, k.result, c.stack.data() + k.base});
  }
  return frames;
}

namespace {

// Liveness in which an assignment to a dead variable uses nothing, unless it may fail.
struct NeededVariables {
  using State = VarSet;
  static constexpr Direction kDirection = Direction::Backward;

  State boundary(BlockId) const { return {}; }
  void transfer(State& needed, Position at) const {
    const Instruction& instr = version.body[at].instr;
    const Var* const defined = defined_by(instr);
    if (defined == nullptr || needed.contains(*defined) || fails(instr))
      LiveVariables::step(needed, instr);
  }

  static bool fails(const Instruction& instr) {
    if (const auto* decl = std::get_if<Decl>(&instr)) return decl->value && may_fail(*decl->value);
    if (const auto* assign = std::get_if<Assign>(&instr))
      return may_fail(assign->value).has_value();
    return true;
  }

  const Version& version;
};

std::vector<Slot> slots_of(const VarSet& live, const ResolvedVersion& code) {
  std::vector<Slot> slots;
  for (const Var x : live)
    if (const auto slot = code.slot_of(x)) slots.push_back(*slot);
  std::sort(slots.begin(), slots.end());
  return slots;
}

std::vector<std::vector<Slot>> live_slots(const ResolvedVersion& code, const ExitTargets& targets) {
  const Version& version = *code.source;
  const Cfg cfg(version, targets.labels(code.function, code.version));
  NeededVariables problem{version};
  const Solution<NeededVariables> ends = solve(cfg, problem);
  std::vector<std::vector<Slot>> live(code.instrs.size() + 1);
  for (const BlockId b : cfg.reverse_postorder()) {
    const Block& block = cfg[b];
    VarSet needed = *ends[b.id];
    replay(cfg, problem, b, needed, [&](Position at, const VarSet& after) {
      if (at + 1 < block.end) live[at + 1] = slots_of(after, code);
    });
    live[block.begin] = slots_of(needed, code);
  }
  return live;
}

} // namespace

const std::vector<Slot>& LiveSlots::at(const ResolvedVersion& code, Pc pc) {
  const auto [found, fresh] = versions_.try_emplace(&code);
  if (fresh) found->second = live_slots(code, targets_);
  return found->second[pc];
}

} // namespace sourir
