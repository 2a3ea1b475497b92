#include "native/tiering/feedback_predicates.h"

#include "native/tiering/successors.h"
#include "native/tiering/type_inference.h"
#include "sourir/analysis/liveness.h"
#include "sourir/analysis/loops.h"
#include "sourir/syntax/match.h"

#include <algorithm>
#include <ranges>

namespace sourir::native {

namespace {

// Whether feedback on the result adds nothing: the operator determines the type, or the value is a
// copy.
bool has_known_type(const Expr& e) {
  return match(
      e, [](const SimpleExpr&) { return true; }, [](const Unary&) { return false; },
      [](const Binary& b) { return b.op < BinaryOp::Add || b.op > BinaryOp::Mod; },
      [](const Index&) { return false; }, [](const Length&) { return true; },
      [](const KindTest&) { return true; }, [](const ElementsTest&) { return true; });
}

class Observer {
public:
  Observer(const ResolvedVersion& code, std::span<const SiteFeedback> sites,
           const SpeculationOptions& options)
      : code_(code), sites_(sites), options_(options) {}

  Feedback run(std::span<const TypeSet> parameters) {
    if (options_.types)
      for (Slot x = 0; x < code_.parameters && x < parameters.size(); ++x)
        add_type(0, code_.slots[x], parameters[x]);
    const auto& body = code_.source->body;
    for (Pc pc = 0; pc < body.size() && pc < sites_.size(); ++pc) visit(pc, body[pc].instr);
    return std::move(feedback_);
  }

private:
  Place place(Pc pc) const { return {code_.function, code_.version, std::nullopt, pc}; }

  void add_type(Pc pc, Var x, TypeSet tags) {
    if (const auto kind = tags.only())
      feedback_.predicates.push_back({place(pc), KindTest{x, *kind}});
  }

  void visit(Pc pc, const Instruction& instr) {
    const SiteFeedback& site = sites_[pc];
    if (const auto* const decl = std::get_if<Decl>(&instr)) {
      if (decl->value) add_value(pc, decl->name, *decl->value);
    } else if (const auto* const assign = std::get_if<Assign>(&instr)) {
      add_value(pc, assign->name, assign->value);
    } else if (const auto* const read = std::get_if<Read>(&instr)) {
      if (options_.types) add_type(pc + 1, read->name, site.result);
    } else if (const auto* const call = std::get_if<Call>(&instr)) {
      if (options_.types) add_type(pc + 1, call->result, site.result);
      if (options_.targets && site.targets == 1) add_target(pc, call->callee, site.callees[0]);
    } else if (std::holds_alternative<Branch>(instr)) {
      if (options_.branches) add_branch(pc, site);
    }
  }

  void add_value(Pc pc, Var x, const Expr& e) {
    if (options_.types && !has_known_type(e)) add_type(pc + 1, x, sites_[pc].result);
  }

  void add_target(Pc pc, const Expr& callee, FunName target) {
    const auto* const se = std::get_if<SimpleExpr>(&callee);
    if (se != nullptr && std::holds_alternative<Var>(*se))
      feedback_.predicates.push_back({place(pc), Binary{BinaryOp::Eq, *se, target}});
  }

  void add_branch(Pc pc, const SiteFeedback& site) {
    if ((site.taken == 0) == (site.not_taken == 0)) return;
    if (site.times_taken() + site.times_not_taken() < options_.sure_branch) return;
    if (!loops_) {
      cfg_.emplace(*code_.source, std::span<const Label>());
      dominators_.emplace(Dominators::of(*cfg_));
      loops_.emplace(*cfg_, *dominators_);
    }
    const BlockId block = cfg_->block_of(pc);
    const BlockPair& successors = (*cfg_)[block].successors;
    if (!cfg_->reachable(block) || successors.size() != 2) return;
    const BlockId untaken = successors[site.taken == 0 ? 0 : 1];
    for (auto loop = loops_->innermost(block); loop; loop = loops_->loops()[*loop].parent)
      if (!loops_->contains(*loop, untaken)) return;
    feedback_.branches.push_back({place(pc), site.times_taken(), site.times_not_taken()});
  }

