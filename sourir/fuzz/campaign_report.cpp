#include "sourir/fuzz/campaign_report.h"

#include "sourir/os/exit_status.h"
#include "sourir/syntax/diagnostics.h"
#include "sourir/syntax/markup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace sourir {

namespace {

// --- The report as a page ------------------------------------------------------------------------

// No scripts, nothing from elsewhere. Charts are inline SVG in the colours of the style sheet, so
// that they follow the reader's light or dark.
constexpr const char* kStyle = R"css(
:root { color-scheme: light dark; --text: #1c2024; --faint: #62686f; --line: #d9dde1;
  --back: #ffffff; --panel: #f5f6f8; --bar: #3b6ea8; --rest: #dfe5ec; --good: #2c7a4b;
  --bad: #b3261e; --warn: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e6e9; --faint: #9aa1a9; --line: #3a4047;
  --back: #16191d; --panel: #1f2429; --bar: #6ea3df; --rest: #323a43; --good: #6cc08b;
  --bad: #f2857c; --warn: #e0ae55; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; background: var(--back);
  color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
p { margin: .4rem 0; } .faint { color: var(--faint); }
.verdict { border-left: .3rem solid; padding: .5rem .9rem; background: var(--panel);
  font-weight: 600; margin: 1rem 0; }
.good { border-color: var(--good); } .bad { border-color: var(--bad); color: var(--bad); }
.warn { border-color: var(--warn); color: var(--warn); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .7rem; }
.facts div { background: var(--panel); padding: .6rem .8rem; border-radius: .3rem; }
.facts b { display: block; font-size: 1.3rem; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: var(--faint); }
td, th { padding: .2rem .7rem .2rem 0; border-bottom: 1px solid var(--line);
  vertical-align: middle; }
.number { text-align: right; white-space: nowrap; } .bar { width: 40%; min-width: 8rem; }
code, .code { font-family: ui-monospace, monospace; font-size: .92em; overflow-wrap: anywhere; }
td.code { white-space: nowrap; } svg { display: block; } .idle td { color: var(--bad); font-weight: 600; }
svg text { font: 12px system-ui, sans-serif; fill: var(--faint); text-anchor: middle; }
)css";

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string svg_bar(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("<svg width=\"100%\" height=\"12\" role=\"img\" aria-label=\"{}\">"
                     "<rect width=\"100%\" height=\"12\" rx=\"2\" fill=\"var(--rest)\"/>"
                     "<rect width=\"{:.2f}%\" height=\"12\" rx=\"2\" fill=\"var(--bar)\"/></svg>",
                     percent(part, whole), 100 * share(part, whole));
}

// Columns over their names, with their shares.
std::string histogram(const std::vector<NamedCount>& counts, const std::string& what) {
  if (counts.empty()) return "<p>None.</p>\n";
  constexpr double kHeight = 140, kColumn = 64, kTop = 18;
  std::uint64_t sum = 0, most = 1;
  for (const NamedCount& c : counts) {
    sum += c.count;
    most = std::max(most, c.count);
  }
  const double width = kColumn * static_cast<double>(counts.size());
  std::string out = fmt::format("<div class=\"wide\"><svg viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                                "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" "
                                "aria-label=\"{2}\">",
                                width, kTop + kHeight + 22, escaped_markup(what));
  double x = 0;
  for (const NamedCount& c : counts) {
    const double height = std::max(c.count > 0 ? 1.0 : 0.0, kHeight * share(c.count, most));
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                       "fill=\"var(--bar)\"><title>{}: {}</title></rect>",
                       x + 8, kTop + kHeight - height, kColumn - 16, height, escaped_markup(c.name),
                       grouped(c.count));
    out += fmt::format("<text x=\"{0:.1f}\" y=\"{1:.1f}\">{2}</text>"
                       "<text x=\"{0:.1f}\" y=\"{3:.1f}\">{4}</text>",
                       x + kColumn / 2, kTop + kHeight - height - 5, percent(c.count, sum),
                       kTop + kHeight + 16, escaped_markup(c.name));
    x += kColumn;
  }
  return out + "</svg></div>\n";
}

std::string heading(const std::string& title, const std::string& words) {
  return fmt::format("<h2>{}</h2>\n{}", title,
                     words.empty() ? "" : fmt::format("<p class=\"faint\">{}</p>\n", words));
}

std::string shares(const std::vector<NamedCount>& counts, const char* what) {
  if (counts.empty()) return "<p>None.</p>\n";
  std::uint64_t sum = 0;
  for (const NamedCount& c : counts) sum += c.count;
  std::string out = fmt::format("<div class=\"wide\"><table><tr><th>{}</th><th class=\"number\">"
                                "count</th><th class=\"number\">share</th><th></th></tr>\n",
                                what);
  for (const NamedCount& c : counts)
    out += fmt::format("<tr><td class=\"code\">{}</td><td class=\"number\">{}</td><td "
                       "class=\"number\">{}</td><td class=\"bar\">{}</td></tr>\n",
                       escaped_markup(c.name), grouped(c.count), percent(c.count, sum),
                       svg_bar(c.count, sum));
  return out + "</table></div>\n";
}

