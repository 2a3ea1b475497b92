#include "sourir/cli/campaign/campaign_events.h"

#include "profiler/event_profile.h"
#include "sourir/bisim/generate/choice_sequence.h"
#include "sourir/cli/campaign/campaign_engines.h"
#include "sourir/cli/engine/engine_setup.h"
#include "sourir/cli/events/reference_events.h"
#include "sourir/semantics/render.h"
#include "sourir/semantics/resolved.h"

#include <fmt/format.h>

#include <array>
#include <map>

namespace sourir {

namespace {

using profiler::EventCounts;
using profiler::EventOptions;
using profiler::EventPhase;
using profiler::EventRecording;
using profiler::EventStrategy;

// --- Counts of events of EventPhase::Version ---

// By place of the program and event.
using CountsByPlace = std::map<std::pair<std::string, profiler::Event>, std::int64_t>;

CountsByPlace counts_by_place(const EventRecording& recording) {
  CountsByPlace result;
  for (const auto& code : recording.codes()) {
    const std::vector<std::int64_t> counts = code->counts();
    for (std::size_t s = 0; s < counts.size(); ++s) {
      const auto [at, event] = code->sites[s];
      if (counts[s] == 0 || profiler::type_of(event).phase != EventPhase::Version) continue;
      result[{at < code->places.size() ? code->places[at] : "", event}] += counts[s];
    }
  }
  std::erase_if(result, [](const auto& entry) { return entry.second == 0; });
  return result;
}

// The first difference; empty: none.
std::string difference(const CountsByPlace& counted, const CountsByPlace& expected) {
  const auto of = [](const CountsByPlace& counts, const CountsByPlace::key_type& key) {
    const auto found = counts.find(key);
    return found == counts.end() ? std::int64_t{0} : found->second;
  };
  for (const CountsByPlace& counts : {expected, counted})
    for (const auto& [key, unused] : counts)
      if (of(counted, key) != of(expected, key))
        return fmt::format("at {}, it counts {} of {}, the reference {}", key.first,
                           of(counted, key), profiler::type_of(key.second).name, of(expected, key));
  return {};
}

// --- The reference ---

struct Truth {
  std::unique_ptr<EventRecording> recording;
  Config end; // in which no step more is made
  StepResult last;
  std::uint64_t events = 0; // is_counted_event()
  // The number of events before each that native code can run out of fuel at: calls, back edges.
  std::vector<std::uint64_t> ends_of_fuel;
  std::vector<Event> seen; // but for reads, which engines do not show
};

// Ends before the event of this number, from 0 on, if there is one.
Truth truth_of(const EngineInput& in, Input& input, std::optional<std::uint64_t> before) {
  Truth truth;
  truth.recording = std::make_unique<EventRecording>(EventOptions{});
  ReferenceEvents recorded(*truth.recording, in.program);
  Config c = start(in.program, input, in.schedule, in.limits);
  std::string printed;
  while (true) {
    const ResolvedVersion* const code = c.code;
    const Pc pc = c.pc;
    if (before && truth.events == *before && is_counted_event(*code, pc, {.rule = next(c).rule}))
      break;
    truth.last = step(c, printed);
    if (auto event = seen(truth.last, std::move(printed), c);
        event && event->kind != Event::Kind::Read)
      truth.seen.push_back(*std::move(event));
    printed.clear();
    if (truth.last.rule == nullptr) break;
    recorded.step(truth.last, *code, pc);
    if (is_counted_event(*code, pc, truth.last)) {
      if (!takes_exit(truth.last)) truth.ends_of_fuel.push_back(truth.events);
      ++truth.events;
    }
    if (truth.last.status != StepStatus::Stepped) break;
  }
  truth.end = std::move(c);
  return truth;
}

// --- The engines ---

struct EngineChoice {
  std::string engine = "native";
  unsigned level = 0;
  std::uint64_t most_paths = 64;
  bool stress_osr = false;
  bool limits_fuel = true; // otherwise the code does not count it
  EventStrategy second = EventStrategy::Decode;
  std::string text;
};

EngineChoice draw_engine(std::uint64_t draw, bool optimizes) {
  constexpr std::array<std::uint64_t, 4> kPaths{64, 64, 4, 1};
  EngineChoice choice;
  choice.level = optimizes ? 2 : 0;
  choice.most_paths = kPaths[next_random(draw) % kPaths.size()];
  if (next_random(draw) % 3 == 0) choice.engine = "auto";
  choice.stress_osr = choice.engine == "auto" && next_random(draw) % 2 == 0;
  choice.limits_fuel = next_random(draw) % 2 == 0;
  if (next_random(draw) % 2 == 0) choice.second = EventStrategy::Direct;
  choice.text =
      fmt::format("--engine={} --jit-level={} --event-paths={}{}", choice.engine, choice.level,
                  choice.most_paths, choice.stress_osr ? " --stress-osr" : "");
  return choice;
}

struct Counted {
  std::shared_ptr<EventRecording> recording;
  native::EngineRun run;
  std::vector<Event> seen;
};

native::NativeSettings settings_for(const EngineChoice& choice, const Limits& limits,
                                    const native::CompilerFactory& compiler, Counted& counted,
                                    Names& names) {
  // Low thresholds, as programs are small. Versions of the tiers' own have other places: none are
  // made.
  TierOptions tiers{.synchronous = true,
                    .no_speculation = true,
                    .stress_osr = choice.stress_osr,
                    .calls = 2,
                    .iterations = 2,
                    .exits = 2,
                    .level = choice.level};
  tiers.events.recording = counted.recording;
  native::NativeSettings settings = engine_settings(choice.engine, limits, tiers, names);
  settings.compiler = compiler;
  return settings;
}

Counted count(const EngineChoice& choice, EventStrategy strategy, const EngineInput& in,
              Input& input, const Limits& limits, const native::CompilerFactory& compiler) {
  Counted counted;
  EventOptions options;
  options.strategy = strategy;
  options.most_paths = choice.most_paths;
  options.positions = true;
  counted.recording = std::make_shared<EventRecording>(options);
  native::EngineHooks hooks;
  hooks.print = [&](std::string_view line) {
    counted.seen.push_back({Event::Kind::Print, std::string(line)});
  };
  counted.run =
      native::run_engine(in.program, input, in.schedule,
                         settings_for(choice, limits, compiler, counted, in.names), hooks);
  return counted;
}

bool ends_at(const native::EngineRun& run, const Truth& truth) {
  return run.last.code == truth.end.code && run.last.pc == truth.end.pc &&
         run.outcome.depth == truth.end.frames.size() + 1 &&
         run.last.output_bytes == truth.end.output_bytes;
}

// Why the counts cannot be compared; empty: the runs end at the same instruction, or what they do
// differs. `cut`: the fuel of the engine was to end there; exits may have used fuel that an engine
// had already taken for other events, and the run goes on further.
std::string no_comparison(const native::EngineRun& run, const Truth& truth, bool cut) {
  if (cut) return run.events == truth.events + 1 || run.outcome.limit != Limit::Fuel ? "" : "cut";
  const bool same = run.outcome.limit == truth.last.limit && ends_at(run, truth);
  return truth.last.status != StepStatus::AtLimit || same ? "" : name_of(truth.last.limit);
}

class EventCountCheck {
public:
  EventCountCheck(const native::CompilerFactory& compiler, const EngineInput& in, bool optimizes)
      : compiler_(compiler), in_(in), input_(in.reads, in.names),
        choice_(draw_engine(in.draw, optimizes)), limits_(in.limits),
        truth_(truth_of(in, input_, {})) {}

