#include "sourir/bisim/mapped_exit_run.h"

#include <fmt/format.h>

#include <limits>

namespace sourir {

MappedExitRun::MappedExitRun(LockstepSetting& setting, const RunRequest& request,
                             Counterexample* shown)
    : setting_(setting), request_(request), shown_(shown),
      output_input_(request.reads, setting.names), input_(request.reads, setting.names),
      output_(start(setting.output, output_input_, setting.never, setting.limits)),
      mapper_(setting.places) {}

RunResult MappedExitRun::run() {
  std::string printed;
  for (bool chosen = false; !over_ && !enough();) {
    chosen |= request_.schedule.leaves(output_.steps + 1, false, output_.code, output_.pc);
    if (chosen && mapper_.mapped(output_)) {
      chosen = false;
      leave();
      if (over_) break;
    }
    const StepResult stepped = step(output_, printed);
    const auto event = seen(stepped, std::move(printed), output_);
    printed.clear();
    mapper_.follow(output_);
    if (!event) continue;
    // Another event than the input's is for the run that does not leave to tell.
    over_ = event->ends() || *event != request_.expected[next_event_].event;
    ++next_event_;
  }
  result_.steps = output_.steps + input_steps_;
  return result_;
}

bool MappedExitRun::enough() const {
  return input_steps_ > setting_.options.all_fuel || copied_ > kCopiedValues ||
         ((output_.steps & 4095) == 4095 && setting_.interrupted());
}

void MappedExitRun::leave() {
  BorrowedBlocks blocks(output_.heap);
  const SourceFrames frames =
      mapper_.frames(output_, blocks, std::numeric_limits<std::size_t>::max());
  if (frames.kind == SourceFrames::Kind::NoValue)
    differ("no-value",
           fmt::format("an expression of the state map has no value ({})", name_of(frames.why)));
  if (!frames.mapped()) return;
  ++result_.mapped_exits;
  copied_ += output_.stack.size() + output_.heap.bytes / Heap::kValueBytes;
  const Config c = configuration(output_, frames, setting_.input, input_, setting_.never);
  const std::optional<std::uint64_t> differs = go_on(c);
  if (differs && shown_ != nullptr) show(c, *differs);
}

// The steps of the input after which it differs; empty: it does not, or nothing is said.
std::optional<std::uint64_t> MappedExitRun::go_on(Config c) {
  const std::string& name = setting_.options.input_name;
  for (std::size_t i = next_event_;; ++i) {
    const std::uint64_t steps = c.steps;
    const auto event = advance(c, [&](const Config& now) {
      return (now.steps & 4095) != 4095 || !setting_.interrupted();
    });
    input_steps_ += c.steps - steps;
    const Event& expected = request_.expected[i].event;
    if (!event || expected.kind == Event::Kind::Limit) return {};
    if (event->kind == Event::Kind::Limit) return at_limit(std::move(c), *event);
    if (*event != expected) {
      const std::uint64_t before = c.steps - (event->kind == Event::Kind::Stuck ? 0 : 1);
      if (!differ(kinds_of(*event, expected),
                  fmt::format("{} {} from the state that the map gives; its own run {} (event {})",
                              name, describe(*event), describe(expected), i + 1)))
        return {};
      return before;
    }
    if (event->ends()) return {};
  }
}

std::optional<std::uint64_t> MappedExitRun::at_limit(Config c, const Event& event) {
  const std::string& name = setting_.options.input_name;
  Limits more = setting_.limits;
  more.fuel *= 2;
  c.limits = &more;
  const std::uint64_t steps = c.steps;
  if (event.text == name_of(Limit::Fuel) && diverges_silently(std::move(c))) {
    if (!differ("diverge", name +
                               " comes to the same state again and again from the state that the "
                               "map gives; its own run ends"))
      return {};
    return steps;
  }
  over_ = true;
  result_.agreement = Agreement::Inconclusive;
  result_.what = fmt::format("{} {} from a state that the map gives", name, describe(event));
  return {};
}

bool MappedExitRun::differ(std::string_view detail, std::string what) {
  if (!setting_.options.oracles.has(Oracle::MappedExits)) return false;
  over_ = true;
  result_.agreement = Agreement::Different;
  result_.oracle = Oracle::MappedExits;
  result_.kind = fmt::format("{}:{}", name_of(result_.oracle), detail);
  result_.what = std::move(what);
  result_.output_step = output_.steps;
  return true;
}

void MappedExitRun::show(Config c, std::uint64_t differs) const {
  RunPoint here = run_point(output_);
  here.rule = "left through the state map, in front of";
  list(shown_->output, *output_.code, output_.pc, setting_.names);
  shown_->forced.push_back({std::move(here), run_point(c)});
  list(shown_->input, *c.code, c.pc, setting_.names);
  std::string printed;
  while (c.steps < differs && step(c, printed).status == StepStatus::Stepped) printed.clear();
  shown_->input.differs = run_point(c);
  if (!c.stopped()) list(shown_->input, *c.code, c.pc, setting_.names);
}

} // namespace sourir
