#include "native/runtime/event_identity.h"

#include "sourir/semantics/resolved_loops.h"
#include "sourir/syntax/text/printer.h"

namespace sourir::native {

void identify(profiler::EventCode& code, const ResolvedVersion& version,
              const OptimizedVersion* optimized, const Names& names) {
  code.function = names.text(version.function);
  code.version = names.text(version.version);
  const bool from_elsewhere = optimized != nullptr && &optimized->code() == &version;
  const ResolvedLoops loops(version, 0, std::vector<bool>(version.instrs.size(), true));
  for (Pc pc = 0; pc < version.instrs.size(); ++pc) {
    const auto& body = version.source->body;
    code.listing.push_back(pc < body.size() ? print_line(body[pc].instr, names) : "stop");
    std::optional<SitePlace> place{SitePlace{&version, pc}};
    if (from_elsewhere) place = optimized->origins[pc];
    const Pc loop = loops.at(pc);
    code.loops.push_back(loop == kNoLoop ? profiler::kNowhere : loop);
    code.places.push_back(place ? print(place->first->place(place->second), names) : "");
  }
}

} // namespace sourir::native
