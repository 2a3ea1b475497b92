#include "sourir/syntax/state_map.h"

#include "sourir/syntax/metadata.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/traverse.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

namespace sourir {
namespace {

// --- composition

// Two exits under construction, to be composed: `first` goes from the output to the frames of the
// intermediate program, `second` from there to the input. Exits have one varmap to be substituted;
// the outer frames of the intermediate have one each, so their variables get names of their own in
// both.
struct Legs {
  explicit Legs(Names& names) : intermediate(names) {}

  void start(const Metadata& first_leg, const Metadata& second_leg) {
    first = {first_leg.frame, {}, first_leg.with, first_leg.with_end};
    second = second_leg;
    for_each_origin_name(second, [&](Var x) { intermediate.use(x); });
    for (const Binding& b : first.frame.varmap) intermediate.use(b.name);
  }
  // A frame of the intermediate and the frames that it maps to.
  void add(const OuterFrame& frame, const CallSiteFrames& site) {
    std::unordered_map<Var, Var> apart;
    for (const Binding& b : frame.varmap) {
      const Var name = intermediate.fresh<Var>(intermediate.names().text(b.name));
      apart.emplace(b.name, name);
      first.frame.varmap.push_back({name, b.value});
    }
    const Metadata there{{}, site.frames, site.with, {}};
    for_each_origin_name(there, [&](Var x) { // unknown ones too
      if (!apart.contains(x))
        apart.emplace(x, intermediate.fresh<Var>(intermediate.names().text(x)));
    });
    const Metadata moved = rename(there, apart, intermediate);
    second.outer.insert(second.outer.end(), moved.outer.begin(), moved.outer.end());
    second.with.insert(second.with.end(), moved.with.begin(), moved.with.end());
  }

  FreshNames intermediate;
  Metadata first, second;
};

class MapComposer {
public:
  MapComposer(const StateMap& first, const StateMap& second, const Program& input,
              const Program& intermediate, const Program& output, Names& names)
      : first_(first, input), second_(second, intermediate), input_(input),
        intermediate_(intermediate), output_(output), names_(names) {}

  StateMap compose() {
    StateMap result;
    for (const Function& f : output_.program().functions)
      for (const Version& v : f.versions)
        if (auto map = version(f.name, v)) result.versions.push_back(std::move(*map));
    return result;
  }

private:
  // Empty: the version maps to itself.
  std::optional<VersionMap> version(FunName function, const Version& version) {
    const VersionMap* const listed = second_.listed(function, version.name);
    const auto same = second_.identity(function, version.name);
    const VersionMap* const onwards = same ? first_.listed(same->function, same->version) : nullptr;
    if (listed == nullptr && onwards == nullptr) return std::nullopt;
    VersionMap map{function, version.name, {}, {}, {}};
    if (same) map.identity = first_.identity(same->function, same->version);
    std::set<Position> states, calls;
    for (const VersionMap* from : {listed, onwards}) {
      if (from == nullptr) continue;
      for (const auto& [at, state] : from->states) states.insert(at);
      for (const auto& [at, site] : from->call_sites) calls.insert(at);
    }
    for (const Position at : states)
      if (at <= version.body.size()) add_state(map, at);
    for (const Position at : calls)
      if (at < version.body.size()) add_call_site(map, at);
    return map;
  }

  void add_state(VersionMap& map, Position at) {
    auto state = this->state(map.function, map.version, at);
    const auto same = map.identity ? first_.identity_state(*map.identity, at) : std::nullopt;
    if (state && same && state->outer.empty() && state->with.empty() &&
        equal(state->frame.target, same->frame.target) && state->frame.unknown.empty() &&
        equal(state->frame.varmap, same->frame.varmap))
      return;
    if (state || same) map.states.emplace(at, std::move(state));
  }

