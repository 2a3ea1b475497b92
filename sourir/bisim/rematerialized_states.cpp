#include "sourir/bisim/rematerialized_states.h"

#include "sourir/bisim/mapped_frames.h"
#include "sourir/bisim/observable_events.h"
#include "sourir/bisim/opportunities.h"
#include "sourir/semantics/eval.h"
#include "sourir/semantics/materialize.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace sourir {
namespace {

constexpr std::size_t kExpected = 64; // states of a window

// The exit at the configuration's position, if its guards hold.
const resolved::Exit* exit_here(const Config& c) {
  const resolved::Exit* exit = nullptr;
  if (const auto* const assume = std::get_if<resolved::Assume>(&c.instr())) {
    if (first_failing(c.heap, c.env(), assume->guards) == assume->guards.size())
      exit = &assume->exit;
  } else if (const auto* const anchor = std::get_if<resolved::Anchor>(&c.instr())) {
    exit = &anchor->exit;
  }
  return exit != nullptr && !exit->stays ? exit : nullptr;
}

// Whether the configuration deoptimizes, and continues in other code.
bool must_exit(const Config& c) {
  const auto* const assume = c.stopped() ? nullptr : std::get_if<resolved::Assume>(&c.instr());
  return assume != nullptr &&
         first_failing(c.heap, c.env(), assume->guards) != assume->guards.size();
}

bool ends(const std::optional<Event>& event) { return !event || event->ends(); }

class RematerializedStateCheck {
public:
  RematerializedStateCheck(const Program& program, const LockstepOptions& options, Names& names)
      : options_(options), names_(names), linked_(program, names), live_(program) {
    limits_.fuel = options.fuel;
    limits_.heap = 1 << 26;
    limits_.depth = 100'000;
    limits_.stack = 1 << 28;
  }

  LockstepVerdict run(const std::vector<Value>& reads, std::uint64_t most,
                      std::optional<std::uint64_t> only) {
    for (const Value v : reads)
      if (const auto literal = to_literal(v)) reads_.push_back(print(*literal, names_));
    const std::set<std::uint64_t> chosen =
        only ? std::set{*only} : choose(opportunities(reads), most);
    Input input(reads, names_);
    Config c = start(linked_, input, never_, limits_);
    std::string printed;
    do {
      printed.clear();
      if (verdict_.steps > options_.all_fuel) break;
      const bool asked = chosen.contains(c.opportunities + 1);
      if (asked && !c.stopped() && exit_here(c) != nullptr) take_exit(c);
    } while (verdict_.agreement == Agreement::Equivalent && !interrupted() &&
             step(c, printed).status == StepStatus::Stepped);
    return std::move(verdict_);
  }

private:
  struct Expected { // a state that an exit of the run without exits would rebuild
    std::string at; // the exit
    ShownState shown;
    std::vector<const ResolvedVersion*> codes; // of its frames
    Pc pc = 0;
    std::uint64_t fingerprint = 0;
    bool met = false;
    std::uint64_t visits = 0;        // of the run that exited, at the same place
    std::optional<ShownState> other; // the last of them
  };

  Opportunities opportunities(const std::vector<Value>& reads) {
    Opportunities all;
    Input input(reads, names_);
    Config c = start(linked_, input, never_, limits_);
    std::string printed;
    StepResult stepped;
    do {
      printed.clear();
      const ResolvedVersion* const code = c.code;
      const Pc pc = c.pc;
      stepped = step(c, printed);
      if (c.opportunities > all.count()) all.add(code, pc);
    } while (stepped.status == StepStatus::Stepped && !interrupted());
    return all;
  }
  std::set<std::uint64_t> choose(const Opportunities& all, std::uint64_t most) const {
    std::uint64_t random = options_.seed;
    const auto numbers = all.choose_of_every_place(most, random);
    return {numbers.begin(), numbers.end()};
  }

  bool interrupted() const { return options_.interrupt != nullptr && *options_.interrupt; }

  void take_exit(Config stays) {
    Config exited = stays;
    const std::uint64_t number = stays.opportunities + 1;
    exited.schedule = &always_;
    std::string printed;
    if (step(exited, printed).status != StepStatus::Stepped) return;
    if (exited.code == stays.code && exited.pc == stays.pc) return;
    exited.schedule = &never_;
    below_ = stays.frames.size();
    returned_ = false;
    ++verdict_.runs, ++verdict_.forced;
    const std::uint64_t before = stays.steps + exited.steps;
    // The first window is not compared: the exit may lead to an earlier place than its own.
    for (bool first = true; window(stays, exited, first, number); first = false) {
    }
    verdict_.steps += stays.steps + exited.steps - before;
  }

