#include "sourir/analysis/warnings.h"

#include "sourir/analysis/dispatch_table.h"
#include "sourir/analysis/facts_at.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/traverse.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

namespace sourir {

namespace {

// An instruction of the program.
struct Spot {
  std::size_t function, version;
  Position at;
  friend auto operator<=>(const Spot&, const Spot&) = default;
};

class Warnings {
public:
  Warnings(const Program& program, const SourceMap& spans, const Names& names,
           Diagnostics& problems)
      : program_(program), spans_(spans), names_(names), problems_(problems), analyses_(program) {
    for (std::size_t f = 0; f < program.functions.size(); ++f)
      functions_.emplace(program.functions[f].name, f);
  }

  void run() {
    for (std::size_t f = 0; f < program_.functions.size(); ++f) {
      shadowing_parameters(f);
      contexts(program_.functions[f], spans_.functions[f].versions);
      for (std::size_t v = 0; v < program_.functions[f].versions.size(); ++v) {
        variables(f, v);
        unreached(f, v);
        guards(f, v);
      }
    }
    circles();
    for (std::size_t f = 0; f < program_.functions.size(); ++f) exit_from_base(f);
  }

private:
  const Version& version(std::size_t f, std::size_t v) const {
    return program_.functions[f].versions[v];
  }
  const VersionSpans& spans(std::size_t f, std::size_t v) const {
    return spans_.functions[f].versions[v];
  }
  std::string_view text(Var x) const { return names_.text(x); }

  // The span of the k-th name of an instruction.
  Span name_span(std::size_t f, std::size_t v, Position at, std::size_t k) const {
    const LeadingTrivia& leading = version(f, v).body[at].leading;
    const std::size_t first = spans(f, v).stmts[at].first;
    return spans(f, v).names[first + leading.labels.size() + leading.scopes.size() + k];
  }

  // --- variables

  bool is_function(Var x) const { return functions_.contains(FunName{x.id}); }

  void shadows(Var x, Span at) {
    problems_.add(Code::ShadowedFunction, at, fmt::format("`{}` is also a function", text(x)))
        .help =
        fmt::format("`{0}(...)` calls what the variable holds, `'{0}(...)` the function", text(x));
  }

  void shadowing_parameters(std::size_t f) {
    const Function& function = program_.functions[f];
    for (std::size_t k = 0; k < function.params.size(); ++k)
      if (is_function(function.params[k]))
        shadows(function.params[k], spans_.functions[f].params[k]);
  }

  void variables(std::size_t f, std::size_t v) {
    std::map<std::uint32_t, Span> declared; // the first declaration of each variable
    VarSet used;
    const auto& body = version(f, v).body;
    for (Position at = 0; at < body.size(); ++at) {
      const bool call = std::holds_alternative<Call>(body[at].instr); // must name its result
      std::size_t k = 0;
      for_each_name(body[at].instr, [&](NameUse use) {
        using enum NameRole;
        const Var x{use.id};
        if (use.role == Use || use.role == Update || use.role == ExitUse || use.role == WithUse)
          used.insert(x);
        if (use.role == Declare && is_function(x)) shadows(x, name_span(f, v, at, k));
        if (use.role == Declare && !call && !text(x).starts_with('_'))
          declared.emplace(use.id, name_span(f, v, at, k));
        ++k;
      });
    }
    for (const auto& [id, at] : declared)
      if (!used.contains(Var{id}))
        problems_.add(Code::UnusedVariable, at, fmt::format("`{}` is never used", text(Var{id})))
            .help = "a name that begins with `_` may stay unused";
  }

  // --- code

  // The first instruction of each piece that is not reached.
  void unreached(std::size_t f, std::size_t v) {
    const Cfg& cfg = analyses_.of(program_.functions[f], version(f, v)).cfg();
    const auto& body = version(f, v).body;
    bool before = true;
    for (Position at = 0; at < body.size(); ++at) {
      const bool reached = cfg.reachable(cfg.block_of(at));
      if (before && !reached)
        problems_.add(Code::UnreachableCode, spans(f, v).stmts[at].instr,
                      "nothing leads here: no jump, no exit, not the instruction before");
      before = reached;
    }
  }

  void guards(std::size_t f, std::size_t v) {
    FactsAt facts(analyses_.of(program_.functions[f], version(f, v)));
    const auto& body = version(f, v).body;
    for (Position at = 0; at < body.size(); ++at) {
      const auto* const assume = std::get_if<Assume>(&body[at].instr);
      if (assume == nullptr) continue;
      const Facts* const before = facts.before(at);
      if (before == nullptr) continue;
      std::vector<Expr> so_far;
      for (const Expr& guard : assume->guards) {
        if (guard == Expr(SimpleExpr(false))) break; // on purpose
        so_far.push_back(guard);
        if (!cannot_hold(so_far, *before)) continue;
        problems_
            .add(Code::GuardNeverHolds, spans(f, v).stmts[at].instr,
                 fmt::format("`{}` never holds here", print(guard, names_)))
            .help = "the assume always leaves its version";
        break;
      }
    }
  }

