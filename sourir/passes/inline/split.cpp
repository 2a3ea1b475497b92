#include "sourir/passes/inline/split.h"

#include "sourir/analysis/facts_at.h"
#include "sourir/analysis/static_context.h"
#include "sourir/passes/core/arities.h"
#include "sourir/passes/core/correspondence.h"
#include "sourir/passes/core/renaming.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/passes/core/version_edit.h"
#include "sourir/passes/inline/dispatched_calls.h"
#include "sourir/syntax/contains.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/text/parser.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>

namespace sourir {
namespace {

// --- Sites, and the parts of the program that they depend on -------------------------------------

// Code to clone, and the tests that select the clones.
struct SplitSite {
  Position begin = 0, end = 0; // of one block; the jump at its end may be the last of them
  std::vector<Expr> tests;     // each total, none decided by the facts there
  bool call = false;           // of a variable; the tests compare it with functions that fit
};

// The function literals that the calls in a program pass to each parameter. Computed on demand:
// most programs call no variable.
class PassedFunctions {
public:
  explicit PassedFunctions(const Program& program) : program_(program) {}
  const std::vector<FunName>& to(FunName function, std::size_t parameter);

private:
  using ByParameter = std::vector<std::vector<FunName>>;
  void find();

  const Program& program_;
  std::optional<std::unordered_map<FunName, ByParameter>> passed_;
};

// The functions that have versions with a context.
class FunctionsWithContexts {
public:
  explicit FunctionsWithContexts(const Program& program);
  const Function* find(FunName name) const; // null: it is none of them

private:
  std::unordered_map<FunName, const Function*> functions_;
};

// What sites depend on besides their version.
struct SplitProgram {
  PassedFunctions passed;
  FunctionsWithContexts contexts;
  DispatchedCalls dispatched;
  Arities arities;
};

// Writes a version with clones of the code of its sites.
class SplitWriter {
public:
  SplitWriter(VersionTask& task, std::vector<SplitSite> sites);

  // Without the sites that declare a name again.
  std::uint64_t rewrites() const { return rewrites_; }
  VersionDraft::Done write() &&;

private:
  // One clone, the last arm included.
  struct Arm {
    const SplitSite& site;
    const Expr* test; // null: the last one
    Renaming names;   // of variables that do not live on after the site, and labels
    std::uint32_t context = 0;
    Label join;
  };

  bool can_split(const SplitSite& site) const;
  bool carried(const SplitSite& site, Var x) const;
  void write_site(const SplitSite& site);
  void write_arm(Arm arm);
  // Returns the position after what was written.
  Position write_carried(const Arm& arm, Position at, Var x);
  void write_plain(const Arm& arm, Position at);
  Stmt clone(const Arm& arm, Position at, const Renaming& names);
  void write_old(Position at);
  void join_arms(const SplitSite& site);
  Label fresh(std::string_view base) { return fresh_.fresh<Label>(base); }

  VersionTask& task_;
  const Cfg& cfg_;
  FreshNames fresh_;
  VersionDraft draft_;
  std::vector<SplitSite> sites_;
  std::unordered_map<std::uint32_t, Label> joins_; // blocks that branches of clones reach, too
  std::uint64_t rewrites_ = 0;
};

constexpr std::size_t kMostTests = 4;

const Var* called_variable(const Instruction& instr) {
  const auto* const call = std::get_if<Call>(&instr);
  const auto* const callee = call != nullptr ? std::get_if<SimpleExpr>(&call->callee) : nullptr;
  return callee != nullptr ? std::get_if<Var>(callee) : nullptr;
}

// f of `x == 'f`; null: another test.
const FunName* compared_function(const Expr& test, Var x) {
  const auto* const binary = std::get_if<Binary>(&test);
  if (binary == nullptr || binary->op != BinaryOp::Eq || !(binary->left == SimpleExpr(x)))
    return nullptr;
  return std::get_if<FunName>(&binary->right);
}

const FunName* function_literal(const Expr& e) {
  const auto* const simple = std::get_if<SimpleExpr>(&e);
  return simple != nullptr ? std::get_if<FunName>(simple) : nullptr;
}

class SiteFinder {
public:
  SiteFinder(VersionTask& task, SplitProgram& program)
      : task_(task), program_(program), version_(task.version),
        max_size_(task.input.options.number("max-size", 30)) {}

