// The report as one page: no scripts, nothing from elsewhere. Charts are inline SVG, drawn in the
// colours of the style sheet, so that they follow the reader's light or dark.
#include "sourir/fuzz/campaign_report.h"
#include "sourir/syntax/markup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace sourir {

namespace {

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

std::string bar(std::uint64_t part, std::uint64_t whole) {
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
                       bar(c.count, sum));
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
                       bar(pass.changed, pass.tried), grouped(pass.rewrites));
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
  return out + "</table></div>\n<p class=\"faint\"><code>sourir campaign replay CASE --db ..."
               "</code> shows one, <code>sourir campaign shrink CASE --db ...</code> makes it "
               "small.</p>\n";
}

std::string head(const CampaignSummary& summary) {
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
  out += head(summary);
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

} // namespace sourir
