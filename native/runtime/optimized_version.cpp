#include "native/runtime/optimized_version.h"

#include "sourir/semantics/link.h"

#include <algorithm>

namespace sourir::native {

const resolved::Exit* OptimizedVersion::deopt_map(Pc pc, const LinkedProgram& running) {
  const auto [at, fresh] = deopt_maps_.try_emplace(pc);
  std::optional<resolved::Exit>& exit = at->second;
  if (!fresh) return exit ? &*exit : nullptr;
  const LinkedProgram& from = source ? *source : running;
  const auto frames = mapped(map, from.source(), code().function, code().version, pc);
  const auto open = [](const auto& frame) { return !frame.unknown.empty(); };
  if (!frames || open(frames->frame) || std::ranges::any_of(frames->outer, open)) return nullptr;
  auto linked_exit = link_exit(*frames, code(), from);
  if (linked_exit) {
    exit = *std::move(linked_exit);
    relink_exit(*exit, running, outlined_from ? &*outlined_from : nullptr);
  }
  return exit ? &*exit : nullptr;
}

} // namespace sourir::native