  EngineAnswer run() {
    cut();
    if (!answer_.inconclusive.empty()) return std::move(answer_);
    expected_ = counts_by_place(*truth_.recording);
    for (const EventStrategy s : {EventStrategy::Count, choice_.second})
      if (answer_.problem.empty() && answer_.inconclusive.empty()) try_strategy(s);
    if (answer_.inconclusive.empty() && answer_.problem.empty()) answer_.counts["compared"] = 1;
    if (is_cut_) answer_.counts["cut"] = 1;
    return std::move(answer_);
  }

private:
  // Without a limit, so that no engine runs on.
  bool ends() const {
    return truth_.last.status == StepStatus::Stopped || truth_.last.status == StepStatus::Stuck;
  }

  // Where the reference has no fuel, the engine, which counts other steps, gets less than it would
  // need to reach that point. Other runs are sometimes cut short in the same way.
  void cut() {
    const bool no_fuel = truth_.last.limit == Limit::Fuel;
    std::uint64_t draw = in_.draw + 1;
    if (!no_fuel && next_random(draw) % 3 != 0) {
      if (!choice_.limits_fuel && ends()) limits_.fuel = Limits().fuel;
      return;
    }
    if (truth_.ends_of_fuel.empty()) {
      if (no_fuel) answer_.inconclusive = "fuel";
      return;
    }
    const std::size_t last = truth_.ends_of_fuel.size() - 1;
    const std::size_t at =
        no_fuel && next_random(draw) % 2 == 0 ? last : next_random(draw) % (last + 1);
    limits_.fuel = truth_.ends_of_fuel[at];
    truth_ = truth_of(in_, input_, limits_.fuel);
    is_cut_ = true;
  }