  // --- contexts

  // A version that exits enter is left alone, and so is one without a context: passes keep the code
  // that optimized code exits to.
  void contexts(const Function& function, const std::vector<VersionSpans>& spans) {
    const auto table = dispatch_table(function);
    const auto span = [&](const DispatchRow& row) {
      return spans[static_cast<std::size_t>(row.version - function.versions.data())].name;
    };
    for (const DispatchRow& row : table) {
      const VerName name = row.version->name;
      if (row.may_be_entered() || row.version->when.empty()) continue;
      if (analyses_.targets().frozen(function.name, name)) continue;
      Diagnostic& problem = problems_.add(Code::NeverEntered, span(row), {});
      if (row.context.is_never()) {
        problem.message = fmt::format("the context of `{}` never holds", names_.text(name));
        problem.help = "leave the version out, or one of its guards";
        continue;
      }
      const DispatchRow& first = table[*row.hidden_by];
      problem.message =
          fmt::format("no call enters `{}`: its context entails that of `{}`, which comes first",
                      names_.text(name), names_.text(first.version->name));
      problem.notes.push_back({span(first), "calls enter this version"});
      problem.help = entails(first.context, row.context)
                         ? "leave one of them out: their contexts are the same"
                         : fmt::format("move `{}` above it", names_.text(name));
    }
  }

  // --- exits

  // The instruction where the exit of an assume with guards continues, if that is one, too.
  std::optional<Spot> next(const Spot& from) {
    const auto& body = version(from.function, from.version).body;
    const auto* const assume =
        from.at < body.size() ? std::get_if<Assume>(&body[from.at].instr) : nullptr;
    if (assume == nullptr || assume->guards.empty()) return {};
    const Place& to = *frame_at(assume->exit, 0).target;
    if (!to.label) return {};
    const std::size_t f = functions_.at(to.function);
    const auto& versions = program_.functions[f].versions;
    const auto found = std::ranges::find(versions, to.version, &Version::name);
    const Cfg& cfg = analyses_.of(program_.functions[f], *found).cfg();
    return Spot{f, static_cast<std::size_t>(found - versions.begin()), cfg.position_of(*to.label)};
  }

  // An exit to its own position leads nowhere, and is allowed (language.md, Exits).
  void circles() {
    std::map<Spot, std::size_t> seen; // by the walk that came there
    std::size_t walk = 0;
    for (std::size_t f = 0; f < program_.functions.size(); ++f)
      for (std::size_t v = 0; v < program_.functions[f].versions.size(); ++v)
        for (Position at = 0; at < version(f, v).body.size(); ++at) {
          std::optional<Spot> here = Spot{f, v, at};
          ++walk;
          while (here && seen.emplace(*here, walk).second) here = next(*here);
          if (here && seen[*here] == walk && next(*here) != here) circle(*here);
        }
  }

  void circle(const Spot& first) {
    Diagnostic& problem = problems_.add(
        Code::CircularExits, spans(first.function, first.version).stmts[first.at].instr,
        "this exit leads to an assume whose exit leads back: when their guards fail the program "
        "goes round for ever");
    for (Spot other = *next(first); other != first; other = *next(other))
      problem.notes.push_back(
          {spans(other.function, other.version).stmts[other.at].instr, "by way of this assume"});
    problem.help = "let one of them continue behind its assume";
  }

  // Of several the first. Exits to continuations are entries of loops and such.
  void exit_from_base(std::size_t f) {
    const Function& function = program_.functions[f];
    const Version& base = *base_version(function);
    const auto v = static_cast<std::size_t>(&base - function.versions.data());
    for (Position at = 0; at < base.body.size(); ++at) {
      const auto* const assume = std::get_if<Assume>(&base.body[at].instr);
      if (assume == nullptr) continue;
      const Place& to = *frame_at(assume->exit, 0).target;
      if (to.function != function.name || to.version == base.name) continue;
      if (find_version(function, to.version)->cont) continue;
      problems_
          .add(Code::ExitFromBase, spans(f, v).stmts[at].instr,
               fmt::format(
                   "`{}` is the last version and therefore the base, but an exit of it leads "
                   "to `{}`",
                   names_.text(base.name), names_.text(to.version)))
          .help = fmt::format("calls enter the first version, `{}`: write it last",
                              names_.text(active_version(function)->name));
      return;
    }
  }

  const Program& program_;
  const SourceMap& spans_;
  const Names& names_;
  Diagnostics& problems_;
  ProgramAnalyses analyses_;
  std::unordered_map<FunName, std::size_t> functions_;
};

} // namespace

void add_warnings(const Program& program, const SourceMap& spans, const Names& names,
                  Diagnostics& problems) {
  Warnings(program, spans, names, problems).run();
}

} // namespace sourir
