#include "sourir/bisim/expected_states.h"

#include "sourir/semantics/step.h"
#include "sourir/syntax/text/printer.h"

#include <algorithm>

namespace sourir {
namespace {

constexpr std::size_t kShownBytes = 120;

// The number of lines that differ, and 100 for another depth.
std::size_t differences(const ShownState& a, const ShownState& b) {
  std::size_t count = (a.depth != b.depth ? 100 : 0) + std::max(a.lines.size(), b.lines.size());
  for (std::size_t i = 0; i < std::min(a.lines.size(), b.lines.size()); ++i)
    count -= a.lines[i].name == b.lines[i].name &&
             (a.lines[i].value == b.lines[i].value || a.lines[i].value == "?");
  return count;
}

bool top_returns(const FrameView& top) {
  return top.pc < top.code->instrs.size() &&
         std::holds_alternative<resolved::Return>(top.code->instrs[top.pc]);
}

std::optional<Value> returned_now(const Config& c) {
  return returned_value(*c.code, c.pc, c.heap, c.env());
}

} // namespace

void ExpectedStates::add(const Heap& heap, std::span<const FrameView> frames, std::uint64_t depth,
                         std::uint64_t step, const std::optional<Value>& returned) {
  const FrameView& top = frames.front();
  const bool returns = returned && top_returns(top);
  const auto value = returns ? returned : std::nullopt;
  const std::size_t mask = mask_of(frames);
  const NotCompared& without = masks_[mask].without;
  ExpectedState expected_state{top.code,
                               top.pc,
                               fingerprints_.quick(heap, top, depth, without),
                               fingerprints_.full(heap, frames, depth, value, without),
                               mask,
                               next_number_++,
                               step,
                               returns};
  if (wanted_ != nullptr && wanted_->number == expected_state.number) {
    wanted_->demanded = shown_state(fingerprints_, names_, heap, frames, depth, value);
    wanted_->code = top.code;
    wanted_->pc = top.pc;
    wanted_->returns = returns;
  }
  const auto [first, last] = by_quick_.equal_range(expected_state.quick);
  const bool known = std::any_of(first, last, [&](const auto& entry) {
    const ExpectedState& other = expected_states_[entry.second];
    return other.full == expected_state.full && other.returns == returns && other.mask == mask &&
           other.code == expected_state.code && other.pc == expected_state.pc;
  });
  if (known) return; // the output has stood there before
  auto& places = places_[top.code];
  if (places.empty()) places.resize(top.code->instrs.size() + 2);
  ++places[top.pc];
  by_quick_.emplace(expected_state.quick, expected_states_.size());
  expected_states_.push_back(expected_state);
  ++unmet_;
  ++masks_[mask].unmet;
}

std::size_t ExpectedStates::mask_of(std::span<const FrameView> frames) {
  NotCompared without = fingerprints_.without_value(frames);
  if (without.empty()) return 0;
  const auto known = std::ranges::find(masks_, without, &Mask::without);
  if (known != masks_.end()) return static_cast<std::size_t>(known - masks_.begin());
  masks_.push_back({std::move(without), 0});
  return masks_.size() - 1;
}

void ExpectedStates::visit(const Config& input) {
  if (input.stopped()) return;
  if (wanted_ != nullptr && wanted_->code == input.code && wanted_->pc == input.pc) compare(input);
  if (unmet_ == 0) return;
  const auto places = places_.find(input.code);
  if (places == places_.end() || places->second[input.pc] == 0) return;
  for (std::size_t mask = 0; mask < masks_.size(); ++mask)
    if (masks_[mask].unmet > 0) visit(input, mask);
}

void ExpectedStates::visit(const Config& input, std::size_t mask) {
  const NotCompared& without = masks_[mask].without;
  const std::uint64_t depth = input.frames.size() + 1;
  const FrameView top{input.code, input.pc, std::nullopt, input.env()};
  const auto [first, last] =
      by_quick_.equal_range(fingerprints_.quick(input.heap, top, depth, without));
  std::optional<std::uint64_t> full[2]; // without and with what is returned
  for (auto at = first; at != last;) {
    const auto here_at = at++;
    ExpectedState& expected_state = expected_states_[here_at->second];
    if (expected_state.code != input.code || expected_state.pc != input.pc ||
        expected_state.mask != mask)
      continue;
    auto& here = full[expected_state.returns ? 1 : 0];
    if (!here) {
      const auto returned = expected_state.returns ? returned_now(input) : std::nullopt;
      here = fingerprints_.full(input.heap, frames_of_config(input), depth, returned, without);
    }
    if (expected_state.full != *here) continue;
    expected_state.met = true;
    expected_state.met_step = input.steps;
    --places_[input.code][input.pc];
    --unmet_;
    --masks_[mask].unmet;
    by_quick_.erase(here_at);
  }
}

const ExpectedState* ExpectedStates::first_unmet() const {
  for (const ExpectedState& expected_state : expected_states_)
    if (!expected_state.met) return &expected_state;
  return nullptr;
}

const ExpectedState* ExpectedStates::last_met(const ExpectedState* before) const {
  const ExpectedState* last = nullptr;
  for (const ExpectedState& expected_state : expected_states_) {
    if (&expected_state == before) break;
    if (expected_state.met) last = &expected_state;
  }
  return last;
}

void ExpectedStates::clear() {
  for (const ExpectedState& expected_state : expected_states_)
    if (!expected_state.met) places_[expected_state.code][expected_state.pc] = 0;
  expected_states_.clear();
  by_quick_.clear();
  for (Mask& mask : masks_) mask.unmet = 0;
  unmet_ = 0;
}

ShownState shown_state(Fingerprints& fingerprints, const Names& names, const Heap& heap,
                       std::span<const FrameView> frames, std::uint64_t depth,
                       const std::optional<Value>& returned) {
  ShownState state{depth, {}};
  for (const FrameView& frame : frames) {
    std::string place = print(frame.code->place(frame.pc), names);
    if (frame.result) {
      place += " (waits for ";
      place += names.text(frame.code->slots[*frame.result]);
      place += ")";
    }
    state.lines.push_back({place, ""});
    fingerprints.for_each_live(frame, [&](Slot x) {
      std::string name = place + ": ";
      name += names.text(frame.code->slots[x]);
      const Value v = frame.env[x];
      state.lines.push_back(
          {std::move(name), v.is(Tag::Unbound) ? "?" : show(v, heap, names, kShownBytes)});
    });
  }
  if (returned) state.lines.push_back({"returned", show(*returned, heap, names, kShownBytes)});
  return state;
}

void ExpectedStates::compare(const Config& input) {
  ShownState state =
      shown_state(fingerprints_, names_, input.heap, frames_of_config(input),
                  input.frames.size() + 1, wanted_->returns ? returned_now(input) : std::nullopt);
  const std::size_t count = differences(wanted_->demanded, state);
  if (wanted_->candidates++ == 0 || count < wanted_->differences) {
    wanted_->differences = count;
    wanted_->nearest = std::move(state);
  }
}

} // namespace sourir
