#include "sourir/fuzz/fuzz_case.h"

#include "sourir/bisim/check_limits.h"
#include "sourir/bisim/generate/odd_operands.h"
#include "sourir/bisim/generate/random_idioms.h"
#include "sourir/bisim/generate/random_program.h"
#include "sourir/bisim/lockstep.h"
#include "sourir/bisim/reduce/reduce_program.h"
#include "sourir/bisim/reference_run.h"
#include "sourir/bisim/structure_check.h"
#include "sourir/bisim/version_check.h"
#include "sourir/syntax/wellformed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace sourir {

// --- making a case: a program, its inputs, schedule and pipeline

namespace {

class FuzzCaseMaker {
public:
  FuzzCaseMaker(ChoiceSequence& choices, const FuzzPlan& plan)
      : choices_(choices), plan_(plan), made_(std::make_unique<FuzzCase>()) {}

  std::unique_ptr<FuzzCase> run() {
    // The last transform of the pipeline determines the bias of the program.
    const std::optional<std::size_t> last = draw_last();
    const bool inlining = choices_.chance(1, 3);
    const FuzzBias& bias = bias_for(last ? text_of(*last) : "", choices_);
    const bool seeded = !plan_.engines.empty(); // engines use it, too
    made_->feedback_seed = seeded || choices_.chance(3, 4) ? choices_.word() : 0;
    if (last) draw_pipeline(*last, bias, inlining);
    draw_program(bias, inlining);
    return std::move(made_);
  }

private:
  std::size_t draw(std::size_t n) { return choices_.below(static_cast<std::uint32_t>(n)); }
  std::string_view text_of(std::size_t transform) const { return plan_.transforms[transform].text; }

  std::optional<std::size_t> draw_last() {
    if (!plan_.under_test.empty()) return plan_.under_test[draw(plan_.under_test.size())];
    if (plan_.transforms.empty()) return std::nullopt;
    return draw(plan_.transforms.size());
  }

  void add(std::string_view text) {
    const auto found = std::ranges::find(plan_.transforms, text, &Transform::text);
    if (text.empty() || found == plan_.transforms.end()) return;
    made_->pipeline.push_back(static_cast<std::size_t>(found - plan_.transforms.begin()));
  }
  void prepare(const FuzzBias& bias) {
    for (const std::string_view text : bias.before) add(text);
  }

  void draw_pipeline(std::size_t last, const FuzzBias& bias, bool inlining) {
    if (inlining && !text_of(last).starts_with("inline")) {
      prepare(bias_for("inline", choices_));
      if (choices_.chance(1, 2)) add("speculate");
      add("inline");
    }
    const bool anything = choices_.chance(1, 2);
    if (anything)
      for (std::size_t n = draw(std::max(plan_.chain, 1U)); n > 0; --n)
        made_->pipeline.push_back(draw(plan_.transforms.size()));
    if (choices_.chance(3, 4)) prepare(bias);
    made_->pipeline.push_back(last);
  }

  Policy draw_policy(const FuzzBias& bias, bool inlining) {
    const std::uint32_t small = std::max(plan_.size / 3, 1U);
    const std::array sizes{small, plan_.size, plan_.size, plan_.size * 3};
    Policy policy = random_policy(choices_, std::max(sizes[draw(sizes.size())], 1U));
    policy.steps = plan_.steps;
    if (bias.policy != nullptr && choices_.chance(3, 4)) bias.policy(policy);
    if (inlining) bias_for("inline", choices_).policy(policy);
    return policy;
  }

  static void forbid_exits(Policy& policy) {
    policy.versions = 0;
    for (const Feature f : {Feature::Assumes, Feature::Anchors, Feature::Contexts,
                            Feature::Continuations, Feature::Inlining})
      policy.set(f, false);
  }

  void draw_program(const FuzzBias& bias, bool inlining) {
    Policy policy = draw_policy(bias, inlining);
    const bool base_only = choices_.chance(bias.base_only ? 2 : 1, 3);
    if (base_only) forbid_exits(policy);
    RandomCase random = random_case(choices_, policy, made_->names);
    made_->program = std::move(random.program);
    made_->inputs = std::move(random.inputs);
    made_->deopt = std::move(random.deopt);
    if (base_only) draw_idioms();
    draw_watchpoints();
  }

