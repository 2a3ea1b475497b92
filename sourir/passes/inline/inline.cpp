#include "sourir/passes/inline/inline.h"

#include "sourir/analysis/call_graph.h"
#include "sourir/analysis/facts_at.h"
#include "sourir/analysis/loops.h"
#include "sourir/analysis/static_context.h"
#include "sourir/analysis/version_analyses.h"
#include "sourir/passes/core/correspondence.h"
#include "sourir/passes/core/renaming.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/passes/core/version_copy.h"
#include "sourir/passes/core/version_edit.h"
#include "sourir/passes/inline/dispatched_calls.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/program_index.h"
#include "sourir/syntax/state_map.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace sourir {
namespace {

// --- The code of a callee in place of a call -----------------------------------------------------

// Code to be inlined, and its origin.
struct InlineBody {
  const Function* function;
  const Version* version;
  const VersionOrigin* origin; // null: it is a version of the input as it is
};

struct InlineSite {
  Position at; // the call in the caller's input version
  const Call* call;
  std::optional<CallSiteFrames>
      frames; // the caller's, for the exits of the callee; it may have none
};

// Appends the callee's code to the draft in place of the call, with the leading trivia of the
// call's position; `scopes` are those of the callee's code. `after`: the label of the position
// after the call, made and placed there where the code jumps to it.
class InlineWriter {
public:
  InlineWriter(VersionDraft& draft, FreshNames& fresh) : draft_(draft), fresh_(fresh) {}

  void write(const InlineSite& site, const LeadingTrivia& leading, const InlineBody& body,
             const Scopes& scopes);

private:
  struct Copy;
  void add_contexts(Copy& copy);
  void bind_parameters(const Copy& copy, const LeadingTrivia& leading);
  void add_statement(Copy& copy, Position q);
  void add_return(Copy& copy, Position q, const Return& instr);
  Instruction with_frames(const Copy& copy, Instruction instr);