  std::vector<SplitSite> find() {
    if (task_.input.options.has("at"))
      ask_options();
    else if (!task_.input.options.flag("dispatched"))
      ask_feedback(), ask_assignments(), ask_contexts();
    if (!task_.input.options.has("at")) ask_dispatched();
    if (wanted_.empty()) return {};
    find_open();
    std::vector<SplitSite> sites;
    Position free = 0; // after the last site
    for (auto& [at, tests] : open_) {
      if (at < free) continue;
      SplitSite site = around(at, std::move(tests));
      if (!fits(site)) continue;
      free = site.end;
      sites.push_back(std::move(site));
    }
    return sites;
  }

private:
  void want(Position at, const Expr& test) {
    auto& tests = wanted_[at];
    if (tests.size() < kMostTests && std::find(tests.begin(), tests.end(), test) == tests.end())
      tests.push_back(test);
  }

  void ask_options() {
    const PassOptions& options = task_.input.options;
    Names& names = task_.input.names;
    const std::string_view wanted = options.text("at");
    for (Position at = 0; at < version_.body.size(); ++at) {
      const auto& labels = version_.body[at].leading.labels;
      if (std::none_of(labels.begin(), labels.end(),
                       [&](Label l) { return names.text(l) == wanted; }))
        continue;
      const SimpleExpr x = names.intern<Var>(options.text("var"));
      for (const std::string_view text : options.list("value"))
        if (const auto literal = parse_literal(text, names))
          want(at, Binary{BinaryOp::Eq, x,
                          match(*literal, [](const auto& l) { return SimpleExpr(l); })});
      for (const std::string_view text : options.list("kind"))
        for (const Kind kind :
             {Kind::Nil, Kind::Bool, Kind::Int, Kind::Float, Kind::String, Kind::Fun, Kind::Array})
          if (spelling(kind) == text) want(at, KindTest{x, kind});
    }
  }

  // Predicates at places of this version, or of one that it is a copy of.
  void ask_feedback() {
    for (const Feedback::Predicate& held : task_.input.feedback.predicates) {
      if (held.at.function != task_.function.name) continue;
      const Version* const version = find_version(task_.function, held.at.version);
      if (version == nullptr) continue;
      Position at = held.at.offset;
      if (held.at.label) {
        const auto labels = label_positions(*version);
        const auto found = labels.find(*held.at.label);
        if (found == labels.end()) continue;
        at += found->second;
      }
      if (version != &version_) {
        auto& there = correspondence_[version->name];
        if (there.empty()) there = corresponding_positions(version_, *version);
        const auto here = std::find(there.begin(), there.end(), std::optional(at));
        at = static_cast<Position>(here - there.begin());
      }
      if (at < version_.body.size()) want(at, held.predicate);
    }
  }

  // Calls of a variable to which functions are assigned, or elements of arrays of functions.
  void ask_assignments() {
    std::vector<std::pair<Position, Var>> calls;
    for (Position at = 0; at < version_.body.size(); ++at)
      if (const Var* const x = called_variable(version_.body[at].instr)) calls.emplace_back(at, *x);
    if (calls.empty()) return;
    const auto functions = functions_in_variables();
    for (const auto& [at, x] : calls)
      if (const auto found = functions.find(x); found != functions.end())
        for (const FunName f : found->second) want(at, Binary{BinaryOp::Eq, x, f});
  }

  // Calls that enter another version for some values or types of one argument: the only guard of
  // its context that the call does not entail.
  void ask_contexts() {
    FactsAt facts(task_.facts);
    for (Position at = 0; at < version_.body.size(); ++at) {
      const auto* const call = std::get_if<Call>(&version_.body[at].instr);
      const FunName* const name = call != nullptr ? function_literal(call->callee) : nullptr;
      const Function* const callee = name != nullptr ? program_.contexts.find(*name) : nullptr;
      const Facts* const before = callee != nullptr ? facts.before(at) : nullptr;
      if (before != nullptr) ask_contexts(at, *call, *callee, *before);
    }
  }
  void ask_contexts(Position at, const Call& call, const Function& callee, const Facts& before) {
    const StaticContext known(call, callee, before);
    for (const Version& version : callee.versions) {
      if (version.cont || known.excludes(version)) continue;
      const std::vector<Expr> open = known.open_guards(version);
      if (open.empty()) break; // no call enters a version after it
      if (open.size() > 1) continue;
      if (const auto test = of_argument(open.front(), callee, call)) want(at, *test);
    }
  }

