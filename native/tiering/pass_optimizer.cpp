#include "native/tiering/pass_optimizer.h"

#include "native/tiering/outlined_loop.h"
#include "native/tiering/program_part.h"

#include <algorithm>

namespace sourir::native {

namespace {

const VersionMap* map_of(const StateMap& map, const ResolvedVersion& code) {
  const auto at = std::ranges::find_if(map.versions, [&](const VersionMap& v) {
    return v.function == code.function && v.version == code.version;
  });
  return at == map.versions.end() ? nullptr : &*at;
}

// Passes turn declarations into assignments and back.
bool same_kind(const resolved::Instr& a, const resolved::Instr& b) {
  const resolved::Expr *x = bound_value(a), *y = bound_value(b);
  if (x == nullptr || y == nullptr) return a.index() == b.index();
  return x->shape == y->shape && x->op == y->op;
}

// A position without feedback, as opposed to one that was never reached.
constexpr SiteFeedback kAnything{.result = kAnyType};

// The origin of each instruction in `source`, where that still is an instruction of the same form:
// a state map relates states, and passes move instructions.
std::vector<std::optional<SitePlace>> origins_of(const OptimizedVersion& added,
                                                 const LinkedProgram& source) {
  const ResolvedVersion& code = added.code();
  std::vector<std::optional<SitePlace>> origins(code.instrs.size());
  const VersionMap* const map = map_of(added.map, code);
  if (map == nullptr) return origins;
  for (Pc pc = 0; pc < code.source->body.size(); ++pc) {
    const auto listed = map->states.find(pc);
    std::optional<Place> place;
    if (listed == map->states.end()) {
      if (map->identity) place = Place{map->identity->function, map->identity->version, {}, pc};
    } else if (listed->second) {
      place = listed->second->frame.target;
    }
    if (!place) continue;
    const auto found = source.find(*place);
    if (!found || found->second >= found->first->instrs.size()) continue;
    const auto& [from, at] = *found;
    if (same_kind(from->instrs[at], code.instrs[pc])) origins[pc] = {from, at};
  }
  return origins;
}

std::vector<SiteFeedback> sites_at(std::span<const std::optional<SitePlace>> places,
                                   const SitesOf& sites_of) {
  std::vector<SiteFeedback> sites(places.size(), kAnything);
  for (std::size_t pc = 0; pc < sites.size(); ++pc) {
    if (!places[pc]) continue;
    const auto recorded = sites_of(*places[pc]->first);
    if (places[pc]->second < recorded.size()) sites[pc] = recorded[places[pc]->second];
  }
  return sites;
}

// The place in the running program for one in the program with an outlined loop.
std::optional<SitePlace> in_running(const SitePlace& place, const LinkedProgram& running,
                                    const OutlinedFrom* outlined_from) {
  const auto& [code, pc] = place;
  if (const ResolvedVersion* there = running.version(code->function, code->version))
    return SitePlace{there, pc};
  const OutlinedFrom* const rest = outlined_from != nullptr ? outlined_from->of(*code) : nullptr;
  if (rest == nullptr || pc < rest->start()) return {};
  return SitePlace{rest->from, rest->origin(pc)};
}

// part: the optimizer's part of `source`: the running program, or the one with an outlined loop.
std::unique_ptr<OptimizedVersion> make(const Program& part, const LinkedProgram& source,
                                       const LinkedProgram& running, FunName function,
                                       std::span<const Expr> context, const Feedback& feedback,
                                       const SitesOf& sites_of, const Optimizer& optimizer,
                                       Names& names, const OutlinedFrom* outlined_from) {
  auto optimized = optimizer({part, running.source(), function, context, feedback, names});
  if (!optimized) return nullptr;
  auto added = std::make_unique<OptimizedVersion>();
  added->program = std::make_unique<Program>(std::move(optimized->program));
  added->linked = std::make_unique<LinkedProgram>(*added->program, names);
  added->map = std::move(optimized->map);
  const ResolvedVersion* const active = added->linked->function(function)->dispatch.front();
  added->streams = relink_exits(*active, running, outlined_from);
  if (outlined_from != nullptr) added->outlined_from = *outlined_from;
  added->origins = origins_of(*added, source);
  added->sites = sites_at(added->origins, sites_of);
  for (auto& place : added->origins)
    if (place) place = in_running(*place, running, outlined_from);
  return added;
}

// The version in the running program for one in the program with an outlined loop.
const ResolvedVersion* from_running(const ResolvedVersion& code, const LinkedProgram& running) {
  const ResolvedVersion* const there = running.version(code.function, code.version);
  return there != nullptr ? there : &code;
}

} // namespace

namespace {

// The rests of frames, outlined one into the other: each calls the one before.
class OutlinedStack {
public:
  OutlinedStack(const LinkedProgram& running, const Feedback& feedback, Names& names)
      : running_(running), feedback_(feedback), names_(names) {}