  void add_call_site(VersionMap& map, Position at) {
    auto site = this->call_site(map.function, map.version, at);
    const auto same = map.identity ? first_.identity_call_site(*map.identity, at) : std::nullopt;
    if (site && same && site->frames.size() == 1 && site->with.empty()) {
      const OuterFrame& frame = site->frames.front();
      const OuterFrame& other = same->frames.front();
      if (frame.result == other.result && frame.unknown.empty() &&
          equal(frame.target, other.target) && equal(frame.varmap, other.varmap))
        return;
    }
    if (site || same) map.call_sites.emplace(at, std::move(site));
  }

  bool equal(const Place& a, const Place& b) {
    return a.function == b.function && a.version == b.version &&
           input_.resolve(a) == input_.resolve(b);
  }
  // Equality in any order.
  static bool equal(std::vector<Binding> a, std::vector<Binding> b) {
    const auto less = [](const Binding& x, const Binding& y) { return x.name < y.name; };
    std::sort(a.begin(), a.end(), less);
    std::sort(b.begin(), b.end(), less);
    return a == b;
  }

  std::optional<Metadata> state(FunName function, VerName version, Position at) {
    const auto to_intermediate = second_.state(function, version, at);
    if (!to_intermediate) return std::nullopt;
    const Place& place = to_intermediate->frame.target;
    const auto there = intermediate_.resolve(place);
    const auto to_input =
        there ? first_.state(place.function, place.version, *there) : std::nullopt;
    if (!to_input) return std::nullopt;
    Legs legs(names_);
    legs.start(*to_intermediate, *to_input);
    if (!add_frames(legs, to_intermediate->outer)) return std::nullopt;
    return join(legs, function, version, at);
  }

  std::optional<CallSiteFrames> call_site(FunName function, VerName version, Position at) {
    const auto to_intermediate = second_.call_site(function, version, at);
    if (!to_intermediate) return std::nullopt;
    Legs legs(names_);
    legs.start({{}, {}, to_intermediate->with, {}}, {});
    if (!add_frames(legs, to_intermediate->frames)) return std::nullopt;
    Metadata joined = join(legs, function, version, at);
    return CallSiteFrames{std::move(joined.outer), std::move(joined.with)};
  }

  bool add_frames(Legs& legs, const std::vector<OuterFrame>& frames) {
    for (const OuterFrame& frame : frames) {
      const auto stands_for = frames_at(frame);
      if (!stands_for) return false;
      legs.add(frame, *stands_for);
    }
    return true;
  }

  // The frames that a return frame of the intermediate maps to.
  std::optional<CallSiteFrames> frames_at(const OuterFrame& frame) {
    const Place& place = frame.target;
    const auto after = intermediate_.resolve(place);
    if (!after) return std::nullopt;
    const Call* const call =
        *after > 0 ? intermediate_.call(place.function, place.version, *after - 1) : nullptr;
    if (call != nullptr && call->result == frame.result)
      return first_.call_site(place.function, place.version, *after - 1);
    const auto state = first_.state(place.function, place.version, *after);
    return state ? call_site_form(*state, frame.result) : std::nullopt;
  }

  Metadata join(const Legs& legs, FunName function, VerName version, Position at) {
    FreshNames fresh(names_);
    if (const auto* const scope = output_.scope(function, version, at))
      for (const Var x : *scope) fresh.use(x);
    return sourir::compose(legs.first, legs.second, fresh);
  }

