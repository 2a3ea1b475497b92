// Laws of the metadata of exits, on those of random programs (Lemma 8; soundness.md).
#include "sourir/syntax/exits.h"
#include "sourir/syntax/scopes.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/traverse.h"
#include "sourir/syntax/wellformed.h"
#include "tests/property/properties.h"
#include "tests/property/runs.h"

#include <unordered_set>

namespace sourir::testing {

namespace {

Var variable(std::uint32_t id) { return Var{id}; }

FreshNames names_of(const Function& f, const Version& v, Names& names) {
  FreshNames fresh(names);
  for (const Var x : f.params) fresh.use(x);
  for (const Stmt& s : v.body)
    for_each_name(s.instr, [&](NameUse use) { fresh.use(variable(use.id)); });
  return fresh;
}

// The exit that stands where a frame arrives, unless it leads back to there.
const Metadata* exit_at(Program& program, const Place& place) {
  for (Function& f : program.functions)
    for (Version& v : f.versions) {
      if (f.name != place.function || v.name != place.version) continue;
      const auto positions = label_positions(v);
      const std::uint32_t at = positions.at(*place.label);
      const Metadata* exit = at < v.body.size() ? exit_of(v.body[at].instr) : nullptr;
      if (!exit) return nullptr;
      const Place& next = exit->frame.target;
      const bool stays =
          next.function == f.name && next.version == v.name && positions.at(*next.label) == at;
      return stays ? nullptr : exit;
    }
  return nullptr;
}

// Each exit that arrives at another one is replaced by both in one.
std::size_t compose_all(Program& program, Names& names) {
  Program before = program;
  std::size_t composed = 0;
  for (Function& f : program.functions)
    for (Version& v : f.versions) {
      FreshNames fresh = names_of(f, v, names);
      for (Stmt& s : v.body)
        if (Metadata* first = exit_of(s.instr))
          if (const Metadata* second = exit_at(before, first->frame.target)) {
            *first = compose(*first, *second, fresh);
            ++composed;
          }
    }
  return composed;
}

} // namespace

// A program with composed exits does the same. (Composed once, twice, ...: until they collapse.)
void composed_exits(Case& c) {
  const Ran never = run(c, c.random.program, "never");
  Program program = c.random.program;
  for (int round = 0; round < 3 && compose_all(program, c.names) > 0; ++round) {
    Diagnostics problems;
    check_wellformed(program, {}, c.names, problems);
    for (const Diagnostic& d : problems.sorted())
      if (d.severity == Severity::Error)
        RC_FAIL("composed: " + d.message + "\n" + print(program, c.names));
    for (const std::string_view deopt : {"never", "always", "every:2", "p:0.5:1"})
      must_agree(never, run(c, program, deopt), "composed, --deopt=" + std::string(deopt));
  }
}

namespace {

// With the names of its block numbered.
Metadata numbered(const Metadata& exit, Names& names) {
  std::unordered_map<Var, Var> to;
  FreshNames fresh(names);
  for (const Deferred& d : exit.with)
    for_each_name(Metadata{.with = {d}}, [&](NameUse use) {
      if (use.role == NameRole::WithDeclare) to.emplace(variable(use.id), fresh.fresh<Var>("made"));
    });
  return rename(exit, to, fresh);
}

} // namespace

// Three exits in a row may be composed from either end.
void composition_is_associative(Case& c) {
  Program& program = c.random.program;
  for (Function& f : program.functions)
    for (Version& v : f.versions)
      for (Stmt& s : v.body) {
        const Metadata* first = exit_of(s.instr);
        const Metadata* second = first ? exit_at(program, first->frame.target) : nullptr;
        const Metadata* third = second ? exit_at(program, second->frame.target) : nullptr;
        if (!third) continue;
        FreshNames left = names_of(f, v, c.names), right = left, middle = left;
        const Metadata one = compose(compose(*first, *second, left), *third, left);
        const Metadata other = compose(*first, compose(*second, *third, middle), right);
        if (numbered(one, c.names) != numbered(other, c.names))
          RC_FAIL("from the left:\n" + print(one, c.names) + "\nfrom the right:\n" +
                  print(other, c.names));
      }
}

// Renaming to names that nothing bears, and back, is the identity.
void renamed_exits(Case& c) {
  for (Function& f : c.random.program.functions)
    for (Version& v : f.versions) {
      FreshNames fresh = names_of(f, v, c.names);
      for (Stmt& s : v.body) {
        const Metadata* exit = exit_of(s.instr);
        if (!exit) continue;
        std::unordered_set<Var> made; // by the block: not the origin's
        std::unordered_map<Var, Var> there, back;
        for_each_name(*exit, [&](NameUse use) {
          if (use.role == NameRole::WithDeclare) made.insert(variable(use.id));
        });
        for_each_name(*exit, [&](NameUse use) {
          const Var x = variable(use.id);
          const bool used = use.role == NameRole::ExitUse || use.role == NameRole::WithUse;
          if (used && !made.contains(x) && !there.contains(x)) {
            there[x] = fresh.fresh<Var>("renamed");
            back[there[x]] = x;
          }
        });
        const auto rename_to = [&](const Metadata& m, const std::unordered_map<Var, Var>& to) {
          FreshNames known(c.names); // nothing, so the block's names stay as they are
          return rename(m, to, known);
        };
        const Metadata renamed = rename_to(*exit, there);
        RC_ASSERT(there.empty() || renamed != *exit);
        RC_ASSERT(rename_to(renamed, back) == *exit);
        RC_ASSERT(rename_to(*exit, {}) == *exit);
      }
    }
}

} // namespace sourir::testing