  bool outline(std::span<const RestFrame> frames) {
    for (const RestFrame& frame : frames) add_part(frame.code->function);
    for (const RestFrame& frame : frames)
      if (!add(frame)) return false;
    linked_ = std::make_unique<LinkedProgram>(*program_, names_);
    return true;
  }

  // The outermost.
  const OutlinedFrom& outlined_from() const { return *rests_.back(); }
  const Program& program() const { return *program_; }
  const LinkedProgram& linked() const { return *linked_; }
  const ResolvedVersion& code_of(std::size_t frame) const {
    return *linked_->function(rests_[frame]->function)->dispatch.front();
  }

  // The feedback of the versions is that of their rests, shifted. A recursive call that is inlined
  // has that of the function.
  Feedback feedback(std::span<const RestFrame> frames, std::span<const std::vector<Tag>> types) {
    Feedback here;
    for (const auto& held : feedback_.predicates)
      if (!add_moved(here.predicates, held)) here.predicates.push_back(held);
    for (const auto& branch : feedback_.branches)
      if (!add_moved(here.branches, branch)) here.branches.push_back(branch);
    here.results = feedback_.results;
    here.unreached = feedback_.unreached;
    here.dispatched = feedback_.dispatched;
    for (const auto& result : feedback_.results) add_moved(here.results, result);
    for (const Place& place : feedback_.unreached) add_moved(here.unreached, place);
    const ResolvedVersion& start = code_of(frames.size() - 1);
    Slot p = 0;
    for (std::size_t f = 0; f < frames.size(); ++f)
      for (const Slot slot : variables_[f]) {
        if (const Tag tag = types[f][slot]; tag != Tag::Unbound)
          here.predicates.push_back({{start.function, start.version, std::nullopt, 0},
                                     KindTest{start.slots[p], static_cast<Kind>(tag)}});
        ++p;
      }
    return here;
  }

  std::vector<SiteFeedback> sites(std::size_t frame, std::span<const SiteFeedback> recorded) const {
    const OutlinedFrom& rest = *rests_[frame];
    std::vector<SiteFeedback> sites(code_of(frame).instrs.size(), kAnything);
    for (Pc pc = rest.start(); pc < sites.size(); ++pc)
      if (const Pc origin = rest.origin(pc); origin < recorded.size()) sites[pc] = recorded[origin];
    return sites;
  }

  // By frame: the slots that are parameters, in their order.
  const std::vector<std::vector<Slot>>& variables() const { return variables_; }

  // Whether the version still calls a rest: it does not exist in the running program.
  bool is_called_by(const ResolvedVersion& code) const {
    return std::ranges::any_of(code.instrs, [&](const resolved::Instr& i) {
      const auto* const call = std::get_if<resolved::Call>(&i);
      if (call == nullptr || !call->callee.a.literal.is(Tag::Fun)) return false;
      return running_.function(call->callee.a.literal.as_fun()) == nullptr;
    });
  }

  void give(OptimizedVersion& added) {
    added.source_program = std::move(program_);
    added.source = std::move(linked_);
  }

private:
  void add_part(FunName function) {
    const Program part = part_for(running_.source(), function, feedback_);
    program_ = std::make_unique<Program>(program_ ? with_part(*program_, part) : part);
  }

