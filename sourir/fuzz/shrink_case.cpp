#include "sourir/fuzz/shrink_case.h"

#include "sourir/bisim/lockstep.h"
#include "sourir/bisim/reduce/reduce_program.h"
#include "sourir/semantics/value.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>
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

// Whether cases have a finding of the bug, with a limit on the tries. A case that is seen again
// costs none: the last round of a reduction tries all that the one before it tried.
class CaseTester {
public:
  CaseTester(const std::string& kind, const FuzzPlan& plan, const ShrinkOptions& options)
      : kind_(kind), plan_(plan), quick_(plan), options_(options) {}

  // Looks for the least fuel with which this case still fails: most candidates would otherwise run
  // until their fuel is used up.
  void be_quick(FuzzCase& fuzz_case) {
    for (const std::uint64_t fuel : {500, 2'000}) {
      FuzzPlan quick = plan_;
      quick.fuel = std::min(fuel, plan_.fuel);
      if (!is_found(fuzz_case, quick)) continue;
      quick_ = std::move(quick);
      return;
    }
  }

  bool goes_on() const { return tried_ < options_.tries; }
  std::uint64_t tries_left() const { return options_.tries - tried_; }

  bool fails(FuzzCase& fuzz_case) {
    const auto [at, fresh] = seen_.try_emplace(text_of(fuzz_case), false);
    if (!fresh) return at->second;
    if (!goes_on()) return false;
    ++tried_;
    at->second =
        is_found(fuzz_case, quick_) && (quick_.fuel == plan_.fuel || is_found(fuzz_case, plan_));
    return at->second;
  }

  const FuzzPlan& plan() const { return plan_; }
  void report(bool smaller, const FuzzCase& best) const {
    if (options_.tried) options_.tried(smaller, best);
  }

private:
  bool is_found(FuzzCase& fuzz_case, const FuzzPlan& plan) const {
    const FuzzResult result = try_case(fuzz_case, plan);
    return result.finding && same_bug(result.finding->kind, kind_);
  }

  static std::string text_of(const FuzzCase& fuzz_case) {
    std::string text = fmt::format("{} {} {}\n", fmt::join(fuzz_case.pipeline, ","),
                                   fuzz_case.feedback_seed, fuzz_case.deopt);
    for (const Value& input : fuzz_case.inputs)
      text += print(to_literal(input).value_or(Literal()), fuzz_case.names) + "\n";
    return text + print(fuzz_case.program, fuzz_case.names);
  }

  const std::string& kind_;
  const FuzzPlan& plan_;
  FuzzPlan quick_;
  const ShrinkOptions& options_;
  std::uint64_t tried_ = 0;
  std::unordered_map<std::string, bool> seen_; // by text_of()
};

class CaseShrinker {
public:
  CaseShrinker(FuzzCase& fuzz_case, CaseTester& tester) : case_(fuzz_case), tester_(tester) {}

  void run() {
    while (tester_.goes_on()) {
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

  // Replaces the part if the case still fails then.
  template <class T>
  bool accept(T& part, T smaller) {
    if (part == smaller) return false;
    std::swap(part, smaller);
    const bool fails = tester_.fails(case_);
    if (!fails) std::swap(part, smaller);
    tester_.report(fails, case_);
    return fails;
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
    options.fuel = tester_.plan().fuel;
    options.schedules = 32;
    return check_lockstep(program, program, {}, {case_.inputs}, options, case_.names).agreement ==
           Agreement::Equivalent;
  }

  void program() {
    const auto first = [&](const std::vector<Program>& all) -> std::optional<std::size_t> {
      for (std::size_t i = 0; i < all.size(); ++i) {
        Program before = std::exchange(case_.program, all[i]);
        const bool found = tester_.fails(case_) && exits_are_transparent(all[i]);
        tester_.report(found, case_);
        case_.program = std::move(before);
        if (found) return i;
      }
      return std::nullopt;
    };
    ReduceOptions options;
    options.tries = tester_.tries_left();
    case_.program = reduce_program(case_.program, case_.names, first, options);
  }

  FuzzCase& case_;
  CaseTester& tester_;
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
                                       const FuzzPlan& plan, const ShrinkOptions& options) {
  CaseTester tester(kind, plan, options);
  const auto make = [&](const std::vector<std::uint32_t>& words) {
    ChoiceSequence candidate(words);
    return make_case(candidate, plan);
  };
  std::unique_ptr<FuzzCase> best = make(choices);
  tester.be_quick(*best);
  return shrink_choices(std::move(choices), options.tries,
                        [&](const std::vector<std::uint32_t>& words) {
                          std::unique_ptr<FuzzCase> candidate = make(words);
                          const bool fails = tester.fails(*candidate);
                          if (fails) best = std::move(candidate);
                          tester.report(fails, *best);
                          return fails;
                        });
}

std::unique_ptr<FuzzCase> shrink_case(std::unique_ptr<FuzzCase> fuzz_case, const std::string& kind,
                                      const FuzzPlan& plan, const ShrinkOptions& options) {
  CaseTester tester(kind, plan, options);
  tester.be_quick(*fuzz_case);
  CaseShrinker(*fuzz_case, tester).run();
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
