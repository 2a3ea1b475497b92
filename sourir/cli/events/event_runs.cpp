#include "sourir/cli/events/event_runs.h"

#include "sourir/cli/events/kept_events.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/files.h"
#include "sourir/os/own_path.h"
#include "sourir/os/process.h"
#include "sourir/os/temporary_folder.h"
#include "sourir/os/terminal.h"
#include "sourir/semantics/text/state_text.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

namespace sourir {

namespace {

using Problem = std::optional<RunProblem>;

constexpr std::size_t kLargestReport = std::size_t{1} << 30;
constexpr std::size_t kLongestLine = 60;

// "line 3 is '7' and '8'"
std::string first_difference(std::string_view a, std::string_view b) {
  for (std::size_t line = 1; !a.empty() || !b.empty(); ++line) {
    const auto take = [](std::string_view& text) {
      const std::string_view found = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(found.size() + 1, text.size()));
      return found;
    };
    const bool a_ends = a.empty(), b_ends = b.empty();
    const std::string_view of_a = take(a), of_b = take(b);
    if (of_a == of_b && a_ends == b_ends) continue;
    const auto shown = [](bool ends, std::string_view text) {
      return ends ? std::string("not there")
                  : fmt::format("'{}'", printable(cut(std::string(text), kLongestLine)));
    };
    return fmt::format("line {} is {} and {}", line, shown(a_ends, of_a), shown(b_ends, of_b));
  }
  return "one of them lacks the last end of line";
}

class Measurement {
public:
  Measurement(const EventRunSettings& settings, std::span<const EventWay> ways,
              const std::string& program)
      : settings_(settings), ways_(ways), program_(program), report_(folder_.path() + "/report") {}

  tl::expected<std::vector<MeasuredProgram>, RunProblem> run() {
    if (folder_.path().empty())
      return tl::unexpected(RunProblem{exit_status::kUnwritable,
                                       "there is no place for reports: TMPDIR cannot be written"});
    for (std::size_t w = 0; w < ways_.size(); ++w) made_.push_back({program_, {}, {}, {}});
    for (std::size_t i = 0; i < settings_.iterations; ++i)
      for (const bool counts : {true, false})
        for (std::size_t k = 0; k < ways_.size(); ++k) {
          const std::size_t way = (i + k) % ways_.size();
          if (Problem problem = counts ? count(way) : time(way))
            return tl::unexpected(std::move(*problem));
        }
    Digest digest;
    digest.add(printed_);
    for (MeasuredProgram& one : made_) one.output = digest.hex();
    return std::move(made_);
  }

private:
  RunProblem problem(std::size_t way, int status, const std::string& what) const {
    const std::string with = ways_[way].name.empty() ? "" : " with " + ways_[way].name;
    return {status, fmt::format("{}{}: {}", display_name(program_), with, what)};
  }

  ProcessResult start(std::size_t way, std::vector<std::string> words) const {
    words.insert(words.begin(), own_path());
    words.push_back("--engine=" + settings_.engine);
    if (!settings_.input.empty()) words.push_back("--input=" + settings_.input);
    words.insert(words.end(), settings_.flags.begin(), settings_.flags.end());
    words.insert(words.end(), ways_[way].flags.begin(), ways_[way].flags.end());
    return run_program({.words = std::move(words), .keep_errors = true}, {});
  }

  // Why the process says nothing about the program.
  Problem unusable(std::size_t way, const ProcessResult& done) const {
    if (done.stop == ProcessResult::Stop::Interrupted)
      return RunProblem{exit_status::kInterrupted, {}};
    if (done.stop == ProcessResult::Stop::None && done.end.signal == 0) return {};
    return problem(way, exit_status::kBug, "it " + done.how_it_ended());
  }

  Problem count(std::size_t way) {
    std::error_code ignored;
    std::filesystem::remove(report_, ignored);
    std::vector<std::string> words = {"profile", program_, "--events=" + settings_.events, "--json",
                                      "--output=" + report_};
    words.insert(words.end(), settings_.counting.begin(), settings_.counting.end());
    const ProcessResult done = start(way, std::move(words));
    if (Problem found = unusable(way, done)) return found;
    const auto text = read_file(report_, kLargestReport);
    const auto* const report = std::get_if<std::string>(&text);
    if (report == nullptr || report->empty()) // the run did not begin
      return problem(way, done.end.status, "it " + done.how_it_ended());
    const auto counted = read_event_report(*report, report_);
    if (!counted) return problem(way, exit_status::kBug, counted.error().message);
    if (counted->outcome != "stop")
      return problem(way, done.end.status,
                     "a run that does not stop cannot be compared: it " + done.how_it_ended());
    made_[way].runs.push_back(counted->counts);
    return same(way, done);
  }

  Problem time(std::size_t way) {
    const ProcessResult done = start(way, {"run", program_});
    if (Problem found = unusable(way, done)) return found;
    made_[way].seconds.push_back(done.cpu);
    return same(way, done);
  }

  // Compares with the first run.
  Problem same(std::size_t way, const ProcessResult& done) {
    if (!first_) {
      first_ = way;
      printed_ = done.output;
      status_ = done.end.status;
    }
    if (done.output != printed_)
      return problem(way, exit_status::kBug,
                     fmt::format("it prints something else than {}: {}", before(way),
                                 first_difference(printed_, done.output)));
    if (done.end.status != status_)
      return problem(
          way, exit_status::kBug,
          fmt::format("it exits with {}, {} with {}", done.end.status, before(way), status_));
    return {};
  }
  std::string before(std::size_t way) const {
    return way == *first_ ? "before" : "with " + ways_[*first_].name;
  }

  const EventRunSettings& settings_;
  const std::span<const EventWay> ways_;
  const std::string& program_;
  const TemporaryFolder folder_;
  const std::string report_; // the file of one run's report
  std::vector<MeasuredProgram> made_;
  std::optional<std::size_t> first_; // the way of the first run
  std::string printed_;              // by it
  int status_ = 0;
};

} // namespace

tl::expected<std::vector<MeasuredProgram>, RunProblem>
measure_events(const EventRunSettings& settings, std::span<const EventWay> ways,
               const std::string& program) {
  return Measurement(settings, ways, program).run();
}

} // namespace sourir
