// What happens when the output leaves by an exit.
#include "sourir/bisim/lockstep_run.h"
#include "sourir/semantics/eval.h"
#include "sourir/semantics/exits.h"
#include "sourir/semantics/materialize.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace sourir {
namespace {

bool may_stay(const Config& c) {
  const auto* const assume = std::get_if<resolved::Assume>(&c.instr());
  return assume == nullptr ||
         first_failing(c.heap, c.env(), assume->guards) == assume->guards.size();
}

SourceFrames frames_at(const Config& c) {
  SourceFrames out{SourceFrames::Kind::Mapped, StuckReason::None, {}, c.frames.size() + 1};
  for (const SeenFrame& f : frames_of_config(c))
    out.frames.push_back({f.code, f.pc, f.result.value_or(0),
                          std::vector<Value>(f.env, f.env + f.code->slots.size())});
  return out;
}

} // namespace

StepResult LockstepRun::at_exit(std::string& printed) {
  const bool stays = may_stay(output_);
  if (stays) note_injected();
  const Next next = sourir::next(output_);
  if (!next.rule && stays && next.derivation.why != StuckReason::None) {
    // Only a forced exit fails here: nothing that the program would do. Whether it may is asked
    // by one check alone.
    ++result_.forced, ++output_.opportunities;
    const TracedEvent& expected = request_.expected[next_event_];
    if (setting_.options.as == Oracle::Transparency && expected.event.kind != Event::Kind::Limit)
      other_event({Event::Kind::Stuck, name_of(next.derivation.why)}, expected);
    result_.skipped = result_.agreement == Agreement::Equivalent;
    over_ = true;
    return {};
  }
  const bool leaves =
      next.rule && std::holds_alternative<effect::Replace>(next.derivation.transition->effect);
  return leaves ? leave(stays, printed) : step(output_, printed);
}

// Counted by the schedule alone, so that an exit that is not taken where it was to be is seen.
void LockstepRun::note_injected() {
  const resolved::Exit* const exit = exit_at(*output_.code, output_.pc);
  injected_ += !exit->stays && output_.schedule->leaves(output_.opportunities + 1, output_.returned,
                                                        output_.code, output_.pc);
}

StepResult LockstepRun::leave(bool forced, std::string& printed) {
  result_.forced += forced;
  if (forced) quiet_ = false;
  count_deoptimization(output_.code, output_.pc);
  if (over_) return {};
  const Before before = look_before();
  if (over_) return {};
  if (following_) demand();
  if (over_) return {};
  const StepResult r = step(output_, printed);
  if (r.status != StepStatus::Stepped) return r;
  if (following_) mapper_.follow(output_);
  if (forced && no_progress(before))
    result_.skipped = over_ = true;
  else if (following_)
    left(before);
  return r;
}

bool LockstepRun::no_progress(const Before& before) const {
  return output_.code == before.code && output_.pc == before.pc &&
         before.env.size() == output_.stack.size() - output_.base &&
         std::equal(before.env.begin(), before.env.end(), output_.env());
}

LockstepRun::Before LockstepRun::look_before() {
  Before before;
  before.code = output_.code;
  before.pc = output_.pc;
  before.env.assign(output_.stack.begin() + static_cast<std::ptrdiff_t>(output_.base),
                    output_.stack.end());
  if (!following_) return before;
  BorrowedBlocks blocks(output_.heap);
  const auto frames = source_frames(blocks, kComparedFrames);
  if (!frames) return before;
  before.mapped = true;
  before.depth = frames->depth;
  for (const NewFrame& f : frames->frames) before.places.emplace_back(f.code, f.pc);
  before.own = own_exits(output_.heap, *frames, blocks);
  return before;
}

// The exit at the input's place, then the one at the place that it leads to, and so on: a pass may
// have composed them, whether or not the input would take the next one.
std::vector<LockstepRun::OwnExit> LockstepRun::own_exits(Heap& heap, SourceFrames now,
                                                         BorrowedBlocks& blocks) {
  std::vector<OwnExit> all;
  while (all.size() < kOwnExits) {
    const NewFrame& top = now.frames.front();
    const resolved::Exit* const exit = exit_at(*top.code, top.pc);
    if (exit == nullptr || exit->stays) break;
    auto made = materialize(heap, top.env, setting_.limits, *exit);
    auto* const own = std::get_if<NewFrames>(&made);
    if (own == nullptr) break;
    blocks.add(std::move(own->blocks));
    now.depth += own->frames.size() - 1;
    now.frames.erase(now.frames.begin());
    now.frames.insert(now.frames.begin(), std::move_iterator(own->frames.rbegin()),
                      std::move_iterator(own->frames.rend()));
    now.frames.resize(std::min(now.frames.size(), kComparedFrames));
    all.push_back(exit_to(heap, now));
  }
  return all;
}

LockstepRun::OwnExit LockstepRun::exit_to(const Heap& heap, const SourceFrames& to) {
  const std::vector<SeenFrame> views = to.views();
  OwnExit exit{marked(heap, views, to.depth), {}};
  if (request_.show_exits)
    exit.shown = shown_state(setting_.fingerprints, setting_.names, heap, views, to.depth);
  return exit;
}