  MappedStates first_, second_;
  ProgramPositions input_, intermediate_, output_;
  Names& names_;
};

// --- coverage

bool visibly_boolean(const Expr& e) {
  if (const auto* simple = std::get_if<SimpleExpr>(&e))
    return std::holds_alternative<bool>(*simple);
  if (const auto* unary = std::get_if<Unary>(&e)) return unary->op == UnaryOp::Not;
  if (std::holds_alternative<KindTest>(e) || std::holds_alternative<ElementsTest>(e)) return true;
  const auto* binary = std::get_if<Binary>(&e);
  return binary != nullptr && (binary->op <= BinaryOp::Ge || binary->op >= BinaryOp::And);
}

bool has_effect_or_error(const Instruction& instruction) {
  const auto any_may_fail = [](const std::vector<Expr>& all) {
    return std::any_of(all.begin(), all.end(),
                       [](const Expr& e) { return may_fail(e).has_value(); });
  };
  return match(
      instruction, [](const Decl& i) { return i.value && may_fail(*i.value); },
      [](const Drop&) { return false; },
      [](const Assign& i) { return may_fail(i.value).has_value(); },
      [](const ArrayDecl&) { return true; }, // a length that no array can have
      [&](const ArrayDef& i) { return any_may_fail(i.elements); },
      [](const ArrayUpdate&) { return true; },
      [](const Branch& i) { return !visibly_boolean(i.condition) || may_fail(i.condition); },
      [](const Goto&) { return false; }, [](const Print&) { return true; },
      [](const Read&) { return true; }, [](const Assert&) { return true; },
      [](const Call&) { return true; }, [](const Return&) { return true; },
      [](const Stop&) { return true; }, [](const Assume&) { return true; },
      [](const Anchor&) { return true; }, [](const GuardHint&) { return false; });
}

// Targets of jumps from the same or a later position.
std::vector<bool> loop_headers(const Version& version) {
  const auto labels = label_positions(version);
  std::vector<bool> headers(version.body.size() + 1);
  for (std::size_t at = 0; at < version.body.size(); ++at) {
    const Successors next = successors(version.body[at].instr);
    for (const Label* label : {next.first, next.second}) {
      const auto found = label != nullptr ? labels.find(*label) : labels.end();
      if (found != labels.end() && found->second <= at) headers[found->second] = true;
    }
  }
  return headers;
}

// --- fit

using VarSet = std::unordered_set<Var>;

class MapCheck {
public:
  MapCheck(const Program& input, const Program& output, const Names& names)
      : input_(input), output_(output), names_(names) {}

  std::string version(const VersionMap& map) {
    const Version* const version = output_.version(map.function, map.version);
    if (version == nullptr) return fmt::format("the output has no version {}", name(map));
    if (map.identity && input_.version(map.identity->function, map.identity->version) == nullptr)
      return fmt::format("{}: the input has no version {}", name(map), text(*map.identity));
    for (const auto& [at, exit] : map.states)
      if (std::string problem = state(map, *version, at, exit); !problem.empty())
        return fmt::format("{}+{}: {}", name(map), at, problem);
    for (const auto& [at, site] : map.call_sites)
      if (std::string problem = call_site(map, at, site); !problem.empty())
        return fmt::format("{}+{}, call site: {}", name(map), at, problem);
    return {};
  }

private:
  std::string text(const Place& place) const { return print(place, names_); }
  std::string name(const VersionMap& map) const {
    return fmt::format("{}.{}", names_.text(map.function), names_.text(map.version));
  }

  std::string state(const VersionMap& map, const Version& version, Position at,
                    const std::optional<Metadata>& exit) {
    if (at > version.body.size()) return "there is no such position";
    const auto* const scope = output_.scope(map.function, map.version, at);
    if (!exit || scope == nullptr) return {};
    VarSet known(scope->begin(), scope->end());
    if (std::string problem = block(exit->with, known); !problem.empty()) return problem;
    const Frame& f = exit->frame;
    if (std::string problem = frame(f.target, nullptr, f.varmap, f.unknown, known);
        !problem.empty())
      return problem;
    return outer(exit->outer, known);
  }

  std::string call_site(const VersionMap& map, Position at,
                        const std::optional<CallSiteFrames>& site) {
    if (output_.call(map.function, map.version, at) == nullptr) return "there is no call";
    const auto* const scope = output_.scope(map.function, map.version, at);
    if (!site || scope == nullptr) return {};
    VarSet known(scope->begin(), scope->end());
    if (std::string problem = block(site->with, known); !problem.empty()) return problem;
    return outer(site->frames, known);
  }

  std::string outer(const std::vector<OuterFrame>& frames, const VarSet& known) {
    for (const OuterFrame& f : frames)
      if (std::string problem = frame(f.target, &f.result, f.varmap, f.unknown, known);
          !problem.empty())
        return problem;
    return {};
  }

