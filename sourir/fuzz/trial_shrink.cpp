#include "sourir/bisim/lockstep.h"
#include "sourir/bisim/reduce/reduce_program.h"
#include "sourir/bisim/reduce/shrink_tape.h"
#include "sourir/fuzz/trial.h"
#include "sourir/syntax/exits.h"

#include <algorithm>
#include <utility>

namespace sourir {
namespace {

bool has_exits(const Program& program) {
  for (const Function& f : program.functions)
    for (const Version& v : f.versions)
      for (const Stmt& stmt : v.body)
        if (exit_of(stmt.instr) != nullptr) return true;
  return false;
}

bool is_found(TrialCase& trial, const std::string& kind, const TrialPlan& plan) {
  const TrialResult result = try_case(trial, plan);
  return result.finding && same_bug(result.finding->kind, kind);
}

// With as little fuel as finds it: most of what is tried otherwise runs for ever.
template <class Fails>
TrialPlan quick_plan(const TrialPlan& plan, Fails&& fails) {
  for (const std::uint64_t fuel : {500, 2'000}) {
    TrialPlan quick = plan;
    quick.fuel = std::min(fuel, plan.fuel);
    if (fails(quick)) return quick;
  }
  return plan;
}

class CaseShrinker {
public:
  CaseShrinker(TrialCase& trial, const std::string& kind, const TrialPlan& plan,
               const TrialPlan& quick, std::uint64_t tries)
      : trial_(trial), kind_(kind), plan_(plan), quick_(quick), tries_(tries) {}

  void run() {
    while (tried_ < tries_) {
      const std::size_t before = size();
      surroundings();
      program();
      if (size() == before) return;
    }
  }

private:
  std::size_t size() const {
    return instructions_of(trial_.program) + trial_.pipeline.size() + trial_.inputs.size();
  }

  bool fails() {
    if (tried_++ >= tries_) return false;
    return is_found(trial_, kind_, quick_) &&
           (quick_.fuel == plan_.fuel || is_found(trial_, kind_, plan_));
  }

  // The part becomes this, if it fails then, too.
  template <class T>
  bool accept(T& part, T smaller) {
    if (part == smaller) return false;
    std::swap(part, smaller);
    if (fails()) return true;
    std::swap(part, smaller);
    return false;
  }

  template <class T>
  void take_out_of(std::vector<T>& list) {
    for (std::size_t chunk = std::max<std::size_t>(list.size() / 2, 1); chunk > 0; chunk /= 2)
      for (std::size_t end = list.size(); end > 0;) {
        const std::size_t begin = end > chunk ? end - chunk : 0;
        std::vector<T> fewer = list;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(begin),
                    fewer.begin() + static_cast<std::ptrdiff_t>(end));
        accept(list, std::move(fewer));
        end = std::min(begin, list.size());
      }
  }

  void surroundings() {
    take_out_of(trial_.pipeline);
    take_out_of(trial_.inputs);
    for (Value& input : trial_.inputs) accept(input, Value(std::int64_t{0}));
    accept(trial_.feedback_seed, std::uint64_t{0});
    accept(trial_.leave, std::string("never"));
  }

  // Leaving does not change what the program does: then findings are not of its own exits.
  bool keeps_its_word(const Program& program) {
    if (!has_exits(program)) return true;
    LockstepOptions options;
    options.fuel = plan_.fuel;
    options.schedules = 32;
    return check_lockstep(program, program, {}, {trial_.inputs}, options, trial_.names).agreement ==
           Agreement::Equivalent;
  }

  void program() {
    const auto first = [&](const std::vector<Program>& all) -> std::optional<std::size_t> {
      for (std::size_t i = 0; i < all.size(); ++i) {
        const Program before = std::exchange(trial_.program, all[i]);
        const bool found = fails() && keeps_its_word(all[i]);
        trial_.program = before;
        if (found) return i;
      }
      return std::nullopt;
    };
    ReduceOptions options;
    options.tries = tries_ > tried_ ? tries_ - tried_ : 0;
    trial_.program = reduce_program(trial_.program, trial_.names, first, options);
  }

  TrialCase& trial_;
  const std::string& kind_;
  const TrialPlan &plan_, &quick_;
  std::uint64_t tries_, tried_ = 0;
};

} // namespace

bool same_bug(std::string_view kind, std::string_view other) {
  const auto known = [](std::string_view text) {
    const std::size_t pass = text.find('/');
    return text.substr(0, pass == text.npos ? pass : text.find('/', pass + 1));
  };
  return known(kind) == known(other);
}

std::vector<std::uint32_t> shrink_case(std::vector<std::uint32_t> tape, const std::string& kind,
                                       const TrialPlan& plan, std::uint64_t tries) {
  const auto fails = [&](const std::vector<std::uint32_t>& words, const TrialPlan& with) {
    Tape candidate(words);
    return is_found(*make_case(candidate, with), kind, with);
  };
  const TrialPlan quick =
      quick_plan(plan, [&](const TrialPlan& with) { return fails(tape, with); });
  return shrink_tape(std::move(tape), tries, [&](const std::vector<std::uint32_t>& words) {
    return fails(words, quick) && (quick.fuel == plan.fuel || fails(words, plan));
  });
}

std::unique_ptr<TrialCase> shrink_case(std::unique_ptr<TrialCase> trial, const std::string& kind,
                                       const TrialPlan& plan, std::uint64_t tries) {
  const TrialPlan quick =
      quick_plan(plan, [&](const TrialPlan& with) { return is_found(*trial, kind, with); });
  CaseShrinker(*trial, kind, plan, quick, tries).run();
  return trial;
}

} // namespace sourir
