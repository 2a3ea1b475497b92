// What happens when the output leaves by an exit.
#include "sourir/bisim/lockstep_run.h"
#include "sourir/semantics/eval.h"
#include "sourir/semantics/materialize.h"
#include "sourir/syntax/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace sourir {
namespace {

const code::Exit* exit_at(const InstrStream& code, Pc pc) {
  if (pc >= code.instrs.size()) return nullptr;
  if (const auto* assume = std::get_if<code::Assume>(&code.instrs[pc])) return &assume->exit;
  if (const auto* anchor = std::get_if<code::Anchor>(&code.instrs[pc])) return &anchor->exit;
  return nullptr;
}

bool may_stay(const Config& c) {
  const auto* const assume = std::get_if<code::Assume>(&c.instr());
  return assume == nullptr ||
         first_failing(c.heap, c.env(), assume->guards) == assume->guards.size();
}

// The configuration of the input with these frames, innermost first.
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
  const code::Exit* const exit = ::sourir::exit_at(*output_.code, output_.pc);
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
  add_own_exits(before, *frames, blocks);
  return before;
}

// The exit at the input's place, then the one at the place that it leads to, and so on: a pass may
// have composed them, whether or not the input would take the next one.
void LockstepRun::add_own_exits(Before& before, SourceFrames now, BorrowedBlocks& blocks) {
  while (before.own.size() < kOwnExits) {
    const NewFrame& top = now.frames.front();
    const code::Exit* const exit = exit_at(*top.code, top.pc);
    if (exit == nullptr || exit->stays) return;
    auto made = materialize(output_.heap, top.env, *output_.limits, *exit);
    auto* const own = std::get_if<NewFrames>(&made);
    if (own == nullptr) return;
    blocks.add(std::move(own->blocks));
    now.depth += own->frames.size() - 1;
    now.frames.erase(now.frames.begin());
    now.frames.insert(now.frames.begin(), std::move_iterator(own->frames.rbegin()),
                      std::move_iterator(own->frames.rend()));
    now.frames.resize(std::min(now.frames.size(), kComparedFrames));
    const std::vector<SeenFrame> views = now.views();
    before.own.push_back(marked(views, now.depth));
    if (request_.show_exits)
      before.own_shown.push_back(
          shown_state(setting_.fingerprints, setting_.names, output_.heap, views, now.depth));
  }
}

LockstepRun::MarkedFrames LockstepRun::marked(std::span<const SeenFrame> frames,
                                              std::uint64_t depth) {
  MarkedFrames out{depth, setting_.fingerprints.full(output_.heap, frames, depth), {}};
  for (const SeenFrame& f : frames)
    out.frames.push_back({f.code, f.pc, setting_.fingerprints.full(output_.heap, {&f, 1}, 0)});
  return out;
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

// So that the input's run passes here by itself. A frame may wait behind an exit at which the input
// waits: where what is put outside was taken from that exit.
bool LockstepRun::stays_in_code(const Before& before, const SourceFrames& after) const {
  if (!before.mapped || before.depth != after.depth) return false;
  for (std::size_t i = 0; i < before.places.size(); ++i) {
    const auto [code, pc] = before.places[i];
    if (code != after.frames[i].code) return false;
    if (i > 0 && pc != after.frames[i].pc && exit_at(*code, pc) != nullptr) return false;
  }
  return true;
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
    const std::vector<SeenFrame> views = after->views();
    const auto same = std::ranges::find_if(before.own, [&](const MarkedFrames& own) {
      return own.frames[0].code == views[0].code && own.frames[0].pc == views[0].pc;
    });
    own_exit = same != before.own.end();
    if (own_exit) {
      ++result_.exits;
      const MarkedFrames made = marked(views, after->depth);
      if (std::string why = differs_from_own(*same, made); !why.empty()) {
        if (request_.show_exits)
          result_.exits_differ = {
              input_name() + "'s exit", output_name() + "'s exit",
              before.own_shown[static_cast<std::size_t>(same - before.own.begin())],
              shown_state(setting_.fingerprints, setting_.names, output_.heap, views, after->depth),
              1};
        if (differ(Oracle::OwnExits, kind_of_instr(*before.code, before.pc), std::move(why)))
          return;
      }
      exact = made.all == same->all;
    } else if (stays_in_code(before,
                             *after)) { // the input is in this code: its run passes here by itself
      demands_.add(output_.heap, views, after->depth, output_.steps);
      return;
    }
  }
  own_exits_only_ &= own_exit && exact;
  settle();
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
