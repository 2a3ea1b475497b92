// Metamorphic properties: after changes that cannot be observed a program behaves as before, in the
// semantics and after O2.
#include "sourir/passes/pipeline.h"
#include "sourir/passes/run_pipeline.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/json/load.h"
#include "sourir/syntax/match.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/traverse.h"
#include "sourir/syntax/wellformed.h"
#include "tests/property/properties.h"
#include "tests/property/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace sourir::testing {
namespace {

Program piped(Case& c, Program program, const char* passes) {
  const auto pipeline = parse_pipeline(passes);
  return run_pipeline(std::get<Pipeline>(pipeline), std::move(program), c.names, {}).program;
}

void must_behave_as_before(Case& c, const Program& changed) {
  Diagnostics problems;
  check_wellformed(changed, {}, c.names, problems);
  if (problems.has_errors()) RC_FAIL("not well-formed:\n" + print(changed, c.names));
  const Ran never = run(c, c.random.program, "never");
  for (const std::string& deopt : {std::string("never"), std::string("always"), c.random.deopt})
    must_agree(never, run(c, changed, deopt), "changed, --deopt=" + deopt);
  must_agree(never, run(c, piped(c, changed, "O2"), c.random.deopt), "changed and optimized");
}

// fn(Version&, Stmt&) for all instructions.
template <class Visit>
void for_each_stmt(Program& program, Visit&& visit) {
  for (Function& f : program.functions)
    for (Version& v : f.versions)
      for (Stmt& s : v.body) visit(v, s);
}

void add_strings(const Expr& e, std::set<std::uint32_t>& all) {
  const auto simple = [&](const SimpleExpr& se) {
    if (const Str* const text = std::get_if<Str>(&se)) all.insert(text->id);
  };
  match(
      e, simple, [&](const Unary& u) { simple(u.operand); },
      [&](const Binary& b) { simple(b.left), simple(b.right); },
      [&](const Index& i) { simple(i.index); }, [&](const Length& l) { simple(l.array); },
      [&](const KindTest& t) { simple(t.operand); },
      [&](const ElementsTest& t) { simple(t.operand); });
}

// What nothing but variables and labels is called.
std::set<std::uint32_t> renamable(const Program& program, const Names& names) {
  std::set<std::uint32_t> local, other;
  for (const Function& f : program.functions) {
    other.insert(f.name.id);
    for (const Var x : f.params) local.insert(x.id);
    for (const Version& v : f.versions) {
      other.insert(v.name.id);
      for (const Stmt& s : v.body) {
        for_each_name(s.instr, [&](NameUse use) {
          const bool fun = use.role == NameRole::FunRef || use.role == NameRole::ExitFunRef ||
                           use.role == NameRole::WithFunRef || use.role == NameRole::ExitFunction ||
                           use.role == NameRole::ExitVersion;
          (fun ? other : local).insert(use.id);
        });
        for_each_expression(s.instr, [&](const Expr& e) { add_strings(e, other); });
      }
    }
  }
  for (const std::uint32_t id : other) local.erase(id);
  std::erase_if(local, [&](std::uint32_t id) { return names.text(Var{id}).empty(); });
  return local;
}

} // namespace

// The same text with other variables and labels, read anew: so the numbers of names change, too.
void names_do_not_matter(Case& c) {
  const std::set<std::uint32_t> local = renamable(c.random.program, c.names);
  Names renamed;
  for (std::uint32_t id = 0; id < c.names.size(); ++id) {
    const std::string text(c.names.text(Var{id}));
    renamed.intern<Var>(local.contains(id) ? fmt::format("r{}_{}", c.names.size() - id, text)
                                           : text);
  }
  const Loaded again = load("renamed", print(c.random.program, renamed), c.names);
  must_behave_as_before(c, again.program);
}

void empty_assumes_everywhere(Case& c) {
  must_behave_as_before(
      c, piped(c, c.random.program, "fresh-version,checkpoints:everywhere:as=assume"));
}

