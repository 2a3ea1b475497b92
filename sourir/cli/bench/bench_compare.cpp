#include "sourir/cli/bench/bench_compare.h"

#include "sourir/cli/bench/text_table.h"
#include "sourir/cli/document.h"
#include "sourir/os/terminal.h"
#include "sourir/syntax/diagnostics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace sourir {

namespace {

using State = ComparedRow::State;

// --- Reading -------------------------------------------------------------------------------------

// Reads a document; throws BadDocument.
class BenchReader {
public:
  explicit BenchReader(std::string name) { read_.name = std::move(name); }

  MeasuredBench read(const Document& document) {
    check_format(document, "bench", 2, "sourir bench --json");
    read_.size = string_at(document, "size", "");
    for (const char* key : {"runs", "warmup", "iterations"})
      if (document.contains(key)) read_.settings.emplace_back(key, document.at(key));
    for (const char* part : {"machine", "build"}) add_facts(document, part);
    for (const auto& [i, competitor] : array_at(document, "competitors", "").items())
      add_competitor(competitor, "competitors/" + i + "/");
    warmup_ = document.contains("iterations") ? number_at(document, "warmup", "") : 0;
    for (const auto& [i, program] : array_at(document, "programs", "").items())
      add_program(program, "programs/" + i + "/");
    return std::move(read_);
  }

private:
  void add_facts(const Document& document, const char* part) {
    if (!document.contains(part)) return;
    if (!document.at(part).is_object()) throw BadDocument(fmt::format("{} is no object", part));
    for (const auto& [key, value] : document.at(part).items())
      read_.settings.emplace_back(fmt::format("{} {}", part, key), value);
  }

  // Where the program lies is no setting: builds in different folders are compared.
  void add_competitor(const Document& competitor, const std::string& place) {
    const std::string name = string_at(competitor, "name", place);
    Document words = array_at(competitor, "command", place);
    if (string_at(competitor, "kind", place) == "engine" && !words.empty()) words.erase(0);
    read_.settings.emplace_back(name + " version", string_at(competitor, "version", place));
    read_.settings.emplace_back(name + " command", std::move(words));
  }

  void add_program(const Document& program, const std::string& place) {
    MeasuredBench::Row row;
    row.program = string_at(program, "name", place);
    row.n = number_at(program, "n", place);
    for (const auto& [i, result] : array_at(program, "results", place).items()) {
      const std::string here = fmt::format("{}results/{}/", place, i);
      row.competitor = string_at(result, "competitor", here);
      row.outcome = string_at(result, "outcome", here);
      row.wall = timings(result, "wall", here);
      row.cpu = timings(result, "cpu", here);
      const bool known = std::ranges::any_of(read_.rows, [&](const MeasuredBench::Row& other) {
        return other.program == row.program && other.competitor == row.competitor;
      });
      if (known)
        throw BadDocument(fmt::format("{} has a second result of {}", here, row.competitor));
      read_.rows.push_back(row);
    }
  }

  Timings timings(const Document& result, const char* measure, const std::string& place) const {
    Timings all;
    if (!result.contains("processes")) {
      for (const double time : times_at(result, measure, place)) all.push_back({time});
      return all;
    }
    for (const auto& [i, process] : array_at(result, "processes", place).items()) {
      std::vector<double> times =
          times_at(process, measure, fmt::format("{}processes/{}/", place, i));
      times.erase(times.begin(),
                  times.begin() +
                      static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(warmup_, times.size())));
      if (!times.empty()) all.push_back(std::move(times));
    }
    return all;
  }

  MeasuredBench read_;
  std::uint64_t warmup_ = 0; // iterations of each process
};

// --- Comparing -----------------------------------------------------------------------------------

const MeasuredBench::Row* row_of(const MeasuredBench& bench, const MeasuredBench::Row& like) {
  const auto found = std::ranges::find_if(bench.rows, [&](const MeasuredBench::Row& row) {
    return row.program == like.program && row.competitor == like.competitor;
  });
  return found == bench.rows.end() ? nullptr : &*found;
}

std::vector<std::string> differences(const MeasuredBench& old, const MeasuredBench& now) {
  const std::map<std::string, Document> before(old.settings.begin(), old.settings.end());
  const std::map<std::string, Document> after(now.settings.begin(), now.settings.end());
  std::vector<std::string> all;
  for (const auto& [key, value] : before) {
    const auto other = after.find(key);
    const bool of_competitor = key.ends_with(" version") || key.ends_with(" command");
    if (other == after.end() && !of_competitor)
      all.push_back(fmt::format("{}: {} then, not known now", key, value.dump()));
    else if (other != after.end() && other->second != value)
      all.push_back(fmt::format("{}: {} then, {} now", key, value.dump(), other->second.dump()));
  }
  for (const auto& [key, value] : after)
    if (!before.contains(key) && !key.ends_with(" version") && !key.ends_with(" command"))
      all.push_back(fmt::format("{}: not known then, {} now", key, value.dump()));
  return all;
}

