#include "sourir/cli/counterexample_json.h"

namespace sourir {

namespace {

Json point_json(const std::optional<RunPoint>& run_point) {
  if (!run_point) return nullptr;
  Json frames = Json::array();
  for (const RunPoint::Frame& f : run_point->frames) {
    Json values = Json::object();
    for (const auto& [name, value] : f.values) values[name] = value;
    frames.push_back(
        {{"place", f.place}, {"instruction", f.instruction}, {"values", std::move(values)}});
  }
  return {{"steps", run_point->steps},
          {"depth", run_point->depth},
          {"frames", std::move(frames)},
          {"rule", run_point->rule},
          {"does", run_point->does}};
}

Json side_json(const CounterexampleSide& side) {
  Json code = Json::array();
  for (const ListedVersion& version : side.code) {
    Json lines = Json::array();
    for (const auto& [text, here, at] : version.lines)
      lines.push_back({{"text", text}, {"here", here}});
    code.push_back({{"version", version.name}, {"lines", std::move(lines)}});
  }
  return {{"name", side.name},
          {"agreed", point_json(side.agreed)},
          {"differs", point_json(side.differs)},
          {"code", std::move(code)}};
}

Json state_json(const ShownState& state) {
  Json values = Json::array();
  for (const auto& [name, value] : state.lines)
    values.push_back({{"name", name}, {"value", value}});
  return {{"frames", state.depth}, {"values", std::move(values)}};
}

} // namespace

Json difference_json(const LockstepVerdict& verdict, const std::string& again) {
  const Counterexample& found = *verdict.counterexample;
  Json json{{"oracle", name_of(verdict.oracle)},
            {"kind", verdict.kind},
            {"what", found.what},
            {"input_at_fault", verdict.input_at_fault},
            {"deopt", found.deopt},
            {"leave", found.deopt},
            {"reads", found.reads},
            {"events_agreed", found.events},
            {"last_event", found.last_event},
            {"input", side_json(found.input)},
            {"output", side_json(found.output)}};
  json["forced"] = Json::array();
  for (const auto& [before, after] : found.forced)
    json["forced"].push_back({{"before", point_json(before)}, {"after", point_json(after)}});
  if (found.states)
    json["states"] = {{"left_name", found.states->left_name},
                      {"right_name", found.states->right_name},
                      {"candidates", found.states->candidates},
                      {"left", state_json(found.states->left)},
                      {"right", state_json(found.states->right)}};
  if (found.first_state)
    json["first_state"] = {{"input", point_json(found.first_state->input)},
                           {"output", point_json(found.first_state->output)}};
  if (!found.main.empty()) json["main"] = found.main;
  json["again"] = again;
  return json;
}

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string piped(const std::vector<std::string>& reads) {
  if (reads.empty()) return {};
  std::string out = "printf '%s\\n'";
  for (const std::string& value : reads) out += " " + shell_word(value);
  return out + " | ";
}

} // namespace sourir