  VersionDraft& draft_;
  FreshNames& fresh_;
};

struct InlineWriter::Copy {
  const InlineSite& site;
  const InlineBody& body;
  const Scopes& scopes;
  Renaming names;
  std::unordered_set<Label> jumped_to;
  std::uint32_t first_context = 0; // of the callee itself; those of its copies follow
  std::optional<Label> join;
};

std::vector<Var> variables_of(const InlineBody& body) {
  std::vector<Var> all = body.function->params;
  std::unordered_set<Var> seen(all.begin(), all.end());
  for (const Stmt& stmt : body.version->body)
    if (const Var* const x = scope_effect(stmt.instr).declares)
      if (seen.insert(*x).second) all.push_back(*x);
  return all;
}

// The contexts of the callee's code, seen from the caller.
void InlineWriter::add_contexts(Copy& copy) {
  const VersionOrigin* const origin = copy.body.origin;
  OriginContext callee;
  callee.from = {copy.body.function->name, copy.body.version->name, {}, 0};
  callee.names = copy.names.variables;
  callee.call = copy.site.at;
  copy.first_context = draft_.add_context(std::move(callee));
  if (origin == nullptr) return;
  for (const OriginContext& inner : origin->contexts) {
    OriginContext context = inner;
    context.caller = copy.first_context + inner.caller;
    for (auto& [name, here] : context.names) here = copy.names.variable(here);
    draft_.add_context(std::move(context));
  }
}

void InlineWriter::bind_parameters(const Copy& copy, const LeadingTrivia& leading) {
  draft_.add_leading(leading);
  const std::vector<Var>& params = copy.body.function->params;
  for (std::size_t k = 0; k < params.size(); ++k)
    draft_.add({{}, Decl{copy.names.variable(params[k]), copy.site.call->arguments[k]}},
               copy.site.at);
  draft_.add({{}, Decl{copy.site.call->result, SimpleExpr(Nil{})}}, copy.site.at);
}

Instruction InlineWriter::with_frames(const Copy& copy, Instruction instr) {
  Metadata* const exit = exit_of(instr);
  if (exit == nullptr || !copy.site.frames) return instr;
  // Names that the caller's block makes may be made once for each exit.
  Metadata caller{{}, copy.site.frames->frames, copy.site.frames->with, {}};
  if (!caller.with.empty()) caller = rename(caller, {}, fresh_);
  exit->outer.insert(exit->outer.end(), caller.outer.begin(), caller.outer.end());
  exit->with.insert(exit->with.end(), caller.with.begin(), caller.with.end());
  return instr;
}

// return e: the result is set, the variables in scope in the callee are dropped, and control goes
// to the position after the call.
void InlineWriter::add_return(Copy& copy, Position q, const Return& instr) {
  const auto origin = copy.body.origin != nullptr ? copy.body.origin->positions[q] : q;
  const auto& contexts = copy.body.origin;
  const std::uint32_t inner =
      contexts != nullptr && q < contexts->context_of.size() ? contexts->context_of[q] : 0;
  draft_.add({{}, Assign{copy.site.call->result, rename(instr.value, copy.names)}}, origin,
             copy.first_context + inner);
  const Position after = copy.site.at + 1;
  if (copy.scopes[q])
    for (auto x = copy.scopes[q]->rbegin(); x != copy.scopes[q]->rend(); ++x)
      draft_.add({{}, Drop{copy.names.variable(*x)}}, after);
  if (q + 1 == copy.body.version->body.size() && !copy.join) return;
  if (!copy.join)
    copy.join =
        fresh_.fresh<Label>(std::string(fresh_.names().text(copy.body.function->name)) + "_done");
  draft_.add({{}, Goto{*copy.join}}, after);
}

void InlineWriter::add_statement(Copy& copy, Position q) {
  const Stmt& stmt = copy.body.version->body[q];
  for (const Label label : stmt.leading.labels)
    if (copy.jumped_to.contains(label)) draft_.label_next(copy.names.label(label));
  if (const auto* const returned = std::get_if<Return>(&stmt.instr))
    return add_return(copy, q, *returned);
  const VersionOrigin* const origin = copy.body.origin;
  const std::uint32_t inner =
      origin != nullptr && q < origin->context_of.size() ? origin->context_of[q] : 0;
  draft_.add({{}, with_frames(copy, rename(stmt.instr, copy.names, fresh_))},
             origin != nullptr ? origin->positions[q] : q, copy.first_context + inner);
}

void InlineWriter::write(const InlineSite& site, const LeadingTrivia& leading,
                         const InlineBody& body, const Scopes& scopes) {
  Copy copy{site, body, scopes, {}, {}, 0, {}};
  for (const Var x : variables_of(body))
    copy.names.variables.emplace(x, fresh_.fresh<Var>(fresh_.names().text(x)));
  for (const Stmt& stmt : body.version->body) {
    const Successors next = successors(stmt.instr);
    for (const Label* const label : {next.first, next.second})
      if (label != nullptr && copy.jumped_to.insert(*label).second)
        copy.names.labels.emplace(*label, fresh_.fresh<Label>(fresh_.names().text(*label)));
  }
  add_contexts(copy);
  bind_parameters(copy, leading);
  for (Position q = 0; q < body.version->body.size(); ++q) add_statement(copy, q);
  if (copy.join) draft_.label_next(*copy.join);
}

// --- Call-site frames ----------------------------------------------------------------------------

// The caller's frames for exits of the callee's code once it is inlined.
class ReturnFrames {
public:
  ReturnFrames(const Program& program, Names& names, const ExitTargets& targets)
      : program_(program), names_(names), targets_(targets) {}

  // From the exit directly after the call; or, if the next version does the same call at the
  // corresponding position, the return frame that it would have there. `caller` is the active
  // version of its function, and no exit targets it. Empty: neither.
  std::optional<CallSiteFrames> after(const Function& function, const Version& caller,
                                      std::uint32_t call, Var result);

  // Adds the labels that the frames so far target to the next versions.
  void add_labels(Program& program) const;

private:
  struct NextVersion {
    const Version* source;                            // null: there is none
    std::vector<std::optional<std::uint32_t>> places; // by position of the caller
    Scopes scopes;                                    // of the source
  };
  const NextVersion& next(const Function& function, const Version& caller);

