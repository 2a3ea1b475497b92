#include "sourir/cli/tier_log.h"

#include "sourir/syntax/printer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace sourir {

namespace {

using native::TierEvent;

// The version alone, as it stands in a program.
std::string version_text(const Program& program, const InstrStream& code, const Names& names) {
  Program alone;
  alone.functions.push_back(*std::ranges::find(program.functions, code.function, &Function::name));
  std::erase_if(alone.functions[0].versions,
                [&](const Version& v) { return v.name != code.version; });
  alone.functions[0].comments.clear();
  return print(alone, names);
}

std::string version_of(const InstrStream& code, const Names& names) {
  return fmt::format("{}.{}", names.text(code.function), names.text(code.version));
}

// Of a program that the file does not show: by number.
std::string place_of(const TierEvent& e, Pc pc, const Names& names) {
  return fmt::format("{}+{}", version_of(*e.code, names), pc);
}

std::vector<std::string> targets(const code::Exit& exit, const Names& names) {
  std::vector<std::string> out{print(exit.frame.code->place(exit.frame.pc), names)};
  for (const code::OuterFrame& o : exit.outer)
    out.push_back(print(o.frame.code->place(o.frame.pc), names));
  return out;
}

std::string text(const TierEvent& e, const Names& names) {
  const std::string version = version_of(*e.code, names);
  switch (e.kind) {
  case TierEvent::Kind::Compiled:
    return fmt::format("compiled  {}{}{}  {} bytes, {:.1f} ms\n", version,
                       e.loop    ? fmt::format(", entered by a loop at +{}", e.pc)
                       : e.exits ? fmt::format(", entered by exits to +{}", e.pc)
                                 : "",
                       e.added != nullptr ? "  (a new version)" : "", e.bytes, e.milliseconds);
  case TierEvent::Kind::Retired: return fmt::format("retired   {}\n", version);
  case TierEvent::Kind::Left: break;
  }
  if (e.exit == nullptr)
    return fmt::format("left      {}  not as expected; on there in the baseline\n",
                       place_of(e, e.pc, names));
  return fmt::format("left      {}  for {}{}\n", place_of(e, e.pc, names),
                     fmt::join(targets(*e.exit, names), " <- "),
                     e.native ? ", on in native code" : "");
}

std::string json(const TierEvent& e, const Names& names) {
  nlohmann::ordered_json out{{"format", "tiers"}, {"version", 1}};
  const auto put = [&](const char* key, auto value) { out[key] = value; };
  put("of", version_of(*e.code, names));
  switch (e.kind) {
  case TierEvent::Kind::Compiled:
    put("event", "compiled");
    put("at", e.pc);
    put("loop", e.loop);
    put("exits", e.exits);
    put("bytes", e.bytes);
    put("milliseconds", e.milliseconds);
    if (e.added != nullptr) put("text", version_text(*e.added, *e.code, names));
    break;
  case TierEvent::Kind::Retired: put("event", "retired"); break;
  case TierEvent::Kind::Left:
    put("event", "left");
    put("at", e.pc);
    put("to", e.exit != nullptr ? targets(*e.exit, names) : std::vector<std::string>());
    put("native", e.native);
    break;
  }
  return out.dump() + "\n";
}

} // namespace

std::string tier_log(const native::TierEvent& event, TierForm form, const Names& names) {
  if (form == TierForm::Json) return json(event, names);
  std::string out = text(event, names);
  if (form == TierForm::Versions && event.added != nullptr)
    out += version_text(*event.added, *event.code, names);
  return out;
}

} // namespace sourir