  void try_strategy(EventStrategy strategy) {
    const Counted counted = count(choice_, strategy, in_, input_, limits_, compiler_);
    const std::string what = fmt::format("{} --strategy={}{}", choice_.text, name_of(strategy),
                                         is_cut_ ? fmt::format(" --fuel={}", limits_.fuel) : "");
    answer_.inconclusive = no_comparison(counted.run, truth_, is_cut_);
    if (!answer_.inconclusive.empty()) return;
    answer_.problem = other_run(counted);
    if (answer_.problem.empty())
      answer_.problem = difference(counts_by_place(*counted.recording), expected_);
    if (answer_.problem.empty()) compare_totals(profiler::total(counted.recording->codes()));
    if (!answer_.problem.empty()) answer_.problem = what + ": " + answer_.problem;
  }

  // What the program does differently; empty: nothing.
  std::string other_run(const Counted& counted) const {
    std::vector<Event> seen = counted.seen, expected = truth_.seen;
    seen.push_back(end_event(counted.run, in_.names));
    if (is_cut_) {
      expected.push_back({Event::Kind::Limit, name_of(Limit::Fuel)});
      if (!ends_at(counted.run, truth_)) return "its fuel ends elsewhere";
    }
    for (std::size_t i = 0; i < std::min(seen.size(), expected.size()); ++i)
      if (seen[i] != expected[i])
        return fmt::format("event {}: it {}, the reference {}", i + 1, describe(seen[i]),
                           describe(expected[i]));
    return seen.size() == expected.size() ? "" : "it prints more or fewer lines";
  }

  // With those of the strategy before.
  void compare_totals(const EventCounts& total) {
    const EventCounts before = total_.value_or(total);
    total_ = total;
    for (const profiler::EventType& type : profiler::event_types())
      if (total.of(type.event) != before.of(type.event))
        answer_.problem = fmt::format("it counts {} of {}, with the strategy before {}",
                                      total.of(type.event), type.name, before.of(type.event));
  }

  const native::CompilerFactory& compiler_;
  const EngineInput& in_;
  Input input_;
  const EngineChoice choice_;
  Limits limits_; // of the engine
  Truth truth_;
  CountsByPlace expected_;
  std::optional<EventCounts> total_;
  bool is_cut_ = false;
  EngineAnswer answer_;
};

} // namespace

EngineAnswer check_event_counts(const native::CompilerFactory& compiler, const EngineInput& input,
                                bool optimizes) {
  return EventCountCheck(compiler, input, optimizes).run();
}

} // namespace sourir