  std::string block(const std::vector<Deferred>& lines, VarSet& known) {
    for (const Deferred& line : lines) {
      std::string problem;
      for_each_expr(line.instr, [&](const Expr& e) {
        if (problem.empty()) problem = uses(e, known);
      });
      if (!problem.empty()) return problem;
      const Var x = subject(line.instr);
      if (makes_subject(line.instr) ? !known.insert(x).second : !known.contains(x))
        return fmt::format("the with block cannot {} {}",
                           makes_subject(line.instr) ? "make" : "change", names_.text(x));
    }
    return {};
  }

  std::string uses(const Expr& e, const VarSet& known) const {
    std::string problem;
    for_each_variable(e, [&](Var x) {
      if (!known.contains(x)) problem = fmt::format("{} is not in scope", names_.text(x));
    });
    return problem;
  }

  std::string frame(const Place& target, const Var* result, const std::vector<Binding>& varmap,
                    const std::vector<Var>& unknown, const VarSet& known) {
    const auto at = input_.resolve(target);
    if (!at) return fmt::format("the input has no place {}", text(target));
    const auto* const scope = input_.scope(target.function, target.version, *at);
    if (scope == nullptr) return fmt::format("nothing reaches {} in the input", text(target));
    VarSet missing(scope->begin(), scope->end());
    std::vector<Var> given = unknown;
    if (result != nullptr) missing.insert(*result), given.push_back(*result);
    for (const Binding& b : varmap) {
      if (std::string problem = uses(b.value, known); !problem.empty()) return problem;
      given.push_back(b.name);
    }
    for (const Var x : given)
      if (missing.erase(x) == 0)
        return fmt::format("{} is not in scope at {}, or is given twice", names_.text(x),
                           text(target));
    for (const Var x : *scope)
      if (missing.contains(x))
        return fmt::format("{} of {} gets no value", names_.text(x), text(target));
    return {};
  }