std::string passes(const CampaignSummary& summary) {
  const auto idle = idle_passes(summary);
  std::string out =
      "<div class=\"wide\"><table><tr><th>pass</th><th class=\"number\">tried</th><th "
      "class=\"number\">changed</th><th></th><th class=\"number\">rewrites</th></tr>\n";
  for (const PassCount& pass : pass_counts(summary)) {
    const bool is_idle = std::ranges::count(idle, pass.pass) > 0;
    out += fmt::format("<tr{}><td class=\"code\">{}</td><td class=\"number\">{}</td><td "
                       "class=\"number\">{}</td><td class=\"bar\">{}</td><td "
                       "class=\"number\">{}</td></tr>\n",
                       is_idle ? " class=\"idle\"" : "", escaped_markup(pass.pass),
                       grouped(pass.tried), is_idle ? "never" : percent(pass.changed, pass.tried),
                       svg_bar(pass.changed, pass.tried), grouped(pass.rewrites));
  }
  return out + "</table></div>\n";
}

std::string findings(const CampaignSummary& summary) {
  if (summary.findings.empty()) return "<p>None.</p>\n";
  std::string out = "<div class=\"wide\"><table><tr><th class=\"number\">count</th><th>oracle</th>"
                    "<th>kind</th><th>cases</th><th class=\"number\">shrunk to</th></tr>\n";
  for (const FindingGroup& group : summary.findings)
    out += fmt::format("<tr><td class=\"number\">{}</td><td class=\"code\">{}</td><td "
                       "class=\"code\">{}</td><td>{}{}</td><td class=\"number\">{}</td></tr>\n",
                       grouped(group.count), escaped_markup(group.oracle),
                       escaped_markup(finding_title(group)), fmt::join(group.first, ", "),
                       group.count > group.first.size() ? ", …" : "",
                       group.shrunk > 0 ? grouped(group.shrunk) : "");
  return out + "</table></div>\n<p class=\"faint\"><code>sourir campaign replay CASE --db FILE"
               "</code> shows one, <code>sourir campaign shrink CASE --db FILE</code> makes it "
               "small.</p>\n";
}

std::string page_head(const CampaignSummary& summary) {
  const CampaignPlan& plan = summary.plan;
  const bool bad = summary.counterexamples() > 0;
  const char* tone = bad ? "bad" : campaign_status(summary) == 0 ? "good" : "warn";
  std::string out = fmt::format(
      "<h1>Campaign</h1>\n<p class=\"faint\">sourir {}, seed {}, passes <code>{}</code>, oracles "
      "<code>{}</code>, programs of about {} instructions, pipelines of at most {} passes, {} "
      "steps of fuel{}{}</p>\n",
      escaped_markup(plan.tool), plan.seed, escaped_markup(plan.passes),
      print_oracles(plan.oracles), plan.size, plan.chain, grouped(plan.fuel),
      plan.mutant > 0 ? fmt::format(", seeded bug {}", plan.mutant) : "",
      summary.shard.whole()
          ? ""
          : fmt::format(", shard {} of {}", summary.shard.number, summary.shard.of));
  out += fmt::format("<p class=\"verdict {}\">{}</p>\n<div class=\"facts\">\n", tone,
                     escaped_markup(campaign_verdict(summary)));
  const auto fact = [&](const std::string& number, const char* what) {
    out += fmt::format("<div><b>{}</b>{}</div>\n", number, what);
  };
  const std::uint64_t all = summary.programs();
  fact(grouped(all), fmt::format("of {} programs", grouped(plan.programs)).c_str());
  fact(grouped(summary.counterexamples()), "counterexamples");
  fact(percent(summary.outcome("inconclusive"), all), "inconclusive");
  fact(grouped(summary.counters.of("states")), "states compared");
  fact(grouped(summary.counters.of("forced")), "deoptimizations forced");
  fact(grouped(summary.counters.of("steps")), "steps");
  return out + "</div>\n";
}

} // namespace

