#include "sourir/fuzz/campaign_report.h"

#include "sourir/syntax/diagnostics.h"

#include "sourir/os/exit_status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace sourir {

namespace {

constexpr std::size_t kBar = 40;

std::string bar(std::uint64_t part, std::uint64_t whole) {
  const std::size_t length = whole == 0 ? 0 : static_cast<std::size_t>(part * kBar / whole);
  return std::string(part > 0 ? std::max<std::size_t>(length, 1) : 0, '#');
}

// A table of counts with their shares.
std::string shares(const std::vector<NamedCount>& counts) {
  std::uint64_t sum = 0;
  std::size_t width = 0;
  for (const NamedCount& c : counts) {
    sum += c.count;
    width = std::max(width, c.name.size());
  }
  std::string out;
  for (const NamedCount& c : counts)
    out += fmt::format("  {:>{}}  {:>15}  {:>7}  {}\n", c.name, width, grouped(c.count),
                       percent(c.count, sum), bar(c.count, sum));
  return out;
}

std::string section(const std::string& title, const std::string& body) {
  return body.empty() ? "" : fmt::format("\n{}\n{}", title, body);
}

std::string sizes_text(const CampaignSummary& summary) {
  std::vector<NamedCount> sizes = counts_by_number(summary.counters, "size");
  for (NamedCount& size : sizes) size.name = size_range(size.name);
  return shares(sizes);
}

std::string passes_table(const CampaignSummary& summary) {
  const auto passes = pass_counts(summary);
  const auto idle = idle_passes(summary);
  std::size_t width = 4;
  for (const PassCount& pass : passes) width = std::max(width, pass.pass.size());
  std::string out = fmt::format("  {:<{}}  {:>13}  {:>13}  {:>7}  {:>15}\n", "pass", width, "tried",
                                "changed", "share", "rewrites");
  for (const PassCount& pass : passes) {
    out += fmt::format("  {:<{}}  {:>13}  {:>13}  {:>7}  {:>15}", pass.pass, width,
                       grouped(pass.tried), grouped(pass.changed),
                       percent(pass.changed, pass.tried), grouped(pass.rewrites));
    out += std::ranges::count(idle, pass.pass) > 0 ? "  NEVER DID ANYTHING\n" : "\n";
  }
  return passes.empty() ? "" : out;
}

std::string findings_text(const CampaignSummary& summary) {
  std::string out;
  for (const FindingGroup& group : summary.findings) {
    out += fmt::format("  {:>8}  {}\n", grouped(group.count), finding_title(group));
    out +=
        fmt::format("            case{} {}{}", group.count == 1 ? "" : "s",
                    fmt::join(group.first, ", "), group.count > group.first.size() ? ", ..." : "");
    if (group.shrunk > 0) out += fmt::format("; shrunk to {} instructions", group.shrunk);
    out += "\n";
  }
  if (!out.empty())
    out += fmt::format("  `sourir campaign replay {0} --db ...` shows the first of them, `sourir "
                       "campaign shrink {0} --db ...` makes it small\n",
                       summary.findings.front().first.front());
  return out;
}

std::string head(const CampaignSummary& summary) {
  const CampaignPlan& plan = summary.plan;
  std::string out =
      fmt::format("campaign with seed {}: passes {}, oracles {}, programs of about "
                  "{} instructions, sourir {}\n",
                  plan.seed, plan.passes, print_oracles(plan.oracles), plan.size, plan.tool);
  if (plan.mutant != 0) out += fmt::format("with the seeded bug {}\n", plan.mutant);
  if (!summary.shard.whole())
    out += fmt::format("shard {} of {}\n", summary.shard.number, summary.shard.of);
  return out;
}

} // namespace

std::string grouped(std::uint64_t n) {
  std::string text = std::to_string(n);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  const double share = 100 * static_cast<double>(part) / static_cast<double>(whole);
  // What is not all and not nothing does not look like it.
  if (part > 0 && share < 0.1) return "< 0.1 %";
  if (part < whole && share > 99.9) return "> 99.9 %";
  return fmt::format("{:.1f} %", share);
}

std::string size_range(const std::string& least) {
  std::uint64_t n = 0;
  std::from_chars(least.data(), least.data() + least.size(), n);
  return n <= 1 ? least : fmt::format("{}-{}", n, 2 * n - 1);
}