  bool add(const RestFrame& frame) {
    const ResolvedVersion& code = *frame.code;
    std::optional<OutlinedCallee> callee;
    if (!rests_.empty())
      callee = {rests_.back()->function, rests_.back()->parameters, code.slots[frame.result]};
    auto cut = outline_loop(running_.source(), std::move(*program_), code.function, code.version,
                            frame.pc, names_, callee ? &*callee : nullptr);
    if (!cut) return false;
    program_ = std::move(cut->program);
    const std::vector<Var>& params = program_->functions.back().params;
    std::vector<Slot>& own = variables_.emplace_back();
    for (std::size_t p = callee ? callee->parameters : 0; p < params.size(); ++p)
      own.push_back(*code.slot_of(params[p]));
    auto rest = std::make_shared<OutlinedFrom>(OutlinedFrom{cut->function, &code, frame.pc});
    if (callee) rest->callee = rests_.back();
    rest->parameters = params.size();
    rest->result = frame.result;
    rest->copies = std::move(cut->copies);
    rests_.push_back(std::move(rest));
    return true;
  }

  static Place& place_of(Place& place) { return place; }
  static const Place& place_of(const Place& place) { return place; }
  static auto& place_of(auto& element) { return element.at; }

  // Adds the element for each rest that it is about. Whether there is one.
  template <class T>
  bool add_moved(std::vector<T>& to, const T& element) const {
    bool moved = false;
    for (const auto& rest : rests_) {
      const Place& of = place_of(element);
      if (of.function != rest->from->function || of.version != rest->from->version) continue;
      for (const Pc pc : rest->copies_of(of.offset)) {
        to.push_back(element);
        place_of(to.back()) = {rest->function, of.version, std::nullopt, pc};
      }
      moved = true;
    }
    return moved;
  }

  const LinkedProgram& running_;
  const Feedback& feedback_;
  Names& names_;
  std::unique_ptr<Program> program_;
  std::unique_ptr<LinkedProgram> linked_;
  std::vector<std::shared_ptr<OutlinedFrom>> rests_;
  std::vector<std::vector<Slot>> variables_;
};

} // namespace

std::unique_ptr<OptimizedVersion>
optimize_rest(const LinkedProgram& running, std::span<const RestFrame> frames,
              const Feedback& feedback, std::span<const std::vector<Tag>> types,
              const SitesOf& sites_of, const Optimizer& optimizer, Names& names) {
  OutlinedStack stack(running, feedback, names);
  if (!stack.outline(frames)) return nullptr;
  std::vector<std::vector<SiteFeedback>> sites;
  for (std::size_t f = 0; f < frames.size(); ++f)
    sites.push_back(stack.sites(f, sites_of(*frames[f].code)));
  const OutlinedFrom& outlined_from = stack.outlined_from();
  auto added = make(
      stack.program(), stack.linked(), running, outlined_from.function, {},
      stack.feedback(frames, types),
      [&](const ResolvedVersion& from) -> std::span<const SiteFeedback> {
        for (std::size_t f = 0; f < frames.size(); ++f)
          if (&from == &stack.code_of(f)) return sites[f];
        return sites_of(*from_running(from, running));
      },
      optimizer, names, &outlined_from);
  if (!added || (frames.size() > 1 && stack.is_called_by(added->code()))) return nullptr;
  if (frames.size() == 1) added->entered_with = stack.variables().front();
  stack.give(*added);
  return added;
}

std::unique_ptr<OptimizedVersion> optimize_version(const LinkedProgram& running, FunName function,
                                                   std::span<const Expr> context,
                                                   const Feedback& feedback,
                                                   const SitesOf& sites_of,
                                                   const Optimizer& optimizer, Names& names) {
  const Program part = part_for(running.source(), function, feedback, context);
  return make(part, running, running, function, context, feedback, sites_of, optimizer, names,
              nullptr);
}

} // namespace sourir::native
