#include "profiler/sample_log.h"

#include "sourir/syntax/markup.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>

namespace sourir::profiler {

namespace {

using Json = nlohmann::ordered_json;

struct Header {
  std::uint64_t at;
  std::uint32_t id, slots, callers;
};

Json kind_json(std::uint8_t word) {
  return word == 0 ? Json(nullptr) : Json(name_of_reported(word));
}

// Empty: no such types.
std::optional<std::uint8_t> kind_of(const Json& json) {
  if (json.is_null()) return 0;
  return json.is_string() ? reported_word(json.get_ref<const std::string&>()) : std::nullopt;
}

bool is_header(const Json& line) {
  return line.is_object() && line.contains("format") && line["format"] == "samples" &&
         line.contains("version") && line["version"] == 2;
}

// False: not a sample.
bool read_sample(const Json& line, RecordedSample& into) {
  if (!line.is_object() || !line.contains("at") || !line["at"].is_number_unsigned()) return false;
  if (!line.contains("code") || !line["code"].is_string()) return false;
  if (!line.contains("kinds") || !line["kinds"].is_array()) return false;
  into.at = line["at"];
  into.code = line["code"];
  for (const Json& kind : line["kinds"]) {
    const auto word = kind_of(kind);
    if (!word) return false;
    into.types.push_back(*word);
  }
  if (!line.contains("callers")) return true;
  if (!line["callers"].is_array()) return false;
  for (const Json& caller : line["callers"]) {
    if (!caller.is_string()) return false;
    into.callers.push_back(caller);
  }
  return true;
}

} // namespace

void SampleRecorder::add(std::uint64_t at, const SampledCode& code,
                         std::span<const std::uint8_t> types,
                         std::span<const std::uint32_t> callers) {
  const Header header{at, code.id, static_cast<std::uint32_t>(types.size()),
                      static_cast<std::uint32_t>(callers.size())};
  const std::size_t size = sizeof header + types.size() + callers.size_bytes();
  const std::size_t begin = used_.fetch_add(size); // reserves the range, also against signals
  if (begin > memory_.size() || memory_.size() - begin < size) {
    used_.fetch_sub(size);
    ++lost_;
    return;
  }
  std::uint8_t* to = memory_.data() + begin;
  std::memcpy(to, &header, sizeof header);
  to = std::ranges::copy(types, to + sizeof header).out;
  if (!callers.empty()) std::memcpy(to, callers.data(), callers.size_bytes());
}

std::vector<RecordedSample> SampleRecorder::read(std::span<const std::string> names) const {
  std::vector<RecordedSample> all;
  for (std::size_t at = 0, end = used_; at < end;) {
    Header header{};
    std::memcpy(&header, memory_.data() + at, sizeof header);
    at += sizeof header;
    const auto first = memory_.begin() + static_cast<std::ptrdiff_t>(at);
    all.push_back({header.at, names[header.id], {first, first + header.slots}, {}});
    at += header.slots;
    for (std::uint32_t i = 0; i < header.callers; ++i, at += sizeof(std::uint32_t)) {
      std::uint32_t id = 0;
      std::memcpy(&id, memory_.data() + at, sizeof id);
      all.back().callers.push_back(names[id]);
    }
  }
  return all;
}

std::string samples_text(std::span<const RecordedSample> samples, std::string_view trigger) {
  std::string text =
      Json{{"format", "samples"}, {"version", 2}, {"trigger", trigger}}.dump() + "\n";
  for (const RecordedSample& s : samples) {
    Json kinds = Json::array();
    for (const std::uint8_t word : s.types) kinds.push_back(kind_json(word));
    Json line{{"at", s.at}, {"code", s.code}, {"kinds", kinds}};
    if (!s.callers.empty()) line["callers"] = s.callers;
    text += line.dump() + "\n";
  }
  return text;
}

Result<std::vector<RecordedSample>> read_samples(std::string_view text) {
  std::vector<RecordedSample> all;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const Json json = Json::parse(line, nullptr, false);
    const std::string where = "line " + std::to_string(number);
    if (number == 1 && is_header(json)) continue;
    if (number == 1) return failure("{}: not a file of samples (version 2)", where);
    RecordedSample sample;
    if (!read_sample(json, sample)) return failure("{}: not a sample", where);
    all.push_back(std::move(sample));
  }
  if (number == 0) return failure("it is empty");
  return all;
}

