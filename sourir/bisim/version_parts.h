// The parts of a version that a check of it has to try, and those that it has tried
// (sourir/bisim/added_version_check.h).
#pragma once

#include "sourir/semantics/resolved.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace sourir {

// The positions of the version that have to be tried.
struct VersionParts {
  std::set<Pc> heads, exits, positions;
  std::vector<bool> is_head, is_part; // by position
};
VersionParts parts_of(const Program& program, const ResolvedVersion& code);

// From what a part was compared; the last one says most.
enum class Basis : std::uint8_t {
  Chosen,  // with chosen values for variables that the map does not know
  Assumed, // in states that the program may never come to
  Reached,
};

class DoneParts {
public:
  bool contains(Pc pc) const { return parts_.contains(pc); }
  bool is(Pc pc, Basis basis) const {
    const auto at = parts_.find(pc);
    return at != parts_.end() && at->second == basis;
  }
  void add(Pc pc, Basis basis) {
    Basis& best = parts_.try_emplace(pc, basis).first->second;
    best = std::max(best, basis);
  }
  void add(const std::set<Pc>& parts, Basis basis) {
    for (const Pc pc : parts) add(pc, basis);
  }
  // Of those parts; with a basis, those that have no better one.
  std::uint64_t count(const std::set<Pc>& parts, std::optional<Basis> basis = {}) const {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(parts, [&](Pc pc) { return basis ? is(pc, *basis) : contains(pc); }));
  }

private:
  std::map<Pc, Basis> parts_;
};

} // namespace sourir