// assume [a, b] else X: assume [a] else X, then assume [b] else X.
void an_assume_in_two(Case& c) {
  Program changed = c.random.program;
  for (Function& f : changed.functions)
    for (Version& v : f.versions)
      for (std::size_t at = 0; at < v.body.size(); ++at) {
        auto* const assume = std::get_if<Assume>(&v.body[at].instr);
        if (assume == nullptr || assume->guards.size() < 2) continue;
        const auto half = static_cast<std::ptrdiff_t>(assume->guards.size() / 2);
        Assume second{{assume->guards.begin() + half, assume->guards.end()}, assume->exit};
        assume->guards.erase(assume->guards.begin() + half, assume->guards.end());
        v.body.insert(v.body.begin() + static_cast<std::ptrdiff_t>(++at), Stmt{{}, second});
      }
  must_behave_as_before(c, changed);
}

// Whether the copy is the one that is entered or the one that is not.
void a_version_twice(Case& c) {
  Program changed = c.random.program;
  for (Function& f : changed.functions) {
    if (f.implicit) continue;
    const std::size_t n = c.number % f.versions.size();
    Version copy = f.versions[n];
    if (copy.cont) continue; // no exit would ever enter it
    copy.name = c.names.intern<VerName>(fmt::format("twice_{}", c.names.text(copy.name)));
    f.versions.insert(f.versions.begin() + static_cast<std::ptrdiff_t>(n + (c.number >> 8) % 2),
                      std::move(copy));
  }
  must_behave_as_before(c, changed);
}

void a_true_predicate_more(Case& c) {
  Program changed = c.random.program;
  const Expr truths[] = {SimpleExpr(true), Binary{BinaryOp::Eq, Nil{}, Nil{}},
                         Binary{BinaryOp::Lt, std::int64_t{1}, std::int64_t{2}}};
  std::uint64_t random = c.number;
  for_each_stmt(changed, [&](Version&, Stmt& s) {
    if (auto* const assume = std::get_if<Assume>(&s.instr)) {
      const auto place = next_random(random) % (assume->guards.size() + 1);
      assume->guards.insert(assume->guards.begin() + static_cast<std::ptrdiff_t>(place),
                            truths[next_random(random) % std::size(truths)]);
    }
  });
  must_behave_as_before(c, changed);
}

// What no run with this input comes to prints something now. Exits may be forced on the way, but
// only those that were when it was found out what is reached.
void what_is_not_reached_does_not_matter(Case& c) {
  std::set<std::pair<const ResolvedVersion*, Pc>> reached;
  Setting setting(c, c.random.program, "never");
  Config config = setting.start();
  RunHooks hooks;
  hooks.trace = [&](const Config&, const StepResult&, const ResolvedVersion* code, Pc pc) {
    reached.emplace(code, pc);
  };
  const Outcome outcome = sourir::run(config, hooks);
  if (outcome.kind != OutcomeKind::Stop) return;
  Program changed = c.random.program;
  for (Function& f : changed.functions)
    for (Version& v : f.versions) {
      const ResolvedVersion* const code = setting.linked().version(f.name, v.name);
      RC_ASSERT(code != nullptr);
      for (std::size_t at = v.body.size(); at-- > 0;) {
        const bool run = reached.contains({code, static_cast<Pc>(at)});
        const bool entry = at == 0 && v.cont; // must stay the first
        const bool target = !v.body[at].leading.labels.empty();
        if (run || entry || target) continue;
        v.body.insert(v.body.begin() + static_cast<std::ptrdiff_t>(at),
                      Stmt{{}, Print{SimpleExpr(c.names.intern<Str>("never"))}});
      }
    }
  const Ran before = run(c, c.random.program, "never");
  must_agree(before, run(c, changed, "never"), "with other code where control never comes");
  must_agree(before, run(c, piped(c, changed, "O1"), "never"), "the same, optimized");
}

} // namespace sourir::testing
