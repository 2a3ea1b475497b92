// The scope phase of check_wellformed for one version: variables, annotations, ends and joins at
// every position that a root reaches.
#pragma once

#include "sourir/syntax/program_index.h"

namespace sourir {

class ScopeCheck : public ScopeObserver {
public:
  // `scope` is work space.
  ScopeCheck(ProgramIndex& index, VersionEntry& entry, ScopeSet& scope)
      : index_(index), entry_(entry), scope_(scope) {}

  void run();

  void at(std::uint32_t position, const ScopeSet& scope) override;
  void differs(std::uint32_t source, std::uint32_t target, const ScopeSet& scope) override;

private:
  void check_names(std::uint32_t position, const ScopeSet& scope);
  void check_exit_names(std::uint32_t position, const Metadata& exit, const ScopeSet& scope);
  void check_annotation(std::uint32_t position, std::size_t k, const ScopeSet& scope);
  void check_end(std::uint32_t position);
  void mark_live(std::uint32_t position);

  void require(Var name, std::uint32_t position, std::size_t k, const ScopeSet& scope) {
    if (!scope.contains(name) && !faulty(name)) out_of_scope(name, position, k, scope);
  }
  void refuse(Var name, std::uint32_t position, std::size_t k, const ScopeSet& scope) {
    if (scope.contains(name) && !faulty(name))
      redeclared(name, entry_.places.instruction_name(position, k), scope);
  }
  Diagnostic& out_of_scope(Var name, std::uint32_t position, std::size_t k, const ScopeSet& scope);
  // What the version does with the name elsewhere, or a name that may be meant.
  void explain_out_of_scope(Diagnostic& problem, Var name, std::uint32_t position,
                            const ScopeSet& scope) const;
  void redeclared(Var name, Span at, const ScopeSet& scope);
  void bad_deferred(Var name, Span at);

  void scope_mismatch(std::uint32_t source, std::uint32_t target, const ScopeSet& scope,
                      const ScopeSet& other, const std::vector<Var>& only_here,
                      const std::vector<Var>& only_there);
  void declaration_mismatch(std::uint32_t source, std::uint32_t target, const ScopeSet& scope,
                            const ScopeSet& other, const std::vector<Var>& names);

  // Where control leaves `source` for `target`.
  Span edge(std::uint32_t source, std::uint32_t target) const;
  Note first_edge(std::uint32_t target, const ScopeSet& other) const;
  Note declaration(Var name, Declaration declaration) const;
  bool faulty(Var name) const { return !entry_.faulty.empty() && entry_.faulty.contains(name); }

  ProgramIndex& index_;
  VersionEntry& entry_;
  ScopeSet& scope_;
};

} // namespace sourir
