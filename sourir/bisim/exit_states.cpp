#include "sourir/bisim/exit_states.h"

#include "sourir/semantics/materialize.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {

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

// Both lead to the same place, so both must make the same state there. Frames that wait may be of
// other versions (a pass that inlines leaves the caller's version, too), but of the same functions.
std::string ExitStates::differs_from_own(const MarkedFrames& own, const MarkedFrames& after) const {
  const std::size_t compared = own.depth == after.depth ? own.frames.size() : 1;
  for (std::size_t i = 0; i < compared; ++i) {
    const MarkedFrames::Mark &a = own.frames[i], &b = after.frames[i];
    const bool same_place = a.code == b.code && a.pc == b.pc;
    if (a.code->function != b.code->function || (same_place && a.fingerprint != b.fingerprint))
      return fmt::format("the exit makes frame {}, at {}, unlike that of {}'s exit at the same "
                         "place, at {}",
                         i + 1, print(b.code->place(b.pc), setting_.names),
                         setting_.options.input_name, print(a.code->place(a.pc), setting_.names));
  }
  return {};
}

} // namespace sourir
