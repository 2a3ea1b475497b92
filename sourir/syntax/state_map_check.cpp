#include "sourir/syntax/state_map_check.h"

#include "sourir/syntax/metadata_names.h"
#include "sourir/syntax/program_positions.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <unordered_set>

namespace sourir {
namespace {

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
    for (const auto& [at, waiting] : map.pending)
      if (std::string problem = pending(map, at, waiting); !problem.empty())
        return fmt::format("{}+{}, pending: {}", name(map), at, problem);
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

  std::string pending(const VersionMap& map, Position at, const std::optional<Pending>& waiting) {
    if (output_.call(map.function, map.version, at) == nullptr) return "there is no call";
    const auto* const scope = output_.scope(map.function, map.version, at);
    if (!waiting || scope == nullptr) return {};
    VarSet known(scope->begin(), scope->end());
    if (std::string problem = block(waiting->with, known); !problem.empty()) return problem;
    return outer(waiting->frames, known);
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

std::string check_state_map(const StateMap& map, const Program& input, const Program& output,
                            const Names& names) {
  MapCheck check(input, output, names);
  for (const VersionMap& version : map.versions)
    if (std::string problem = check.version(version); !problem.empty()) return problem;
  return {};
}

} // namespace sourir
