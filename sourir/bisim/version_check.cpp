#include "sourir/bisim/version_check.h"

#include "sourir/bisim/call_drivers.h"
#include "sourir/bisim/check_limits.h"
#include "sourir/bisim/random_schedules.h"
#include "sourir/semantics/step.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace sourir {
namespace {

constexpr std::uint64_t kGeneratedCalls = 24; // of a function

std::vector<const Version*> called_versions(const Function& f) {
  std::vector<const Version*> all;
  for (const Version& v : f.versions)
    if (!v.cont) all.push_back(&v);
  return all;
}

class VersionsCheck {
public:
  VersionsCheck(const Program& program, std::optional<FunName> only, LockstepOptions options,
                Names& names)
      : program_(program), only_(only), options_(std::move(options)), names_(names),
        random_(options_.seed) {
    given_ = options_.deopt;
    options_.events_only = true;
    options_.as = Oracle::Versions;
    options_.input_name = "the run with the first versions";
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
        options_.deopt = whole;
        const auto entries = entries_of(reads);
        options_.deopt.insert(options_.deopt.end(), entries.begin(), entries.end());
        result_.entries += entries.size();
      }
      add(check_lockstep(program_, program_, {}, {reads}, options_, names_));
    }
    drivers_.emplace(program_, all_reads.front(), options_.seed, names_);
    for (const Function& f : program_.functions)
      if (given_.empty() && called_versions(f).size() > 1 && (!only_ || f.name == *only_))
        try_generated(f);
    if (goes_on()) note_unmet();
    return std::move(result_);
  }

private:
  // Which versions were compared is said by note_unmet(), which schedules of the options led to
  // nothing only where they were given.
  void add(LockstepVerdict verdict) {
    if (given_.empty()) verdict.unmet.clear();
    result_.verdict.add(std::move(verdict));
  }

  void note_unmet() {
    auto& unmet = result_.verdict.unmet;
    if (result_.functions == 0)
      unmet.push_back(only_ ? fmt::format("function {} has one version that calls may enter",
                                          names_.text(*only_))
                            : "no function has several versions that calls may enter");
    if (!given_.empty()) return;
    for (const Function& f : program_.functions) {
      if (called_versions(f).size() < 2 || (only_ && f.name != *only_)) continue;
      for (const Version* v : called_versions(f))
        if (!result_.verdict.entered_versions.contains(version_key(f.name, v->name)))
          unmet.push_back(fmt::format("{}.{}: no call that came to an end was compared with it",
                                      names_.text(f.name), names_.text(v->name)));
    }
  }

  bool goes_on() const {
    return result_.verdict.agreement != Agreement::Different && !result_.verdict.interrupted &&
           !result_.verdict.checker_failed;
  }

  // A run for each call and each other version that it may enter; of many, the first of each call
  // site and version, and kAllSingleExits in all.
  std::vector<std::string> entries_of(const std::vector<Value>& reads) {
    const LinkedProgram linked(program_, names_);
    const Schedule never;
    const Limits limits = check_limits(options_.fuel);
    Input input(reads, names_);
    Config c = start(linked, input, never, limits);
    std::vector<std::string> all, more;
    std::set<std::tuple<const ResolvedVersion*, Pc, const ResolvedVersion*>> sites;
    const auto look = [&](std::uint64_t call) {
      if (only_ && c.code->function != *only_) return;
      if (linked.function(c.code->function)->versions.size() < 2) return;
      for (const ResolvedVersion* version :
           enterable(c, *linked.function(c.code->function), c.env())) {
        if (version == c.code) continue;
        const bool is_new =
            c.frames.empty()
                ? sites.emplace(nullptr, 0, version).second
                : sites.emplace(c.frames.back().code, c.frames.back().pc, version).second;
        (is_new ? all : more)
            .push_back(fmt::format("enter:{}:{}", call, names_.text(version->version)));
      }
    };
    look(0);
    std::string printed;
    for (std::uint64_t calls = 0; step(c, printed).status == StepStatus::Stepped; printed.clear())
      if (c.calls != calls) look(calls = c.calls);
    for (std::size_t i = 0; i < more.size() && all.size() < kAllSingleExits; ++i) {
      if (more.size() - i > kAllSingleExits - all.size())
        std::swap(more[i], more[i + next_random(random_) % (more.size() - i)]);
      all.push_back(std::move(more[i]));
    }
    return all;
  }

  // Generated calls, each in a main of its own.
  void try_generated(const Function& f) {
    if (f.name == names_.intern<FunName>("main")) return;
    for (std::uint64_t i = 0; i < (f.params.empty() ? 1 : kGeneratedCalls) && goes_on(); ++i) {
      std::optional<Program> driver = with_main(program_, drivers_->body(f, i), names_);
      if (!driver) return;
      options_.deopt.clear();
      for (const Version* v : called_versions(f))
        options_.deopt.push_back(
            fmt::format("enter:{}.{}", names_.text(f.name), names_.text(v->name)));
      result_.generated += options_.deopt.size();
      LockstepVerdict verdict = check_lockstep(*driver, *driver, {}, {{}}, options_, names_);
      if (verdict.agreement == Agreement::Inconclusive) { // such a call need not end
        result_.verdict.checker_failed |= verdict.checker_failed;
        ++result_.without_end;
        continue;
      }
      add(std::move(verdict));
      if (!goes_on()) result_.driver = std::move(driver);
    }
  }

  const Program& program_;
  std::optional<FunName> only_;
  LockstepOptions options_;
  std::vector<std::string> given_; // schedules; empty: all versions
  Names& names_;
  std::uint64_t random_;
  std::optional<CallDrivers> drivers_;
  VersionsVerdict result_;
};

} // namespace

