#include "sourir/bisim/structure_check.h"

#include "sourir/bisim/fingerprint.h"
#include "sourir/syntax/state_map.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/wellformed.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {
namespace {

bool in_normal_form(const Program& program, const Names& names) {
  Diagnostics problems;
  check_normal_form(program, {}, names, problems);
  return problems.empty();
}

// Positions that are mapped by identity: what is in scope in the input must be so here.
class IdentityCheck {
public:
  IdentityCheck(const Program& input, const Program& output, const StateMap& map,
                const Names& names, std::vector<std::string>& problems)
      : states_(map, input), output_(output), names_(names), problems_(problems) {}

  void check() {
    for (const Function& f : output_.program().functions)
      for (const Version& v : f.versions) {
        const auto same = states_.identity(f.name, v.name);
        for (Position at = 0; same && at <= v.body.size(); ++at)
          check_position(f.name, v.name, at, *same);
      }
  }

private:
  void check_position(FunName function, VerName version, Position at, const Place& same) {
    const VersionMap* const listed = states_.listed(function, version);
    const auto* const scope = output_.scope(function, version, at);
    if (scope == nullptr || problems_.size() >= kStructuralProblems ||
        (listed != nullptr && listed->states.contains(at)))
      return;
    const auto state = states_.identity_state(same, at);
    if (!state) return;
    for (const Binding& b : state->frame.varmap)
      if (std::ranges::count(*scope, b.name) == 0)
        return problems_.push_back(fmt::format(
            "the state map: {}.{}+{} maps to {} by identity, where {} is in scope, but not here",
            names_.text(function), names_.text(version), at, print(state->frame.target, names_),
            names_.text(b.name)));
  }

  MappedStates states_;
  ProgramPositions output_;
  const Names& names_;
  std::vector<std::string>& problems_;
};

// Finds the mandatory positions whose state cannot be compared.
class CoverageCheck {
public:
  CoverageCheck(const Program& input, const Program& output, const StateMap& map, Names& names)
      : states_(map, input), input_(input, names), output_(output), live_(input), names_(names) {}

  std::vector<std::string> run() {
    for (const Function& f : output_.program().functions)
      for (const Version& v : f.versions) check_version(f.name, v);
    return std::move(found_);
  }

private:
  void check_version(FunName function, const Version& version) {
    std::vector<MandatoryPosition> missing;
    const auto all = mandatory_positions(output_, function, version);
    for (const MandatoryPosition& one : all)
      if (!is_covered(function, version.name, one)) missing.push_back(one);
    const auto name = fmt::format("{}.{}", names_.text(function), names_.text(version.name));
    if (!missing.empty() && missing.size() == all.size())
      return found_.push_back(name + ": the map has no state of it");
    for (const auto [at, call_site] : missing)
      found_.push_back(fmt::format("{}+{}: {}{}", name, at, print(version.body[at].instr, names_),
                                   call_site ? " (while it waits for the result)" : ""));
  }

  bool is_covered(FunName function, VerName version, MandatoryPosition one) {
    if (!one.call_site) {
      const auto state = states_.state(function, version, one.at);
      return state && is_known(state->frame.target, state->frame.unknown, {}) &&
             std::ranges::all_of(state->outer, [&](const OuterFrame& f) { return is_known(f); });
    }
    const auto site = states_.call_site(function, version, one.at);
    return site &&
           std::ranges::all_of(site->frames, [&](const OuterFrame& f) { return is_known(f); });
  }

  bool is_known(const OuterFrame& f) { return is_known(f.target, f.unknown, f.result); }
  // Whether no live variable is unknown there.
  bool is_known(const Place& target, const std::vector<Var>& unknown, std::optional<Var> result) {
    if (unknown.empty()) return true;
    const auto place = input_.find(target);
    if (!place) return false;
    const std::vector<Slot>& live = live_.at(*place->first, place->second);
    return std::ranges::none_of(unknown, [&](Var x) {
      const auto slot = place->first->slot_of(x);
      return x != result && slot && std::ranges::binary_search(live, *slot);
    });
  }

  MappedStates states_;
  LinkedProgram input_;
  ProgramPositions output_;
  LiveSlots live_;
  const Names& names_;
  std::vector<std::string> found_;
};

} // namespace

std::vector<std::string> uncovered_positions(const Program& input, const Program& output,
                                             const StateMap& map, Names& names) {
  return CoverageCheck(input, output, map, names).run();
}

std::vector<std::string> structural_problems(const Program& input, const Program& output,
                                             const StateMap& map, Names& names) {
  std::vector<std::string> problems;
  Diagnostics found;
  check_wellformed(output, {}, names, found);
  const bool wellformed = !found.has_errors();
  if (wellformed && in_normal_form(input, names)) check_normal_form(output, {}, names, found);
  for (const Diagnostic& d : found.sorted())
    if (problems.size() < kStructuralProblems && d.code != Code::SigilMismatch &&
        d.code != Code::PartialVarmap)
      problems.push_back(fmt::format("{}: {}", row(d.code).name, d.message));
  if (!wellformed) return problems;
  if (const std::string text = check_state_map(map, input, output, names); !text.empty())
    problems.push_back("the state map: " + text);
  else
    IdentityCheck(input, output, map, names, problems).check();
  return problems;
}

} // namespace sourir