  // Calls that enter a version which the program does not contain, by one argument.
  void ask_dispatched() {
    FactsAt facts(task_.facts, true);
    for (Position at = 0; at < version_.body.size(); ++at) {
      const auto* const call = std::get_if<Call>(&version_.body[at].instr);
      const FunName* const name = call != nullptr ? function_literal(call->callee) : nullptr;
      if (name == nullptr || !program_.dispatched.contains(*name)) continue;
      const Facts* const before = facts.before(at);
      if (before == nullptr) continue;
      const Function& callee = program_.dispatched.function(*name);
      const StaticContext known(*call, callee, *before);
      if (program_.dispatched.entered(*name, known) != nullptr) continue;
      const auto guard = program_.dispatched.deciding_guard(*name, known);
      if (const auto test = guard ? of_argument(*guard, callee, *call) : std::nullopt)
        want(at, *test);
    }
  }

  // The test of a parameter, over the variable that is passed for it; empty: another test or
  // argument.
  static std::optional<Expr> of_argument(const Expr& test, const Function& callee,
                                         const Call& call) {
    const auto* const binary = std::get_if<Binary>(&test);
    const auto* const kind = std::get_if<KindTest>(&test);
    if (binary == nullptr && kind == nullptr) return std::nullopt;
    const Var* const tested = std::get_if<Var>(kind != nullptr ? &kind->operand : &binary->left);
    const auto param =
        tested == nullptr ? callee.params.end() : std::ranges::find(callee.params, *tested);
    if (param == callee.params.end()) return std::nullopt;
    const Expr& argument = call.arguments[static_cast<std::size_t>(param - callee.params.begin())];
    const auto* const passed = std::get_if<SimpleExpr>(&argument);
    if (passed == nullptr || !std::holds_alternative<Var>(*passed)) return std::nullopt;
    if (kind != nullptr) return KindTest{*passed, kind->kind};
    return Binary{binary->op, *passed, binary->right};
  }

  using Functions = std::unordered_map<Var, std::vector<FunName>>;

  Functions functions_in_variables() {
    Functions in;
    const auto& params = task_.function.params;
    for (std::size_t k = 0; k < params.size(); ++k)
      in[params[k]] = program_.passed.to(task_.function.name, k);
    for (const Stmt& stmt : version_.body) {
      if (const auto* const table = std::get_if<ArrayDef>(&stmt.instr))
        for (const Expr& e : table->elements) put(in, table->name, e);
      if (const auto* const store = std::get_if<ArrayUpdate>(&stmt.instr))
        put(in, store->array, store->value);
    }
    for (const Stmt& stmt : version_.body) {
      if (const auto* const decl = std::get_if<Decl>(&stmt.instr); decl != nullptr && decl->value)
        put(in, decl->name, *decl->value);
      if (const auto* const assign = std::get_if<Assign>(&stmt.instr))
        put(in, assign->name, assign->value);
    }
    return in;
  }

  static void put(Functions& in, Var x, const Expr& value) {
    if (const FunName* const f = function_literal(value)) put(in[x], *f);
    const auto* const element = std::get_if<Index>(&value);
    if (element == nullptr || element->array == x) return;
    const auto found = in.find(element->array);
    if (found == in.end()) return;
    const std::vector<FunName> table = found->second;
    for (const FunName f : table) put(in[x], f);
  }
  static void put(std::vector<FunName>& some, FunName f) {
    if (some.size() < kMostTests && std::find(some.begin(), some.end(), f) == some.end())
      some.push_back(f);
  }

  // A call with the exits after it, or the rest of the block.
  SplitSite around(Position at, std::vector<Expr> tests) const {
    const Position end = task_.facts.cfg()[task_.facts.cfg().block_of(at)].end;
    SplitSite site{at, end, std::move(tests), compares_callee(at, wanted_.at(at))};
    if (!site.call) return site;
    for (site.end = at + 1; site.end < end; ++site.end)
      if (exit_of(version_.body[site.end].instr) == nullptr) break;
    return site;
  }

  bool compares_callee(Position at, const std::vector<Expr>& tests) const {
    const Var* const x = called_variable(version_.body[at].instr);
    return x != nullptr && compared_function(tests.front(), *x) != nullptr;
  }

  // Keeps the tests that the facts at their position do not decide.
  void find_open() {
    const Cfg& cfg = task_.facts.cfg();
    std::optional<BlockId> last;
    for (const auto& [at, tests] : wanted_) {
      const BlockId block = cfg.block_of(at);
      const auto& known = task_.facts.constants()[block.id];
      if (!known || last == block) continue;
      last = block;
      Facts facts = *known;
      replay(cfg, task_.facts.constants_problem(), block, facts,
             [&](Position here, const Facts& before) {
               if (const auto found = wanted_.find(here); found != wanted_.end())
                 find_open(here, found->second, before);
             });
    }
  }

