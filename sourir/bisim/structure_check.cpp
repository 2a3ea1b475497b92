#include "sourir/bisim/structure_check.h"

#include "sourir/syntax/mapped_states.h"
#include "sourir/syntax/metadata_names.h"
#include "sourir/syntax/printer.h"
#include "sourir/syntax/wellformed.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace sourir {
namespace {

bool in_normal_form(const Program& program, const Names& names) {
  Diagnostics problems;
  check_normal_form(program, {}, names, problems);
  return problems.empty();
}

// The problems of a state map between two well-formed programs.
class MapCheck {
public:
  MapCheck(const Program& input, const Program& output, const StateMap& map, const Names& names,
           std::vector<std::string>& problems)
      : map_(map), states_(map, input), input_(input), output_(output), names_(names),
        problems_(problems) {}

  void check() {
    for (const VersionMap& v : map_.versions)
      if (output_.version(v.function, v.version) == nullptr)
        problem(v.function, v.version, 0, "there is no such version");
    for (const Function& f : output_.program().functions)
      for (const Version& v : f.versions)
        for (Position at = 0; at <= v.body.size() && !full(); ++at)
          check_position(f.name, v.name, at);
  }

private:
  bool full() const { return problems_.size() >= kStructuralProblems; }

  void problem(FunName function, VerName version, Position at, const std::string& text) {
    if (!full())
      problems_.push_back(fmt::format("the state map at {}.{}+{}: {}", names_.text(function),
                                      names_.text(version), at, text));
  }

  void check_position(FunName function, VerName version, Position at) {
    const auto* const scope = output_.scope(function, version, at);
    if (scope == nullptr) return;
    if (const auto state = states_.state(function, version, at))
      if (const auto text = wrong(*state, *scope, nullptr); !text.empty())
        problem(function, version, at, text);
    const Call* const call = output_.call(function, version, at);
    if (call == nullptr) return;
    if (const auto pending = states_.pending(function, version, at)) {
      std::string text = pending->frames.empty() ? "no frame waits" : "";
      if (text.empty())
        text = wrong({{}, pending->frames, pending->with, {}}, *scope, &call->result);
      if (!text.empty()) problem(function, version, at, "waiting: " + text);
    }
  }

  // `waits`: only the outer frames count.
  std::string wrong(const Metadata& exit, const std::vector<Var>& scope, const Var* waits) {
    std::unordered_set<Var> here(scope.begin(), scope.end());
    for_each_name(exit, [&](NameUse use) {
      if (use.role == NameRole::WithDeclare) here.insert(Var{use.id});
    });
    std::string text;
    for_each_name(exit, [&](NameUse use) {
      using enum NameRole;
      const bool used = use.role == ExitUse || use.role == WithUse || use.role == WithUpdate;
      if (text.empty() && used && !here.contains(Var{use.id}))
        text = fmt::format("{} is not in scope in the output", names_.text(Var{use.id}));
    });
    if (text.empty() && waits == nullptr)
      text = wrong_frame(exit.frame.target, exit.frame.varmap, exit.frame.unknown, nullptr);
    for (const OuterFrame& outer : exit.outer)
      if (text.empty())
        text = wrong_frame(outer.target, outer.varmap, outer.unknown, &outer.result);
    return text;
  }

  std::string wrong_frame(const Place& place, const std::vector<Binding>& varmap,
                          const std::vector<Var>& unknown, const Var* result) {
    const auto at = input_.resolve(place);
    const auto* const scope = at ? input_.scope(place.function, place.version, *at) : nullptr;
    if (scope == nullptr) return fmt::format("{} is no place of the input", print(place, names_));
    std::vector<Var> bound(unknown);
    for (const Binding& b : varmap) bound.push_back(b.name);
    if (result != nullptr) bound.push_back(*result);
    std::vector<Var> wanted(*scope);
    std::ranges::sort(bound);
    std::ranges::sort(wanted);
    if (bound == wanted) return {};
    std::vector<Var> differ;
    std::ranges::set_symmetric_difference(bound, wanted, std::back_inserter(differ));
    const Var x = differ.front();
    return fmt::format("{} is {} at {}", names_.text(x),
                       std::ranges::count(bound, x) > 1        ? "bound twice"
                       : std::ranges::binary_search(wanted, x) ? "not bound"
                                                               : "bound, but not in scope",
                       print(place, names_));
  }

  const StateMap& map_;
  MappedStates states_;
  ProgramPositions input_, output_;
  const Names& names_;
  std::vector<std::string>& problems_;
};

} // namespace

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
  if (wellformed) MapCheck(input, output, map, names, problems).check();
  return problems;
}

} // namespace sourir
