#include "sourir/bisim/structure_check.h"

#include "sourir/bisim/fingerprint.h"
#include "sourir/syntax/state_map.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/wellformed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  CoverageCheck(const Program& input, const Program& output, const StateMap& map, Names& names,
                bool may_be_unknown)
      : states_(map, input), input_(input, names), output_(output), live_(input), names_(names),
        may_be_unknown_(may_be_unknown) {}

  std::vector<std::string> run() {
    for (const Function& f : output_.program().functions)
      for (const Version& v : f.versions) check_version(f.name, v);
    return std::move(found_);
  }

private:
  void check_version(FunName function, const Version& version) {
    std::vector<std::pair<MandatoryPosition, std::string>> missing; // with the reason
    const auto all = mandatory_positions(output_, function, version);
    std::size_t without = 0;
    for (const MandatoryPosition& one : all) {
      const auto frames = frames_at(function, version.name, one);
      std::string why = may_be_unknown_ ? "" : unknown_in(frames);
      without += frames.empty() ? 1 : 0;
      if (frames.empty() || !why.empty()) missing.emplace_back(one, std::move(why));
    }
    const auto name = fmt::format("{}.{}", names_.text(function), names_.text(version.name));
    if (without == all.size() && without > 0)
      return found_.push_back(name + ": the map has no state of it");
    for (const auto& [position, why] : missing)
      found_.push_back(fmt::format(
          "{}+{}: {}{}{}", name, position.at, print(version.body[position.at].instr, names_),
          position.call_site ? " (while it waits for the result)" : "", why));
  }

  struct MappedFrame {
    Place target;
    std::vector<Var> unknown;
    std::optional<Var> result;
  };
  // Empty: the map has no state there.
  std::vector<MappedFrame> frames_at(FunName function, VerName version, MandatoryPosition one) {
    std::vector<MappedFrame> all;
    const auto add = [&](const std::vector<OuterFrame>& outer) {
      for (const OuterFrame& f : outer) all.push_back({f.target, f.unknown, f.result});
    };
    if (one.call_site) {
      if (const auto site = states_.call_site(function, version, one.at)) add(site->frames);
    } else if (const auto state = states_.state(function, version, one.at)) {
      all.push_back({state->frame.target, state->frame.unknown, {}});
      add(state->outer);
    }
    return all;
  }

  // The live variables that are unknown, as ": x unknown at F.V.L".
  std::string unknown_in(const std::vector<MappedFrame>& frames) {
    std::string text;
    for (const MappedFrame& f : frames) {
      const auto place = input_.find(f.target);
      if (!place) return fmt::format(": there is no {}", print(f.target, names_));
      std::vector<std::string_view> unknown;
      for (const Slot slot : live_.at(*place->first, place->second)) {
        const Var x = place->first->slots[slot];
        if (x == f.result) continue;
        if (std::ranges::find(f.unknown, x) != f.unknown.end()) unknown.push_back(names_.text(x));
      }
      if (!unknown.empty())
        text += fmt::format("{} {} unknown at {}", text.empty() ? ":" : ",",
                            fmt::join(unknown, ", "), print(f.target, names_));
    }
    return text;
  }

  MappedStates states_;
  LinkedProgram input_;
  ProgramPositions output_;
  LiveSlots live_;
  const Names& names_;
  bool may_be_unknown_;
  std::vector<std::string> found_;
};

} // namespace

std::vector<std::string> uncovered_positions(const Program& input, const Program& output,
                                             const StateMap& map, Names& names,
                                             bool may_be_unknown) {
  return CoverageCheck(input, output, map, names, may_be_unknown).run();
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
