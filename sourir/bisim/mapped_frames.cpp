#include "sourir/bisim/mapped_frames.h"

#include "sourir/semantics/link.h"
#include "sourir/semantics/materialize.h"
#include "sourir/syntax/text/printer.h"

#include <algorithm>

namespace sourir {

MappedPlaces::MappedPlaces(const StateMap& map, const LinkedProgram& input, const Program& output,
                           LiveSlots& live)
    : states_(map, input.source()), input_(input), output_(output), live_(live) {}

const MappedPlace* MappedPlaces::state(const ResolvedVersion& code, Pc pc) {
  return find(code, pc, std::nullopt);
}

const MappedPlace* MappedPlaces::at_call(const ResolvedVersion& code, Pc pc, Slot result) {
  return find(code, pc, result);
}

const MappedPlace* MappedPlaces::find(const ResolvedVersion& code, Pc pc,
                                      std::optional<Slot> result) {
  auto& version = known_[&code];
  if (version.empty()) version.resize(code.instrs.size() + 2);
  auto& here = version[pc];
  auto at = std::find_if(here.begin(), here.end(),
                         [&](const Known& known) { return known.result == result; });
  if (at == here.end()) {
    here.push_front(ask(code, pc, result));
    at = here.begin();
  }
  return at->mapped ? &at->place : nullptr;
}

// A return frame as an exit without an innermost frame: its first outer frame.
std::optional<Metadata> MappedPlaces::metadata(const ResolvedVersion& code, Pc pc,
                                               std::optional<Slot> result) {
  if (!result) return states_.state(code.function, code.version, pc);
  const Var name = code.slots[*result];
  const Call* const call = pc > 0 ? output_.call(code.function, code.version, pc - 1) : nullptr;
  const auto site = call != nullptr && call->result == name
                        ? states_.call_site(code.function, code.version, pc - 1)
                        : states_.call_site_from_state(code.function, code.version, pc, name);
  if (!site || site->frames.empty()) return std::nullopt;
  return Metadata{{}, site->frames, site->with, {}};
}

MappedPlaces::Known MappedPlaces::ask(const ResolvedVersion& code, Pc pc,
                                      std::optional<Slot> result) {
  Known known{result, false, {}};
  auto metadata = this->metadata(code, pc, result);
  if (!metadata) return known;
  std::optional<Var> result_of_call;
  if (result) {
    const OuterFrame inner = metadata->outer.front();
    metadata->outer.erase(metadata->outer.begin());
    metadata->frame = {inner.target, inner.varmap, inner.unknown};
    result_of_call = inner.result;
  }
  auto linked = link_exit(*metadata, code, input_);
  if (!linked) {
    if (problem_.empty())
      problem_ = "the state map at " + print(code.place(pc), input_.names()) + ": " +
                 linked.error().message;
    return known;
  }
  known.place.exit = *std::move(linked);
  if (result_of_call) {
    known.place.result = known.place.exit.frame.code->slot_of(*result_of_call);
    if (!known.place.result) return known;
  }
  bool open = has_unknown_live(metadata->frame.target, metadata->frame.unknown,
                               result_of_call ? &*result_of_call : nullptr);
  for (const OuterFrame& outer : metadata->outer)
    open |= has_unknown_live(outer.target, outer.unknown, &outer.result);
  known.mapped = true;
  known.place.complete = !open;
  return known;
}

bool MappedPlaces::has_unknown_live(const Place& target, const std::vector<Var>& unknown,
                                    const Var* result) {
  if (unknown.empty()) return false;
  const auto [code, pc] = *input_.find(target);
  const std::vector<Slot>& live = live_.at(*code, pc);
  return std::any_of(unknown.begin(), unknown.end(), [&](Var x) {
    const auto slot = code->slot_of(x);
    return slot && (result == nullptr || x != *result) &&
           std::binary_search(live.begin(), live.end(), *slot);
  });
}

std::vector<FrameView> SourceFrames::views() const {
  std::vector<FrameView> out;
  for (const NewFrame& f : frames) {
    const bool waits = &f != &frames.front();
    out.push_back({f.code, f.pc, waits ? std::optional(f.result) : std::nullopt, f.env.data()});
  }
  return out;
}

Config configuration(const Config& output, const SourceFrames& frames, const LinkedProgram& program,
                     Input& input, const Schedule& schedule) {
  Config c;
  c.program = &program;
  c.input = &input;
  c.schedule = &schedule;
  c.limits = output.limits;
  c.heap = output.heap;
  c.input_position = output.input_position;
  c.output_bytes = output.output_bytes;
  for (auto f = frames.frames.rbegin(); f != frames.frames.rend(); ++f) {
    c.base = c.stack.size();
    c.stack.insert(c.stack.end(), f->env.begin(), f->env.end());
    if (std::next(f) != frames.frames.rend())
      c.frames.push_back({f->code, f->pc, f->result, c.base});
  }
  c.code = frames.frames.front().code;
  c.pc = frames.frames.front().pc;
  return c;
}

void StackMapper::follow(const Config& output) {
  if (below_.size() > output.frames.size()) below_.resize(output.frames.size());
  while (below_.size() < output.frames.size()) {
    const Continuation& k = output.frames[below_.size()];
    Below next = below(below_.size());
    const MappedPlace* const place = places_.at_call(*k.code, k.pc, k.result);
    next.mapped &= place != nullptr;
    if (next.mapped) {
      next.depth += place->frames();
      next.complete &= place->complete;
    }
    below_.push_back(next);
  }
}

bool StackMapper::complete(const Config& output) {
  const Below rest = below(below_.size());
  const MappedPlace* const top = places_.state(*output.code, output.pc);
  return rest.mapped && rest.complete && top != nullptr && top->complete;
}

SourceFrames StackMapper::frames(const Config& output, BorrowedBlocks& blocks, std::size_t most) {
  SourceFrames out;
  const Below rest = below(below_.size());
  const MappedPlace* const here = places_.state(*output.code, output.pc);
  if (!rest.mapped || here == nullptr) return out;
  // Adds the frames of one place, outermost first in `made`, after those in `out`.
  const auto add = [&](const MappedPlace& place, const ResolvedVersion& code, std::size_t base) {
    const std::span<const Value> env(output.stack.data() + base, code.slots.size());
    auto made = materialize(output.heap, env, *output.limits, place.exit);
    if (const auto* why = std::get_if<StuckReason>(&made)) {
      out.kind = SourceFrames::Kind::NoValue;
      out.why = *why;
    }
    auto* const frames = std::get_if<NewFrames>(&made);
    if (frames == nullptr) return false;
    blocks.add(std::move(frames->blocks));
    if (place.result) frames->frames.back().result = *place.result;
    std::move(frames->frames.rbegin(), frames->frames.rend(), std::back_inserter(out.frames));
    return true;
  };
  if (!add(*here, *output.code, output.base)) return out;
  for (std::size_t i = output.frames.size(); i > 0 && out.frames.size() < most; --i) {
    const Continuation& k = output.frames[i - 1];
    if (!add(*places_.at_call(*k.code, k.pc, k.result), *k.code, k.base)) return out;
  }
  if (out.frames.size() > most) out.frames.resize(most);
  out.depth = here->frames() + rest.depth;
  out.complete = here->complete && rest.complete;
  out.kind = SourceFrames::Kind::Mapped;
  return out;
}

} // namespace sourir
