#include "sourir/fuzz/campaign_form.h"

#include <fmt/format.h>

namespace sourir {

namespace {

// A member of the type T, or an exception that names it.
template <class T>
T member(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) throw std::runtime_error(fmt::format("it has no \"{}\"", key));
  try {
    return found->get<T>();
  } catch (const Json::exception&) {
    throw std::runtime_error(fmt::format("\"{}\" is not what it should be", key));
  }
}

std::uint64_t number_member(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found != json.end() && !found->is_number_unsigned())
    throw std::runtime_error(fmt::format("\"{}\" is not a number from 0 on", key));
  return member<std::uint64_t>(json, key);
}

Json finding_json(const CampaignFinding& finding) {
  Json json{{"index", finding.index},
            {"oracle", finding.oracle},
            {"pass", finding.transform},
            {"kind", finding.kind}};
  if (finding.kept) json["kept"] = replay_json(*finding.kept);
  return json;
}

ReplayCase replay_of(const Json& json) {
  if (!json.is_object() || member<std::string>(json, "format") != "sourir-replay")
    throw std::runtime_error("it is no replay file: its \"format\" is not sourir-replay");
  if (number_member(json, "version") != 1)
    throw std::runtime_error("it is of a version that this program does not know");
  const auto found = member<Json>(json, "found");
  return {.plan = member<PlanTexts>(json, "plan"),
          .index = number_member(json, "index"),
          .choices = member<std::string>(json, "tape"),
          .program = member<std::string>(json, "program"),
          .inputs = member<std::vector<std::string>>(json, "inputs"),
          .pipeline = member<std::vector<std::string>>(json, "pipeline"),
          .leave = member<std::string>(json, "leave"),
          .feedback_seed = number_member(json, "feedback_seed"),
          .oracle = member<std::string>(found, "oracle"),
          .transform = member<std::string>(found, "pass"),
          .kind = member<std::string>(found, "kind"),
          .report = member<std::string>(found, "report")};
}

} // namespace

Json replay_json(const ReplayCase& replay) {
  return {{"format", "sourir-replay"},
          {"version", 1},
          {"plan", replay.plan},
          {"index", replay.index},
          {"found",
           {{"oracle", replay.oracle},
            {"pass", replay.transform},
            {"kind", replay.kind},
            {"report", replay.report}}},
          {"program", replay.program},
          {"inputs", replay.inputs},
          {"pipeline", replay.pipeline},
          {"leave", replay.leave},
          {"feedback_seed", replay.feedback_seed},
          {"tape", replay.choices}};
}

std::variant<ReplayCase, std::string> read_replay(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return "it is no JSON";
  try {
    return replay_of(json);
  } catch (const std::exception& error) {
    return error.what();
  }
}

Json part_json(const BatchPart& part) {
  Json findings = Json::array();
  for (const CampaignFinding& f : part.result.findings) findings.push_back(finding_json(f));
  return {{"next", part.next},
          {"programs", part.result.programs},
          {"counters", part.result.counters.all()},
          {"findings", findings}};
}

BatchPart read_part(const std::string& line) {
  const Json json = Json::parse(line);
  BatchPart part;
  part.next = number_member(json, "next");
  part.result.programs = number_member(json, "programs");
  for (const auto& [name, n] : json.at("counters").items())
    part.result.counters.add(name, n.get<std::uint64_t>());
  for (const Json& f : json.at("findings")) {
    CampaignFinding finding{number_member(f, "index"),
                            member<std::string>(f, "oracle"),
                            member<std::string>(f, "pass"),
                            member<std::string>(f, "kind"),
                            {}};
    if (f.contains("kept")) finding.kept = replay_of(f["kept"]);
    part.result.findings.push_back(std::move(finding));
  }
  return part;
}

} // namespace sourir
