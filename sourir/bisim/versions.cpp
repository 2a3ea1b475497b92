#include "sourir/bisim/versions.h"

#include "sourir/bisim/chaos.h"
#include "sourir/bisim/generated_inputs.h"
#include "sourir/bisim/tape.h"
#include "sourir/semantics/step.h"
#include "sourir/syntax/wellformed.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {
namespace {

constexpr std::uint64_t kGeneratedCalls = 24; // of a function

std::vector<const Version*> called_versions(const Function& f) {
  std::vector<const Version*> all;
  for (const Version& v : f.versions)
    if (!v.cont) all.push_back(&v);
  return all;
}

void add(LockstepVerdict& sum, LockstepVerdict one) {
  sum.runs += one.runs;
  sum.steps += one.steps;
  sum.events += one.events;
  sum.inconclusive += one.inconclusive;
  sum.checker_failed |= one.checker_failed;
  sum.interrupted |= one.interrupted;
  const bool worse =
      one.agreement == Agreement::Different || sum.agreement == Agreement::Equivalent;
  if (one.agreement == Agreement::Equivalent || !worse) return;
  sum.agreement = one.agreement;
  sum.oracle = one.oracle;
  sum.kind = std::move(one.kind);
  sum.report = std::move(one.report);
  sum.counterexample = std::move(one.counterexample);
}

class VersionsCheck {
public:
  VersionsCheck(const Program& program, std::optional<FunName> only, LockstepOptions options,
                Names& names)
      : program_(program), only_(only), options_(std::move(options)), names_(names),
        random_(options_.seed) {
    given_ = options_.leave;
    options_.events_only = true;
    options_.as = Oracle::Versions;
    options_.input_name = "the run as it is";
    options_.output_name = "the run with another version";
  }

  VersionsVerdict run(const std::vector<std::vector<Value>>& all_reads) {
    std::vector<std::string> whole;
    for (const Function& f : program_.functions) {
      const auto versions = called_versions(f);
      if (versions.size() < 2 || (only_ && f.name != *only_)) continue;
      ++result_.functions;
      for (const Version* v : versions)
        whole.push_back(fmt::format("enter:{}.{}", names_.text(f.name), names_.text(v->name)));
    }
    for (const auto& reads : all_reads) {
      if (!goes_on() || result_.functions == 0) break;
      if (given_.empty()) {
        options_.leave = whole;
        const auto entries = entries_of(reads);
        options_.leave.insert(options_.leave.end(), entries.begin(), entries.end());
        result_.entries += entries.size();
      }
      add(result_.verdict, check_lockstep(program_, program_, {}, {reads}, options_, names_));
    }
    for (const Function& f : program_.functions)
      if (given_.empty() && called_versions(f).size() > 1 && (!only_ || f.name == *only_))
        try_generated(f);
    return std::move(result_);
  }

private:
  bool goes_on() const {
    return result_.verdict.agreement != Agreement::Different && !result_.verdict.interrupted &&
           !result_.verdict.checker_failed;
  }

  // A run for each call and each other version that it may enter; 64 of them.
  std::vector<std::string> entries_of(const std::vector<Value>& reads) {
    const LinkedProgram linked(program_, names_);
    const Schedule never;
    Limits limits;
    limits.fuel = options_.fuel;
    limits.heap = 1 << 26;
    Input input(reads, names_);
    Config c = start(linked, input, never, limits);
    std::vector<std::string> all;
    const auto look = [&](std::uint64_t call) {
      if (only_ && c.code->function != *only_) return;
      if (linked.function(c.code->function)->versions.size() < 2) return;
      for (const InstrStream* version : enterable(c, *linked.function(c.code->function), c.env()))
        if (version != c.code)
          all.push_back(fmt::format("enter:{}:{}", call, names_.text(version->version)));
    };
    look(0);
    std::string printed;
    for (std::uint64_t calls = 0; step(c, printed).status == StepStatus::Stepped; printed.clear())
      if (c.calls != calls) look(calls = c.calls);
    if (all.size() <= kAllSingleExits) return all;
    for (std::size_t i = 0; i < kAllSingleExits; ++i)
      std::swap(all[i], all[i + next_random(random_) % (all.size() - i)]);
    all.resize(kAllSingleExits);
    return all;
  }

