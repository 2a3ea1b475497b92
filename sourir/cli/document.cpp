#include "sourir/cli/document.h"

#include "sourir/os/terminal.h"

#include <fmt/format.h>

#include <cmath>

namespace sourir {

const Document& member_at(const Document& of, const std::string& key, const std::string& place) {
  if (!of.is_object() || !of.contains(key)) throw BadDocument("there is no " + place + key);
  return of.at(key);
}

const Document& array_at(const Document& of, const std::string& key, const std::string& place) {
  const Document& found = member_at(of, key, place);
  if (!found.is_array()) throw BadDocument(place + key + " is no list");
  return found;
}

const Document& object_at(const Document& of, const std::string& key, const std::string& place) {
  const Document& found = member_at(of, key, place);
  if (!found.is_object()) throw BadDocument(place + key + " is no object");
  return found;
}

std::string string_at(const Document& of, const std::string& key, const std::string& place) {
  const Document& found = member_at(of, key, place);
  if (!found.is_string()) throw BadDocument(place + key + " is no text");
  return found;
}

std::uint64_t number_at(const Document& of, const std::string& key, const std::string& place) {
  const Document& found = member_at(of, key, place);
  if (!found.is_number_unsigned()) throw BadDocument(place + key + " is no whole number");
  return found;
}

std::vector<double> times_at(const Document& of, const std::string& key, const std::string& place) {
  std::vector<double> times;
  for (const auto& [i, time] : array_at(of, key, place).items()) {
    if (!time.is_number() || !(time.get<double>() >= 0) || !std::isfinite(time.get<double>()))
      throw BadDocument(fmt::format("{}{}/{} is no time", place, key, i));
    times.push_back(time);
  }
  return times;
}

void check_format(const Document& document, const char* format, int version, const char* writer) {
  if (!document.is_object() || document.value("format", Document()) != format)
    throw BadDocument(
        fmt::format("it is no answer of `{}` (no \"format\": \"{}\")", writer, format));
  if (const Document found = document.value("version", Document()); found != version)
    throw BadDocument(
        fmt::format("it has version {} of the format, this reads {}", found.dump(), version));
}

Error document_error(const std::string& name, std::string_view problem) {
  // Of the parser: "[json.exception...] parse error at ...: ..."
  const std::size_t words = problem.starts_with("[json.") ? problem.find("] ") : problem.npos;
  if (words != problem.npos) problem.remove_prefix(words + 2);
  return {fmt::format("'{}': {}", name, printable(problem)), std::nullopt};
}

} // namespace sourir
