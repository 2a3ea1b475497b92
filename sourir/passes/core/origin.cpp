#include "sourir/passes/core/origin.h"

#include "sourir/syntax/expr.h"
#include "sourir/syntax/program_index.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <unordered_set>

namespace sourir {
namespace {

// The varmaps of the positions of one version.
class IdentityVarmaps {
public:
  explicit IdentityVarmaps(const VersionOrigin& origin) {
    for (const Binding& b : origin.absent) absent_[b.name].push_back(b.value);
  }

  // `gone`: the optimized-out variables of the position; null: none. `copy`: the names of the
  // wanted variables in the output; null: unchanged.
  void fill(Scope wanted, const OriginContext* copy, const std::vector<OptimizedOutVariable>* gone,
            Scope have, std::vector<Binding>& varmap, std::vector<Var>& unknown,
            std::vector<Deferred>& with) {
    scope_.clear();
    scope_.insert(have.begin(), have.end());
    for (const Var x : wanted) {
      const auto* const missing = gone != nullptr ? find(*gone, x) : nullptr;
      if (missing != nullptr && !can_make(*missing)) {
        unknown.push_back(x);
      } else if (missing != nullptr) {
        varmap.push_back({x, *missing->value});
        for (const DeferredInstr& line : missing->made) with.push_back({line, {}});
      } else if (auto value = rebuilt(SimpleExpr(copy != nullptr ? copy->name(x) : x), 0)) {
        varmap.push_back({x, *value});
      } else {
        unknown.push_back(x);
      }
    }
  }

private:
  static const OptimizedOutVariable* find(const std::vector<OptimizedOutVariable>& gone, Var x) {
    const auto found = std::find_if(gone.begin(), gone.end(),
                                    [&](const OptimizedOutVariable& l) { return l.name == x; });
    return found == gone.end() ? nullptr : &*found;
  }
  bool can_make(const OptimizedOutVariable& gone) const {
    std::unordered_set<Var> made;
    bool all = gone.value.has_value();
    const auto check = [&](const Expr& e) {
      for_each_variable(e, [&](Var x) { all &= scope_.contains(x) || made.contains(x); });
    };
    for (const DeferredInstr& line : gone.made) {
      for_each_expr(line, check);
      made.insert(subject(line));
    }
    if (gone.value) check(*gone.value);
    return all;
  }
  // The expression over variables of the output.
  std::optional<Expr> rebuilt(const Expr& e, int depth) const {
    Substitution values;
    bool known = depth < 16;
    for_each_variable(e, [&](Var x) {
      if (!known || scope_.contains(x)) return;
      const auto value = first_rebuilt(x, depth + 1);
      known = value.has_value();
      if (known) values.insert_or_assign(x, *value);
    });
    return known ? substitute(e, values) : std::nullopt;
  }

  std::optional<Expr> first_rebuilt(Var x, int depth) const {
    const auto found = absent_.find(x);
    if (found == absent_.end()) return std::nullopt;
    for (const Expr& value : found->second)
      if (auto e = rebuilt(value, depth)) return e;
    return std::nullopt;
  }

  std::unordered_map<Var, std::vector<Expr>> absent_;
  std::unordered_set<Var> scope_;
};

class Expansion {
public:
  Expansion(const Program& input, const Program& output) : input_(input), output_(output) {}

  VersionMap version(const VersionOrigin& origin) {
    VersionMap map{origin.function, origin.version, {}, origin.states, origin.call_sites};
    IdentityVarmaps varmaps(origin);
    for (Position at = 0; at < origin.positions.size(); ++at) {
      if (!origin.positions[at]) continue;
      const auto* const have = output_.scope(map.function, map.version, at);
      if (have == nullptr) continue;
      const std::uint32_t context = at < origin.context_of.size() ? origin.context_of[at] : 0;
      const Here here{origin, varmaps, *have};
      add_state(map, here, context, at);
      add_call_site(map, here, context, at);
    }
    return map;
  }

private:
  struct Here { // a position of the output
    const VersionOrigin& origin;
    IdentityVarmaps& varmaps;
    Scope scope;
  };

  static const Place& source(const VersionOrigin& origin, std::uint32_t context) {
    return context == 0 ? origin.from : origin.contexts[context - 1].from;
  }
  static const OriginContext* copy(const VersionOrigin& origin, std::uint32_t context) {
    return context == 0 ? nullptr : &origin.contexts[context - 1];
  }

  void add_state(VersionMap& map, const Here& here, std::uint32_t context, Position at) {
    if (map.states.contains(at)) return;
    const Position from = *here.origin.positions[at];
    const Place& version = source(here.origin, context);
    const auto* const wanted = input_.scope(version.function, version.version, from);
    if (wanted == nullptr) return;
    Metadata state;
    state.frame.target = {version.function, version.version, {}, from};
    here.varmaps.fill(*wanted, copy(here.origin, context), optimized_out(here.origin, context, at),
                      here.scope, state.frame.varmap, state.frame.unknown, state.with);
    if (add_callers(here, context, at, state.outer, state.with))
      map.states.emplace(at, std::move(state));
  }

  static const std::vector<OptimizedOutVariable>*
  optimized_out(const VersionOrigin& origin, std::uint32_t context, Position at) {
    const auto found = context == 0 ? origin.optimized_out.find(at) : origin.optimized_out.end();
    return found == origin.optimized_out.end() ? nullptr : &found->second;
  }

  // The return frames of inlined code, innermost first. False: one of them cannot be made.
  bool add_callers(const Here& here, std::uint32_t context, Position at,
                   std::vector<OuterFrame>& outer, std::vector<Deferred>& with) {
    while (context != 0) {
      const OriginContext& inlined = here.origin.contexts[context - 1];
      if (inlined.call) {
        auto frame = outer_frame(here, inlined.caller, *inlined.call, at, with);
        if (!frame) return false;
        outer.push_back(std::move(*frame));
      }
      context = inlined.caller;
    }
    return true;
  }

  // The return frame of a call of the input, for a position of the output.
  std::optional<OuterFrame> outer_frame(const Here& here, std::uint32_t context, Position call,
                                        Position at, std::vector<Deferred>& with) {
    const Place& version = source(here.origin, context);
    const Call* const instr = input_.call(version.function, version.version, call);
    const auto* const wanted = input_.scope(version.function, version.version, call);
    if (instr == nullptr || wanted == nullptr) return std::nullopt;
    OuterFrame frame;
    frame.target = {version.function, version.version, {}, call + 1};
    frame.result = instr->result;
    here.varmaps.fill(*wanted, copy(here.origin, context), optimized_out(here.origin, context, at),
                      here.scope, frame.varmap, frame.unknown, with);
    return frame;
  }

  void add_call_site(VersionMap& map, const Here& here, std::uint32_t context, Position at) {
    if (output_.call(map.function, map.version, at) == nullptr || map.call_sites.contains(at))
      return;
    CallSiteFrames site;
    auto frame = outer_frame(here, context, *here.origin.positions[at], at, site.with);
    if (!frame) return;
    site.frames.push_back(std::move(*frame));
    if (add_callers(here, context, at, site.frames, site.with))
      map.call_sites.emplace(at, std::move(site));
  }

  ProgramPositions input_, output_;
};

} // namespace

StateMap state_map(const std::vector<VersionOrigin>& origins, const Program& input,
                   const Program& output) {
  Expansion expansion(input, output);
  StateMap map;
  for (const VersionOrigin& origin : origins) map.versions.push_back(expansion.version(origin));
  return map;
}

} // namespace sourir
