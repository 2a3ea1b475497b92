#include "sourir/fuzz/campaign_form.h"

#include <fmt/format.h>

namespace sourir {

namespace {

// Reads the members of an object; the first problem is kept, and wrong members are read as empty.
class Members {
public:
  explicit Members(const Json& json) : json_(json) {
    if (!json.is_object()) fail("it is no object");
  }
  const std::string& problem() const { return problem_; }
  void fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }

  // The member; null, with a problem: there is none.
  const Json* find(const char* key) {
    if (!json_.is_object()) return nullptr;
    const auto found = json_.find(key);
    if (found == json_.end()) fail(fmt::format("it has no \"{}\"", key));
    return found == json_.end() ? nullptr : &*found;
  }
  std::uint64_t number(const char* key) {
    const Json* const json = find(key);
    if (json == nullptr) return 0;
    if (!json->is_number_unsigned()) fail(fmt::format("\"{}\" is not a number from 0 on", key));
    return json->is_number_unsigned() ? json->get<std::uint64_t>() : 0;
  }
  std::string text(const char* key) {
    const Json* const json = find(key);
    return json == nullptr ? std::string() : text_of(*json, key);
  }
  std::vector<std::string> texts(const char* key) {
    const Json* const json = find(key);
    std::vector<std::string> all;
    if (json != nullptr && !json->is_array()) wrong(key);
    if (json == nullptr || !json->is_array()) return all;
    for (const Json& one : *json) all.push_back(text_of(one, key));
    return all;
  }
  PlanTexts plan(const char* key) {
    const Json* const json = find(key);
    PlanTexts all;
    if (json != nullptr && !json->is_object()) wrong(key);
    if (json == nullptr || !json->is_object()) return all;
    for (const auto& [name, value] : json->items()) all[name] = text_of(value, key);
    return all;
  }

private:
  void wrong(const char* key) { fail(fmt::format("\"{}\" is not what it should be", key)); }
  std::string text_of(const Json& json, const char* key) {
    if (const auto* const text = json.get_ptr<const std::string*>()) return *text;
    wrong(key);
    return {};
  }

  const Json& json_;
  std::string problem_;
};

Json finding_json(const CampaignFinding& finding) {
  Json json{{"index", finding.index},
            {"oracle", finding.oracle},
            {"pass", finding.transform},
            {"kind", finding.kind}};
  if (finding.kept) json["kept"] = replay_json(*finding.kept);
  return json;
}

Result<ReplayCase> replay_of(const Json& json) {
  if (!json.is_object())
    return failure("it is no replay file: its \"format\" is not sourir-replay");
  Members m(json);
  if (m.text("format") != "sourir-replay")
    m.fail("it is no replay file: its \"format\" is not sourir-replay");
  const std::uint64_t version = m.number("version");
  if (version != 1 && version != 2) m.fail("it is of a version that this program does not know");
  const Json* const found = m.find("found");
  ReplayCase replay{.plan = m.plan("plan"),
                    .index = m.number("index"),
                    .choices = m.text(version == 1 ? "tape" : "choices"),
                    .program = m.text("program"),
                    .inputs = m.texts("inputs"),
                    .pipeline = m.texts("pipeline"),
                    .deopt = m.text(version == 1 ? "leave" : "deopt"),
                    .feedback_seed = m.number("feedback_seed")};
  if (!m.problem().empty()) return failure("{}", m.problem());
  Members f(*found);
  replay.oracle = f.text("oracle");
  replay.transform = f.text("pass");
  replay.kind = f.text("kind");
  replay.report = f.text("report");
  if (!f.problem().empty()) return failure("{}", f.problem());
  return replay;
}

} // namespace

Json replay_json(const ReplayCase& replay) {
  return {{"format", "sourir-replay"},
          {"version", 2},
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
          {"deopt", replay.deopt},
          {"feedback_seed", replay.feedback_seed},
          {"choices", replay.choices}};
}

Result<ReplayCase> read_replay(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return failure("it is no JSON");
  return replay_of(json);
}

Json part_json(const BatchPart& part) {
  Json findings = Json::array();
  for (const CampaignFinding& f : part.result.findings) findings.push_back(finding_json(f));
  return {{"next", part.next},
          {"programs", part.result.programs},
          {"counters", part.result.counters.all()},
          {"findings", findings}};
}

Result<BatchPart> read_part(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded()) return failure("it is no JSON");
  Members m(json);
  BatchPart part;
  part.next = m.number("next");
  part.result.programs = m.number("programs");
  const Json *const counters = m.find("counters"), *const findings = m.find("findings");
  if (!m.problem().empty()) return failure("{}", m.problem());
  if (!counters->is_object() || !findings->is_array()) return failure("it is no part of a batch");
  for (const auto& [name, n] : counters->items())
    if (n.is_number_unsigned()) part.result.counters.add(name, n.get<std::uint64_t>());
  for (const Json& json_finding : *findings) {
    Members f(json_finding);
    CampaignFinding finding{
        f.number("index"), f.text("oracle"), f.text("pass"), f.text("kind"), {}};
    if (!f.problem().empty()) return failure("{}", f.problem());
    if (const auto kept = json_finding.find("kept"); kept != json_finding.end()) {
      auto replay = replay_of(*kept);
      if (!replay) return failure(replay.error());
      finding.kept = std::move(*replay);
    }
    part.result.findings.push_back(std::move(finding));
  }
  return part;
}

} // namespace sourir
