#include "sourir/cli/engine/engine_report.h"
#include "sourir/cli/load_file.h"
#include "sourir/cli/run_report.h"
#include "sourir/os/terminal.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {

namespace {

constexpr std::size_t kLongestValues = 100;

// What the place of the failure is called: explain knows it by this name.
const char* title(const Outcome& o) {
  if (o.kind == OutcomeKind::Stuck) return name_of(o.reason);
  return o.kind == OutcomeKind::Limit ? name_of(o.limit) : name_of(o.kind);
}

std::string limit_help(const EndedRun& run) {
  const Limits& limits = *run.config.limits;
  switch (run.outcome.limit) {
  case Limit::Fuel: return fmt::format("the limit is {}\n", counted(limits.fuel, "step"));
  case Limit::Heap:
    return fmt::format("the limit is {}, {} are in use\n", counted(limits.heap, "byte"),
                       run.config.heap.bytes);
  case Limit::Depth: return fmt::format("the limit is {}\n", counted(limits.depth, "call"));
  case Limit::Array: return fmt::format("the limit is {}\n", counted(limits.array, "element"));
  case Limit::Output:
    return fmt::format("the limit is {}, {} are printed\n", counted(limits.output, "byte"),
                       run.config.output_bytes);
  case Limit::None: break;
  }
  return {};
}

// The message above the source line. It is shown as the diagnostics of `check` are, only that
// what stands in the brackets is no code of theirs.
std::string excerpt(const EndedRun& run, bool colour) {
  const Outcome& o = run.outcome;
  const FrameReport& top = o.frames.front();
  Diagnostic d{Code::Syntax, Severity::Error, run.places.span(*top.code, top.pc), o.message};
  if (o.kind == OutcomeKind::Interrupted)
    d.message =
        run.counts != nullptr ? "stopped" : fmt::format("stopped after {} steps", run.config.steps);
  else
    d.help = limit_help(run) + fmt::format("`sourir explain {}` says more", title(o));
  std::string text = render(d, run.places.source(), colour);
  const std::string code = fmt::format("[{}]", row(d.code).name);
  return text.replace(text.find(code), code.size(), fmt::format("[{}]", title(o)));
}

std::string values_text(const FrameReport& frame, const Names& names) {
  std::string out;
  for (const auto& [name, value] : frame.values)
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", names.text(name), value);
  return cut(printable(out), kLongestValues);
}

std::string frames_text(const EndedRun& run) {
  struct Line {
    std::string place, position, values;
  };
  const auto& frames = run.outcome.frames;
  std::vector<Line> lines;
  std::size_t place_width = 0, position_width = 0;
  for (const FrameReport& f : frames) {
    const Pc pc = lines.empty() ? f.pc : TextPlaces::call_position(*f.code, f.pc);
    const LineColumn at = run.places.at(*f.code, pc);
    lines.push_back({run.places.place(*f.code, pc),
                     fmt::format("{}:{}", printable(run.places.source().name()), at.line),
                     values_text(f, run.places.names())});
    place_width = std::max(place_width, lines.back().place.size());
    position_width = std::max(position_width, lines.back().position.size());
  }
  std::string out = "frames, innermost first:\n";
  for (const Line& line : lines) {
    std::string text = fmt::format("  {:<{}}  {:<{}}  {}", line.place, place_width, line.position,
                                   position_width, line.values);
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  if (run.outcome.depth > frames.size())
    out += fmt::format("  ... {} more\n", run.outcome.depth - frames.size());
  return out;
}

} // namespace

std::string failure_text(const EndedRun& run, bool colour) {
  if (run.outcome.frames.empty())
    return fmt::format("{} {}\n", error_word(), printable(run.outcome.message));
  return excerpt(run, colour) + frames_text(run);
}

std::string statistics_text(const EndedRun& run) {
  if (run.counts != nullptr) return engine_statistics_text(run);
  const Statistics& s = run.statistics;
  std::string out;
  const auto line = [&](std::string_view what, std::uint64_t n, std::string_view unit = "") {
    out += fmt::format("{:<20}{:>14}{}{}\n", what, n, unit.empty() ? "" : " ", unit);
  };
  line("steps", s.steps);
  for (const RuleRow& row : all_rules())
    if (const std::uint64_t n = s.rules[index_of(row)]; n > 0)
      line(fmt::format("  {}", row.name), n);
  line("prints", s.prints);
  line("reads", s.reads);
  line("calls", s.calls);
  line("deepest stack", s.max_depth, "frames");
  line("deoptimizations", s.deoptimizations);
  line("  forced", s.forced);
  line("opportunities", s.opportunities, "(assumes that held, anchors)");
  line("arrays", s.blocks);
  line("heap", s.heap_bytes, "bytes");
  out += fmt::format("{:<20}{:>14.3f}\n", "seconds", run.seconds);
  if (run.seconds > 0)
    out += fmt::format("{:<20}{:>14.1f}\n", "million steps/s",
                       static_cast<double>(s.steps) / run.seconds / 1e6);
  return out;
}

} // namespace sourir