std::string campaign_html(const CampaignSummary& summary) {
  const Counters& counters = summary.counters;
  std::vector<NamedCount> sizes = counts_by_number(counters, "size");
  for (NamedCount& size : sizes) size.name = size_range(size.name);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>sourir: campaign "
      "with seed {}</title>\n<style>{}</style>\n</head>\n<body>\n",
      summary.plan.seed, kStyle);
  out += page_head(summary);
  out += heading("Counterexamples", "") + findings(summary);
  out += heading("Outcome of each program",
                 "Inconclusive: a limit was reached, so that something could not be told.");
  out += shares(counts_below(counters, "outcome"), "outcome");
  if (const auto why = counts_below(counters, "inconclusive"); !why.empty())
    out += shares(why, "inconclusive because of");
  out += heading("Passes", "In how many of the programs that it was tried on a pass changed "
                           "something. Of a pass that never did nothing is known.");
  out += passes(summary);
  out += heading("Size of programs", "Instructions.") + histogram(sizes, "size of programs");
  out += heading("Forced deoptimizations", "By the number of frames that they made.");
  out += histogram(counts_by_number(counters, "forced"), "forced deoptimizations by frames");
  out += heading("Rules of the semantics", "Steps by each, in the runs of the random programs.");
  out += shares(counts_below(counters, "rule"), "rule");
  out += heading("Oracles", "How often each was asked.");
  out += shares(counts_below(counters, "oracle"), "oracle");
  if (const auto others = other_counts(counters); !others.empty()) {
    out += heading("Further counts", "") + "<div class=\"wide\"><table>\n";
    for (const NamedCount& c : others)
      out += fmt::format("<tr><td class=\"code\">{}</td><td class=\"number\">{}</td></tr>\n",
                         escaped_markup(c.name), grouped(c.count));
    out += "</table></div>\n";
  }
  return out + "</body>\n</html>\n";
}

namespace {

// --- The report as text --------------------------------------------------------------------------

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
    out +=
        fmt::format("  with --db FILE: `sourir campaign replay {0} --db FILE` shows the first of "
                    "them, `sourir campaign shrink {0} --db FILE` makes it small\n",
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
  // A share that is neither all nor nothing is not rounded to 0 % or 100 %.
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

// --- The report as JSON --------------------------------------------------------------------------

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

namespace {

// --- The summary ---------------------------------------------------------------------------------

constexpr std::array kHeads = {"outcome/", "size/",   "pass/",         "rule/",
                               "forced/",  "oracle/", "inconclusive/", "states"};

std::uint64_t as_number(const std::string& text) {
  std::uint64_t n = 0;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

std::vector<std::string> under_test(const CampaignPlan& plan) {
  std::vector<std::string> passes;
  for (std::size_t at = 0; at < plan.under_test.size();) {
    const std::size_t end = std::min(plan.under_test.find('\n', at), plan.under_test.size());
    passes.push_back(plan.under_test.substr(at, end - at));
    at = end + 1;
  }
  return passes;
}

} // namespace

std::uint64_t CampaignSummary::programs() const {
  std::uint64_t sum = 0;
  for (const NamedCount& outcome : counts_below(counters, "outcome")) sum += outcome.count;
  return sum;
}

std::vector<NamedCount> counts_below(const Counters& counters, const std::string& head) {
  const std::string prefix = head + "/";
  std::vector<NamedCount> found;
  for (auto at = counters.all().lower_bound(prefix);
       at != counters.all().end() && at->first.starts_with(prefix); ++at)
    found.push_back({at->first.substr(prefix.size()), at->second});
  return found;
}

std::vector<NamedCount> counts_by_number(const Counters& counters, const std::string& head) {
  std::vector<NamedCount> found = counts_below(counters, head);
  std::ranges::stable_sort(found, {}, [](const NamedCount& c) { return as_number(c.name); });
  return found;
}

std::vector<PassCount> pass_counts(const CampaignSummary& summary) {
  std::vector<PassCount> found;
  for (const std::string& pass : under_test(summary.plan)) found.push_back({pass});
  for (const NamedCount& count : counts_below(summary.counters, "pass")) {
    const std::size_t slash = count.name.rfind('/'); // a pass may have one in its text
    if (slash == std::string::npos) continue;
    const std::string pass = count.name.substr(0, slash), what = count.name.substr(slash + 1);
    auto row = std::ranges::find(found, pass, &PassCount::pass);
    if (row == found.end()) row = found.insert(found.end(), PassCount{pass});
    if (what == "tried") row->tried += count.count;
    if (what == "changed") row->changed += count.count;
    if (what == "rewrites") row->rewrites += count.count;
  }
  std::ranges::sort(found, {}, &PassCount::pass);
  return found;
}

std::vector<std::string> idle_passes(const CampaignSummary& summary) {
  std::vector<std::string> idle;
  for (const std::string& pass : under_test(summary.plan))
    if (summary.counters.of("pass/" + pass + "/changed") == 0) idle.push_back(pass);
  return idle;
}

std::vector<NamedCount> other_counts(const Counters& counters) {
  std::vector<NamedCount> found;
  for (const auto& [name, n] : counters.all())
    if (std::ranges::none_of(kHeads, [&](const char* head) { return name.starts_with(head); }))
      found.push_back({name, n});
  return found;
}

} // namespace sourir