Stacks stacks_of(std::span<const RecordedSample> samples, std::uint64_t baseline,
                 std::uint64_t elsewhere) {
  Stacks stacks;
  for (const RecordedSample& s : samples) {
    if (!s.types.empty()) continue; // a report, which belongs to an earlier hit
    std::vector<std::string> stack(s.callers.rbegin(), s.callers.rend());
    stack.push_back(s.code);
    ++stacks[stack];
  }
  if (baseline != 0) stacks[{"[baseline]"}] = baseline;
  if (elsewhere != 0) stacks[{"[elsewhere]"}] = elsewhere;
  return stacks;
}

std::string folded(const Stacks& stacks) {
  std::string text;
  for (const auto& [stack, count] : stacks) {
    for (const std::string& name : stack)
      text.append(name).append(&name == &stack.back() ? " " : ";");
    text.append(std::to_string(count)).append("\n");
  }
  return text;
}

std::string speedscope(const Stacks& stacks, const std::string& name) {
  using Json = nlohmann::ordered_json;
  std::map<std::string, std::size_t> frames;
  Json names = Json::array(), samples = Json::array(), weights = Json::array();
  std::uint64_t all = 0;
  for (const auto& [stack, count] : stacks) {
    Json sample = Json::array();
    for (const std::string& frame : stack) {
      const auto [at, fresh] = frames.try_emplace(frame, frames.size());
      if (fresh) names.push_back({{"name", frame}});
      sample.push_back(at->second);
    }
    samples.push_back(std::move(sample));
    weights.push_back(count);
    all += count;
  }
  const Json profile{{"type", "sampled"}, {"name", name},    {"unit", "none"},
                     {"startValue", 0},   {"endValue", all}, {"samples", samples},
                     {"weights", weights}};
  return Json{{"$schema", "https://www.speedscope.app/file-format-schema.json"},
              {"shared", {{"frames", names}}},
              {"profiles", Json::array({profile})},
              {"exporter", "sourir"}}
             .dump() +
         "\n";
}

// Generated of flame_graph/d3-flamegraph-base.html.
std::string_view flame_graph_page();

namespace {

struct Node {
  std::uint64_t own = 0; // samples in it, not in its callees
  std::map<std::string, Node> callees;
};

constexpr std::size_t kDeepest = 256; // frames of a stack that the page shows

Json node_json(const std::string& name, const Node& node) {
  Json callees = Json::array();
  for (const auto& [callee, there] : node.callees) callees.push_back(node_json(callee, there));
  return {{"name", name}, {"value", node.own}, {"children", std::move(callees)}};
}

// JSON in a script of a page: no tag begins in it.
std::string in_script(const Json& json) {
  std::string text = json.dump();
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
    text.replace(at, 1, "\\u003c");
  return text;
}

void replace(std::string& text, std::string_view what, const std::string& by) {
  text.replace(text.find(what), what.size(), by);
}

} // namespace

std::string flame_graph(const Stacks& stacks, const std::string& title) {
  Node root;
  std::uint64_t samples = 0;
  for (const auto& [stack, count] : stacks) {
    Node* at = &root;
    for (std::size_t i = 0; i < std::min(stack.size(), kDeepest); ++i) at = &at->callees[stack[i]];
    at->own += count;
    samples += count;
  }
  std::string page(flame_graph_page());
  replace(page, "<title>Flame Graph</title>", "<title>" + escaped_markup(title) + "</title>");
  replace(page, "/** @flamegraph_json **/", in_script(node_json(title, root)));
  replace(page, "/** @options_json **/",
          in_script({{"context", title + ": " + std::to_string(samples) +
                                     " samples. Callers stand below what they call; widths are "
                                     "shares."}}));
  return page;
}

} // namespace sourir::profiler
