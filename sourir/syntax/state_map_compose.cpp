#include "sourir/syntax/json/pending_form.h"
#include "sourir/syntax/mapped_states.h"
#include "sourir/syntax/metadata_names.h"
#include "sourir/syntax/state_map.h"

#include <algorithm>
#include <set>

namespace sourir {
namespace {

// Two exits in the making, to be composed: `first` goes from the output to the frames of the
// middle, `second` from there to the input. Exits have one varmap to be substituted; the outer
// frames of the middle have one each, so their variables get names of their own in both.
struct Legs {
  explicit Legs(Names& names) : middle(names) {}

  void start(const Metadata& first_leg, const Metadata& second_leg) {
    first = {first_leg.frame, {}, first_leg.with, first_leg.with_end};
    second = second_leg;
    for_each_origin_name(second, [&](Var x) { middle.use(x); });
    for (const Binding& b : first.frame.varmap) middle.use(b.name);
  }
  // A frame of the middle and what it stands for.
  void add(const OuterFrame& frame, const Pending& pending) {
    std::unordered_map<Var, Var> apart;
    for (const Binding& b : frame.varmap) {
      const Var name = middle.fresh<Var>(middle.names().text(b.name));
      apart.emplace(b.name, name);
      first.frame.varmap.push_back({name, b.value});
    }
    const Metadata there{{}, pending.frames, pending.with, {}};
    for_each_origin_name(there, [&](Var x) { // unknown ones too
      if (!apart.contains(x)) apart.emplace(x, middle.fresh<Var>(middle.names().text(x)));
    });
    const Metadata moved = rename(there, apart, middle);
    second.outer.insert(second.outer.end(), moved.outer.begin(), moved.outer.end());
    second.with.insert(second.with.end(), moved.with.begin(), moved.with.end());
  }

  FreshNames middle;
  Metadata first, second;
};

class MapComposer {
public:
  MapComposer(const StateMap& first, const StateMap& second, const Program& input,
              const Program& middle, const Program& output, Names& names)
      : first_(first, input), second_(second, middle), input_(input), middle_(middle),
        output_(output), names_(names) {}

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
      for (const auto& [at, pending] : from->pending) calls.insert(at);
    }
    for (const Position at : states)
      if (at <= version.body.size()) add_state(map, at);
    for (const Position at : calls)
      if (at < version.body.size()) add_pending(map, at);
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

  void add_pending(VersionMap& map, Position at) {
    auto pending = this->pending(map.function, map.version, at);
    const auto same = map.identity ? first_.identity_pending(*map.identity, at) : std::nullopt;
    if (pending && same && pending->frames.size() == 1 && pending->with.empty()) {
      const OuterFrame& frame = pending->frames.front();
      const OuterFrame& other = same->frames.front();
      if (frame.result == other.result && frame.unknown.empty() &&
          equal(frame.target, other.target) && equal(frame.varmap, other.varmap))
        return;
    }
    if (pending || same) map.pending.emplace(at, std::move(pending));
  }

  bool equal(const Place& a, const Place& b) {
    return a.function == b.function && a.version == b.version &&
           input_.resolve(a) == input_.resolve(b);
  }
  // In any order.
  static bool equal(std::vector<Binding> a, std::vector<Binding> b) {
    const auto less = [](const Binding& x, const Binding& y) { return x.name < y.name; };
    std::sort(a.begin(), a.end(), less);
    std::sort(b.begin(), b.end(), less);
    return a == b;
  }

  std::optional<Metadata> state(FunName function, VerName version, Position at) {
    const auto to_middle = second_.state(function, version, at);
    if (!to_middle) return std::nullopt;
    const Place& place = to_middle->frame.target;
    const auto there = middle_.resolve(place);
    const auto to_input =
        there ? first_.state(place.function, place.version, *there) : std::nullopt;
    if (!to_input) return std::nullopt;
    Legs legs(names_);
    legs.start(*to_middle, *to_input);
    if (!add_frames(legs, to_middle->outer)) return std::nullopt;
    return join(legs, function, version, at);
  }

  std::optional<Pending> pending(FunName function, VerName version, Position at) {
    const auto to_middle = second_.pending(function, version, at);
    if (!to_middle) return std::nullopt;
    Legs legs(names_);
    legs.start({{}, {}, to_middle->with, {}}, {});
    if (!add_frames(legs, to_middle->frames)) return std::nullopt;
    Metadata joined = join(legs, function, version, at);
    return Pending{std::move(joined.outer), std::move(joined.with)};
  }

  bool add_frames(Legs& legs, const std::vector<OuterFrame>& frames) {
    for (const OuterFrame& frame : frames) {
      const auto stands_for = waits_at(frame);
      if (!stands_for) return false;
      legs.add(frame, *stands_for);
    }
    return true;
  }

  // What a frame of the middle that waits in front of its place stands for.
  std::optional<Pending> waits_at(const OuterFrame& frame) {
    const Place& place = frame.target;
    const auto behind = middle_.resolve(place);
    if (!behind) return std::nullopt;
    const Call* const call =
        *behind > 0 ? middle_.call(place.function, place.version, *behind - 1) : nullptr;
    if (call != nullptr && call->result == frame.result)
      return first_.pending(place.function, place.version, *behind - 1);
    const auto state = first_.state(place.function, place.version, *behind);
    return state ? pending_form(*state, frame.result) : std::nullopt;
  }

  Metadata join(const Legs& legs, FunName function, VerName version, Position at) {
    FreshNames fresh(names_);
    if (const auto* const scope = output_.scope(function, version, at))
      for (const Var x : *scope) fresh.use(x);
    return sourir::compose(legs.first, legs.second, fresh);
  }

  MappedStates first_, second_;
  ProgramPositions input_, middle_, output_;
  Names& names_;
};

} // namespace

StateMap compose(const StateMap& first, const StateMap& second, const Program& input,
                 const Program& middle, const Program& output, Names& names) {
  return MapComposer(first, second, input, middle, output, names).compose();
}

} // namespace sourir
