#include "sourir/stepper/step_breakpoints.h"

#include "sourir/syntax/suggest.h"
#include "sourir/syntax/text/parser.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace sourir {

namespace {

using Resolved = std::variant<std::vector<StepPosition>, std::string>;

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
  return fmt::format("there is no instruction on line {} or behind it; the text has {} lines", line,
                     program.source().lines());
}

// F: where its versions start. F.V: where that one does.
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
  const auto found = place ? program.linked().find(*place) : std::nullopt;
  if (!found || found->second >= found->first->instrs.size()) return no_such_place(program, text);
  return std::vector{StepPosition{found->first, found->second}};
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
