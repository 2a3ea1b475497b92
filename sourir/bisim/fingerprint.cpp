#include "sourir/bisim/fingerprint.h"

#include "sourir/semantics/eval.h"

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
  add(static_cast<std::uint64_t>(v.tag()));
  if (!v.is(Tag::Array)) return add(bits_of(comparable(v)));
  Number& known = numbers_[v.as_array().index];
  if (known.round != round_) {
    known = {round_, static_cast<std::uint32_t>(met_.size())};
    met_.push_back(v.as_array().index);
  }
  add(known.number);
}

std::uint64_t Fingerprints::full(const Heap& heap, std::span<const FrameView> frames,
                                 std::uint64_t depth, const std::optional<Value>& returned) {
  hash_ = depth;
  ++round_;
  met_.clear();
  if (numbers_.size() < heap.blocks.size()) numbers_.resize(heap.blocks.size());
  for (const FrameView& frame : frames) {
    add_place(frame);
    for_each_live(frame, [&](Slot x) { add_value(frame.env[x]); });
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

std::uint64_t Fingerprints::quick(const Heap& heap, const FrameView& frame, std::uint64_t depth) {
  hash_ = depth;
  add_place(frame);
  for_each_live(frame, [&](Slot x) {
    const Value v = frame.env[x];
    add(static_cast<std::uint64_t>(v.tag()));
    add(v.is(Tag::Array) ? heap.blocks[v.as_array().index].size() : bits_of(comparable(v)));
  });
  return hash_;
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

} // namespace sourir
