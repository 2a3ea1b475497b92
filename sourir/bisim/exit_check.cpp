#include "sourir/bisim/exit_check.h"

#include "sourir/semantics/eval.h"
#include "sourir/semantics/materialize.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace sourir {
namespace {

constexpr std::size_t kOwnExits = 4; // in a row

bool may_stay(const Config& c) {
  const auto* const assume = std::get_if<resolved::Assume>(&c.instr());
  return assume == nullptr ||
         first_failing(c.heap, c.env(), assume->guards) == assume->guards.size();
}

SourceFrames frames_at(const Config& c) {
  SourceFrames out{SourceFrames::Kind::Mapped, StuckReason::None, true, {}, c.frames.size() + 1};
  for (const FrameView& f : frames_of_config(c))
    out.frames.push_back({f.code, f.pc, f.result.value_or(0),
                          std::vector<Value>(f.env, f.env + f.code->slots.size())});
  return out;
}

} // namespace

StepResult ExitCheck::step(std::string& printed) {
  const bool may_go_on = may_stay(s_.output);
  // The exit of an invalidated frame is not forced, though the program may not need it.
  const bool stays = may_go_on && fallen_watches(s_.output).empty();
  if (stays) count_injected();
  const Next next = sourir::next(s_.output);
  if (!next.rule && may_go_on && next.derivation.why != StuckReason::None) {
    if (stays) ++s_.result.forced, ++s_.output.opportunities;
    s_.over = true;
    s_.note_exit(s_.output.code, s_.output.pc);
    failed_ = next.derivation.why;
    return {};
  }
  s_.result.watched += next.rule && next.rule->rule == rules::AssumeWatch;
  s_.result.invalidated += next.rule && next.rule->deopt == RuleDeopt::Invalidated;
  const bool exits =
      next.rule && std::holds_alternative<effect::Replace>(next.derivation.transition->effect);
  return exits ? take_exit(stays, printed) : ::sourir::step(s_.output, printed);
}

// Counts by the schedule alone, to detect a forced exit that is not taken.
void ExitCheck::count_injected() {
  const resolved::Exit* const exit = exit_at(*s_.output.code, s_.output.pc);
  const bool injected = !exit->stays && s_.output.schedule->forces_exit(
                                            s_.output.opportunities + 1, s_.output.returned,
                                            s_.output.code, s_.output.pc);
  s_.injected += injected;
  if (injected) s_.result.forced_places.emplace(s_.output.code, s_.output.pc);
}

StepResult ExitCheck::take_exit(bool forced, std::string& printed) {
  s_.result.forced += forced;
  if (forced) s_.quiet = false;
  count_deoptimization(s_.output.code, s_.output.pc);
  if (s_.over) return {};
  const Before before = state_before();
  if (s_.over) return {};
  if (s_.following) s_.expect_state();
  if (s_.over) return {};
  const StepResult r = ::sourir::step(s_.output, printed);
  if (r.status != StepStatus::Stepped) return r;
  if (s_.following) s_.mapper.follow(s_.output);
  if (forced && no_progress(before))
    s_.result.skipped = s_.over = true;
  else if (s_.following)
    check_exit(before);
  return r;
}

bool ExitCheck::no_progress(const Before& before) const {
  return s_.output.code == before.code && s_.output.pc == before.pc &&
         before.env.size() == s_.output.stack.size() - s_.output.base &&
         std::equal(before.env.begin(), before.env.end(), s_.output.env());
}

ExitCheck::Before ExitCheck::state_before() {
  Before before;
  before.code = s_.output.code;
  before.pc = s_.output.pc;
  before.frames = s_.output.frames.size();
  before.env.assign(s_.output.stack.begin() + static_cast<std::ptrdiff_t>(s_.output.base),
                    s_.output.stack.end());
  if (!s_.following) return before;
  BorrowedBlocks blocks(s_.output.heap);
  const auto frames = s_.source_frames(blocks, kComparedFrames);
  if (!frames) return before;
  before.mapped = true;
  before.depth = frames->depth;
  for (const NewFrame& f : frames->frames) before.places.emplace_back(f.code, f.pc);
  if (frames->complete) before.own = states_.own_exits(s_.output.heap, *frames, blocks);
  return before;
}

