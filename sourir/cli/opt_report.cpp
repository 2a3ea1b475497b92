#include "sourir/cli/opt_report.h"

#include "sourir/cli/load_file.h"
#include "sourir/passes/pipeline.h"
#include "sourir/passes/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace sourir {

namespace {

// All runs of one pass, with the same options.
struct PassTotal {
  std::string pass;
  std::uint64_t runs = 0, changed = 0, rewrites = 0;
  double milliseconds = 0;
};

// In the order of the first runs.
std::vector<PassTotal> totals(const PipelineResult& result) {
  std::vector<PassTotal> all;
  std::unordered_map<std::string, std::size_t> where;
  for (const PassReport& report : result.reports) {
    const auto [found, added] = where.emplace(report.pass, all.size());
    if (added) all.push_back({report.pass});
    PassTotal& total = all[found->second];
    ++total.runs;
    total.changed += report.changed ? 1 : 0;
    total.rewrites += report.rewrites;
    total.milliseconds += report.milliseconds;
  }
  return all;
}

std::size_t width(const std::vector<PassTotal>& all) {
  std::size_t widest = 4;
  for (const PassTotal& total : all) widest = std::max(widest, total.pass.size());
  return widest;
}

Json size_json(const ProgramSize& size) {
  return {{"functions", size.functions},
          {"versions", size.versions},
          {"instructions", size.instructions}};
}

} // namespace

std::string passes_text() {
  std::string out;
  for (const PassRow& row : all_passes()) {
    out += fmt::format("{}\n  {}\n  --pass={}\n", row.name, row.summary, row.example);
    for (const OptionRow& option : row.options)
      out += fmt::format("    :{}{}{}  {}\n", option.name, option.value.empty() ? "" : "=",
                         option.value, option.help);
  }
  out +=
      "\nEach of them takes :functions=f+g, to look at these functions only.\n"
      "fix(a,b) repeats passes until nothing changes, fix:N(a,b) at most N times; exec:CMD runs\n"
      "a pass of yours: the program comes as JSON, the answer is {\"program\": ..., "
      "\"state_map\": ...}.\n\n";
  for (const Preset& preset : all_presets())
    out += fmt::format("{}\n  {}\n  = {}\n", preset.name, preset.summary, preset.pipeline);
  return out;
}

Json passes_json() {
  Json json{{"format", "passes"}, {"version", 1}, {"passes", Json::array()}};
  for (const PassRow& row : all_passes()) {
    Json options = Json::array();
    for (const OptionRow& option : row.options)
      options.push_back({{"name", option.name}, {"value", option.value}, {"help", option.help}});
    json["passes"].push_back({{"name", row.name},
                              {"summary", row.summary},
                              {"example", row.example},
                              {"options", std::move(options)}});
  }
  json["presets"] = Json::array();
  for (const Preset& preset : all_presets())
    json["presets"].push_back(
        {{"name", preset.name}, {"summary", preset.summary}, {"pipeline", preset.pipeline}});
  return json;
}

ProgramSize size_of(const Program& program) {
  ProgramSize size;
  size.functions = program.functions.size();
  for (const Function& function : program.functions) {
    size.versions += function.versions.size();
    for (const Version& version : function.versions) size.instructions += version.body.size();
  }
  return size;
}

std::string statistics_text(const OptReport& report) {
  const auto all = totals(report.result);
  const std::size_t wide = width(all);
  std::string out =
      fmt::format("{:<{}}  {:>5}  {:>7}  {:>8}\n", "pass", wide, "runs", "changed", "rewrites");
  for (const PassTotal& total : all)
    out += fmt::format("{:<{}}  {:>5}  {:>7}  {:>8}\n", total.pass, wide, total.runs, total.changed,
                       total.rewrites);
  const ProgramSize after = size_of(report.result.program);
  const auto line = [&](const char* what, std::size_t before, std::size_t now) {
    out += fmt::format("{}: {} -> {}\n", what, before, now);
  };
  line("functions", report.before.functions, after.functions);
  line("versions", report.before.versions, after.versions);
  line("instructions", report.before.instructions, after.instructions);
  return out;
}

Json statistics_json(const OptReport& report) {
  Json json{{"format", "pass-statistics"}, {"version", 1}, {"passes", Json::array()}};
  for (const PassTotal& total : totals(report.result))
    json["passes"].push_back({{"pass", total.pass},
                              {"runs", total.runs},
                              {"changed", total.changed},
                              {"rewrites", total.rewrites},
                              {"milliseconds", total.milliseconds}});
  json["before"] = size_json(report.before);
  json["after"] = size_json(size_of(report.result.program));
  json["remarks"] = remarks(report.result);
  return json;
}

std::string times_text(const PipelineResult& result) {
  auto all = totals(result);
  std::ranges::stable_sort(all, std::greater{}, &PassTotal::milliseconds);
  double sum = 0;
  for (const PassTotal& total : all) sum += total.milliseconds;
  const std::size_t wide = width(all);
  std::string out = fmt::format("{:>10}  {:>6}  {:<{}}  {:>5}\n", "ms", "%", "pass", wide, "runs");
  for (const PassTotal& total : all)
    out +=
        fmt::format("{:>10.3f}  {:>6.1f}  {:<{}}  {:>5}\n", total.milliseconds,
                    sum > 0 ? 100 * total.milliseconds / sum : 0.0, total.pass, wide, total.runs);
  return out + fmt::format("{:>10.3f}  in all\n", sum);
}

std::vector<std::string> remarks(const PipelineResult& result) {
  std::vector<std::string> all;
  std::unordered_set<std::string> said;
  const auto add = [&](std::string remark) {
    if (said.insert(remark).second) all.push_back(std::move(remark));
  };
  for (const PassReport& report : result.reports)
    for (const std::string& remark : report.remarks)
      add(fmt::format("{}: {}", report.pass, remark));
  for (const std::string& remark : result.remarks) add(remark);
  return all;
}

} // namespace sourir