  const Program& program_;
  Names& names_;
  const ExitTargets& targets_;
  std::unordered_map<const Version*, NextVersion> next_versions_; // by caller
  std::unordered_map<const Version*, TargetLabels> labels_;       // by source
};

std::optional<CallSiteFrames> ReturnFrames::after(const Function& function, const Version& caller,
                                                  std::uint32_t call, Var result) {
  const std::uint32_t at = call + 1;
  if (at < caller.body.size())
    if (const Metadata* const exit = exit_of(caller.body[at].instr))
      return call_site_form(*exit, result);
  const NextVersion& there = next(function, caller);
  // After a call that the source does not do, no position corresponds.
  if (there.source == nullptr || !there.places[at] || !there.scopes[*there.places[at]])
    return std::nullopt;
  TargetLabels& labels = labels_.try_emplace(there.source, *there.source, names_).first->second;
  return call_site_form(identity_exit(function.name, there.source->name,
                                      labels.at(*there.places[at]),
                                      *there.scopes[*there.places[at]]),
                        result);
}

const ReturnFrames::NextVersion& ReturnFrames::next(const Function& function,
                                                    const Version& caller) {
  const auto [known, fresh] = next_versions_.try_emplace(&caller);
  NextVersion& there = known->second;
  if (!fresh) return there;
  there.source = next_version(function, caller);
  if (there.source == nullptr) return there;
  there.places = corresponding_positions(caller, *there.source);
  there.scopes = VersionAnalyses(program_, function, *there.source, targets_).scopes();
  return there;
}

void ReturnFrames::add_labels(Program& program) const {
  if (labels_.empty()) return;
  for (std::size_t f = 0; f < program.functions.size(); ++f)
    for (std::size_t v = 0; v < program.functions[f].versions.size(); ++v)
      if (const auto found = labels_.find(&program_.functions[f].versions[v]);
          found != labels_.end())
        found->second.add_to(program.functions[f].versions[v]);
}

// --- The choice of calls, callees first ----------------------------------------------------------

constexpr std::uint64_t kTiny = 8;

std::uint64_t cost_of(const Instruction& instr) {
  const Metadata* const exit = exit_of(instr);
  if (exit == nullptr) return 1;
  std::uint64_t entries = exit->with.size();
  for (std::size_t i = 0; i < frame_count(*exit); ++i) entries += frame_at(*exit, i).varmap->size();
  return 1 + entries / 4;
}

std::uint64_t cost_of(const Version& version) {
  std::uint64_t cost = 0;
  for (const Stmt& stmt : version.body) cost += cost_of(stmt.instr);
  return cost;
}

// Of what calls for which these guards hold may execute.
std::uint64_t cost_where(const Version& version, const std::vector<Expr>& guards) {
  const Cfg cfg(version, {});
  const std::vector<bool> executed = executed_where(version, cfg, guards);
  std::uint64_t cost = 0;
  for (Position at = 0; at < version.body.size(); ++at)
    if (executed[cfg.block_of(at).id]) cost += cost_of(version.body[at].instr);
  return cost;
}

bool has_loop(const Version& version) {
  const Cfg cfg(version, {});
  return !Loops(cfg, Dominators::of(cfg)).loops().empty();
}

class Inliner {
public:
  explicit Inliner(const PassInput& input)
      : input_(input), targets_(input.program), versions_(input.program), calls_(input.program),
        frames_(input.program, input.names, targets_), dispatched_(input.program, input.feedback),
        depth_(static_cast<std::uint32_t>(
            std::min<std::uint64_t>(input.options.number("max-depth", 0), 8))),
        max_size_(input.options.number("max-size", 30)),
        max_total_(input.options.number("max-total", 400)),
        max_sites_(input.options.number("max-sites", 1000)) {}

  std::optional<PassResult> run() {
    std::vector<std::pair<CallGraph::Index, Expanded*>> changed;
    for (const CallGraph::Index f : callees_first()) {
      const Function& function = input_.program.functions[f];
      if (!rewritable_version(function, targets_) || !selected(input_, function.name)) continue;
      Expanded& expanded = expand(f, depth_);
      if (expanded.sites == 0) continue;
      changed.emplace_back(f, &expanded);
      result_.rewrites += expanded.sites;
    }
    std::sort(remarks_.begin(), remarks_.end());
    if (input_.remarks != nullptr)
      input_.remarks->insert(input_.remarks->end(), remarks_.begin(), remarks_.end());
    if (changed.empty()) return std::nullopt;
    std::sort(changed.begin(), changed.end());
    std::vector<NewVersion> versions;
    for (const auto& [f, expanded] : changed) {
      const auto v = *rewritable_version(input_.program.functions[f], targets_);
      versions.push_back({f, v, std::move(expanded->done.version)});
      result_.origins.push_back(std::move(expanded->done.origin));
    }
    result_.program = with_versions(input_.program, std::move(versions));
    frames_.add_labels(result_.program);
    return std::move(result_);
  }

private:
  // A version with its calls inlined; no sites: as it is in the input.
  struct Expanded {
    VersionDraft::Done done;
    std::uint64_t sites = 0;
    std::uint64_t cost = 0;
  };
  struct Callee {
    CallGraph::Index function;
    const Version* version;
    std::uint32_t depth;                  // remaining levels of recursion in its own code
    std::optional<CallSiteFrames> frames; // of the caller, if its code has exits
  };
  struct Caller {
    VersionAnalyses facts;
    std::uint32_t depth;
    std::uint64_t cost;
    std::map<Position, Callee> sites = {};
    FactsAt facts_at{facts, true};

