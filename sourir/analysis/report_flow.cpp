#include "sourir/analysis/report_flow.h"

#include "sourir/analysis/guards.h"
#include "sourir/analysis/reaching.h"
#include "sourir/syntax/text/printer.h"

namespace sourir {
namespace {

using Texts = std::vector<std::string>;

std::string text(Var x, const Names& names) { return std::string(names.text(x)); }

// A row for each position, all of them unreachable for now.
ReportRows position_rows(const Version& version, const Names& names) {
  ReportRows rows;
  for (Position at = 0; at < version.body.size(); ++at)
    rows.push_back({std::to_string(at), one_line(version.body[at].instr, names), {"unreachable"}});
  return rows;
}

template <class Problem, class Show>
ReportRows forward_rows(VersionAnalyses& facts, Problem& problem, const Solution<Problem>& solution,
                        const Names& names, Show&& show) {
  ReportRows rows = position_rows(facts.version(), names);
  for (const BlockId b : facts.cfg().reverse_postorder()) {
    if (!solution[b.id]) continue;
    typename Problem::State state = *solution[b.id];
    replay(facts.cfg(), problem, b, state,
           [&](Position at, const auto& before) { rows[at].facts = show(before); });
  }
  return rows;
}

void show_constant(Var x, const Fact& fact, const Names& names, Texts& out) {
  if (fact.equals) out.push_back(text(x, names) + " = " + print(*fact.equals, names));
  for (const Literal& l : fact.differs) out.push_back(text(x, names) + " != " + print(l, names));
  if (fact.length)
    out.push_back("length(" + text(x, names) + ") = " + std::to_string(*fact.length));
}

} // namespace

ReportRows scope_rows(VersionAnalyses& facts, const ProgramEffects&, const Names& names) {
  ReportRows rows = position_rows(facts.version(), names);
  for (std::size_t at = 0; at < rows.size(); ++at) {
    if (!facts.scopes()[at]) continue;
    rows[at].facts.clear();
    for (const Var x : *facts.scopes()[at]) rows[at].facts.push_back(text(x, names));
  }
  return rows;
}

ReportRows live_rows(VersionAnalyses& facts, const ProgramEffects&, const Names& names) {
  ReportRows rows = position_rows(facts.version(), names);
  for (const BlockId b : facts.cfg().reverse_postorder())
    facts.liveness().replay(b, [&](Position at, const VarSet& behind) {
      VarSet before = behind;
      LiveVariables::step(before, facts.version().body[at].instr);
      rows[at].facts.clear();
      for (const Var x : before) rows[at].facts.push_back(text(x, names));
    });
  return rows;
}

ReportRows reaching_rows(VersionAnalyses& facts, const ProgramEffects&, const Names& names) {
  ReachingDefinitions problem(facts.version(), facts.cfg(), facts.scopes());
  return forward_rows(facts, problem, solve(facts.cfg(), problem), names, [&](const auto& state) {
    Texts out;
    for (const Definition& d : state.definitions)
      out.push_back(text(d.name, names) + "@" + (d.at == kIncoming ? "in" : std::to_string(d.at)));
    return out;
  });
}

ReportRows constant_rows(VersionAnalyses& facts, const ProgramEffects&, const Names& names) {
  return forward_rows(facts, facts.constants_problem(), facts.constants(), names,
                      [&](const Facts& state) {
                        Texts out;
                        for (const auto& [x, fact] : state.known)
                          show_constant(x, fact, names, out);
                        return out;
                      });
}

ReportRows kind_rows(VersionAnalyses& facts, const ProgramEffects&, const Names& names) {
  return forward_rows(facts, facts.constants_problem(), facts.constants(), names,
                      [&](const Facts& state) {
                        Texts out;
                        for (const auto& [x, fact] : state.known)
                          if (fact.kinds != kAnyType)
                            out.push_back(text(x, names) + " is " + text_of(fact.kinds, "nothing"));
                        return out;
                      });
}

ReportRows guard_rows(VersionAnalyses& facts, const ProgramEffects& effects, const Names& names) {
  AvailableGuards problem(facts.version(), facts.cfg(), &effects);
  return forward_rows(facts, problem, solve(facts.cfg(), problem), names, [&](const auto& state) {
    Texts out;
    for (const Predicate& p : problem.list(state))
      out.push_back((p.holds ? "" : "not ") + print(p.expr, names));
    return out;
  });
}

} // namespace sourir