  const ResolvedVersion& code_;
  std::span<const SiteFeedback> sites_;
  const SpeculationOptions& options_;
  std::optional<Cfg> cfg_; // made for the first branch
  std::optional<Dominators> dominators_;
  std::optional<Loops> loops_;
  Feedback feedback_;
};

} // namespace

Feedback feedback_predicates(const ResolvedVersion& code, std::span<const SiteFeedback> sites,
                             std::span<const TypeSet> parameters,
                             const SpeculationOptions& options) {
  return Observer(code, sites, options).run(parameters);
}

namespace {

// Whether the type of what the instruction binds follows from the instruction alone.
bool is_known(const Instruction& instr) {
  const auto known = [](const Expr& e) {
    const auto* const copy = std::get_if<SimpleExpr>(&e);
    return has_known_type(e) && (copy == nullptr || !std::holds_alternative<Var>(*copy));
  };
  if (const auto* const assign = std::get_if<Assign>(&instr)) return known(assign->value);
  const auto* const decl = std::get_if<Decl>(&instr);
  return decl != nullptr && (!decl->value || known(*decl->value));
}

// Whether executions of the instruction are recorded.
bool is_recorded(const resolved::Instr& i) {
  const auto* const decl = std::get_if<resolved::Decl>(&i);
  return (decl != nullptr && decl->e) || std::holds_alternative<resolved::Assign>(i) ||
         std::holds_alternative<resolved::ArrayUpdate>(i) ||
         std::holds_alternative<resolved::Return>(i);
}

// The function that the expression names.
std::optional<FunName> named_function(const resolved::Expr& e) {
  if (e.shape != resolved::Shape::Simple || e.a.slot != resolved::kLiteral) return {};
  return e.a.literal.is(Tag::Fun) ? std::optional(e.a.literal.as_fun()) : std::nullopt;
}

// The function that the instruction calls by its name.
std::optional<FunName> literal_callee(const resolved::Instr& i) {
  const auto* const call = std::get_if<resolved::Call>(&i);
  return call != nullptr ? named_function(call->callee) : std::nullopt;
}

bool never_executed(const resolved::Instr& i, const SiteFeedback& site,
                    const std::set<FunName>& never_called) {
  if (const auto callee = literal_callee(i))
    return site.result.empty() && never_called.contains(*callee);
  if (std::holds_alternative<resolved::Call>(i)) return site.targets == 0 && site.result.empty();
  return is_recorded(i) && site.result.empty();
}

// The first instructions that were never executed on the paths from `start`. By position: whether
// all calls on the paths there have returned.
std::vector<Pc> never_executed(const ResolvedVersion& code, std::span<const SiteFeedback> sites,
                               Pc start, const std::set<FunName>& never_called) {
  enum class Reached : std::uint8_t { Not, Returned, Pending };
  std::vector<Reached> reached(code.instrs.size(), Reached::Not);
  std::vector<Pc> work, found;
  const auto flow = [&](Pc to, Reached how) {
    if (to >= reached.size() || reached[to] >= how) return;
    reached[to] = how;
    work.push_back(to);
  };
  flow(start, Reached::Returned);
  while (!work.empty()) {
    const Pc pc = work.back();
    work.pop_back();
    Reached how = reached[pc];
    const resolved::Instr& i = code.instrs[pc];
    if (how == Reached::Returned && never_executed(i, sites[pc], never_called)) continue;
    if (std::holds_alternative<resolved::Call>(i) && sites[pc].result.empty())
      how = Reached::Pending;
    for_each_successor(i, pc, [&](Pc to) { flow(to, how); });
  }
  for (Pc pc = 0; pc < reached.size(); ++pc)
    if (reached[pc] == Reached::Returned &&
        never_executed(code.instrs[pc], sites[pc], never_called))
      found.push_back(pc);
  return found;
}

} // namespace

void add_results(Feedback& feedback, const ResolvedVersion& code,
                 std::span<const SiteFeedback> sites, Pc start,
                 const std::set<FunName>& never_called) {
  if (sites.size() < code.instrs.size()) return;
  const auto place = [&](Pc pc) { return Place{code.function, code.version, std::nullopt, pc}; };
  const auto& body = code.source->body;
  for (Pc pc = 0; pc + 1 < code.instrs.size(); ++pc) {
    const auto x = bound_by(code.instrs[pc]);
    const auto type = sites[pc].result.only();
    if (x && type && !is_known(body[pc].instr))
      feedback.results.push_back({place(pc + 1), KindTest{code.slots[*x], *type}});
    const auto array = accessed_array(code.instrs[pc]);
    const auto elements = full_of(sites[pc].storages);
    if (array && elements && !sites[pc].result.empty())
      feedback.results.push_back(
          {place(pc), ElementsTest{code.slots[*array], static_cast<Kind>(*elements)}});
  }
  for (const Pc pc : never_executed(code, sites, start, never_called))
    feedback.unreached.push_back(place(pc));
}

void remove_contradicted(Feedback& feedback, FunName function, std::span<const Expr> context) {
  std::erase_if(feedback.results, [&](const Feedback::Predicate& found) {
    const auto* const test = std::get_if<ElementsTest>(&found.predicate);
    return test != nullptr && found.at.function == function &&
           std::ranges::any_of(context, [&](const Expr& e) {
             const auto* const known = std::get_if<ElementsTest>(&e);
             return known != nullptr && known->operand == test->operand &&
                    known->kind != test->kind;
           });
  });
}

namespace {

void add_sites(FeedbackFile& file, const ResolvedVersion& code,
               std::span<const SiteFeedback> sites) {
  for (Pc pc = 0; pc < code.instrs.size() && pc < sites.size(); ++pc) {
    const SiteFeedback& site = sites[pc];
    const Place at{code.function, code.version, std::nullopt, pc};
    if (const auto x = bound_by(code.instrs[pc]); x && !site.result.empty())
      file.types.push_back(
          {{code.function, code.version, std::nullopt, pc + 1}, code.slots[*x], site.result});
    if (std::holds_alternative<resolved::Call>(code.instrs[pc]) && site.targets != 0) {
      const bool others = site.targets > site.callees.size();
      FeedbackFile::Targets& targets = file.targets.emplace_back(at);
      targets.others = others;
      if (!others)
        targets.functions.assign(site.callees.begin(), site.callees.begin() + site.targets);
    }
    if (std::holds_alternative<resolved::Branch>(code.instrs[pc]) &&
        (site.taken != 0 || site.not_taken != 0))
      file.branch_counts.push_back({at, site.times_taken(), site.times_not_taken()});
  }
}

} // namespace

FeedbackFile recorded_feedback(const LinkedProgram& program, const FeedbackStore& store,
                               const FunctionCell* cells, const SpeculationOptions& options) {
  FeedbackFile file;
  std::set<FunName> never_called;
  for (const Function& f : program.source().functions)
    if (cells[f.name.id].calls == 0) never_called.insert(f.name);
  for (const Function& f : program.source().functions) {
    const LinkedProgram::Fun& fun = *program.function(f.name);
    for (const ResolvedVersion* code : fun.versions) {
      const bool active = code == fun.dispatch.front();
      const std::vector<TypeSet> parameters =
          active ? store.parameters(f.name) : std::vector<TypeSet>();
      const std::span<const SiteFeedback> sites = store.recorded(*code);
      for (Slot x = 0; x < parameters.size() && x < code->parameters; ++x)
        if (!parameters[x].empty())
          file.types.push_back(
              {{f.name, code->version, std::nullopt, 0}, code->slots[x], parameters[x]});
      add_sites(file, *code, sites);
      const Feedback of_version = feedback_predicates(*code, sites, parameters, options);
      auto& branches = file.feedback.branches;
      auto& predicates = file.feedback.predicates;
      branches.insert(branches.end(), of_version.branches.begin(), of_version.branches.end());
      predicates.insert(predicates.end(), of_version.predicates.begin(),
                        of_version.predicates.end());
      add_results(file.feedback, *code, sites, 0, never_called);
    }
  }
  return file;
}

std::vector<SiteFeedback> JobFeedback::merged(const ResolvedVersion& version) const {
  const OptimizedVersion* const owner = cache_.version_of(version);
  const bool optimized = owner != nullptr && &owner->code() == &version;
  return store_.merged(version, optimized ? std::span<const SiteFeedback>(owner->sites)
                                          : std::span<const SiteFeedback>());
}

namespace {

// Without what is switched off. Where nothing was recorded the code is unreached.
SiteFeedback used(SiteFeedback site, const resolved::Instr& instr,
                  const SpeculationOptions& options) {
  const resolved::Expr* const value = bound_value(instr);
  const bool load = value != nullptr && value->shape == resolved::Shape::Index;
  if (site.result.empty() ? !options.unreached : !(load ? options.loads : options.results))
    site.result = kAnyType;
  if (!options.targets && site.targets != 0) site.targets = 255;
  if (!options.branches && std::holds_alternative<resolved::Branch>(instr))
    site.taken = site.not_taken = 0;
  if (!options.storage) site.storages = 0;
  return site;
}

} // namespace

void JobFeedback::restrict_to_options(const ResolvedVersion& version,
                                      std::vector<SiteFeedback>& sites) const {
  for (Pc pc = 0; pc < sites.size() && pc < version.instrs.size(); ++pc)
    sites[pc] = used(sites[pc], version.instrs[pc], options_);
}

void JobFeedback::restrict_to_options(FeedbackSnapshot& snapshot) const {
  for (auto& [version, sites] : snapshot.sites) restrict_to_options(*version, sites);
  if (!options_.arguments) std::ranges::fill(snapshot.parameters, kAnyType);
}

void JobFeedback::add(FeedbackSnapshot& snapshot, const ResolvedVersion& version,
                      int levels) const {
  const auto [kept, fresh] = snapshot.sites.try_emplace(&version);
  if (!fresh) return;
  kept->second = merged(version);
  restrict_to_options(version, kept->second);
  for (const resolved::Instr& i : version.instrs)
    if (const auto callee = literal_callee(i);
        callee && options_.unreached && cells_[callee->id].calls == 0)
      snapshot.never_called.insert(*callee);
  if (levels == 0) return;
  for (const ResolvedVersion* callee : callees({&version, 0}, kept->second))
    add(snapshot, *callee, levels - 1);
}

void JobFeedback::add_functions(FeedbackSnapshot& snapshot, std::span<const Expr> context) const {
  for (const Expr& guard : context)
    if (const auto* const test = std::get_if<Binary>(&guard))
      if (const auto* const name = std::get_if<FunName>(&test->right))
        if (const auto* const fun = program_.function(*name))
          add(snapshot, *fun->dispatch.front(), kCalleeLevels - 1);
}

// Each once: those of calls whose only target is known, and functions that are arguments, which the
// callee may call once it is inlined.
std::vector<const ResolvedVersion*>
JobFeedback::callees(const SitePlace& entered, std::span<const SiteFeedback> sites) const {
  const auto& [version, start] = entered;
  const std::vector<bool> executed = reached_from(*version, start);
  std::vector<const ResolvedVersion*> found;
  const auto find = [&](FunName callee) {
    const auto* const fun = program_.function(callee);
    if (fun != nullptr && std::ranges::find(found, fun->dispatch.front()) == found.end())
      found.push_back(fun->dispatch.front());
  };
  const auto find_literal = [&](const resolved::Expr& e) {
    if (const auto function = named_function(e)) find(*function);
  };
  for (Pc pc = 0; pc < version->instrs.size(); ++pc) {
    const auto* const call = std::get_if<resolved::Call>(&version->instrs[pc]);
    if (call == nullptr || !executed[pc]) continue;
    find_literal(call->callee);
    if (pc < sites.size() && sites[pc].targets == 1) find(sites[pc].callees[0]);
    std::ranges::for_each(call->arguments, find_literal);
  }
  return found;
}

// The versions of the snapshot that calls lead to, those of fewer calls first; not through
// `without`, which may be null.
std::vector<const ResolvedVersion*> JobFeedback::reached(const FeedbackSnapshot& snapshot,
                                                         std::span<const SitePlace> entered,
                                                         const ResolvedVersion* without) const {
  std::vector<const ResolvedVersion*> found;
  std::vector<SitePlace> work;
  const auto reach = [&](const SitePlace& place) {
    const ResolvedVersion* const version = place.first;
    if (version == without || !snapshot.sites.contains(version)) return;
    if (std::ranges::find(found, version) == found.end()) found.push_back(version);
    if (std::ranges::find(work, place) == work.end()) work.push_back(place);
  };
  for (const SitePlace& place : entered) reach(place);
  for (std::size_t i = 0; i < work.size(); ++i) {
    const SitePlace from = work[i];
    for (const ResolvedVersion* callee : callees(from, snapshot.of(*from.first)))
      reach({callee, 0});
  }
  return found;
}

void JobFeedback::add_samples(FeedbackSnapshot& snapshot,
                              std::span<const SitePlace> entered) const {
  if (!store_.has_samples()) return;
  // Code of a caller has seen its callees from there only: it has the last word.
  for (const ResolvedVersion* of : std::views::reverse(reached(snapshot, entered, nullptr))) {
    const std::span<const SampledSite> told = store_.samples(*of);
    if (told.empty()) continue;
    const auto others = reached(snapshot, entered, of);
    for (const SampledSite& site : told)
      if (std::ranges::find(others, site.place.first) == others.end() &&
          snapshot.override_with(site))
        snapshot.sampled.push_back({of, site});
  }
  if (snapshot.sampled.empty()) return;
  for (auto& [version, sites] : snapshot.sites) infer_types(*version, {}, sites);
  restrict_to_options(snapshot);
}

Feedback JobFeedback::predicates(std::span<const SitePlace> entered,
                                 const FeedbackSnapshot& snapshot) const {
  Feedback all;
  const auto add_all = [&](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (std::size_t i = 0; i < entered.size(); ++i) {
    const auto& [version, start] = entered[i];
    const auto before = entered.first(i);
    if (std::ranges::find(before, version, &SitePlace::first) != before.end()) continue;
    Feedback own =
        feedback_predicates(*version, snapshot.of(*version), snapshot.parameters, options_);
    add_results(own, *version, snapshot.of(*version), start, snapshot.never_called);
    add_all(all.predicates, own.predicates), add_all(all.branches, own.branches);
    add_all(all.results, own.results), add_all(all.unreached, own.unreached);
  }
  SpeculationOptions targets = options_;
  targets.types = targets.branches = false;
  for (const Function& f : program_.source().functions) {
    const auto& dispatch = program_.function(f.name)->dispatch;
    const ResolvedVersion* const code = dispatch.front();
    if (std::ranges::find(entered, code, &SitePlace::first) != entered.end()) continue;
    if (dispatch.size() != 1 || !snapshot.sites.contains(code)) continue;
    const Feedback of_callee = feedback_predicates(*code, snapshot.of(*code), {}, targets);
    all.predicates.insert(all.predicates.end(), of_callee.predicates.begin(),
                          of_callee.predicates.end());
    add_results(all, *code, snapshot.of(*code), 0, snapshot.never_called);
  }
  return all;
}

std::vector<Tag> live_types(const ResolvedVersion& version, Pc pc, const Value* slots) {
  const Cfg cfg(*version.source, {});
  if (pc >= version.source->body.size() || !cfg.reachable(Position{pc})) return {};
  std::vector<Tag> types(version.slots.size(), Tag::Unbound);
  for (const Var x : Liveness(*version.source, cfg).before(pc)) {
    const Slot slot = *version.slot_of(x);
    types[slot] = slots[slot].tag();
  }
  return types;
}

} // namespace sourir::native
