// Programs and state maps with one mistake on the path of a run: nearly all are found. (Some are no
// mistakes: they describe the same state, or change a value without effect.)
#include "sourir/bisim/fingerprint.h"
#include "sourir/bisim/generate/random_program.h"
#include "sourir/bisim/lockstep.h"
#include "sourir/passes/registry.h"
#include "sourir/semantics/step.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/wellformed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace sourir {
namespace {

// A pass's result, to be changed in one place.
struct Draft {
  const Program& input;
  Program program;
  StateMap map;
  Names& names;
  // For the runs of the program as it was.
  std::unordered_map<const ResolvedVersion*, std::vector<bool>> visited;
  std::optional<LinkedProgram> linked;
  std::optional<LinkedProgram> linked_input;
  LiveSlots live, live_input;

  Draft(const Program& before, Program after, StateMap its_map, Names& all_names)
      : input(before), program(std::move(after)), map(std::move(its_map)), names(all_names),
        live(program), live_input(before) {}

  void look(const std::vector<Value>& reads) {
    linked.emplace(program, names);
    linked_input.emplace(input, names);
    Input all_reads(reads, names);
    const Schedule never;
    Limits limits;
    limits.fuel = 10'000;
    Config c = start(*linked, all_reads, never, limits);
    std::string printed;
    do {
      auto& here = visited[c.code];
      here.resize(c.code->instrs.size() + 1);
      here[c.pc] = true;
    } while (step(c, printed).status == StepStatus::Stepped && !c.stopped());
  }
  bool comes_to(FunName function, VerName version, std::size_t at) const {
    const auto found = visited.find(linked->version(function, version));
    return found != visited.end() && found->second[at];
  }
  // Whether the variable is needed at a place of the output (of the input).
  bool needs(const Place& place, Var x, bool of_input) {
    const auto found = (of_input ? linked_input : linked)->find(place);
    const auto& slots = (of_input ? live_input : live).at(*found->first, found->second);
    const auto slot = found->first->slot_of(x);
    return slot && std::binary_search(slots.begin(), slots.end(), *slot);
  }
  template <class Visit>
  void for_each_visited(Visit&& visit) {
    for (Function& f : program.functions)
      for (Version& v : f.versions)
        for (std::size_t at = 0; at < v.body.size(); ++at)
          if (comes_to(f.name, v.name, at)) visit(v.body[at].instr);
  }
};

template <class T>
T* one_of(std::vector<T*>& all, ChoiceSequence& choices) {
  return all.empty() ? nullptr : all[choices.below(static_cast<std::uint32_t>(all.size()))];
}

template <class Visit>
void for_each_frame(Metadata& exit, Visit&& visit) {
  visit(exit.frame.target, exit.frame.varmap);
  for (OuterFrame& outer : exit.outer) visit(outer.target, outer.varmap);
}

bool put_77(Binding* b) {
  if (b != nullptr) b->value = SimpleExpr(std::int64_t{77});
  return b != nullptr;
}

bool change_varmap(Draft& draft, ChoiceSequence& choices) {
  std::vector<Binding*> all;
  draft.for_each_visited([&](Instruction& i) {
    Metadata* const exit = exit_of(i);
    if (exit == nullptr) return;
    for_each_frame(*exit, [&](const Place& target, std::vector<Binding>& varmap) {
      for (Binding& b : varmap)
        if (draft.needs(target, b.name, false)) all.push_back(&b);
    });
  });
  return put_77(one_of(all, choices));
}

bool change_value(Draft& draft, ChoiceSequence& choices) {
  std::vector<Expr*> all;
  draft.for_each_visited([&](Instruction& i) {
    if (auto* print = std::get_if<Print>(&i)) all.push_back(&print->value);
    if (auto* update = std::get_if<ArrayUpdate>(&i)) all.push_back(&update->value);
    if (auto* ret = std::get_if<Return>(&i)) all.push_back(&ret->value);
    if (auto* branch = std::get_if<Branch>(&i)) all.push_back(&branch->condition);
  });
  Expr* const e = one_of(all, choices);
  if (e != nullptr) *e = SimpleExpr(std::int64_t{77});
  return e != nullptr;
}

bool change_map(Draft& draft, ChoiceSequence& choices) {
  std::vector<Binding*> all;
  for (VersionMap& v : draft.map.versions)
    for (auto& [at, state] : v.states)
      if (state && draft.comes_to(v.function, v.version, at))
        for_each_frame(*state, [&](const Place& target, std::vector<Binding>& varmap) {
          for (Binding& b : varmap)
            if (draft.needs(target, b.name, true)) all.push_back(&b);
        });
  return put_77(one_of(all, choices));
}

bool change_call_site(Draft& draft, ChoiceSequence& choices) {
  std::vector<Binding*> all;
  for (VersionMap& v : draft.map.versions)
    for (auto& [at, site] : v.call_sites)
      if (site && draft.comes_to(v.function, v.version, at))
        for (OuterFrame& f : site->frames)
          for (Binding& b : f.varmap)
            if (draft.needs(f.target, b.name, true)) all.push_back(&b);
  return put_77(one_of(all, choices));
}

bool shift_map(Draft& draft, ChoiceSequence& choices) {
  std::vector<Place*> all;
  for (VersionMap& v : draft.map.versions)
    for (auto& [at, state] : v.states)
      if (state && draft.comes_to(v.function, v.version, at)) all.push_back(&state->frame.target);
  Place* const place = one_of(all, choices);
  if (place != nullptr) ++place->offset;
  return place != nullptr;
}

using Mutate = bool (*)(Draft&, ChoiceSequence&);
struct Mistake {
  const char* name;
  Mutate make;
  double found; // at least this share
};
void PrintTo(const Mistake& m, std::ostream* out) { *out << m.name; }

class LockstepMistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(LockstepMistakes, AreFound) {
  const Mistake& mistake = GetParam();
  int made = 0, found = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Names names;
    ChoiceSequence choices(seed);
    const RandomCase random = random_case(choices, random_policy(choices, 60), names);
    // A fixed choice, so that new passes do not change what is tried.
    constexpr std::array kPasses{"checkpoints", "constprop",     "copyprop", "dce",
                                 "inline",      "fresh-version", "simplify", "unreachable"};
    const PassRow* const pass = find_pass(kPasses[choices.below(kPasses.size())]);
    ASSERT_NE(pass, nullptr);
    const auto result = pass->run({random.program, names, {}, {}});
    if (!result) continue;
    Draft draft(random.program, result->program,
                state_map(result->origins, random.program, result->program), names);
    const auto check = [&] {
      return check_lockstep(random.program, draft.program, draft.map, {random.inputs}, {}, names)
          .agreement;
    };
    if (check() != Agreement::Equivalent) continue;
    draft.look(random.inputs);
    if (!mistake.make(draft, choices)) continue;
    Diagnostics problems;
    check_wellformed(draft.program, {}, names, problems);
    if (problems.has_errors()) continue;
    ++made;
    found += check() == Agreement::Different;
  }
  EXPECT_GT(made, 10);
  EXPECT_GE(found, mistake.found * made) << found << " of " << made;
}

INSTANTIATE_TEST_SUITE_P(Places, LockstepMistakes,
                         ::testing::Values(Mistake{"varmap", change_varmap, 0.9},
                                           Mistake{"value", change_value, 0.9},
                                           Mistake{"state", change_map, 0.98},
                                           Mistake{"call_site", change_call_site, 0.98},
                                           Mistake{"place", shift_map, 0.6}),
                         [](const auto& mistake) { return std::string(mistake.param.name); });

} // namespace
} // namespace sourir
