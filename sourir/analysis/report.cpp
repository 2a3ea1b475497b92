#include "sourir/analysis/report.h"

#include "sourir/analysis/dispatch_table.h"
#include "sourir/analysis/dominating_exits.h"
#include "sourir/analysis/effect_free.h"
#include "sourir/analysis/guards.h"
#include "sourir/analysis/reaching.h"
#include "sourir/analysis/usable_exits.h"
#include "sourir/syntax/text/printer.h"

#include <algorithm>

namespace sourir {
namespace {

using Texts = std::vector<std::string>;

std::string text(Var x, const Names& names) { return std::string(names.text(x)); }

// A row for each position, reported as unreachable until a reachable block replaces its facts.
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
    facts.liveness().replay(b, [&](Position at, const VarSet& after) {
      VarSet before = after;
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

ReportRows type_rows(VersionAnalyses& facts, const ProgramEffects&, const Names& names) {
  return forward_rows(facts, facts.constants_problem(), facts.constants(), names,
                      [&](const Facts& state) {
                        Texts out;
                        for (const auto& [x, fact] : state.known)
                          if (fact.types != kAnyType)
                            out.push_back(text(x, names) + " is " + text_of(fact.types, "nothing"));
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

// --- Exits ---------------------------------------------------------------------------------------

std::string usable_exit(const UsableExitOrWhy& usable, const Version& version, const Names& names) {
  if (const Position* const at = std::get_if<Position>(&usable))
    return "exit " + std::to_string(*at);
  const auto [why, cause] = std::get<NoUsableExit>(usable);
  const std::string instr = "no exit: " + std::to_string(cause);
  switch (why) {
  case NoUsableExit::Why::NotPassed: return "no exit: a path passes none";
  case NoUsableExit::Why::PathsMeet: return "no exit: paths from different exits meet";
  case NoUsableExit::Why::Changed:
    return instr + " changes " + text(*changed_variable(version.body[cause].instr), names);
  case NoUsableExit::Why::NotRepeatable: return instr + " may not be executed again";
  }
  return {};
}

// By an instruction, or on a path to a block.
std::string changed_by(Definitions::Id id) {
  return id.block ? " is changed where paths meet in " + block_name(BlockId{id.number})
                  : " is changed by " + std::to_string(id.number);
}

// What a predicate here reads that was not the same at the exit.
void show_changes(const Definitions::State& here, const Definitions::State& exit,
                  const Names& names, Texts& out) {
  for (const auto& [x, id] : here.variables) {
    const auto* const there = exit.variables.find(x);
    if (there == nullptr)
      out.push_back("not of " + text(x, names) + ": not in scope there");
    else if (!(*there == id))
      out.push_back("not of " + text(x, names) + ": it" + changed_by(id));
  }
  if (!(here.heap == exit.heap)) out.push_back("not of elements: the heap" + changed_by(here.heap));
}

ReportRows exit_rows(VersionAnalyses& facts, const ProgramEffects&, const Names& names) {
  ReportRows rows = position_rows(facts.version(), names);
  const auto usable = usable_exits(facts);
  const DominatingExits exits(facts);
  exits.for_each_position([&](Position at, const Definitions::State& state,
                              std::optional<std::size_t> nearest) {
    const auto here = exits.at(at);
    if (here) nearest = here;
    Texts& out = rows[at].facts;
    out = {here ? "exit " + std::to_string(at) : usable_exit(usable[at], facts.version(), names)};
    out.push_back(nearest ? "predicates at " + std::to_string(exits[*nearest].at)
                          : "no predicates: no exit is on all paths");
    if (nearest) show_changes(state, exits[*nearest].state, names, out);
  });
  return rows;
}

} // namespace

std::string block_name(BlockId b) { return "B" + std::to_string(b.id); }

std::string one_line(const Instruction& instr, const Names& names) {
  const std::string text = print(instr, names);
  std::string line;
  for (const char c : text) {
    const bool blank = c == '\n' || c == ' ';
    if (!blank || (!line.empty() && line.back() != ' ')) line += blank ? ' ' : c;
  }
  return line;
}

namespace {

std::string extent(const Block& block) {
  return std::to_string(block.begin) + ".." + std::to_string(block.end);
}

// Without the empty block at the end, where no block leads to it.
std::vector<BlockId> shown_blocks(const Cfg& cfg) {
  std::vector<BlockId> shown;
  for (std::uint32_t n = 0; n < cfg.blocks().size(); ++n) shown.push_back({n});
  const auto leads_there = [&](BlockId b) {
    return std::ranges::count(cfg[b].successors, shown.back()) > 0;
  };
  if (!cfg[shown.back()].root && std::ranges::none_of(shown, leads_there)) shown.pop_back();
  return shown;
}

std::string block_names(std::span<const BlockId> blocks) {
  std::string text;
  for (const BlockId b : blocks) text += " " + block_name(b);
  return text;
}

ReportRows cfg_rows(VersionAnalyses& facts, const ProgramEffects&, const Names&) {
  const Cfg& cfg = facts.cfg();
  ReportRows rows;
  for (const BlockId b : shown_blocks(cfg)) {
    ReportRow row{block_name(b), extent(cfg[b]), {}};
    if (cfg[b].root) row.facts.push_back("root");
    if (!cfg.reachable(b)) row.facts.push_back("unreachable");
    if (!cfg[b].successors.empty()) row.facts.push_back("->" + block_names(cfg[b].successors));
    rows.push_back(std::move(row));
  }
  return rows;
}

ReportRows tree_rows(const Cfg& cfg, const Dominators& tree, std::string_view top) {
  ReportRows rows;
  for (const BlockId b : shown_blocks(cfg)) {
    const auto up = tree.immediate(b);
    const std::string above = up ? block_name(*up) : std::string(top);
    rows.push_back(
        {block_name(b), extent(cfg[b]), {tree.reached(b) ? "below " + above : "not there"}});
  }
  return rows;
}

ReportRows dominator_rows(VersionAnalyses& facts, const ProgramEffects&, const Names&) {
  return tree_rows(facts.cfg(), facts.dominators(), "the start");
}

ReportRows post_dominator_rows(VersionAnalyses& facts, const ProgramEffects&, const Names&) {
  return tree_rows(facts.cfg(), facts.post_dominators(), "the end");
}

ReportRows loop_rows(VersionAnalyses& facts, const ProgramEffects&, const Names&) {
  ReportRows rows;
  const Loops& loops = facts.loops();
  for (std::size_t n = 0; n < loops.loops().size(); ++n) {
    const Loop& loop = loops.loops()[n];
    ReportRow row{"L" + std::to_string(n), {}, {}};
    row.facts = {"header " + block_name(loop.header), "back from" + block_names(loop.latches),
                 "blocks" + block_names(loops.blocks(n))};
    if (loop.parent) row.facts.push_back("in L" + std::to_string(*loop.parent));
    if (loop.preheader) row.facts.push_back("preheader " + block_name(*loop.preheader));
    rows.push_back(std::move(row));
  }
  return rows;
}

constexpr Reporter kReporters[] = {
    {"cfg", "basic blocks and where control goes", cfg_rows},
    {"const", "known values, values excluded, lengths", constant_rows},
    {"dom", "the dominator tree", dominator_rows},
    {"exits", "which assume or anchor serves, or why none does", exit_rows},
    {"guards", "predicates known to hold", guard_rows},
    {"live", "variables whose values are still needed", live_rows},
    {"loops", "natural loops", loop_rows},
    {"postdom", "the post-dominator tree", post_dominator_rows},
    {"reach", "reaching definitions", reaching_rows},
    {"scopes", "variables in scope", scope_rows},
    {"types", "known types", type_rows},
};

std::vector<std::string> effect_facts(const Function& f, const Effects& e, const Names& names) {
  std::vector<std::string> facts;
  const auto add = [&](bool holds, std::string text) {
    if (holds) facts.push_back(std::move(text));
  };
  add(e.returns, "returns"), add(e.reads, "reads"), add(e.prints, "prints");
  add(e.stops, "stops"), add(e.fails, "fails"), add(e.diverges, "diverges");
  add(e.allocates, "allocates"), add(e.writes_any, "writes anything");
  for (std::size_t n = 0; n < f.params.size(); ++n)
    add(e.writes_parameter[n], "writes " + std::string(names.text(f.params[n])));
  return facts;
}

ReportRows effect_rows(const Program& program, const ProgramEffects& effects, const Names& names) {
  ReportRows rows;
  for (const Function& f : program.functions) {
    const CallGraph::Index self = effects.graph().index(f.name);
    std::string calls = effects.graph().calls_unknown(self) ? " anything" : "";
    for (const CallGraph::Index g : effects.graph().callees(self))
      calls.append(" ").append(names.text(program.functions[g].name));
    ReportRow row{std::string(names.text(f.name)), calls.empty() ? "" : "calls" + calls,
                  effect_facts(f, effects.of(f.name), names)};
    if (effects.graph().recursive(self)) row.facts.push_back("recursive");
    rows.push_back(std::move(row));
  }
  return rows;
}

// --- Contexts

std::string context_text(const DispatchRow& row, const Function& f, const Names& names) {
  if (row.version->when.empty()) return "always";
  std::string text;
  const auto guards = row.context.guards(f.params);
  for (const Expr& guard : *guards)
    text.append(text.empty() ? "" : ", ").append(print(guard, names));
  return text.empty() ? "always" : text;
}

Texts context_facts(const std::vector<DispatchRow>& table, const DispatchRow& row,
                    const Names& names) {
  const auto name = [&](std::size_t i) { return std::string(names.text(table[i].version->name)); };
  if (row.context.is_never()) return {"never holds"};
  Texts facts;
  std::string entailed;
  for (const std::size_t i : row.entails)
    if (table[i].context != Context()) entailed += " " + name(i);
  if (!entailed.empty()) facts.push_back("entails" + entailed);
  for (const Expr& guard : row.context.opaque()) facts.push_back("opaque: " + print(guard, names));
  if (row.hidden_by) facts.push_back("no call enters it: " + name(*row.hidden_by) + " comes first");
  return facts;
}

ReportRows context_rows(const Program& program, const ProgramEffects&, const Names& names) {
  ReportRows rows;
  for (const Function& f : program.functions) {
    const auto table = dispatch_table(f);
    for (const DispatchRow& row : table)
      rows.push_back(
          {std::string(names.text(f.name)) + "." + std::string(names.text(row.version->name)),
           context_text(row, f, names), context_facts(table, row, names)});
  }
  return rows;
}

constexpr ProgramReporter kProgramReporters[] = {
    {"contexts", "the order in which calls try versions, and their contexts", context_rows},
    {"effects", "what calls of a function may do", effect_rows},
};

template <class R>
const R* find_by_name(std::span<const R> all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &R::name);
  return found == all.end() ? nullptr : &*found;
}

} // namespace

std::span<const Reporter> all_reporters() { return kReporters; }
const Reporter* find_reporter(std::string_view name) { return find_by_name(all_reporters(), name); }

std::span<const ProgramReporter> all_program_reporters() { return kProgramReporters; }
const ProgramReporter* find_program_reporter(std::string_view name) {
  return find_by_name(all_program_reporters(), name);
}

} // namespace sourir
