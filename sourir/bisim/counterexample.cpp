#include "sourir/bisim/counterexample.h"

#include "sourir/bisim/observable_events.h"
#include "sourir/semantics/run.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {
namespace {

constexpr std::size_t kColumn = 40;

std::string cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  text.resize(most - 3);
  return text + "...";
}

// Two columns of values with a mark where they differ.
class Table {
public:
  Table(std::string left, std::string right) : rows_{{"", std::move(left), std::move(right)}} {}

  void add(std::string name, std::string left, std::string right, bool marks = true) {
    const bool differs = marks && left != right;
    rows_.push_back({std::move(name), std::move(left), std::move(right), differs});
  }
  std::string text() const {
    std::size_t name = 0, left = 0;
    for (const Row& row : rows_) {
      name = std::max(name, cut(row.name, kColumn).size());
      left = std::max(left, cut(row.left, kColumn).size());
    }
    std::string out;
    for (const Row& row : rows_) {
      out += fmt::format("  {} {:<{}}  {:<{}}  {}", row.differs ? '!' : ' ', cut(row.name, kColumn),
                         name, cut(row.left, kColumn), left, cut(row.right, kColumn));
      out.erase(out.find_last_not_of(' ') + 1);
      out += '\n';
    }
    return out;
  }

private:
  struct Row {
    std::string name, left, right;
    bool differs = false;
  };
  std::vector<Row> rows_;
};

using Values = std::vector<std::pair<std::string, std::string>>;

const std::string* value_of(const Values& values, const std::string& name) {
  const auto found = std::ranges::find(values, name, &Values::value_type::first);
  return found == values.end() ? nullptr : &found->second;
}

// "F.V.L: x" below the line "F.V.L" is just "x".
std::string short_name(const std::string& name) {
  const std::size_t colon = name.rfind(": ");
  return colon == std::string::npos ? name : "  " + name.substr(colon + 2);
}

void add_values(Table& table, const Values& left, const Values& right) {
  for (const auto& [name, value] : left) {
    const std::string* const other = value_of(right, name);
    table.add(short_name(name), value, other == nullptr ? "" : *other, other != nullptr);
  }
  for (const auto& [name, value] : right)
    if (value_of(left, name) == nullptr) table.add(short_name(name), "", value, false);
}

void add_frame(Table& table, const RunPoint& left, const RunPoint& right, std::size_t i) {
  static const RunPoint::Frame kNone;
  const RunPoint::Frame& a = i < left.frames.size() ? left.frames[i] : kNone;
  const RunPoint::Frame& b = i < right.frames.size() ? right.frames[i] : kNone;
  table.add(i == 0 ? "at" : "waits at", a.place, b.place, false);
  if (i == 0) table.add("", a.instruction, b.instruction, false);
  add_values(table, a.values, b.values);
}

std::string points(const RunPoint& left, const RunPoint& right, Table table, bool whole) {
  const auto steps = [](const RunPoint& s) {
    return s.frames.empty() ? "" : fmt::format("{} done", s.steps);
  };
  table.add("steps", steps(left), steps(right), false);
  if (whole) {
    table.add("rule", left.rule, right.rule, false);
    if (!(left.does + right.does).empty()) table.add("does", left.does, right.does);
  }
  const std::size_t frames = std::max(left.frames.size(), right.frames.size());
  for (std::size_t i = 0; i < (whole ? frames : 1); ++i) add_frame(table, left, right, i);
  return table.text();
}

std::string points(const CounterexampleSide& a, const CounterexampleSide& b,
                   std::optional<RunPoint> CounterexampleSide::* which, bool whole) {
  static const RunPoint kNone;
  const RunPoint& left = a.*which ? *(a.*which) : kNone;
  const RunPoint& right = b.*which ? *(b.*which) : kNone;
  if (left.frames.empty() && right.frames.empty()) return {};
  return points(left, right, Table(a.*which ? a.name : "", b.*which ? b.name : ""), whole);
}

std::string code_text(const CounterexampleSide& side) {
  std::string out;
  for (const ListedVersion& version : side.code) {
    out += fmt::format("{}, {}:\n", side.name, version.name);
    for (const ListedVersion::Line& line : version.lines)
      out += fmt::format("  {} {}\n", line.here ? "->" : "  ", line.text);
  }
  return out;
}

std::string states_text(const Counterexample::States& states) {
  std::string out;
  Table table(states.left_name, states.right_name);
  Values left{{"frames", fmt::format("{}", states.left.depth)}}, right;
  for (const auto& [name, value] : states.left.lines) left.emplace_back(name, value);
  if (states.candidates > 0) {
    right.emplace_back("frames", fmt::format("{}", states.right.depth));
    for (const auto& [name, value] : states.right.lines) right.emplace_back(name, value);
  }
  add_values(table, left, right);
  return table.text();
}

