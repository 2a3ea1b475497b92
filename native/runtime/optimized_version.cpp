#include "native/runtime/optimized_version.h"

#include "sourir/semantics/link.h"

#include <algorithm>

namespace sourir::native {

std::optional<Metadata> OptimizedVersion::state_at(Pc pc, const LinkedProgram& running) const {
  const LinkedProgram& from = source ? *source : running;
  return mapped(map, from.source(), code().function, code().version, pc);
}

std::optional<resolved::Exit> OptimizedVersion::link_state(const Metadata& state,
                                                           const LinkedProgram& running) const {
  auto exit = link_exit(state, code(), source ? *source : running);
  if (!exit) return {};
  relink_exit(*exit, running, outlined_from ? &*outlined_from : nullptr);
  return *std::move(exit);
}

const resolved::Exit* OptimizedVersion::deopt_map(Pc pc, const LinkedProgram& running) {
  const auto [at, fresh] = deopt_maps_.try_emplace(pc);
  std::optional<resolved::Exit>& exit = at->second;
  if (!fresh) return exit ? &*exit : nullptr;
  const auto frames = state_at(pc, running);
  const auto open = [](const auto& frame) { return !frame.unknown.empty(); };
  if (!frames || open(frames->frame) || std::ranges::any_of(frames->outer, open)) return nullptr;
  exit = link_state(*frames, running);
  return exit ? &*exit : nullptr;
}

std::optional<resolved::Exit> OptimizedVersion::known_state(Pc pc,
                                                            const LinkedProgram& running) const {
  const auto frames = state_at(pc, running);
  return frames ? link_state(*frames, running) : std::nullopt;
}

} // namespace sourir::native