VersionsVerdict check_versions(const Program& program, std::optional<FunName> only,
                               const std::vector<std::vector<Value>>& reads,
                               LockstepOptions options, Names& names) {
  return VersionsCheck(program, only, std::move(options), names).run(reads);
}

namespace {

// Instructions of all programs that are made and linked.
constexpr std::uint64_t kMostInstructions = 400'000;
// Steps of one call: more say nothing about a call that does not end.
constexpr std::uint64_t kMostSteps = 10'000;

const Function* function(const Program& program, FunName name) {
  const auto found = std::ranges::find(program.functions, name, &Function::name);
  return found == program.functions.end() ? nullptr : &*found;
}

} // namespace

LockstepVerdict check_entries(const Program& input, const Program& output, const StateMap& map,
                              const std::vector<Value>& reads, const LockstepOptions& options,
                              Names& names, std::uint64_t calls) {
  LockstepVerdict all;
  std::uint64_t work = 0, size = 0;
  for (const Function& f : output.functions)
    for (const Version& v : f.versions) size += v.body.size();
  LockstepOptions short_runs = options;
  short_runs.fuel = std::min(options.fuel, kMostSteps);
  short_runs.all_fuel = std::min(options.all_fuel, 50 * kMostSteps);
  CallDrivers drivers(input, reads, options.seed, names);
  const FunName main = names.intern<FunName>("main");
  const StateMap others = without_main(map, names);
  for (const Function& f : output.functions) {
    const Function* const before = function(input, f.name);
    if (f.name == main || before == nullptr || *before == f) continue;
    for (std::uint64_t i = 0; i < (f.params.empty() ? 1 : calls); ++i) {
      work += size;
      if (work > kMostInstructions) return all;
      const std::vector<Stmt> body = drivers.body(f, i);
      const auto one = with_main(input, body, names), other = with_main(output, body, names);
      if (!one || !other) return all;
      LockstepVerdict verdict = check_lockstep(*one, *other, others, {{}}, short_runs, names);
      const bool tells_nothing = verdict.agreement == Agreement::Inconclusive ||
                                 (verdict.counterexample && verdict.input_at_fault);
      if (tells_nothing && !verdict.checker_failed) {
        ++all.skipped;
        continue;
      }
      show_main(verdict, *one, names);
      all.add(std::move(verdict));
      if (all.agreement == Agreement::Different || all.checker_failed || all.interrupted)
        return all;
    }
  }
  return all;
}

} // namespace sourir