// A moved assume maps to a state of another place, where the input's exit is another one. An exit
// is right that makes a state which an exit on the input's way makes.
std::optional<OwnExit> ExitCheck::passed_exit(const MarkedFrames& after) {
  if (!s_.setting.exit_targets.contains({after.frames[0].code, after.frames[0].pc})) return {};
  Config c = s_.follower;
  std::optional<OwnExit> found;
  const std::uint64_t before = c.steps;
  advance(c, [&](const Config& now) {
    if (now.stopped() || exit_at(*now.code, now.pc) == nullptr) return !s_.interrupted(now);
    BorrowedBlocks blocks(c.heap);
    for (OwnExit& own : states_.own_exits(c.heap, frames_at(now), blocks))
      if (!found && states_.same_place(own.made, after) &&
          states_.differs_from_own(own.made, after).empty())
        found = std::move(own);
    return !found;
  });
  s_.follower_steps += c.steps - before;
  passed_steps_ += c.steps - before;
  return found;
}

// Whether the input is in the code that the exit leads to, so that its run passes there by itself.
// Return points are compared after gotos.
bool ExitCheck::stays_in_code(const Before& before, const SourceFrames& after) const {
  if (!before.mapped || before.depth != after.depth) return false;
  for (std::size_t i = 0; i < before.places.size(); ++i) {
    const auto [code, pc] = before.places[i];
    if (code != after.frames[i].code) return false;
    if (i > 0 && after_gotos(*code, pc) != after_gotos(*code, after.frames[i].pc)) return false;
  }
  return true;
}

// The input's exit at that place; where it makes another state, an exit on the input's way that
// makes the same state, if there is one.
OwnExit ExitCheck::like_own(const Before& before, const OwnExit& own, const OwnExit& after) {
  std::string why = states_.differs_from_own(own.made, after.made);
  if (why.empty()) return own;
  if (auto passed = passed_exit(after.made)) {
    ++s_.result.moved_exits;
    return std::move(*passed);
  }
  if (s_.request.show_exits)
    s_.result.exits_differ = {s_.input_name() + "'s exit", s_.output_name() + "'s exit", own.shown,
                              after.shown, 1};
  s_.differ(Oracle::OwnExits, kind_of_instr(*before.code, before.pc), std::move(why));
  return own;
}

void ExitCheck::check_exit(const Before& before) {
  bool own_exit = false, exact = false, complete = false;
  {
    BorrowedBlocks blocks(s_.output.heap);
    const auto after = s_.source_frames(blocks, kComparedFrames);
    if (s_.over) return;
    if (!after) {
      settle();
      s_.following = false;
      return;
    }
    complete = after->complete;
    if (complete) s_.note_exit(before.code, before.pc);
    const OwnExit made = states_.exit_to(s_.output.heap, *after);
    const auto same = std::ranges::find_if(
        before.own, [&](const OwnExit& own) { return states_.same_place(own.made, made.made); });
    own_exit = same != before.own.end();
    if (own_exit) {
      ++s_.result.exits;
      const OwnExit own = like_own(before, *same, made);
      if (s_.over) return;
      exact = made.made.all == own.made.all;
    } else if (!s_.resumed && !s_.suspended_above && stays_in_code(before, *after)) {
      // The input is in this code: its run passes here by itself, or it has an exit that leads
      // here, of which the output knows nothing where the guards of the input's assume are not
      // live.
      const bool searched = passed_steps_ < kPassedSteps;
      const auto passed = searched ? passed_exit(made.made) : std::nullopt;
      if (!passed) {
        s_.was_suspended |= !searched; // if it does not pass here, nothing is known
        s_.note_exit(before.code, before.pc);
        s_.expected_states.add(s_.output.heap, after->views(), after->depth, s_.output.steps);
        return;
      }
      ++s_.result.moved_exits;
      own_exit = true;
      exact = made.made.all == passed->made.all;
    }
  }
  s_.own_exits_only &= own_exit && exact;
  settle();
  if (!complete) return s_.suspend(before.frames);
  s_.resumed = false;
  if (!s_.over) s_.anchor();
}