// Why the rows have no ratio; empty: they have one.
std::string not_measured(const MeasuredBench::Row& old, const MeasuredBench::Row& now,
                         const std::vector<double>& before, const std::vector<double>& after) {
  if (old.outcome != "fine") return old.outcome + " then";
  if (now.outcome != "fine") return now.outcome + " now";
  if (old.n != now.n) return fmt::format("of size {} then, {} now", old.n, now.n);
  if (before.empty() || after.empty()) return before.empty() ? "no times then" : "no times now";
  const auto zero = [](double time) { return time == 0; };
  if (std::ranges::any_of(before, zero) || std::ranges::any_of(after, zero))
    return "a time of 0: the clock is too coarse for it";
  return {};
}

class Comparing {
public:
  Comparing(const MeasuredBench& old, const MeasuredBench& now, bool by_cpu)
      : old_(old), now_(now), by_cpu_(by_cpu) {}

  BenchComparison compare() {
    made_ = {old_.name, now_.name, by_cpu_, differences(old_, now_), {}, {}};
    for (const MeasuredBench::Row& row : now_.rows) add(row);
    for (const MeasuredBench::Row& row : old_.rows)
      if (row_of(now_, row) == nullptr)
        made_.rows.push_back({row.program, row.competitor, State::OnlyOld});
    for (ComparedMean& mean : made_.means) finish(mean);
    return std::move(made_);
  }

private:
  void add(const MeasuredBench::Row& now) {
    ComparedRow& row = made_.rows.emplace_back(ComparedRow{now.program, now.competitor});
    const MeasuredBench::Row* const old = row_of(old_, now);
    if (old == nullptr) {
      row.state = State::OnlyNew;
      return;
    }
    const Timings& before = by_cpu_ ? old->cpu : old->wall;
    const Timings& after = by_cpu_ ? now.cpu : now.wall;
    const std::vector<double> all_before = all_times(before), all_after = all_times(after);
    row.why = not_measured(*old, now, all_before, all_after);
    if (!row.why.empty()) {
      row.state = State::NotMeasured;
      return;
    }
    row.old = median(all_before);
    row.now = median(all_after);
    row.ratio = row.now / row.old;
    std::vector<double> resampled;
    if (std::min(all_before.size(), all_after.size()) >= kFewestTimes) {
      resampled = resampled_log_ratios(before, after, row.program + "\n" + row.competitor);
      row.interval = interval_of(resampled);
      row.verdict = verdict_of(*row.interval);
    }
    add_to_mean(row, resampled);
  }

  // resampled: empty: too few.
  void add_to_mean(const ComparedRow& row, const std::vector<double>& resampled) {
    auto mean = std::ranges::find(made_.means, row.competitor, &ComparedMean::competitor);
    if (mean == made_.means.end()) mean = made_.means.insert(mean, ComparedMean{row.competitor});
    ++mean->programs;
    Sums& sums = sums_[row.competitor];
    sums.logarithms += std::log(row.ratio);
    if (resampled.empty()) sums.too_few = true;
    sums.resampled.resize(kResamples);
    for (std::size_t i = 0; i < resampled.size(); ++i) sums.resampled[i] += resampled[i];
  }

  void finish(ComparedMean& mean) {
    Sums& sums = sums_[mean.competitor];
    const auto n = static_cast<double>(mean.programs);
    mean.ratio = std::exp(sums.logarithms / n);
    if (sums.too_few) return;
    for (double& sum : sums.resampled) sum /= n;
    mean.interval = interval_of(sums.resampled);
    mean.verdict = verdict_of(*mean.interval);
  }

  struct Sums { // over programs
    double logarithms = 0;
    std::vector<double> resampled;
    bool too_few = false;
  };

  const MeasuredBench& old_;
  const MeasuredBench& now_;
  const bool by_cpu_;
  BenchComparison made_;
  std::map<std::string, Sums> sums_; // by competitor
};

// --- Text and JSON -------------------------------------------------------------------------------

const char* json_name(BenchVerdict verdict) {
  switch (verdict) {
  case BenchVerdict::Faster: return "faster";
  case BenchVerdict::Slower: return "slower";
  case BenchVerdict::NoDifference: return "no-difference-shown";
  case BenchVerdict::TooFew: break;
  }
  return "too-few-times";
}

