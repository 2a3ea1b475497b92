#include "sourir/cli/run_report.h"

#include "sourir/cli/engine/engine_report.h"
#include "sourir/os/exit_status.h"
#include "sourir/semantics/text/value_json.h"

namespace sourir {

namespace {

constexpr std::size_t kLongestResult = std::size_t{1} << 16;

Json head(const char* outcome, int exit_code) {
  Json json;
  json["format"] = "outcome";
  json["version"] = 1;
  json["outcome"] = outcome;
  json["exit_code"] = exit_code;
  return json;
}

void put_place(Json& json, const TextPlaces& places, const ResolvedVersion& code, Pc pc) {
  const LineColumn at = places.at(code, pc);
  json["place"] = places.place(code, pc);
  json["line"] = at.line;
  json["column"] = at.column;
}

// The environment of the i-th frame, 0 the innermost.
Env env_of(const Config& c, std::size_t i) {
  return c.stack.data() + (i == 0 ? c.base : c.frames[c.frames.size() - i].base);
}

Json frames_json(const EndedRun& run) {
  Json all = Json::array();
  const auto& frames = run.outcome.frames;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const ResolvedVersion& code = *frames[i].code;
    Json& frame = all.emplace_back(Json::object());
    put_place(frame, run.places, code,
              i == 0 ? frames[i].pc : TextPlaces::call_position(code, frames[i].pc));
    frame["values"] =
        environment_json(code, env_of(run.config, i), run.config.heap, run.places.names());
  }
  return all;
}

Json outcome_object(const EndedRun& run) {
  const Outcome& o = run.outcome;
  Json json = head(name_of(o.kind), run.exit_code);
  if (o.kind == OutcomeKind::Stop) {
    json["value"] = value_json(o.result, run.config.heap, run.places.names(), kLongestResult);
    return json;
  }
  if (o.kind == OutcomeKind::Stuck) json["reason"] = name_of(o.reason);
  if (o.kind == OutcomeKind::Limit) json["limit"] = name_of(o.limit);
  json["message"] = o.message;
  if (!o.frames.empty()) put_place(json, run.places, *o.frames[0].code, o.frames[0].pc);
  json["frames"] = frames_json(run);
  json["depth"] = o.depth;
  return json;
}

Json statistics_object(const EndedRun& run) {
  if (run.counts != nullptr) return engine_statistics_object(run);
  const Statistics& s = run.statistics;
  Json json;
  json["engine"] = "reference";
  json["steps"] = s.steps;
  Json& rules = json["rules"] = Json::object();
  for (const RuleRow& row : all_rules())
    if (const std::uint64_t n = s.rules[index_of(row)]; n > 0) rules[std::string(row.name)] = n;
  json["prints"] = s.prints;
  json["reads"] = s.reads;
  json["calls"] = s.calls;
  json["max_depth"] = s.max_depth;
  json["deoptimizations"] = s.deoptimizations;
  json["forced"] = s.forced;
  json["opportunities"] = s.opportunities;
  json["blocks"] = s.blocks;
  json["heap_bytes"] = s.heap_bytes;
  json["seconds"] = run.seconds;
  return json;
}

} // namespace

std::string outcome_json_line(const EndedRun& run) { return json_line(outcome_object(run)); }

std::string outcome_json(const EndedRun& run) {
  Json json = outcome_object(run);
  json["statistics"] = statistics_object(run);
  return json_text(json);
}

std::string statistics_json(const EndedRun& run) {
  Json json;
  json["format"] = "statistics";
  json["version"] = 1;
  json.update(statistics_object(run));
  return json_text(json);
}

std::string rejected_json_line(const Loaded& loaded) {
  Json json = head("rejected", exit_status::kRejected);
  json["errors"] = loaded.problems.errors();
  Json checked = Json::parse(diagnostics_json({{&loaded.source, loaded.problems.sorted()}}));
  json["diagnostics"] = std::move(checked["files"][0]["diagnostics"]);
  return json_line(json);
}

} // namespace sourir