    const Version& version() const { return facts.version(); }
  };

  std::vector<CallGraph::Index> callees_first() const {
    std::vector<CallGraph::Index> order;
    for (const auto& component : calls_.components())
      order.insert(order.end(), component.begin(), component.end());
    return order;
  }

  // The function with its calls inlined, `depth` levels of recursive ones. Callees that are not
  // recursive were expanded before, so only recursive calls nest here.
  Expanded& expand(CallGraph::Index f, std::uint32_t depth) {
    const auto key = std::pair(f, calls_.recursive(f) ? depth : depth_);
    if (const auto found = expanded_.find(key); found != expanded_.end()) return found->second;
    const Function& function = input_.program.functions[f];
    const Version& version = *active_version(function);
    Expanded made;
    if (rewritable_version(function, targets_) && selected(input_, function.name))
      made = inlined(function, version, depth);
    if (made.sites == 0) made.cost = cost_of(version);
    return expanded_.emplace(key, std::move(made)).first->second;
  }

  Expanded inlined(const Function& function, const Version& version, std::uint32_t depth) {
    Constants::EffectsOfCalls effects;
    if (input_.analyses != nullptr)
      effects = [this]() -> const ProgramEffects& { return input_.analyses->effects(); };
    Caller caller{
        {input_.program, function, version, targets_, std::move(effects)}, depth, cost_of(version)};
    for (Position at = 0; at < version.body.size(); ++at)
      if (const auto* const call = std::get_if<Call>(&version.body[at].instr))
        if (auto callee = chosen(caller, at, *call)) caller.sites.emplace(at, *callee);
    Expanded made{{}, caller.sites.size(), caller.cost};
    if (made.sites > 0) made.done = write(function, version, caller.sites);
    return made;
  }

  // The callee, if the call is to be inlined; the caller's cost grows by it.
  std::optional<Callee> chosen(Caller& caller, Position at, const Call& call) {
    const FunName* const name = constant_callee(call);
    const auto f = name != nullptr ? std::optional(calls_.index(*name)) : std::nullopt;
    if (!f || !caller.facts.cfg().reachable(at) || input_.names.text(*name) == "main")
      return std::nullopt;
    const bool recursive = calls_.recursive(*f);
    if (recursive && caller.depth == 0) return remark(caller, at, "the callee is recursive");
    const Function& function = input_.program.functions[*f];
    const Version* const version = entered(caller, at, call, function);
    if (version == nullptr) return remark(caller, at, "the version that it enters is not known");
    if (recursive && loops(*version))
      return remark(caller, at, "the callee is recursive and has a loop");
    const bool active = version == active_version(function);
    const std::uint32_t depth = recursive ? caller.depth - 1 : caller.depth;
    std::uint64_t cost = active ? expand(*f, depth).cost : cost_of(*version);
    if (active && dispatched_.contains(*name)) {
      const std::vector<Expr>* const when = known_context(caller, at, call, function);
      if (when == nullptr)
        return remark(caller, at, "it enters a version for its context, which is not known");
      cost = cost_where(code_of(*f, depth).first, *when);
    }
    if (cost > max_size_ || (cost > kTiny && caller.cost + cost > max_total_) ||
        caller.sites.size() >= max_sites_)
      return remark(caller, at, "too large");
    const Version& code = active ? code_of(*f, depth).first : *version;
    if (exits_to_context(code))
      return remark(caller, at, "an exit of the callee relies on its context");
    std::optional<CallSiteFrames> frames;
    if (has_exits(code)) {
      frames = frames_.after(caller.facts.function(), caller.version(), at, call.result);
      if (!frames)
        return remark(caller, at, "the callee has exits, and nothing says how they return here");
    }
    caller.cost += cost;
    return Callee{*f, version, depth, std::move(frames)};
  }

