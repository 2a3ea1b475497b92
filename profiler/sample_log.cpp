#include "profiler/sample_log.h"

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
  return word < kPresent ? Json(nullptr) : Json(kTypeNames[word - kPresent]);
}

// 0xFF: no such kind.
std::uint8_t kind_of(const Json& json) {
  if (json.is_null()) return 0;
  for (std::size_t kind = 0; kind < kTypes && json.is_string(); ++kind)
    if (json.get_ref<const std::string&>() == kTypeNames[kind])
      return static_cast<std::uint8_t>(kPresent + kind);
  return 0xFF;
}

bool is_header(const Json& line) {
  return line.is_object() && line.contains("format") && line["format"] == "samples" &&
         line.contains("version") && line["version"] == 2;
}

// False: it is no sample.
bool read_sample(const Json& line, RecordedSample& into) {
  if (!line.is_object() || !line.contains("at") || !line["at"].is_number_unsigned()) return false;
  if (!line.contains("code") || !line["code"].is_string()) return false;
  if (!line.contains("kinds") || !line["kinds"].is_array()) return false;
  into.at = line["at"];
  into.code = line["code"];
  for (const Json& kind : line["kinds"]) {
    into.types.push_back(kind_of(kind));
    if (into.types.back() == 0xFF) return false;
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
  const std::size_t begin = used_.fetch_add(size); // from here on it is nobody else's
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

std::variant<std::vector<RecordedSample>, std::string> read_samples(std::string_view text) {
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
    if (number == 1) return where + ": not a file of samples (version 2)";
    RecordedSample sample;
    if (!read_sample(json, sample)) return where + ": not a sample";
    all.push_back(std::move(sample));
  }
  if (number == 0) return "it is empty";
  return all;
}

} // namespace sourir::profiler
