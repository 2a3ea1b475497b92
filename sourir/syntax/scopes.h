// Variables in scope by position, positions of labels, and the frames of exits by target version.
// A forward analysis from the start of a version and from every label that an exit targets.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/diagnostics.h"
#include "sourir/syntax/exits.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace sourir {

// Position of each label of a version (0 .. body.size()); the entry of a continuation included.
std::unordered_map<Label, std::uint32_t> label_positions(const Version& version);

// The frames of all exits by the version that they target, collected at the first request.
class IncomingExits {
public:
  explicit IncomingExits(const Program& program) : program_(program) {}
  struct Incoming {
    const Metadata* exit;
    std::size_t frame; // frame_at()
  };
  const std::vector<Incoming>& to(FunName function, VerName version);

private:
  const Program& program_;
  std::optional<std::unordered_map<std::uint64_t, std::vector<Incoming>>> by_version_;
};

// The names in scope just before each position 0 .. body.size(), in order of declaration; empty
// optional: no root reaches the position. The program must be well-formed.
// Costs the sum of the sizes of the scopes.
using Scopes = std::vector<std::optional<std::vector<Var>>>;
Scopes scopes_of(const Program& program, const Function& function, const Version& version);

// The same for many versions of a program; `exits` is null if no exit targets the version.
Scopes scopes_of(const Function& function, const Version& version, IncomingExits* exits);

// The names in scope at one position of a well-formed version.
std::optional<std::vector<Var>> scope_at(const Program& program, const Function& function,
                                         const Version& version, std::uint32_t position);

} // namespace sourir