// An assume that was moved stands for a state of another place than its own: the input's exit at
// that place is another one. Leaving where the input could have left is right.
std::optional<LockstepRun::OwnExit> LockstepRun::passed_exit(const MarkedFrames& after) {
  Config c = follower_;
  std::optional<OwnExit> found;
  const std::uint64_t before = c.steps;
  advance(c, [&](const Config& now) {
    if (now.stopped() || exit_at(*now.code, now.pc) == nullptr) return !interrupted(now);
    BorrowedBlocks blocks(c.heap);
    for (OwnExit& own : own_exits(c.heap, frames_at(now), blocks))
      if (!found && same_place(own.made, after) && differs_from_own(own.made, after).empty())
        found = std::move(own);
    return !found;
  });
  follower_steps_ += c.steps - before;
  return found;
}

LockstepRun::MarkedFrames LockstepRun::marked(const Heap& heap, std::span<const SeenFrame> frames,
                                              std::uint64_t depth) {
  MarkedFrames out{depth, setting_.fingerprints.full(heap, frames, depth), {}};
  for (const SeenFrame& f : frames)
    out.frames.push_back({f.code, f.pc, setting_.fingerprints.full(heap, {&f, 1}, 0)});
  return out;
}

bool LockstepRun::same_place(const MarkedFrames& a, const MarkedFrames& b) {
  return a.frames[0].code == b.frames[0].code && a.frames[0].pc == b.frames[0].pc;
}

// Both lead to the same place, so both must make the same state there. Frames that wait may be of
// other versions (a pass that inlines leaves the caller's version, too), but of the same functions.
std::string LockstepRun::differs_from_own(const MarkedFrames& own,
                                          const MarkedFrames& after) const {
  const std::size_t compared = own.depth == after.depth ? own.frames.size() : 1;
  for (std::size_t i = 0; i < compared; ++i) {
    const MarkedFrames::Mark &a = own.frames[i], &b = after.frames[i];
    const bool same_place = a.code == b.code && a.pc == b.pc;
    if (a.code->function != b.code->function || (same_place && a.fingerprint != b.fingerprint))
      return fmt::format("the exit makes frame {}, at {}, unlike that of {}'s exit at the same "
                         "place, at {}",
                         i + 1, print(b.code->place(b.pc), setting_.names), input_name(),
                         print(a.code->place(a.pc), setting_.names));
  }
  return {};
}

// So that the input's run passes here by itself. A frame may wait somewhat behind the place at
// which the input waits: behind an exit, or a branch that always goes one way.
bool LockstepRun::stays_in_code(const Before& before, const SourceFrames& after) const {
  if (!before.mapped || before.depth != after.depth) return false;
  for (std::size_t i = 0; i < before.places.size(); ++i) {
    const auto [code, pc] = before.places[i];
    if (code != after.frames[i].code) return false;
    if (i > 0 && behind_gotos(*code, pc) != behind_gotos(*code, after.frames[i].pc)) return false;
  }
  return true;
}

// The input's exit that makes the same state, if it is one that makes another state at that place.
LockstepRun::OwnExit LockstepRun::like_own(const Before& before, const OwnExit& own,
                                           const OwnExit& after) {
  std::string why = differs_from_own(own.made, after.made);
  if (why.empty()) return own;
  if (auto passed = passed_exit(after.made)) {
    ++result_.moved_exits;
    return std::move(*passed);
  }
  if (request_.show_exits)
    result_.exits_differ = {input_name() + "'s exit", output_name() + "'s exit", own.shown,
                            after.shown, 1};
  differ(Oracle::OwnExits, kind_of_instr(*before.code, before.pc), std::move(why));
  return own;
}

void LockstepRun::left(const Before& before) {
  bool own_exit = false, exact = false;
  {
    BorrowedBlocks blocks(output_.heap);
    const auto after = source_frames(blocks, kComparedFrames);
    if (over_) return;
    if (!after) {
      settle();
      following_ = false;
      return;
    }
    const OwnExit made = exit_to(output_.heap, *after);
    const auto same = std::ranges::find_if(
        before.own, [&](const OwnExit& own) { return same_place(own.made, made.made); });
    own_exit = same != before.own.end();
    if (own_exit) {
      ++result_.exits;
      const OwnExit own = like_own(before, *same, made);
      if (over_) return;
      exact = made.made.all == own.made.all;
    } else if (!resumed_ && stays_in_code(before, *after)) {
      // The input is in this code: its run passes here by itself.
      demands_.add(output_.heap, after->views(), after->depth, output_.steps);
      return;
    }
  }
  own_exits_only_ &= own_exit && exact;
  settle();
  resumed_ = false;
  if (!over_) anchor();
}

// The demands on what the input did up to an exit.
void LockstepRun::settle() {
  const auto event = advance(follower_, [&](const Config& c) {
    demands_.visit(c);
    return !demands_.all_met();
  });
  if (const Demand* const unmet = demands_.first_unmet()) {
    if (event && event->kind == Event::Kind::Limit)
      end(Agreement::Inconclusive, input_name() + " " + describe(*event));
    else
      unmet_demand(*unmet);
  }
  demands_.clear();
}

// Goes on with the configuration of the input that the output stands for.
void LockstepRun::anchor() {
  following_ = false;
  BorrowedBlocks blocks(output_.heap);
  const auto frames = source_frames(blocks, std::numeric_limits<std::size_t>::max());
  if (!frames) return;
  copied_ += output_.stack.size() + output_.heap.bytes / Heap::kValueBytes;
  if (copied_ > kCopiedValues) return;
  follower_steps_ += follower_.steps;
  follower_ = configuration(output_, *frames, setting_.input, follower_input_, setting_.never);
  following_ = anchored_ = true;
}

} // namespace sourir
