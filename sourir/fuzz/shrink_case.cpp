#include "sourir/fuzz/shrink_case.h"

#include "sourir/bisim/lockstep.h"
#include "sourir/bisim/reduce/reduce_program.h"
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

bool is_found(FuzzCase& fuzz_case, const std::string& kind, const FuzzPlan& plan) {
  const FuzzResult result = try_case(fuzz_case, plan);
  return result.finding && same_bug(result.finding->kind, kind);
}

// The plan with the least fuel that still finds it: most candidates would otherwise run until their
// fuel is used up.
template <class Fails>
FuzzPlan quick_plan(const FuzzPlan& plan, Fails&& fails) {
  for (const std::uint64_t fuel : {500, 2'000}) {
    FuzzPlan quick = plan;
    quick.fuel = std::min(fuel, plan.fuel);
    if (fails(quick)) return quick;
  }
  return plan;
}

class CaseShrinker {
public:
  CaseShrinker(FuzzCase& fuzz_case, const std::string& kind, const FuzzPlan& plan,
               const FuzzPlan& quick, std::uint64_t tries)
      : case_(fuzz_case), kind_(kind), plan_(plan), quick_(quick), tries_(tries) {}

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
    return instructions_of(case_.program) + case_.pipeline.size() + case_.inputs.size();
  }

  bool fails() {
    if (tried_++ >= tries_) return false;
    return is_found(case_, kind_, quick_) &&
           (quick_.fuel == plan_.fuel || is_found(case_, kind_, plan_));
  }

  // Replaces the part if the case still fails then.
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
    take_out_of(case_.pipeline);
    take_out_of(case_.inputs);
    for (Value& input : case_.inputs) accept(input, Value(std::int64_t{0}));
    accept(case_.feedback_seed, std::uint64_t{0});
    accept(case_.deopt, std::string("never"));
  }

  // Whether forced exits do not change what the program does, so that the finding is not one of its
  // own exits.
  bool exits_are_transparent(const Program& program) {
    if (!has_exits(program)) return true;
    LockstepOptions options;
    options.fuel = plan_.fuel;
    options.schedules = 32;
    return check_lockstep(program, program, {}, {case_.inputs}, options, case_.names).agreement ==
           Agreement::Equivalent;
  }

  void program() {
    const auto first = [&](const std::vector<Program>& all) -> std::optional<std::size_t> {
      for (std::size_t i = 0; i < all.size(); ++i) {
        const Program before = std::exchange(case_.program, all[i]);
        const bool found = fails() && exits_are_transparent(all[i]);
        case_.program = before;
        if (found) return i;
      }
      return std::nullopt;
    };
    ReduceOptions options;
    options.tries = tries_ > tried_ ? tries_ - tried_ : 0;
    case_.program = reduce_program(case_.program, case_.names, first, options);
  }

  FuzzCase& case_;
  const std::string& kind_;
  const FuzzPlan &plan_, &quick_;
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

std::vector<std::uint32_t> shrink_case(std::vector<std::uint32_t> choices, const std::string& kind,
                                       const FuzzPlan& plan, std::uint64_t tries) {
  const auto fails = [&](const std::vector<std::uint32_t>& words, const FuzzPlan& with) {
    ChoiceSequence candidate(words);
    return is_found(*make_case(candidate, with), kind, with);
  };
  const FuzzPlan quick =
      quick_plan(plan, [&](const FuzzPlan& with) { return fails(choices, with); });
  return shrink_choices(std::move(choices), tries, [&](const std::vector<std::uint32_t>& words) {
    return fails(words, quick) && (quick.fuel == plan.fuel || fails(words, plan));
  });
}

std::unique_ptr<FuzzCase> shrink_case(std::unique_ptr<FuzzCase> fuzz_case, const std::string& kind,
                                      const FuzzPlan& plan, std::uint64_t tries) {
  const FuzzPlan quick =
      quick_plan(plan, [&](const FuzzPlan& with) { return is_found(*fuzz_case, kind, with); });
  CaseShrinker(*fuzz_case, kind, plan, quick, tries).run();
  return fuzz_case;
}

std::vector<std::uint32_t> shrink_choices(std::vector<std::uint32_t> words, std::uint64_t tries,
                                          const ChoicesFail& fails) {
  using Words = std::vector<std::uint32_t>;
  std::uint64_t tried = 0;
  const auto accept = [&](Words candidate) {
    if (candidate == words || ++tried > tries || !fails(candidate)) return false;
    words = std::move(candidate);
    return true;
  };
  for (bool smaller = true; smaller && tried < tries;) {
    smaller = false;
    for (std::size_t size = std::max<std::size_t>(words.size() / 2, 1); size > 0; size /= 2)
      for (std::size_t end = words.size(); end > 0; end = end > size ? end - size : 0) {
        end = std::min(end, words.size());
        const std::size_t begin = end > size ? end - size : 0;
        const auto from = static_cast<std::ptrdiff_t>(begin), to = static_cast<std::ptrdiff_t>(end);
        Words without = words, zeros = words;
        without.erase(without.begin() + from, without.begin() + to);
        std::fill(zeros.begin() + from, zeros.begin() + to, 0);
        smaller |= accept(std::move(without)) || accept(std::move(zeros));
      }
  }
  return words;
}

} // namespace sourir
