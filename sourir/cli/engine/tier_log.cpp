#include "sourir/cli/engine/tier_log.h"

#include "sourir/semantics/text/version_text.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sourir {

namespace {

using native::TierEvent;

std::string text(const TierEvent& e, const Names& names) {
  const std::string version = version_name(*e.code, names);
  switch (e.kind) {
  case TierEvent::Kind::Compiled:
    return fmt::format("compiled  {}{}{}  {} bytes, {:.1f} ms{}\n", version,
                       e.loop    ? fmt::format(", entered by a loop at +{}", e.pc)
                       : e.exits ? fmt::format(", entered by exits to +{}", e.pc)
                                 : "",
                       e.added != nullptr ? "  (a new version)" : "", e.bytes, e.milliseconds,
                       e.sampled ? ", because of samples" : "");
  case TierEvent::Kind::Retired:
    return fmt::format("retired   {}{}\n", version,
                       e.sampled ? "  too general for what was sampled" : "");
  case TierEvent::Kind::Returned:
    return fmt::format("back to   {}  less special than what samples asked for\n", version);
  case TierEvent::Kind::Left: break;
  }
  if (e.exit == nullptr)
    return fmt::format("left      {}  {}\n", position_name(*e.code, e.pc, names),
                       e.native ? "for native code of this loop"
                                : "not as expected; on there in the baseline");
  return fmt::format("left      {}  for {}{}\n", position_name(*e.code, e.pc, names),
                     fmt::join(exit_targets(*e.exit, names), " <- "),
                     e.native ? ", on in native code" : "");
}

std::string json(const TierEvent& e, const Names& names) {
  nlohmann::ordered_json out{{"format", "tiers"}, {"version", 1}};
  const auto put = [&](const char* key, auto value) { out[key] = value; };
  put("of", version_name(*e.code, names));
  switch (e.kind) {
  case TierEvent::Kind::Compiled:
    put("event", "compiled");
    put("at", e.pc);
    put("loop", e.loop);
    put("exits", e.exits);
    put("bytes", e.bytes);
    put("milliseconds", e.milliseconds);
    if (e.sampled) put("sampled", true);
    if (e.added != nullptr) put("text", version_text(*e.code, names));
    break;
  case TierEvent::Kind::Retired:
    put("event", "retired");
    if (e.sampled) put("sampled", true);
    break;
  case TierEvent::Kind::Returned:
    put("event", "returned");
    put("at", e.pc);
    break;
  case TierEvent::Kind::Left:
    put("event", "left");
    put("at", e.pc);
    put("to", e.exit != nullptr ? exit_targets(*e.exit, names) : std::vector<std::string>());
    put("native", e.native);
    break;
  }
  return out.dump() + "\n";
}

} // namespace

std::string tier_log(const native::TierEvent& event, TierForm form, const Names& names) {
  if (form == TierForm::Json) return json(event, names);
  std::string out = text(event, names);
  if (form == TierForm::Versions && event.added != nullptr) out += version_text(*event.code, names);
  return out;
}

} // namespace sourir