  // The same call in a main of its own.
  void try_generated(const Function& f) {
    if (f.name == names_.intern<FunName>("main")) return;
    for (std::uint64_t i = 0; i < (f.params.empty() ? 1 : kGeneratedCalls) && goes_on(); ++i) {
      Program driver = driver_of(f);
      Diagnostics problems;
      check_wellformed(driver, {}, names_, problems);
      if (problems.has_errors()) return; // something leads into main
      options_.leave.clear();
      for (const Version* v : called_versions(f))
        options_.leave.push_back(
            fmt::format("enter:{}.{}", names_.text(f.name), names_.text(v->name)));
      result_.generated += options_.leave.size();
      LockstepVerdict verdict = check_lockstep(driver, driver, {}, {{}}, options_, names_);
      if (verdict.agreement == Agreement::Inconclusive) { // such a call need not end
        result_.verdict.checker_failed |= verdict.checker_failed;
        ++result_.without_end;
        continue;
      }
      add(result_.verdict, std::move(verdict));
      if (!goes_on()) result_.driver = std::move(driver);
    }
  }

  Program driver_of(const Function& f) {
    Program driver = program_;
    const FunName main = names_.intern<FunName>("main");
    for (Function& g : driver.functions) {
      if (g.name != main) continue;
      g.versions.resize(1);
      g.versions[0] = Version{};
      g.versions[0].name = names_.intern<VerName>("base");
      write_main(g.versions[0], f);
    }
    return driver;
  }

  void write_main(Version& main, const Function& f) {
    const auto push = [&](Instruction instr) { main.body.push_back({{}, std::move(instr)}); };
    std::vector<Var> arrays;
    std::vector<Expr> arguments;
    for (std::size_t i = 0; i < f.params.size(); ++i) {
      if (!tape_.chance(1, 3)) {
        arguments.push_back(any_literal());
        continue;
      }
      if (arrays.empty() || tape_.chance(2, 3)) {
        arrays.push_back(names_.intern<Var>(fmt::format("a{}", arrays.size())));
        ArrayDef def{arrays.back(), {}};
        for (std::uint32_t k = tape_.below(4); k > 0; --k) def.elements.push_back(any_literal());
        push(std::move(def));
      }
      arguments.push_back(
          SimpleExpr(arrays[tape_.below(static_cast<std::uint32_t>(arrays.size()))]));
    }
    const Var result = names_.intern<Var>("result");
    push(Call{result, SimpleExpr(f.name), std::move(arguments)});
    push(Print{SimpleExpr(result)});
    for (const Var a : arrays) push(Print{SimpleExpr(a)});
    push(Stop{});
  }

  SimpleExpr any_literal() {
    if (tape_.chance(1, 2))
      return literals_[tape_.below(static_cast<std::uint32_t>(literals_.size()))];
    switch (tape_.below(8)) {
    case 0: return Nil{};
    case 1: return tape_.chance(1, 2);
    case 2: return Float{0.5 * tape_.below(6) - 1.0};
    case 3: return names_.intern<Str>("a");
    default: return std::int64_t{tape_.below(7)} - 2;
    }
  }

  const Program& program_;
  std::optional<FunName> only_;
  LockstepOptions options_;
  std::vector<std::string> given_; // schedules; empty: all that there is to enter
  Names& names_;
  std::uint64_t random_;
  Tape tape_{options_.seed};
  std::vector<SimpleExpr> literals_ = mentioned_literals(program_);
  VersionsVerdict result_;
};

} // namespace

VersionsVerdict check_versions(const Program& program, std::optional<FunName> only,
                               const std::vector<std::vector<Value>>& reads,
                               LockstepOptions options, Names& names) {
  return VersionsCheck(program, only, std::move(options), names).run(reads);
}

} // namespace sourir
