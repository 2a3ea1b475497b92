#include "sourir/cli/events/compare_events.h"

#include "sourir/cli/events/event_comparison.h"
#include "sourir/cli/load_file.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/files.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"
#include "sourir/os/progress.h"
#include "sourir/os/terminal.h"
#include "sourir/semantics/text/state_text.h"
#include "sourir/syntax/diagnostics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <sstream>

namespace sourir {

namespace {

constexpr std::size_t kLargestKept = std::size_t{1} << 28;

// 0 <= it < 1
std::optional<double> share_of(const std::string& text) {
  double share = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, share);
  if (read.ec != std::errc() || read.ptr != end || !(share >= 0 && share < 1)) return {};
  return share;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// Whether the word is a flag of the tiers; `alone`: and its value is the next word.
bool is_tier_flag(const std::vector<Flag>& tiers, const std::string& word, bool& alone) {
  const std::string name = word.substr(0, word.find('='));
  const auto found =
      std::ranges::find_if(tiers, [&](const Flag& f) { return f.long_name() == name; });
  if (found == tiers.end()) return false;
  alone = found->takes == Flag::Takes::Value && name == word;
  return true;
}

// "jit-guards,licm" or "--no-inlining --tier contexts=0". Sets `way`. Returns the error, or
// nothing.
std::string read_way(const std::string& text, const std::vector<Flag>& tiers, EventWay& way) {
  if (!text.starts_with('-')) {
    way.flags = {"--tier=passes=" + text};
    return {};
  }
  way.flags = words_of(text);
  bool value_follows = false;
  for (const std::string& word : way.flags) {
    if (std::exchange(value_follows, false)) continue;
    if (!is_tier_flag(tiers, word, value_follows))
      return fmt::format("--compare: '{}' in '{}' is no flag of the tiers; `sourir profile --help` "
                         "lists them under Tiers",
                         word, text);
  }
  return value_follows ? fmt::format("--compare: '{}' ends where a value is missing", text) : "";
}

class EventCommand {
public:
  EventCommand(const EventComparisonOptions& options, const EventProfileOptions& events,
               const std::vector<std::string>& programs)
      : options_(options), events_(events), programs_(programs) {}

  int run() {
    if (const std::string problem = prepare(); !problem.empty())
      return usage_error("profile", problem);
    if (const int status = load_kept(); status != exit_status::kFine) return status;
    watch_interrupts();
    if (const int status = measure(); status != exit_status::kFine) return status;
    if (measured_.empty()) return exit_status::kInterrupted;
    const int kept = options_.keep.empty() || interrupted() ? exit_status::kFine : keep();
    if (kept != exit_status::kFine) return kept;
    if (options_.ways.empty() && !old_)
      return interrupted() ? exit_status::kInterrupted : exit_status::kFine;
    return say_comparison(old_ ? beside_old() : beside_each_other());
  }

private:
  // All programs, or after Ctrl-C those before.
  int measure() {
    for (const std::string& program : programs_) {
      show_progress(
          fmt::format("{} of {}: {}", measured_.size() + 1, programs_.size(), printable(program)));
      auto measured = measure_events(settings_, ways_, program);
      show_progress("");
      if (!measured && interrupted()) break;
      if (!measured) return say_error(measured.error().message), measured.error().status;
      measured_.push_back(*std::move(measured));
    }
    return exit_status::kFine;
  }

  // Sets settings_ and ways_. Returns the usage error, or nothing.
  std::string prepare() {
    if (std::string problem = conflict(); !problem.empty()) return problem;
    const auto share = share_of(options_.threshold);
    if (!share)
      return fmt::format("--threshold: '{}' is not a number from 0 to below 1, as in 0.1",
                         options_.threshold);
    threshold_ = *share;
    settings_ = {events_.events.empty() ? "all" : events_.events,
                 options_.counting,
                 options_.engine,
                 options_.input,
                 options_.flags,
                 options_.iterations};
    std::string_view wrong;
    const auto set = profiler::EventSet::parse(settings_.events, wrong);
    if (!set) return no_such_event(wrong);
    counted_ = *set;
    if (options_.ways.empty()) {
      ways_.push_back({});
      return {};
    }
    for (std::size_t w = 0; w < options_.ways.size(); ++w) {
      EventWay& way = ways_.emplace_back(EventWay{w == 0 ? "A" : "B", {}});
      if (std::string problem = read_way(options_.ways[w], options_.tier_flags, way);
          !problem.empty())
        return problem;
    }
    return {};
  }

  std::string conflict() const {
    if (!options_.ways.empty() && !(options_.keep.empty() && options_.against.empty()))
      return "--compare is about two ways to compile, --keep and --against about one: they do not "
             "go together";
    if (events_.annotate || events_.csv || !events_.by.empty())
      return "--annotate, --csv and --by are about one run, not about --compare, --keep and "
             "--against";
    if (!options_.against.empty() && !events_.events.empty())
      return "--against compares the events that the file has: it goes without --events";
    if (!options_.plot.empty() && options_.ways.empty() && options_.against.empty())
      return "--plot is about a comparison: --compare or --against";
    if (std::ranges::find(programs_, "-") != programs_.end())
      return "a program that runs several times cannot come from standard input";
    std::error_code ignored; // a file that is not there is another error
    if (options_.input == "-" || std::filesystem::is_fifo(options_.input, ignored))
      return "--input: a program that runs several times reads a file again, which a pipe cannot "
             "be";
    if (events_.strategy == "none")
      return "--strategy=none counts nothing in native code, which is what is compared";
    if (options_.engine == "baseline")
      return "--engine=baseline makes no native code, which is what is compared";
    if (!options_.keep.empty() && options_.keep == events_.output)
      return "--keep and -o name the same file";
    return {};
  }

