#include "sourir/stepper/step_walk.h"

#include "sourir/semantics/growth.h"
#include "sourir/syntax/suggest.h"
#include "sourir/syntax/text/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace sourir {

WalkEnd Walker::step(StepDirection direction) {
  if (direction == StepDirection::Back) return history_.back() ? WalkEnd::Arrived : WalkEnd::Start;
  const std::uint64_t before = config().steps;
  const StepResult result = history_.forward();
  if (config().steps != before) return WalkEnd::Arrived;
  refused_ = result;
  refused_at_ = before;
  return WalkEnd::End;
}

// Steps at least once, until `arrived` returns a WalkEnd.
template <class Arrived>
WalkEnd Walker::walk(StepDirection direction, Arrived arrived) {
  constexpr std::uint64_t kSometimes = (std::uint64_t{1} << 20) - 1;
  for (std::uint64_t walked = 1;; ++walked) {
    if (const WalkEnd end = step(direction); end != WalkEnd::Arrived) return end;
    if (config().stopped()) return WalkEnd::End;
    if (const std::optional<WalkEnd> why = arrived()) return *why;
    if (interrupt_.load(std::memory_order_relaxed)) return WalkEnd::Interrupted;
    if ((walked & kSometimes) == 0 && progress_) progress_();
  }
}

std::optional<WalkEnd> Walker::at_breakpoint() const {
  if (breakpoints_.at(position()) != 0) return WalkEnd::Breakpoint;
  return std::nullopt;
}

WalkEnd Walker::to_breakpoint(StepDirection direction) {
  return walk(direction, [&] { return at_breakpoint(); });
}

WalkEnd Walker::to_deopt(StepDirection direction) {
  return walk(direction, [&]() -> std::optional<WalkEnd> {
    if (at_deopt()) return WalkEnd::Deopt;
    return std::nullopt;
  });
}

WalkEnd Walker::over_call(StepDirection direction) {
  const std::size_t depth = config().frames.size();
  const bool enters =
      direction == StepDirection::Back ||
      (!config().stopped() && std::holds_alternative<resolved::Call>(config().instr()));
  return walk(direction, [&]() -> std::optional<WalkEnd> {
    if (!enters || config().frames.size() <= depth) return WalkEnd::Arrived;
    return at_breakpoint();
  });
}

WalkEnd Walker::out_of_frame(StepDirection direction) {
  const std::size_t depth = config().frames.size();
  return walk(direction, [&]() -> std::optional<WalkEnd> {
    if (config().frames.size() < depth) return WalkEnd::Arrived;
    return at_breakpoint();
  });
}

WalkEnd Walker::to_step(std::uint64_t number) {
  if (number < config().steps) history_.go(number);
  if (number == config().steps) return number == 0 ? WalkEnd::Start : WalkEnd::Arrived;
  return walk(StepDirection::Forward, [&]() -> std::optional<WalkEnd> {
    if (config().steps == number) return WalkEnd::Arrived;
    return std::nullopt;
  });
}

StepResult Walker::end() const {
  if (config().stopped()) return {StepStatus::Stopped};
  // Only the step that was tried knows which limit it reached.
  if (refused_ && refused_at_ == config().steps && refused_->status == StepStatus::AtLimit)
    return *refused_;
  StepResult result;
  const Next found = next(config());
  result.why = found.derivation.why;
  result.limit = config().steps >= config().limits->fuel ? Limit::Fuel : found.derivation.limit;
  if (result.limit != Limit::None)
    result.status = StepStatus::AtLimit;
  else if (!found.rule)
    result.status = StepStatus::Stuck;
  return result;
}

bool Walker::at_deopt() const {
  const GrowthSchedule* const growth = config().growth;
  if (growth != nullptr && growth->pending(config()) != nullptr) {
    const Next found = grows(config());
    return found.rule != nullptr && found.rule->deoptimizes();
  }
  if (config().stopped() || (!std::holds_alternative<resolved::Assume>(config().instr()) &&
                             !std::holds_alternative<resolved::Anchor>(config().instr())))
    return false;
  const Next found = next(config());
  return found.rule && std::holds_alternative<effect::Replace>(found.derivation.transition->effect);
}

namespace {

using Resolved = Result<std::vector<StepPosition>>;

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known) {
  for (const std::string& place : known) // only its end was given
    if (place.ends_with("." + std::string(wrong))) return fmt::format("; did you mean {}?", place);
  const std::vector<std::string_view> views(known.begin(), known.end());
  const auto best = closest(wrong, views);
  return best ? fmt::format("; did you mean {}?", *best) : std::string();
}

Resolved on_line(const StepProgram& program, std::uint32_t line) {
  for (std::uint32_t n = line; n >= 1 && n <= program.source().lines(); ++n)
    if (const auto& found = program.positions_on(n); !found.empty()) return found;
  return failure("there is no instruction on line {} or after it; the text has {} lines", line,
                 program.source().lines());
}

// F: the starts of its versions. F.V: the start of that version.
std::vector<StepPosition> starts(const StepProgram& program, std::string_view text) {
  std::vector<StepPosition> found;
  for (const ResolvedVersion* code : program.versions()) {
    const std::string_view function = program.names().text(code->function);
    const std::string name = fmt::format("{}.{}", function, program.names().text(code->version));
    if ((text == function || text == name) && !code->instrs.empty()) found.push_back({code, 0});
  }
  return found;
}

std::string no_such_place(const StepProgram& program, std::string_view text) {
  std::vector<std::string> known;
  for (const ResolvedVersion* code : program.versions()) {
    const std::string_view function = program.names().text(code->function);
    const std::string version = fmt::format("{}.{}", function, program.names().text(code->version));
    known.emplace_back(function);
    known.push_back(version);
    for (const auto& [pc, label] : code->labels)
      known.push_back(fmt::format("{}.{}", version, program.names().text(label)));
  }
  return fmt::format("there is no place {} in the program{}", text, did_you_mean(text, known));
}

} // namespace

Resolved Breakpoints::resolve(const StepProgram& program, std::string_view text) {
  std::uint32_t line = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), line);
  if (error == std::errc{} && end == text.data() + text.size()) return on_line(program, line);
  if (auto found = starts(program, text); !found.empty()) return found;
  const auto place = parse_place(text, program.names());
  const auto found = place ? program.find(*place) : std::nullopt;
  if (!found || found->pc >= found->code->instrs.size())
    return failure("{}", no_such_place(program, text));
  return std::vector{*found};
}

const Breakpoint& Breakpoints::add(std::string asked, std::vector<StepPosition> at) {
  all_.push_back({next_++, std::move(asked), std::move(at)});
  index();
  return all_.back();
}

bool Breakpoints::remove(std::uint32_t number) {
  const auto removed = std::erase_if(all_, [&](const Breakpoint& b) { return b.number == number; });
  index();
  return removed > 0;
}

void Breakpoints::clear() {
  all_.clear();
  index();
}

std::uint32_t Breakpoints::look_up(StepPosition p) const {
  const auto found = numbers_.find(p.code);
  return found == numbers_.end() ? 0 : found->second[p.pc];
}

void Breakpoints::index() {
  numbers_.clear();
  for (const Breakpoint& b : all_)
    for (const StepPosition p : b.at) {
      std::vector<std::uint32_t>& numbers = numbers_[p.code];
      numbers.resize(p.code->instrs.size());
      if (numbers[p.pc] == 0) numbers[p.pc] = b.number;
    }
}

} // namespace sourir