std::string finding_title(const FindingGroup& group) {
  const std::string& pass = group.transform;
  // Kinds begin with the pass, without its options.
  if (pass.empty() || group.kind.starts_with(pass + "/")) return group.kind;
  return fmt::format("{} after {}", group.kind, pass);
}

std::string campaign_verdict(const CampaignSummary& summary) {
  if (summary.counterexamples() > 0)
    return fmt::format("WRONG: {} of {} kind{}",
                       counted(summary.counterexamples(), "counterexample"),
                       summary.findings.size(), summary.findings.size() == 1 ? "" : "s");
  if (!summary.complete())
    return fmt::format("NOT COMPLETE: {} of {} batches are missing; no counterexample so far",
                       grouped(summary.expected - summary.batches), grouped(summary.expected));
  if (const auto idle = idle_passes(summary); !idle.empty())
    return fmt::format("NOTHING IS SAID about passes that never did anything: {}",
                       fmt::join(idle, ", "));
  return "no counterexample: equivalent on what was tried";
}

std::string campaign_text(const CampaignSummary& summary) {
  const auto& counters = summary.counters;
  std::string out = head(summary);
  out += fmt::format("{} of {} programs\n", grouped(summary.programs()),
                     grouped(summary.plan.programs));
  out += campaign_verdict(summary) + "\n";
  out += section("outcome", shares(counts_below(counters, "outcome")));
  out += section("inconclusive because of", shares(counts_below(counters, "inconclusive")));
  out += section("counterexamples", findings_text(summary));
  out += section("instructions of programs", sizes_text(summary));
  out += section("passes", passes_table(summary));
  out += section("forced deoptimizations by frames made",
                 shares(counts_by_number(counters, "forced")));
  out += fmt::format("\nstates compared: {}\n", grouped(counters.of("states")));
  out += section("rules", shares(counts_below(counters, "rule")));
  out += section("questions asked of oracles", shares(counts_below(counters, "oracle")));
  std::string others;
  for (const NamedCount& count : other_counts(counters))
    others += fmt::format("  {}: {}\n", count.name, grouped(count.count));
  return out + section("further counts", others);
}

int campaign_status(const CampaignSummary& summary) {
  if (summary.counterexamples() > 0) return exit_status::kFound;
  return summary.complete() && idle_passes(summary).empty() ? exit_status::kFine
                                                            : exit_status::kInconclusive;
}

namespace {

Json counts_json(const std::vector<NamedCount>& counts) {
  Json json = Json::object();
  for (const NamedCount& count : counts) json[count.name] = count.count;
  return json;
}

Json findings_json(const CampaignSummary& summary) {
  Json list = Json::array();
  for (const FindingGroup& group : summary.findings) {
    Json json{{"oracle", group.oracle},
              {"pass", group.transform},
              {"kind", group.kind},
              {"count", group.count},
              {"first", group.first}};
    if (group.shrunk > 0) json["shrunk_to"] = group.shrunk;
    list.push_back(std::move(json));
  }
  return list;
}

} // namespace

Json campaign_json(const CampaignSummary& summary) {
  const auto& counters = summary.counters;
  Json passes = Json::array();
  for (const PassCount& pass : pass_counts(summary))
    passes.push_back({{"pass", pass.pass},
                      {"tried", pass.tried},
                      {"changed", pass.changed},
                      {"rewrites", pass.rewrites}});
  Json json{{"format", "sourir-campaign"},
            {"version", 1},
            {"plan", plan_texts(summary.plan)},
            {"complete", summary.complete()},
            {"batches", summary.batches},
            {"batches_expected", summary.expected},
            {"programs", summary.programs()},
            {"verdict", campaign_verdict(summary)},
            {"outcomes", counts_json(counts_below(counters, "outcome"))},
            {"inconclusive", counts_json(counts_below(counters, "inconclusive"))},
            {"counterexamples", findings_json(summary)},
            {"sizes", counts_json(counts_by_number(counters, "size"))},
            {"passes", std::move(passes)},
            {"idle_passes", idle_passes(summary)},
            {"forced_by_depth", counts_json(counts_by_number(counters, "forced"))},
            {"states", counters.of("states")},
            {"rules", counts_json(counts_below(counters, "rule"))},
            {"oracles", counts_json(counts_below(counters, "oracle"))},
            {"others", counts_json(other_counts(counters))}};
  if (!summary.shard.whole())
    json["shard"] = fmt::format("{}/{}", summary.shard.number, summary.shard.of);
  return json;
}

} // namespace sourir