  // Sets old_, and the events to count.
  int load_kept() {
    if (options_.against.empty()) return exit_status::kFine;
    const auto file = read_file(options_.against, kLargestKept);
    if (const auto* problem = std::get_if<FileProblem>(&file))
      return say_error(problem->message), exit_status::kUnreadable;
    auto read = read_kept_events(std::get<std::string>(file), options_.against);
    if (!read) return say_error(read.error().message), exit_status::kRejected;
    old_ = *std::move(read);
    for (const std::string& program : programs_)
      if (kept_program(program) == nullptr)
        return say_error(fmt::format("'{}' has no counts of {}", options_.against,
                                     display_name(program))),
               exit_status::kRejected;
    counted_ = old_->events;
    settings_.events = names_of(counted_);
    if (!settings_.events.empty()) return exit_status::kFine;
    say_error(fmt::format("'{}' has no event that this version counts", options_.against));
    return exit_status::kRejected;
  }

  const MeasuredProgram* kept_program(const std::string& name) const {
    const auto found = std::ranges::find(old_->programs, name, &MeasuredProgram::program);
    return found == old_->programs.end() ? nullptr : &*found;
  }

  int keep() const {
    KeptEvents kept{counted_, events_.strategy, settings_.engine, settings_.flags, {}, {}};
    for (const auto& ways : measured_) kept.programs.push_back(ways.front());
    const std::string problem = replace_file(options_.keep, json_text(kept_events_json(kept)));
    if (!problem.empty()) return say_error(problem), exit_status::kUnwritable;
    say(fmt::format("kept {} of {} in '{}'\n", counted(settings_.iterations, "run"),
                    counted(programs_.size(), "program"), printable(options_.keep)));
    return exit_status::kFine;
  }

  EventComparison comparison(EventComparison::Side a, EventComparison::Side b) const {
    return {std::move(a), std::move(b), events_.strategy, counted_, threshold_, {}, {}};
  }

  EventComparison beside_each_other() const {
    const auto side = [&](std::size_t w) {
      const bool flags = options_.ways[w].starts_with('-');
      return EventComparison::Side{ways_[w].name, (flags ? "" : "passes ") + options_.ways[w],
                                   settings_.iterations};
    };
    EventComparison made = comparison(side(0), side(1));
    for (const auto& ways : measured_)
      made.programs.push_back(compare_program(ways[0], ways[1], counted_, threshold_));
    return made;
  }

  EventComparison beside_old() const {
    EventComparison made = comparison({"old", options_.against, old_->programs[0].runs.size()},
                                      {"new", "this version", settings_.iterations});
    made.notes = notes();
    for (const auto& ways : measured_) {
      const MeasuredProgram& then = *kept_program(ways.front().program);
      made.programs.push_back(compare_program(then, ways.front(), counted_, threshold_));
    }
    return made;
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> all;
    const auto other = [&](const char* what, const std::string& then, const std::string& now) {
      if (then != now) all.push_back(fmt::format("{}: '{}' then, '{}' now", what, then, now));
    };
    other("strategy", old_->strategy, events_.strategy);
    other("engine", old_->engine, settings_.engine);
    other("flags", fmt::format("{}", fmt::join(old_->flags, " ")),
          fmt::format("{}", fmt::join(settings_.flags, " ")));
    if (!old_->unknown_events.empty())
      all.push_back(
          fmt::format("not counted by this version: {}", fmt::join(old_->unknown_events, ", ")));
    return all;
  }

  int say_comparison(const EventComparison& made) const {
    const std::string text =
        events_.json ? json_text(comparison_json(made)) : comparison_text(made);
    std::string problem = replace_file(events_.output, text);
    if (problem.empty() && !options_.plot.empty())
      problem = replace_file(options_.plot, comparison_plot(made));
    if (!problem.empty()) return say_error(problem), exit_status::kUnwritable;
    if (interrupted()) {
      say("stopped by Ctrl-C: this is what there is\n");
      return exit_status::kInterrupted;
    }
    if (old_ && made.any_difference()) return exit_status::kFound;
    return made.undecided() ? exit_status::kInconclusive : exit_status::kFine;
  }

  const EventComparisonOptions& options_;
  const EventProfileOptions& events_;
  const std::vector<std::string>& programs_;
  EventRunSettings settings_;
  profiler::EventSet counted_;
  double threshold_ = 0.1;
  std::vector<EventWay> ways_;
  std::optional<KeptEvents> old_;
  std::vector<std::vector<MeasuredProgram>> measured_; // by program and way
};

} // namespace

void add_event_comparison_flags(std::vector<Flag>& flags, EventComparisonOptions& o) {
  add_group(
      flags, "Comparison of events",
      {pair_flag("--compare", "A B", o.ways,
                 "run each program compiled in two ways and say which numbers of events differ, "
                 "and how the time does; A and B are passes of the tiers (`--tier passes=...`), or "
                 "flags of the tiers (under Tiers) between quotes"),
       text_flag("--keep", "FILE", o.keep, "count several runs, and write the counts there"),
       text_flag("--against", "FILE", o.against,
                 "count several runs, and say what differs from those of --keep; exit status 1 if "
                 "anything does"),
       number_flag("--iterations", o.iterations,
                   "processes that count, and as many that are timed, for each program and way "
                   "(default 5)",
                   1),
       text_flag("--threshold", "T", o.threshold,
                 "a number of events differs if the means are more than T times the larger apart "
                 "(default 0.1)"),
       text_flag("--plot", "FILE", o.plot, "the differences as a picture (SVG)")});
}

int compare_events(const EventComparisonOptions& options, const EventProfileOptions& events,
                   const std::vector<std::string>& programs) {
  return EventCommand(options, events, programs).run();
}

} // namespace sourir
