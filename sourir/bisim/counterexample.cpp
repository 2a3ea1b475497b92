#include "sourir/bisim/counterexample.h"

#include "sourir/bisim/observed.h"
#include "sourir/semantics/run.h"
#include "sourir/syntax/text/printer.h"

namespace sourir {
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

Standing standing(const Config& c) {
  const Names& names = c.program->names();
  Standing here{c.steps, c.frames.size() + 1, {}, "", ""};
  if (c.stopped()) return here;
  for (const FrameReport& f : frames_of(c, kStandingFrames)) {
    Standing::Frame& frame = here.frames.emplace_back();
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
    for (const Label label : body[i].marks.labels)
      out.lines.push_back({std::string(names.text(label)) + ":"});
    out.lines.push_back({"  " + instruction_text(code, at, names), at == pc, at});
  }
  if (last < body.size()) out.lines.push_back({"..."});
  if (pc >= body.size()) out.lines.push_back({"  (end)", true, pc});
  side.code.push_back(std::move(out));
}

} // namespace sourir
