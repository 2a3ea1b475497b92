#include "sourir/syntax/program_positions.h"

namespace sourir {

ProgramPositions::ProgramPositions(const Program& program) : program_(program), exits_(program) {
  for (const Function& f : program.functions)
    for (const Version& v : f.versions)
      versions_.try_emplace(version_key(f.name, v.name), Facts{&f, &v, {}, {}});
}

ProgramPositions::Facts* ProgramPositions::find(FunName function, VerName version) {
  const auto found = versions_.find(version_key(function, version));
  return found == versions_.end() ? nullptr : &found->second;
}

const Version* ProgramPositions::version(FunName function, VerName version) const {
  const auto found = versions_.find(version_key(function, version));
  return found == versions_.end() ? nullptr : found->second.version;
}

const std::vector<Var>* ProgramPositions::scope(FunName function, VerName version,
                                                std::uint32_t at) {
  Facts* const facts = find(function, version);
  if (facts == nullptr || at > facts->version->body.size()) return nullptr;
  if (!facts->scopes) facts->scopes = scopes_of(*facts->function, *facts->version, &exits_);
  const auto& scope = (*facts->scopes)[at];
  return scope ? &*scope : nullptr;
}

std::optional<std::uint32_t> ProgramPositions::resolve(const Place& place) {
  Facts* const facts = find(place.function, place.version);
  if (facts == nullptr) return std::nullopt;
  std::uint64_t at = place.offset;
  if (place.label) {
    if (!facts->labels) facts->labels = label_positions(*facts->version);
    const auto found = facts->labels->find(*place.label);
    if (found == facts->labels->end()) return std::nullopt;
    at += found->second;
  }
  if (at > facts->version->body.size()) return std::nullopt;
  return static_cast<std::uint32_t>(at);
}

const Call* ProgramPositions::call(FunName function, VerName name, std::uint32_t at) const {
  const Version* const in = version(function, name);
  if (in == nullptr || at >= in->body.size()) return nullptr;
  return std::get_if<Call>(&in->body[at].instr);
}

} // namespace sourir