  ProgramPositions input_, output_;
  const Names& names_;
};

} // namespace

std::optional<Metadata> mapped(const StateMap& map, const Program& input, FunName function,
                               VerName version, Position at) {
  return MappedStates(map, input).state(function, version, at);
}

std::optional<CallSiteFrames> mapped_call_site(const StateMap& map, const Program& input,
                                               FunName function, VerName version, Position at) {
  return MappedStates(map, input).call_site(function, version, at);
}

std::optional<CallSiteFrames> call_site_form(const Metadata& state, Var result) {
  const Expr whole = SimpleExpr(result);
  OuterFrame frame{state.frame.target, {}, {}, state.frame.unknown};
  bool found = false, other = false;
  const auto look = [&](const Expr& e) {
    other |= mentions(e, result) || std::holds_alternative<Index>(e);
  };
  for (const Binding& b : state.frame.varmap) {
    if (!found && b.value == whole) {
      frame.result = b.name;
      found = true;
    } else {
      look(b.value);
      frame.varmap.push_back(b);
    }
  }
  for (const OuterFrame& outer : state.outer)
    for (const Binding& b : outer.varmap) look(b.value);
  for (const Deferred& d : state.with) for_each_expr(d.instr, look);
  if (!found || other) return std::nullopt;
  CallSiteFrames site{{frame}, state.with};
  site.frames.insert(site.frames.end(), state.outer.begin(), state.outer.end());
  return site;
}

StateMap compose(const StateMap& first, const StateMap& second, const Program& input,
                 const Program& intermediate, const Program& output, Names& names) {
  return MapComposer(first, second, input, intermediate, output, names).compose();
}

namespace {

// Whether control never comes to `at`: nothing jumps there, and a guard before it is false.
bool is_behind_exit(const Version& version, Position at) {
  if (at == 0 || !version.body[at].leading.labels.empty()) return false;
  const auto* const assume = std::get_if<Assume>(&version.body[at - 1].instr);
  return assume != nullptr &&
         std::ranges::find(assume->guards, Expr(SimpleExpr(false))) != assume->guards.end();
}

} // namespace

std::vector<MandatoryPosition> mandatory_positions(ProgramPositions& program, FunName function,
                                                   const Version& version) {
  std::vector<MandatoryPosition> all;
  const std::vector<bool> headers = loop_headers(version);
  for (Position at = 0; at < version.body.size(); ++at) {
    const Instruction& instruction = version.body[at].instr;
    if (program.scope(function, version.name, at) == nullptr || is_behind_exit(version, at))
      continue;
    if (at == 0 || headers[at] || has_effect_or_error(instruction)) all.push_back({at, false});
    if (std::holds_alternative<Call>(instruction)) all.push_back({at, true});
  }
  return all;
}

Coverage coverage(const StateMap& map, const Program& input, const Program& output) {
  MappedStates states(map, input);
  ProgramPositions positions(output);
  Coverage result;
  for (const Function& f : output.functions)
    for (const Version& v : f.versions)
      for (const auto [at, call_site] : mandatory_positions(positions, f.name, v)) {
        ++result.mandatory;
        result.mapped += call_site ? states.call_site(f.name, v.name, at).has_value()
                                   : states.state(f.name, v.name, at).has_value();
      }
  return result;
}

std::string check_state_map(const StateMap& map, const Program& input, const Program& output,
                            const Names& names) {
  MapCheck check(input, output, names);
  for (const VersionMap& version : map.versions)
    if (std::string problem = check.version(version); !problem.empty()) return problem;
  return {};
}

namespace {

std::vector<Binding> identity_varmap(Scope scope, std::optional<Var> without) {
  std::vector<Binding> varmap;
  for (const Var x : scope)
    if (x != without) varmap.push_back({x, SimpleExpr(x)});
  return varmap;
}

} // namespace

MappedStates::MappedStates(const StateMap& map, const Program& input) : input_(input) {
  for (const VersionMap& v : map.versions)
    versions_.try_emplace(version_key(v.function, v.version), &v);
}

const VersionMap* MappedStates::listed(FunName function, VerName version) const {
  const auto found = versions_.find(version_key(function, version));
  return found == versions_.end() ? nullptr : found->second;
}

std::optional<Place> MappedStates::identity(FunName function, VerName version) const {
  if (const VersionMap* const map = listed(function, version)) return map->identity;
  if (input_.version(function, version) == nullptr) return std::nullopt;
  return Place{function, version, {}, 0};
}

std::optional<Metadata> MappedStates::identity_state(const Place& version, Position at) {
  const auto* const scope = input_.scope(version.function, version.version, at);
  if (scope == nullptr) return std::nullopt;
  Metadata state;
  state.frame = {{version.function, version.version, {}, at}, identity_varmap(*scope, {}), {}};
  return state;
}

std::optional<CallSiteFrames> MappedStates::identity_call_site(const Place& version, Position at) {
  const Call* const call = input_.call(version.function, version.version, at);
  const auto* const scope = input_.scope(version.function, version.version, at);
  if (call == nullptr || scope == nullptr) return std::nullopt;
  const Place after{version.function, version.version, {}, at + 1};
  return CallSiteFrames{{{after, call->result, identity_varmap(*scope, call->result), {}}}, {}};
}

std::optional<Metadata> MappedStates::state(FunName function, VerName version, Position at) {
  if (const VersionMap* const map = listed(function, version))
    if (const auto found = map->states.find(at); found != map->states.end()) return found->second;
  const auto same = identity(function, version);
  return same ? identity_state(*same, at) : std::nullopt;
}

std::optional<CallSiteFrames> MappedStates::call_site(FunName function, VerName version,
                                                      Position at) {
  if (const VersionMap* const map = listed(function, version))
    if (const auto found = map->call_sites.find(at); found != map->call_sites.end())
      return found->second;
  const auto same = identity(function, version);
  return same ? identity_call_site(*same, at) : std::nullopt;
}

std::optional<CallSiteFrames> MappedStates::call_site_from_state(FunName function, VerName version,
                                                                 Position after, Var result) {
  const auto state = this->state(function, version, after);
  return state ? call_site_form(*state, result) : std::nullopt;
}

} // namespace sourir
