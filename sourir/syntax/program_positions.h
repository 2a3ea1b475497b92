// Positions, labels and scopes of the versions of one well-formed program, computed when they are
// asked for first.
#pragma once

#include "sourir/syntax/scopes.h"

namespace sourir {

class ProgramPositions {
public:
  explicit ProgramPositions(const Program& program);

  const Program& program() const { return program_; }
  const Version* version(FunName function, VerName version) const; // null: there is none
  // Null: no such position, or no root reaches it.
  const std::vector<Var>* scope(FunName function, VerName version, std::uint32_t at);
  // The position that a place names.
  std::optional<std::uint32_t> resolve(const Place& place);
  // The call at a position; null if there is none.
  const Call* call(FunName function, VerName version, std::uint32_t at) const;

private:
  struct Facts {
    const Function* function = nullptr;
    const Version* version = nullptr;
    std::optional<Scopes> scopes;
    std::optional<std::unordered_map<Label, std::uint32_t>> labels;
  };
  Facts* find(FunName function, VerName version);

  const Program& program_;
  IncomingExits exits_;
  std::unordered_map<std::uint64_t, Facts> versions_; // by both names
};

inline std::uint64_t version_key(FunName function, VerName version) {
  return (std::uint64_t{function.id} << 32) | version.id;
}

} // namespace sourir