std::string values_text(const RunPoint& s) {
  std::string out;
  if (s.frames.empty()) return out;
  for (const auto& [name, value] : s.frames[0].values)
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name, cut(value, kColumn));
  return out;
}

std::string forced_text(const Counterexample& found) {
  std::string out;
  for (const auto& [before, after] : found.forced)
    out += fmt::format("{}: at {} after {} steps, {}: {}\n  on to {} with {}{}\n",
                       found.output.name, before.frames[0].place, before.steps, before.rule,
                       cut(before.frames[0].instruction, 2 * kColumn), after.frames[0].place,
                       after.frames[0].values.empty() ? "nothing" : values_text(after),
                       after.depth > before.depth && before.rule != "Call"
                           ? fmt::format(" and {} outer frame(s)", after.depth - before.depth)
                           : "");
  if (found.more_forced > 0) out += fmt::format("  and {} more\n", found.more_forced);
  return out;
}

} // namespace

std::string text(const Counterexample& found) {
  std::string out = fmt::format("{}\nwith --deopt={}", found.what, found.deopt);
  for (std::size_t i = 0; i < found.reads.size(); ++i)
    out += (i == 0 ? ", input " : " ") + found.reads[i];
  out += '\n';
  if (!found.main.empty()) out += "with this main instead of its own:\n" + found.main;
  using Side = CounterexampleSide;
  if (const std::string agreed = points(found.input, found.output, &Side::agreed, false);
      !agreed.empty())
    out += (found.events == 0 ? "where both agree last:\n"
                              : fmt::format("where both agree last, after event {} ({}):\n",
                                            found.events, found.last_event)) +
           agreed;
  out += forced_text(found);
  if (found.first_state)
    out += "the first state that differs:\n" +
           points(found.first_state->input, found.first_state->output,
                  Table(found.input.name, found.output.name), false);
  if (const std::string differs = points(found.input, found.output, &Side::differs, true);
      !differs.empty())
    out += (found.input.differs ? "the step that differs:\n" : found.output.name + " there:\n") +
           differs;
  if (found.states) out += "the states:\n" + states_text(*found.states);
  return out + code_text(found.input) + code_text(found.output);
}

namespace {

constexpr std::size_t kLinesAround = 12;

std::string instruction_text(const ResolvedVersion& code, Pc pc, const Names& names) {
  const auto& body = code.source->body;
  if (pc >= body.size()) return "(end)";
  std::string text = print(body[pc].instr, names);
  if (const std::size_t end = text.find('\n'); end != std::string::npos)
    text = text.substr(0, end) + " ... }";
  return text;
}

} // namespace

RunPoint run_point(const Config& c) {
  const Names& names = c.program->names();
  RunPoint here{c.steps, c.frames.size() + 1, {}, "", ""};
  if (c.stopped()) return here;
  for (const FrameReport& f : frames_of(c, kShownFrames)) {
    RunPoint::Frame& frame = here.frames.emplace_back();
    frame.place = print(f.place, names);
    frame.instruction = instruction_text(*f.code, f.pc, names);
    for (const auto& [name, value] : f.values) frame.values.emplace_back(names.text(name), value);
  }
  if (const Next found = next(c); found.rule != nullptr) here.rule = found.rule->name;
  Config after = c;
  std::string printed;
  const StepResult r = step(after, printed);
  if (const auto event = seen(r, std::move(printed), after)) here.does = describe(*event);
  return here;
}

void list(CounterexampleSide& side, const ResolvedVersion& code, Pc pc, const Names& names) {
  ListedVersion out{std::string(names.text(code.function)), {}};
  out.name += "." + std::string(names.text(code.version));
  for (ListedVersion& known : side.code)
    for (ListedVersion::Line& line : known.lines)
      if (known.name == out.name && line.at == pc) {
        line.here = true;
        return;
      }
  const auto& body = code.source->body;
  const std::size_t first = pc > kLinesAround ? pc - kLinesAround : 0;
  const std::size_t last = std::min(body.size(), std::size_t{pc} + kLinesAround);
  if (first > 0) out.lines.push_back({"..."});
  for (std::size_t i = first; i < last; ++i) {
    const Pc at = static_cast<Pc>(i);
    for (const Label label : body[i].leading.labels)
      out.lines.push_back({std::string(names.text(label)) + ":"});
    out.lines.push_back({"  " + instruction_text(code, at, names), at == pc, at});
  }
  if (last < body.size()) out.lines.push_back({"..."});
  if (pc >= body.size()) out.lines.push_back({"  (end)", true, pc});
  side.code.push_back(std::move(out));
}

} // namespace sourir