const char* json_name(State state) {
  switch (state) {
  case State::Compared: return "compared";
  case State::OnlyOld: return "only-old";
  case State::OnlyNew: return "only-new";
  case State::NotMeasured: break;
  }
  return "not-measured";
}

std::string row_name(const ComparedRow& row) {
  return printable(fmt::format("{} {}", row.program, row.competitor));
}

} // namespace

std::string verdict_text(BenchVerdict verdict) {
  switch (verdict) {
  case BenchVerdict::Faster: return "faster";
  case BenchVerdict::Slower: return "slower";
  case BenchVerdict::NoDifference: return "no difference shown";
  case BenchVerdict::TooFew: break;
  }
  return fmt::format("fewer than {} times", kFewestTimes);
}

std::string interval_text(const std::optional<RatioInterval>& interval) {
  return interval ? fmt::format("{:.3f} to {:.3f}", interval->low, interval->high) : "-";
}

void put_ratio(Document& json, double ratio, const std::optional<RatioInterval>& interval,
               BenchVerdict verdict) {
  json["ratio"] = ratio;
  if (interval) json["interval"] = {interval->low, interval->high};
  json["verdict"] = json_name(verdict);
}

Result<MeasuredBench> read_bench(std::string_view text, const std::string& name) {
  return read_document(text, name,
                       [&](const Document& document) { return BenchReader(name).read(document); });
}

BenchComparison compare_bench(const MeasuredBench& old, const MeasuredBench& now, bool by_cpu) {
  return Comparing(old, now, by_cpu).compare();
}

std::vector<std::string> slower_by(const BenchComparison& comparison, std::uint64_t percent) {
  const double most = 1 + static_cast<double>(percent) / 100;
  std::vector<std::string> all;
  for (const ComparedRow& row : comparison.rows)
    if (row.interval && row.interval->low > most) all.push_back(row_name(row));
  for (const ComparedMean& mean : comparison.means)
    if (mean.interval && mean.interval->low > most)
      all.push_back("geometric mean " + printable(mean.competitor));
  return all;
}

std::string comparison_text(const BenchComparison& c) {
  const std::string old = fmt::format("'{}'", printable(c.old));
  const std::string now = c.now.empty() ? "now" : fmt::format("'{}'", printable(c.now));
  std::string out = fmt::format("{}: {} beside {}\n", c.by_cpu ? "processor time" : "wall time",
                                c.now.empty() ? "measured now" : now, old);
  TextTable table;
  table.add({"", "old", "new", "new / old", "95 % interval", "verdict"});
  std::string remarks;
  for (const ComparedRow& row : c.rows) {
    if (row.state == State::Compared)
      table.add({row_name(row), time_text(row.old), time_text(row.now),
                 fmt::format("{:.3f}", row.ratio), interval_text(row.interval),
                 verdict_text(row.verdict)});
    else if (row.state == State::NotMeasured)
      remarks += fmt::format("not compared: {}: {}\n", row_name(row), printable(row.why));
    else
      remarks += fmt::format("only {}: {}\n",
                             row.state == State::OnlyOld ? "in " + old
                             : c.now.empty()             ? now
                                                         : "in " + now,
                             row_name(row));
  }
  for (const ComparedMean& mean : c.means)
    table.add({"geometric mean " + printable(mean.competitor), "",
               counted(mean.programs, "program"), fmt::format("{:.3f}", mean.ratio),
               interval_text(mean.interval), verdict_text(mean.verdict)});
  out += c.means.empty() ? "nothing can be compared\n" : table.text();
  for (const std::string& warning : c.warnings) remarks += "warning: " + printable(warning) + "\n";
  return out + remarks;
}

Document comparison_json(const BenchComparison& c) {
  Document out = {{"old", c.old}};
  if (!c.now.empty()) out["new"] = c.now;
  out.update({{"measure", c.by_cpu ? "cpu" : "wall"},
              {"confidence", 0.95},
              {"resamples", kResamples},
              {"warnings", c.warnings}});
  out["rows"] = Document::array();
  for (const ComparedRow& row : c.rows) {
    Document& one = out["rows"].emplace_back(Document{
        {"program", row.program}, {"competitor", row.competitor}, {"state", json_name(row.state)}});
    if (row.state == State::NotMeasured) one["why"] = row.why;
    if (row.state != State::Compared) continue;
    one["old"] = row.old;
    one["new"] = row.now;
    put_ratio(one, row.ratio, row.interval, row.verdict);
  }
  out["geometric_means"] = Document::array();
  for (const ComparedMean& mean : c.means) {
    Document& one = out["geometric_means"].emplace_back(
        Document{{"competitor", mean.competitor}, {"programs", mean.programs}});
    put_ratio(one, mean.ratio, mean.interval, mean.verdict);
  }
  return out;
}

} // namespace sourir