  void find_open(Position at, const std::vector<Expr>& tests, const Facts& before) {
    const auto& scope = task_.facts.scopes()[at];
    const auto* const branch = std::get_if<Branch>(&version_.body[at].instr);
    const bool call = compares_callee(at, tests);
    for (const Expr& test : tests)
      if (scope && is_test(test, *scope) && !evaluate(test, before).equals &&
          (!call || calls_well(at, test)) && (branch == nullptr || !(branch->condition == test)))
        open_[at].push_back(test);
  }

  // Whether it is `x == literal`, or a test of the type of x.
  static bool is_test(const Expr& e, Scope scope) {
    const auto* const binary = std::get_if<Binary>(&e);
    const auto* const kind = std::get_if<KindTest>(&e);
    if (kind == nullptr && (binary == nullptr || binary->op != BinaryOp::Eq ||
                            std::holds_alternative<Var>(binary->right)))
      return false;
    const Var* const x = std::get_if<Var>(kind != nullptr ? &kind->operand : &binary->left);
    return x != nullptr && std::find(scope.begin(), scope.end(), *x) != scope.end();
  }

  bool calls_well(Position at, const Expr& test) {
    const auto& call = std::get<Call>(version_.body[at].instr);
    const FunName* const name = compared_function(test, *called_variable(version_.body[at].instr));
    return name != nullptr && program_.arities.fit(*name, call.arguments.size());
  }

  bool fits(const SplitSite& site) {
    if (site.end - site.begin <= max_size_) return true;
    const Place place{task_.function.name, version_.name, {}, site.begin};
    task_.remarks.push_back(
        fmt::format("{}: not split: too large", print(place, task_.input.names)));
    return false;
  }