// Checks the states that are expected of the input up to an exit.
void ExitCheck::settle() {
  const auto event = advance(s_.follower, [&](const Config& c) {
    s_.expected_states.visit(c);
    return !s_.expected_states.all_met();
  });
  if (const ExpectedState* const unmet = s_.expected_states.first_unmet()) {
    if (event && event->kind == Event::Kind::Limit)
      s_.end(Agreement::Inconclusive, s_.input_name() + " " + describe(*event));
    else
      s_.unmet_state(*unmet);
  }
  s_.expected_states.clear();
}

// A site that deoptimizes more often than the input's run has states is in a cycle, even if no
// state recurs.
void ExitCheck::count_deoptimization(const ResolvedVersion* code, Pc pc) {
  const TracedEvent& last = s_.request.expected.back();
  if (s_.result.forced != 0 || last.event.kind == Event::Kind::Limit) return;
  const std::uint64_t bound = last.steps + kMoreDeoptimizations;
  if (++deoptimizations_[{code, pc}] > bound)
    s_.differ(Oracle::DeoptBound, kind_of_instr(*code, pc),
              fmt::format("the exit at {} is taken for the {}th time; {} ends after {} steps",
                          print(code->place(pc), s_.setting.names), bound + 1, s_.input_name(),
                          last.steps));
}

// The exit at the input's place, then the one at the place that it leads to, and so on: a pass may
// have composed them, whether or not the input would take the next one.
std::vector<OwnExit> ExitStates::own_exits(Heap& heap, SourceFrames now, BorrowedBlocks& blocks) {
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

OwnExit ExitStates::exit_to(const Heap& heap, const SourceFrames& to) {
  const std::vector<FrameView> views = to.views();
  OwnExit exit{marked(heap, views, to.depth), {}};
  if (show_) exit.shown = shown_state(setting_.fingerprints, setting_.names, heap, views, to.depth);
  return exit;
}

MarkedFrames ExitStates::marked(const Heap& heap, std::span<const FrameView> frames,
                                std::uint64_t depth) {
  MarkedFrames out{depth, setting_.fingerprints.full(heap, frames, depth), {}};
  for (const FrameView& f : frames)
    out.frames.push_back({f.code, f.pc, setting_.fingerprints.full(heap, {&f, 1}, 0)});
  return out;
}

bool ExitStates::same_place(const MarkedFrames& a, const MarkedFrames& b) {
  return a.frames[0].code == b.frames[0].code && a.frames[0].pc == b.frames[0].pc;
}

namespace {

// Whether a frame that continues at `from` may leave, with one exit after the other, to the place
// of `to`.
bool may_leave_to(const MarkedFrames::Mark& from, const MarkedFrames::Mark& to) {
  const ResolvedVersion* code = from.code;
  Pc pc = from.pc;
  for (std::size_t n = 0; n < kOwnExits; ++n) {
    const resolved::Exit* const exit = exit_at(*code, pc);
    if (exit == nullptr || exit->stays || !exit->outer.empty()) return false;
    code = exit->frame.code;
    pc = exit->frame.pc;
    if (code == to.code && pc == to.pc) return true;
  }
  return false;
}

} // namespace

// Both lead to the same place, so both must make the same state there. Return frames may be of
// other versions (an exit from inlined code makes one of the caller, too), but of the same
// functions, or of those to which an exit leads from there (that of an outlined loop to the
// function with the loop).
std::string ExitStates::differs_from_own(const MarkedFrames& own, const MarkedFrames& after) const {
  const std::size_t compared = own.depth == after.depth ? own.frames.size() : 1;
  for (std::size_t i = 0; i < compared; ++i) {
    const MarkedFrames::Mark &a = own.frames[i], &b = after.frames[i];
    const bool same_place = a.code == b.code && a.pc == b.pc;
    const bool other_function =
        a.code->function != b.code->function && (i == 0 || !may_leave_to(a, b));
    if (other_function || (same_place && a.fingerprint != b.fingerprint))
      return fmt::format("the exit makes frame {}, at {}, unlike that of {}'s exit at the same "
                         "place, at {}",
                         i + 1, print(b.code->place(b.pc), setting_.names),
                         setting_.options.input_name, print(a.code->place(a.pc), setting_.names));
  }
  return {};
}

} // namespace sourir
