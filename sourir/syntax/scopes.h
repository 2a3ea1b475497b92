// Variables in scope by position, positions of labels, and the frames of exits by target version.
// A forward analysis from the start of a version and from every label that an exit targets.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/diagnostics.h"
#include "sourir/syntax/exits.h"

#include <deque>
#include <memory>
#include <optional>
#include <span>
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

// The variables in scope at one position, in order of declaration.
using Scope = std::span<const Var>;

// The scope just before each position 0 .. body.size() of a version; empty optional: no root
// reaches the position. Positions share memory: those after which variables are only declared cost
// one word each, a drop or an edge to another place costs the size of the scope. Copies share it,
// too.
class Scopes {
public:
  Scopes() = default;
  const std::optional<Scope>& operator[](std::size_t position) const { return scopes_[position]; }
  std::size_t size() const { return scopes_.size(); }
  bool empty() const { return scopes_.empty(); }
  auto begin() const { return scopes_.begin(); }
  auto end() const { return scopes_.end(); }

private:
  friend class ScopesBuilder;
  std::vector<std::optional<Scope>> scopes_;
  std::shared_ptr<const std::deque<std::vector<Var>>> names_; // what scopes_ refers to
};

// The program must be well-formed.
Scopes scopes_of(const Program& program, const Function& function, const Version& version);

// The same for many versions of a program; `exits` is null if no exit targets the version.
Scopes scopes_of(const Function& function, const Version& version, IncomingExits* exits);

// The names in scope at one position of a well-formed version.
std::optional<std::vector<Var>> scope_at(const Program& program, const Function& function,
                                         const Version& version, std::uint32_t position);

} // namespace sourir