  // To the next event; false at the end.
  bool window(Config& stays, Config& exited, bool first, std::uint64_t number) {
    expected_.clear();
    const auto event = advance(stays, [&](const Config& c) {
      returned_ |= c.frames.size() < below_ || must_exit(c);
      if (!first && expected_.size() < kExpected) expect(c);
      return !interrupted() && !returned_;
    });
    const auto other = advance(exited, [&](const Config& c) {
      returned_ |= c.frames.size() < below_ || must_exit(c);
      visit(c);
      return !interrupted() && !returned_;
    });
    if (event != other || !event || event->kind == Event::Kind::Limit) return false;
    ++verdict_.events;
    for (const Expected& e : expected_)
      if (!e.met && e.visits == exits_to(e)) return report(e, number), false;
    return !ends(event);
  }

  std::uint64_t exits_to(const Expected& place) const {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        expected_, [&](const Expected& e) { return e.pc == place.pc && e.codes == place.codes; }));
  }

  void expect(const Config& c) {
    const resolved::Exit* const exit = exit_here(c);
    if (exit == nullptr || c.frames.size() != below_) return;
    auto made = materialize(c, *exit);
    auto* const to = std::get_if<NewFrames>(&made);
    if (to == nullptr) return;
    Heap heap = to->blocks.empty() ? Heap{} : c.heap;
    for (auto& block : to->blocks) heap.allocate(std::move(block));
    const Heap& seen = to->blocks.empty() ? c.heap : heap;
    SourceFrames rebuilt;
    std::ranges::reverse(to->frames);
    rebuilt.frames = std::move(to->frames);
    std::vector<FrameView> frames = rebuilt.views();
    const std::uint64_t depth = c.frames.size() + frames.size();
    const std::vector<FrameView> here = frames_of_config(c);
    frames.insert(frames.end(), here.begin() + 1, here.end());
    frames.resize(std::min(frames.size(), kComparedFrames));
    Expected e{print(c.code->place(c.pc), names_),
               shown_state(fingerprints_, names_, seen, frames, depth),
               {},
               frames[0].pc,
               fingerprints_.full(seen, frames, depth)};
    for (const FrameView& f : frames) e.codes.push_back(f.code);
    expected_.push_back(std::move(e));
    ++verdict_.states;
  }

  void visit(const Config& c) {
    if (c.stopped()) return;
    const std::uint64_t depth = c.frames.size() + 1;
    for (Expected& e : expected_) {
      if (e.codes[0] != c.code || e.pc != c.pc || e.shown.depth != depth) continue;
      const std::vector<FrameView> frames = frames_of_config(c);
      if (!std::ranges::equal(frames, e.codes, {}, &FrameView::code)) continue;
      ++e.visits;
      e.met |= fingerprints_.full(c.heap, frames, depth) == e.fingerprint;
      if (!e.met) e.other = shown_state(fingerprints_, names_, c.heap, frames, depth);
    }
  }

  void report(const Expected& e, std::uint64_t number) {
    Counterexample found;
    found.what =
        fmt::format("the exit at {} rebuilds a state that the run which exited before does "
                    "not pass through",
                    e.at);
    found.deopt = fmt::format("at:{}", number);
    found.reads = reads_;
    found.input.name = options_.input_name;
    found.output.name = options_.output_name;
    found.states = {"the exit rebuilds", "the run that exited", e.shown, *e.other, 1};
    verdict_.agreement = Agreement::Different;
    verdict_.oracle = Oracle::Transparency;
    verdict_.kind = "transparency:states";
    verdict_.report = text(found);
    verdict_.counterexample = std::move(found);
  }

  const LockstepOptions& options_;
  Names& names_;
  LinkedProgram linked_;
  LiveSlots live_;
  Fingerprints fingerprints_{live_};
  Limits limits_;
  const Schedule never_, always_{.mode = Schedule::Mode::Always};
  std::vector<std::string> reads_;
  std::vector<Expected> expected_;
  std::size_t below_ = 0; // return frames of the activation that exited
  bool returned_ = false; // to them, or to other code: the comparison ends
  LockstepVerdict verdict_;
};

} // namespace

LockstepVerdict check_rematerialized_states(const Program& program, const std::vector<Value>& reads,
                                            const LockstepOptions& options, Names& names,
                                            std::uint64_t most, std::optional<std::uint64_t> only) {
  return RematerializedStateCheck(program, options, names).run(reads, most, only);
}

} // namespace sourir