  // Whether the version has a loop, beside which a call costs little.
  bool loops(const Version& version) {
    const auto [known, added] = loops_.try_emplace(&version);
    if (added) known->second = has_loop(version);
    return known->second;
  }

  // The guards of the version that the call enters, of those that the program does not contain;
  // null: that depends on arguments that are not known. Precondition: dispatched_.contains().
  const std::vector<Expr>* known_context(Caller& caller, Position at, const Call& call,
                                         const Function& function) {
    const Facts* const before = caller.facts_at.before(at);
    if (before == nullptr) return nullptr;
    return dispatched_.entered(function.name, StaticContext(call, function, *before));
  }

  // Whether an exit targets a version with a context: its frame is valid only where the context
  // holds.
  bool exits_to_context(const Version& version) const {
    for (const Stmt& s : version.body)
      if (const Metadata* const exit = exit_of(s.instr))
        for (std::size_t i = 0; i < frame_count(*exit); ++i) {
          const Place& target = *frame_at(*exit, i).target;
          if (!versions_.version(target.function, target.version)->when.empty()) return true;
        }
    return false;
  }

  std::optional<Callee> remark(const Caller& caller, Position at, std::string_view why) {
    if (input_.remarks == nullptr) return std::nullopt;
    const Place place{caller.facts.function().name, caller.version().name, {}, at};
    remarks_.push_back(fmt::format("{}: not inlined: {}", print(place, input_.names), why));
    return std::nullopt;
  }

  // The version that the call enters whatever its arguments are; null: that depends on them.
  static const Version* entered(Caller& caller, Position at, const Call& call,
                                const Function& function) {
    const Version* const first = active_version(function);
    if (first->when.empty()) return first; // without facts
    const Facts* const before = caller.facts_at.before(at);
    return before != nullptr ? StaticContext(call, function, *before).entered() : nullptr;
  }

  std::pair<const Version&, const VersionOrigin*> code_of(CallGraph::Index f, std::uint32_t depth) {
    const Expanded& expanded = expand(f, depth);
    if (expanded.sites > 0) return {expanded.done.version, &expanded.done.origin};
    return {*active_version(input_.program.functions[f]), nullptr};
  }

  VersionDraft::Done write(const Function& function, const Version& version,
                           const std::map<Position, Callee>& sites) {
    Version header = {version.name, version.cont, version.when, {}, {}, version.comments};
    VersionDraft draft({function.name, version.name, {}, 0}, std::move(header));
    draft.reserve(version.body.size());
    FreshNames fresh = names_in(function, version, input_.names);
    InlineWriter writer(draft, fresh);
    for (Position at = 0; at < version.body.size(); ++at) {
      const Stmt& stmt = version.body[at];
      const auto site = sites.find(at);
      if (site == sites.end()) {
        draft.add({{stmt.leading.labels, {}, stmt.leading.comments}, stmt.instr}, at);
        continue;
      }
      const Callee& callee = site->second;
      const Function& target = input_.program.functions[callee.function];
      const Call& call = std::get<Call>(stmt.instr);
      InlineBody body{&target, callee.version, nullptr};
      if (callee.version == active_version(target)) {
        const auto [code, origin] = code_of(callee.function, callee.depth);
        body.version = &code, body.origin = origin;
      }
      writer.write({at, &call, callee.frames}, {stmt.leading.labels, {}, stmt.leading.comments},
                   body, scopes_of(input_.program, target, *body.version));
    }
    return std::move(draft).finish(function.name, version.end,
                                   static_cast<Position>(version.body.size()));
  }

  const PassInput& input_;
  ExitTargets targets_;
  ProgramPositions versions_;
  CallGraph calls_;
  ReturnFrames frames_;
  DispatchedCalls dispatched_;
  std::unordered_map<const Version*, bool> loops_; // those requested
  std::uint32_t depth_;
  std::uint64_t max_size_, max_total_, max_sites_;
  std::map<std::pair<CallGraph::Index, std::uint32_t>, Expanded> expanded_;
  PassResult result_;
  std::vector<std::string> remarks_;
};

} // namespace

std::optional<PassResult> inline_calls(const PassInput& input) { return Inliner(input).run(); }

} // namespace sourir