  // Functions whose guards can be watched, by the reference or by native code; always where nothing
  // else is looked for.
  void draw_watchpoints() {
    if (!plan_.oracles.has(Oracle::Watches) && plan_.engines.empty()) return;
    const bool only = plan_.oracles == OracleSet().set(Oracle::Watches);
    if (only || choices_.chance(1, 6))
      put_idioms(made_->program, made_->inputs, choices_, made_->names, IdiomsFor::Watches);
  }

  void draw_idioms() {
    const IdiomsFor whom = plan_.engines.empty() ? IdiomsFor::Passes : IdiomsFor::Engines;
    if (choices_.chance(2, 3))
      put_idioms(made_->program, made_->inputs, choices_, made_->names, whom);
    if (choices_.chance(1, 3)) put_odd_operands(made_->program, choices_, made_->names);
  }

  ChoiceSequence& choices_;
  const FuzzPlan& plan_;
  std::unique_ptr<FuzzCase> made_;
};

} // namespace

std::unique_ptr<FuzzCase> make_case(ChoiceSequence& choices, const FuzzPlan& plan) {
  return FuzzCaseMaker(choices, plan).run();
}

namespace {

constexpr std::uint64_t kRuns = 10;       // of a lock step that use up their fuel, at most
constexpr std::uint32_t kSingleExits = 6; // runs with one forced exit each: other cases try others
constexpr std::uint32_t kMappedExits = 5; // runs that continue in the input
constexpr std::uint32_t kEntrySchedules = 3;
// One transform in kEntered is also checked in generated calls of each changed function, kCalls of
// each: they may cost a fifth of the time.
constexpr std::uint64_t kEntered = 5, kCalls = 1;
constexpr std::uint64_t kThorough = 10; // in one case of so many LLVM optimizes
constexpr std::size_t kLargest = 2'000; // instructions of a program that is passed on

// Nothing of it is mapped.
StateMap no_map(const Program& program) {
  StateMap map;
  for (const Function& f : program.functions)
    for (const Version& v : f.versions) map.versions.push_back({f.name, v.name, {}, {}, {}});
  return map;
}

class FuzzRun {
public:
  FuzzRun(FuzzCase& fuzz_case, const FuzzPlan& plan)
      : case_(fuzz_case), plan_(plan), limits_(check_limits(plan.fuel)),
        program_(fuzz_case.program) {}

  FuzzResult run() {
    const std::size_t size = instructions_of(case_.program);
    count("cases");
    count("instructions", size);
    count(fmt::format("size/{}", std::bit_floor(std::max<std::size_t>(size, 1))));
    by_itself();
    for (std::size_t i = 0; i < case_.pipeline.size() && goes_on(); ++i) {
      if (instructions_of(program_) >= kLargest) break;
      transform(plan_.transforms[case_.pipeline[i]], i);
    }
    if (goes_on()) end_to_end();
    ask_engines();
    if (!why_.empty()) count("inconclusive/" + why_);
    result_.inconclusive = !why_.empty();
    return std::move(result_);
  }

private:
  bool goes_on() const { return !result_.finding && !over_; }
  void count(std::string_view name, std::uint64_t n = 1) { result_.counters.add(name, n); }
  bool asks(Oracle oracle) {
    if (!plan_.oracles.has(oracle)) return false;
    count(fmt::format("oracle/{}", name_of(oracle)));
    return true;
  }
  void inconclusive(std::string_view why) {
    if (why_.empty()) why_ = why;
  }
  void found(Oracle oracle, const std::string& transform, std::string_view kind,
             std::string report) {
    const std::string name = transform.substr(0, transform.find(':'));
    result_.finding = {oracle, transform,
                       fmt::format("{}/{}{}{}", name.empty() ? "program" : name, name_of(oracle),
                                   kind.empty() ? "" : "/", kind),
                       std::move(report)};
  }

  // --- the program against itself

  ReferenceRun run_once(const LinkedProgram& program, const Schedule& schedule) {
    ReferenceRun run = reference_run(program, case_.inputs, schedule, limits_, case_.names);
    count("runs");
    count("steps", run.steps);
    for (std::size_t rule = 0; rule < kRuleCount; ++rule)
      if (run.rules[rule] > 0)
        count(fmt::format("rule/{}", all_rules()[rule].name), run.rules[rule]);
    for (const auto& [frames, n] : run.by_depth) count(fmt::format("forced/{}", frames), n);
    if (run.at_limit()) inconclusive(run.events.back().text);
    return run;
  }