  VersionTask& task_;
  SplitProgram& program_;
  const Version& version_;
  std::uint64_t max_size_;
  std::map<Position, std::vector<Expr>> wanted_, open_;
  std::unordered_map<VerName, std::vector<std::optional<Position>>> correspondence_;
};

void PassedFunctions::find() {
  passed_.emplace();
  for (const Function& f : program_.functions)
    for (const Version& v : f.versions)
      for (const Stmt& stmt : v.body) {
        const auto* const call = std::get_if<Call>(&stmt.instr);
        const FunName* const callee = call != nullptr ? function_literal(call->callee) : nullptr;
        if (callee == nullptr) continue;
        auto& passed = (*passed_)[*callee];
        passed.resize(std::max(passed.size(), call->arguments.size()));
        for (std::size_t k = 0; k < call->arguments.size(); ++k)
          if (const FunName* const g = function_literal(call->arguments[k]);
              g != nullptr && std::find(passed[k].begin(), passed[k].end(), *g) == passed[k].end())
            passed[k].push_back(*g);
      }
}

const std::vector<FunName>& PassedFunctions::to(FunName function, std::size_t parameter) {
  static const std::vector<FunName> none;
  if (!passed_) find();
  const auto found = passed_->find(function);
  return found == passed_->end() || parameter >= found->second.size() ? none
                                                                      : found->second[parameter];
}

FunctionsWithContexts::FunctionsWithContexts(const Program& program) {
  for (const Function& f : program.functions)
    if (std::ranges::any_of(f.versions, [](const Version& v) { return !v.when.empty(); }))
      functions_.emplace(f.name, &f);
}

const Function* FunctionsWithContexts::find(FunName name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : found->second;
}

// By position; no two overlap.
std::vector<SplitSite> split_sites(VersionTask& task, SplitProgram& program) {
  return SiteFinder(task, program).find();
}

bool in_scope(const std::optional<Scope>& scope, Var x) { return scope && contains(*scope, x); }

// The position whose scope holds the variables that live on after a site: before the jump that ends
// it, or after it.
Position last_of(const VersionTask& task, const SplitSite& site) {
  return successors(task.version.body[site.end - 1].instr).next ? site.end : site.end - 1;
}

SplitWriter::SplitWriter(VersionTask& task, std::vector<SplitSite> sites)
    : task_(task), cfg_(task.facts.cfg()), fresh_(task.fresh_names()),
      draft_(task.place(), {task.version.name,
                            task.version.cont,
                            task.version.when,
                            {},
                            {},
                            task.version.comments}) {
  for (SplitSite& site : sites) {
    if (!can_split(site)) continue;
    join_arms(site);
    sites_.push_back(std::move(site));
    ++rewrites_;
  }
}

bool SplitWriter::can_split(const SplitSite& site) const {
  std::unordered_set<Var> declared;
  for (Position at = site.begin; at < site.end; ++at)
    if (const Var* const x = scope_effect(task_.version.body[at].instr).declares)
      if (in_scope(task_.facts.scopes()[site.begin], *x) || !declared.insert(*x).second)
        return false;
  return true;
}

// The arms of a cloned branch get more predecessors: each old label moves to a `goto` before its
// block.
void SplitWriter::join_arms(const SplitSite& site) {
  const auto* const branch = std::get_if<Branch>(&task_.version.body[site.end - 1].instr);
  if (branch == nullptr) return;
  for (const Label label : {branch->if_true, branch->if_false})
    if (const BlockId b = cfg_.block_of(cfg_.position_of(label)); !joins_.contains(b.id))
      joins_.emplace(b.id, fresh(fresh_.names().text(label)));
}

bool SplitWriter::carried(const SplitSite& site, Var x) const {
  const Instruction& last = task_.version.body[site.end - 1].instr;
  if (std::holds_alternative<Return>(last) || std::holds_alternative<Stop>(last)) return false;
  return in_scope(task_.facts.scopes()[last_of(task_, site)], x);
}

VersionDraft::Done SplitWriter::write() && {
  draft_.reserve(task_.version.body.size());
  auto site = sites_.begin();
  const auto end = static_cast<Position>(task_.version.body.size());
  const auto lead_in = [&](Position at) {
    const BlockId b = cfg_.block_of(at);
    const auto join = joins_.find(b.id);
    if (cfg_[b].begin != at || join == joins_.end()) return;
    const LeadingTrivia& leading = at < end ? task_.version.body[at].leading : task_.version.end;
    for (const Label label : leading.labels) draft_.label_next(label);
    draft_.add({{}, Goto{join->second}}, at);
    draft_.label_next(join->second);
  };
  for (Position at = 0; at < end;) {
    lead_in(at);
    if (site != sites_.end() && site->begin == at) {
      write_site(*site);
      at = site->end, ++site;
    } else {
      write_old(at++);
    }
  }
  lead_in(end);
  const bool moved = joins_.contains(cfg_.block_of(end).id);
  const LeadingTrivia leading =
      moved ? keep_labels(task_.version.end, [](Label) { return false; }) : task_.version.end;
  return std::move(draft_).finish(task_.function.name, leading, end);
}

void SplitWriter::write_old(Position at) {
  Stmt stmt = task_.version.body[at];
  const BlockId b = cfg_.block_of(at);
  if (cfg_[b].begin == at && joins_.contains(b.id))
    stmt.leading = keep_labels(stmt.leading, [](Label) { return false; });
  draft_.add(std::move(stmt), at);
}

void SplitWriter::write_site(const SplitSite& site) {
  const auto& body = task_.version.body;
  const BlockId b = cfg_.block_of(site.begin);
  const bool moved = cfg_[b].begin == site.begin && joins_.contains(b.id);
  if (!moved) draft_.add_leading(body[site.begin].leading);
  for (Position at = site.begin; at < site.end; ++at)
    if (const Var* const x = scope_effect(body[at].instr).declares)
      if (carried(site, *x)) draft_.add({{}, Decl{*x, std::nullopt}}, site.begin);
  const Label join = fresh("joined");
  for (const Expr& test : site.tests) {
    const Label yes = fresh("likely"), no = fresh("other");
    draft_.add({{}, Branch{test, yes, no}}, site.begin);
    draft_.label_next(yes);
    write_arm({site, &test, {}, 0, join});
    draft_.label_next(no);
  }
  write_arm({site, nullptr, {}, 0, join});
  if (successors(body[site.end - 1].instr).next) draft_.label_next(join);
}

void SplitWriter::write_arm(Arm arm) {
  const auto& body = task_.version.body;
  const SplitSite& site = arm.site;
  for (Position at = site.begin; at < site.end; ++at) {
    const Var* const x = scope_effect(body[at].instr).declares;
    if (arm.test != nullptr && x != nullptr && !carried(site, *x))
      arm.names.variables.emplace(*x, fresh_.fresh<Var>(fresh_.names().text(*x)));
    if (at == site.begin) continue; // its labels stand before the test
    for (const Label label : body[at].leading.labels)
      if (arm.test != nullptr) arm.names.labels.emplace(label, fresh(fresh_.names().text(label)));
  }
  if (!arm.names.variables.empty())
    arm.context = draft_.add_context({task_.place(), arm.names.variables, std::nullopt, 0});
  for (Position at = site.begin; at < site.end;) {
    const Var* const x = scope_effect(body[at].instr).declares;
    if (x != nullptr && carried(site, *x))
      at = write_carried(arm, at, *x);
    else
      write_plain(arm, at++);
  }
  if (successors(body[site.end - 1].instr).next) draft_.add({{}, Goto{arm.join}}, site.end);
}

Stmt SplitWriter::clone(const Arm& arm, Position at, const Renaming& names) {
  const Stmt& stmt = task_.version.body[at];
  Stmt made{{}, rename(stmt.instr, {names.variables, {}}, fresh_)};
  if (at != arm.site.begin)
    for (const Label label : stmt.leading.labels) made.leading.labels.push_back(names.label(label));
  auto* const call = std::get_if<Call>(&made.instr);
  if (at == arm.site.begin && arm.site.call && arm.test != nullptr && call != nullptr)
    call->callee = SimpleExpr(std::get<FunName>(std::get<Binary>(*arm.test).right));
  return made;
}

// The variable is declared before the tests, once for all arms: here it only gets its value. An
// instruction that must declare (a call, an array) declares a fresh variable first; exits directly
// after a call read that one.
Position SplitWriter::write_carried(const Arm& arm, Position at, Var x) {
  const auto& body = task_.version.body;
  Stmt stmt = clone(arm, at, arm.names);
  if (auto* const decl = std::get_if<Decl>(&stmt.instr)) {
    stmt.instr = Assign{x, decl->value ? std::move(*decl->value) : Expr(SimpleExpr(Nil{}))};
    draft_.add(std::move(stmt), at, arm.context);
    return at + 1;
  }
  Renaming inner = arm.names;
  const Var made = fresh_.fresh<Var>(fresh_.names().text(x));
  inner.variables.insert_or_assign(x, made);
  const bool call = std::holds_alternative<Call>(stmt.instr);
  draft_.add(clone(arm, at, inner), at, arm.context);
  Position next = at + 1;
  if (call && next < arm.site.end && exit_of(body[next].instr) != nullptr) {
    const std::uint32_t context =
        draft_.add_context({task_.place(), inner.variables, std::nullopt, 0});
    for (; next < arm.site.end && exit_of(body[next].instr) != nullptr; ++next)
      draft_.add(clone(arm, next, inner), next, context);
  }
  draft_.add({{}, Assign{x, SimpleExpr(made)}}, std::nullopt);
  draft_.add({{}, Drop{made}}, next, arm.context);
  return next;
}

void SplitWriter::write_plain(const Arm& arm, Position at) {
  Stmt stmt = clone(arm, at, arm.names);
  auto* const branch = std::get_if<Branch>(&stmt.instr);
  if (branch == nullptr || arm.test == nullptr) {
    draft_.add(std::move(stmt), at, arm.context);
    return;
  }
  const Label yes = branch->if_true, no = branch->if_false;
  branch->if_true = fresh(fresh_.names().text(yes));
  branch->if_false = fresh(fresh_.names().text(no));
  const Branch made = *branch;
  draft_.add(std::move(stmt), at, arm.context);
  for (const auto& [pad, old] : {std::pair(made.if_true, yes), std::pair(made.if_false, no)}) {
    const BlockId to = cfg_.block_of(cfg_.position_of(old));
    draft_.label_next(pad);
    draft_.add({{}, Goto{joins_.at(to.id)}}, cfg_[to].begin);
  }
}

} // namespace

std::optional<PassResult> split(const PassInput& input) {
  if (input.options.flag("dispatched") && input.feedback.dispatched.empty()) return std::nullopt;
  SplitProgram program{PassedFunctions(input.program), FunctionsWithContexts(input.program),
                       DispatchedCalls(input.program, input.feedback), Arities(input.program)};
  return rewrite_versions(input, [&](VersionTask& task) {
    auto sites = split_sites(task, program);
    if (sites.empty()) return;
    SplitWriter writer(task, std::move(sites));
    const std::uint64_t rewrites = writer.rewrites();
    if (rewrites > 0) task.restructured = {std::move(writer).write(), rewrites};
  });
}

} // namespace sourir