  void by_itself() {
    const auto parsed = parse_schedule(case_.deopt, case_.names);
    if (parsed) schedule_ = *parsed;
    const LinkedProgram linked(case_.program, case_.names);
    first_ = run_once(linked, Schedule{});
    const ReferenceRun forced = run_once(linked, schedule_);
    if (asks(Oracle::ForcedExits)) compare_forced(forced, "", "the program");
    compare_watched(linked, "", "the program");
  }

  // --- engines

  // Runs the program, or the output of the pipeline, on the engines, without forced exits and with
  // those of each schedule. Native code takes longer than all the rest: one engine that makes it
  // runs, with two of the schedules.
  void ask_engines() {
    if (plan_.engines.empty() || !goes_on()) return;
    std::uint64_t state = case_.feedback_seed;
    const std::uint64_t draw = next_random(state), seed = draw / 64 % 1'000;
    const bool output = last_changed_ && draw % 2 == 0;
    const LinkedProgram program(output ? program_ : case_.program, case_.names);
    const std::string transform =
        output ? plan_.transforms[case_.pipeline[*last_changed_]].text : std::string();
    const std::array schedules{std::string("never"), std::string("always"),
                               fmt::format("p:0.1:{}", seed), fmt::format("p:0.001:{}", seed)};
    const std::size_t drawn = 1 + draw / 8 % (schedules.size() - 1);
    for (std::size_t i = 0; i < schedules.size() && goes_on(); ++i) {
      const auto schedule = *parse_schedule(schedules[i], case_.names);
      const ReferenceRun expected = run_once(program, schedule);
      const EngineInput input{program,          case_.inputs, schedule,
                              limits_,          case_.names,  draw / 1'024 % kThorough == 0,
                              draw / 10'240 + i};
      const EngineRow* const native = i == 0 || i == drawn ? coder(draw / 32) : nullptr;
      for (const EngineRow& engine : plan_.engines)
        if ((!engine.makes_code || &engine == native) &&
            (engine.checks_itself || !expected.at_limit()))
          ask_engine(engine, schedules[i], input, expected, transform);
    }
  }

  void ask_engine(const EngineRow& engine, const std::string& deopt, const EngineInput& input,
                  const ReferenceRun& expected, const std::string& transform) {
    if (!goes_on() || !asks(engine.oracle)) return;
    count(fmt::format("engine/{}/runs", engine.name));
    count(fmt::format("engine/{}/forced", engine.name), expected.forced);
    const Result<EngineAnswer> answer = engine.run(input);
    if (answer)
      for (const auto& [what, n] : answer->counts)
        count(fmt::format("engine/{}/{}", engine.name, what), n);
    if (answer && !answer->inconclusive.empty())
      inconclusive(fmt::format("{}-{}", engine.name, answer->inconclusive));
    const std::string difference =
        answer && engine.checks_itself ? answer->problem : engine_difference(answer, expected);
    if (difference.empty()) return;
    found(engine.oracle, transform, engine.name,
          fmt::format("--engine={} --deopt={}: {}\n", engine.name, deopt, difference));
  }

  // One of the engines that make code.
  const EngineRow* coder(std::uint64_t draw) const {
    std::vector<const EngineRow*> all;
    for (const EngineRow& engine : plan_.engines)
      if (engine.makes_code) all.push_back(&engine);
    return all.empty() ? nullptr : all[draw % all.size()];
  }

  void compare_forced(const ReferenceRun& forced, const std::string& transform,
                      std::string_view what) {
    if (forced.injected != forced.forced)
      return found(Oracle::ForcedExits, transform, "injected",
                   fmt::format("--deopt={} forces {} exits, {} were observed\n", case_.deopt,
                               forced.injected, forced.forced));
    compare(forced, Oracle::ForcedExits, transform,
            fmt::format("{} with --deopt={}", what, case_.deopt));
  }

  // Compares with the first run of the case's program.
  void compare(const ReferenceRun& run, Oracle oracle, const std::string& transform,
               const std::string& what) {
    if (run.at_limit() || first_.at_limit()) return;
    for (std::size_t i = 0; i < std::max(run.events.size(), first_.events.size()); ++i) {
      const bool both = i < run.events.size() && i < first_.events.size();
      if (both && run.events[i] == first_.events[i]) continue;
      const auto said = [&](const std::vector<Event>& events) {
        return i < events.size() ? describe(events[i]) : std::string("has ended");
      };
      return found(oracle, transform, transform.empty() ? "itself" : "end-to-end",
                   fmt::format("event {}: {} {}, the program without forced exits {}\n", i + 1,
                               what, said(run.events), said(first_.events)));
    }
  }

  // --- one transform

  void transform(const Transform& transform, std::size_t index) {
    const std::string name = "pass/" + transform.text + "/";
    count(name + "tried");
    asks(Oracle::Claims);
    auto ran = transform.run({program_, case_.names, case_.inputs, case_.feedback_seed});
    if (!ran) {
      over_ = true;
      if (plan_.oracles.has(Oracle::Claims))
        found(Oracle::Claims, transform.text, "throws",
              fmt::format("throws: {}\n", ran.error().message));
      return;
    }
    std::optional<Transformed>& done = *ran;
    if (!done) return;
    count(name + "changed");
    count(name + "rewrites", done->rewrites);
    if (done->program == program_) {
      if (plan_.oracles.has(Oracle::Claims))
        found(Oracle::Claims, transform.text, "unchanged",
              "says that it has changed something, but has not\n");
      return;
    }
    if (!well_made(transform, *done)) return;
    lockstep(transform, *done, index);
    if (!result_.finding) program_ = std::move(done->program);
    last_changed_ = index;
  }

  // False: the remaining checks are not possible.
  bool well_made(const Transform& transform, Transformed& done) {
    const bool asked = asks(Oracle::Structure);
    const auto problems = structural_problems(program_, done.program, done.map, case_.names);
    if (problems.empty()) return true;
    if (asked) {
      std::string report;
      for (const std::string& problem : problems) report += problem + "\n";
      found(Oracle::Structure, transform.text, "", std::move(report));
      return false;
    }
    over_ = !is_wellformed(done.program, case_.names);
    if (over_) inconclusive("not-well-formed");
    done.map = no_map(done.program);
    return !over_;
  }

  void lockstep(const Transform& transform, const Transformed& done, std::size_t index) {
    bool asked = false;
    for (const Oracle oracle :
         {Oracle::Events, Oracle::ForcedExits, Oracle::States, Oracle::OwnExits, Oracle::Divergence,
          Oracle::MappedExits, Oracle::DeoptBound})
      asked = asks(oracle) || asked;
    if (!asked) return;
    LockstepOptions options;
    options.fuel = plan_.fuel;
    options.all_fuel = kRuns * plan_.fuel;
    options.schedules = kSingleExits;
    options.mapped_exits = kMappedExits;
    options.oracles = plan_.oracles;
    LockstepVerdict verdict =
        check_lockstep(program_, done.program, done.map, {case_.inputs}, options, case_.names);
    if (verdict.agreement == Agreement::Equivalent &&
        (case_.feedback_seed + index) % kEntered == 0) {
      options.seed += case_.feedback_seed;
      options.schedules = kEntrySchedules;
      LockstepVerdict entered = check_entries(program_, done.program, done.map, case_.inputs,
                                              options, case_.names, kCalls);
      count("runs/entries", entered.runs);
      verdict.add(std::move(entered));
    }
    count("runs", verdict.runs);
    count("steps", verdict.steps);
    count("events", verdict.events);

    count("states", verdict.states);
    count("states/not-mapped", verdict.not_mapped);
    count("forced", verdict.forced);
    count("exits", verdict.exits);
    count("exits/moved", verdict.moved_exits);
    count("exits/mapped", verdict.mapped_exits);
    if (verdict.agreement == Agreement::Inconclusive)
      inconclusive(verdict.kind.empty() ? "checker" : verdict.kind);
    if (verdict.agreement == Agreement::Different)
      found(verdict.oracle, transform.text,
            verdict.input_at_fault ? "input-at-fault" : verdict.kind, verdict.report);
  }

  // --- the whole pipeline

  void end_to_end() {
    if (!last_changed_) return;
    const std::string& text = plan_.transforms[case_.pipeline[*last_changed_]].text;
    const LinkedProgram linked(program_, case_.names);
    if (asks(Oracle::Events))
      compare(run_once(linked, Schedule{}), Oracle::Events, text, "the output");
    if (!result_.finding && asks(Oracle::ForcedExits))
      compare_forced(run_once(linked, schedule_), text, "the output");
    const std::uint64_t seed = case_.feedback_seed % 1'000;
    if (!result_.finding && asks(Oracle::Versions))
      compare_with(linked, fmt::format("enter:any:{}", seed), Oracle::Versions, text);
    if (!result_.finding && asks(Oracle::Transparency))
      compare_with(linked, fmt::format("p:0.5:{}", seed), Oracle::Transparency, text);
    compare_watched(linked, text, "the output");
  }

  // Watches all guards that may be watched, without forced exits and with those of the case.
  void compare_watched(const LinkedProgram& linked, const std::string& transform,
                       std::string_view what) {
    const WatchSchedule all{.all = true};
    if (result_.finding || !plan_.oracles.has(Oracle::Watches) || !watch_plan(linked, all)) return;
    asks(Oracle::Watches);
    Schedule schedule;
    schedule.watch = all;
    compare(run_once(linked, schedule), Oracle::Watches, transform,
            fmt::format("{} with --watch=always", what));
    if (result_.finding) return;
    schedule = schedule_;
    schedule.watch = all;
    compare(run_once(linked, schedule), Oracle::Watches, transform,
            fmt::format("{} with --deopt={}/watch:always", what, case_.deopt));
  }

  // Compares the output under another schedule: other versions are entered, or other exits are
  // taken. (check_rematerialized_states does not apply: calls enter other versions here.)
  void compare_with(const LinkedProgram& linked, const std::string& deopt, Oracle oracle,
                    const std::string& text) {
    const auto schedule = parse_schedule(deopt, case_.names);
    compare(run_once(linked, *schedule), oracle, text,
            fmt::format("the output with --deopt={}", deopt));
  }

  FuzzCase& case_;
  const FuzzPlan& plan_;
  Limits limits_;
  Program program_; // so far
  Schedule schedule_;
  ReferenceRun first_;
  FuzzResult result_;
  std::string why_; // the first reason why the case is inconclusive
  std::optional<std::size_t> last_changed_;
  bool over_ = false;
};

} // namespace

FuzzResult try_case(FuzzCase& fuzz_case, const FuzzPlan& plan) {
  return FuzzRun(fuzz_case, plan).run();
}

namespace {

constexpr std::string_view kFresh = "fresh-version", kAnchors = "checkpoints",
                           kAssumes = "checkpoints:as=assume",
                           kEverywhere = "checkpoints:everywhere", kSpeculate = "speculate",
                           kBranches = "speculate:branches=true";

void only(Policy& policy, std::initializer_list<Feature> features) {
  policy.features = 0;
  for (const Feature f : features) policy.set(f);
}
void many_exits(Policy& policy) {
  for (const Feature f :
       {Feature::Calls, Feature::Arrays, Feature::Assumes, Feature::Inlining, Feature::Deferred,
        Feature::Facts, Feature::Renaming, Feature::Backward, Feature::Continuations})
    policy.set(f);
  policy.versions = 3;
  policy.exits = 70;
}
// Exits with `with` blocks, one after the other.
void blocks(Policy& policy) {
  only(policy, {Feature::Arrays, Feature::Nested, Feature::Assumes, Feature::Deferred,
                Feature::PartialVarmaps, Feature::Strings});
  policy.versions = 3;
  policy.exits = 70;
  policy.size += 20;
}
void hints(Policy& policy) { policy.set(Feature::Hints).set(Feature::Branches); }
void calls(Policy& policy) { policy.set(Feature::Calls).set(Feature::Assumes); }
void loops(Policy& policy) {
  only(policy, {Feature::Loops, Feature::Branches});
  policy.size += 300;
}
void elements(Policy& policy) {
  only(policy, {Feature::Loops, Feature::Branches, Feature::Arrays, Feature::Nested});
  policy.size += 150;
}
// Parameters that are arrays, of lengths that the callee does not know.
void array_parameters(Policy& policy) {
  only(policy, {Feature::Loops, Feature::Branches, Feature::Arrays, Feature::Calls,
                Feature::Assumes, Feature::Hints, Feature::Facts});
  policy.size += 100;
  policy.errors = 20;
}
void joins(Policy& policy) { policy.set(Feature::Loops).set(Feature::Branches); }
void not_normal(Policy& policy) { policy.set(Feature::NotNormal); }

constexpr std::string_view kSecond = "fresh-version:name=second";

constexpr FuzzBias kUsual{.pass = "", .before = {kFresh, kAnchors, kSpeculate}};
constexpr FuzzBias kBiases[] = {
    {.pass = "checkpoints", .before = {kFresh}},
    {.pass = "compose-assumes", .before = {kFresh, kAssumes, kSecond}, .policy = many_exits},
    {.pass = "compose-assumes", .before = {}, .policy = blocks},
    {.pass = "compose-assumes",
     .before = {kFresh, kEverywhere, "deferred-materialization", kSecond, kEverywhere,
                "deferred-materialization"},
     .policy = many_exits},
    {.pass = "constprop", .before = {kFresh, kAnchors, kSpeculate}},
    {.pass = "constprop", .before = {}, .base_only = true},
    {.pass = "dce", .before = {kFresh, kAnchors, kSpeculate}},
    {.pass = "dce",
     .before = {kFresh, kAnchors, kBranches, "inline", "lower-anchors"},
     .policy = calls,
     .base_only = true},
    {.pass = "deferred-materialization",
     .before = {kFresh, kEverywhere, "constprop"},
     .policy = joins,
     .base_only = true},
    {.pass = "drop-assumes", .before = {kFresh, kAssumes}},
    {.pass = "gvn", .before = {kFresh, kAnchors, kSpeculate}, .base_only = true},
    {.pass = "hoist-predicates",
     .before = {kFresh, kAssumes, kBranches},
     .policy = hints,
     .base_only = true},
    {.pass = "inline", .before = {kFresh, kAnchors}, .policy = calls},
    {.pass = "inline",
     .before = {kFresh, kEverywhere, "deferred-materialization"},
     .policy = many_exits},
    {.pass = "inline", .before = {kFresh, "constprop"}, .policy = calls},
    {.pass = "insert-from-anchor", .before = {kFresh, kAnchors}, .policy = hints},
    {.pass = "late-declarations",
     .before = {"inline:max-size=200:max-total=2000", "copyprop", "dce"},
     .policy = calls,
     .base_only = true},
    {.pass = "licm", .before = {}, .policy = loops, .base_only = true},
    {.pass = "licm", .before = {kFresh, kEverywhere, kSpeculate}, .policy = array_parameters},
    {.pass = "load-elimination",
     .before = {kFresh, kAnchors},
     .policy = elements,
     .base_only = true},
    {.pass = "lower-anchors", .before = {kFresh, kAnchors}},
    {.pass = "move-assumes", .before = {kFresh, kAssumes}, .policy = hints, .base_only = true},
    {.pass = "move-assumes",
     .before = {kFresh, kAssumes, kBranches, "constprop", "unreachable"},
     .policy = hints,
     .base_only = true},
    {.pass = "normalize", .before = {}, .policy = not_normal},
    {.pass = "speculate", .before = {kFresh, kAnchors}, .policy = hints},
    {.pass = "split", .before = {kFresh, kAnchors}, .policy = joins, .base_only = true},
    {.pass = "types", .before = {kFresh, kAnchors, kSpeculate}, .base_only = true},
    {.pass = "undo", .before = {kFresh, kAnchors, kBranches}, .policy = hints, .base_only = true},
    {.pass = "unreachable", .before = {kFresh, "constprop"}, .policy = joins, .base_only = true},
};
static_assert(std::ranges::is_sorted(kBiases, {}, &FuzzBias::pass));

} // namespace

const FuzzBias& bias_for(std::string_view transform, ChoiceSequence& choices) {
  const std::string_view pass = transform.substr(0, transform.find(':'));
  const auto rows = std::ranges::equal_range(kBiases, pass, {}, &FuzzBias::pass);
  if (rows.empty()) return kUsual;
  return rows[choices.below(static_cast<std::uint32_t>(rows.size()))];
}

} // namespace sourir
