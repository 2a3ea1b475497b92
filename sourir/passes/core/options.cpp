#include "sourir/passes/core/options.h"

#include <charconv>

namespace sourir {

std::string_view PassOptions::text(std::string_view name, std::string_view otherwise) const {
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry)
    if (entry->first == name) return entry->second;
  return otherwise;
}

bool PassOptions::has(std::string_view name) const {
  for (const auto& [key, value] : entries_)
    if (key == name) return true;
  return false;
}

bool PassOptions::flag(std::string_view name) const { return has(name) && text(name) != "false"; }

std::uint64_t PassOptions::number(std::string_view name, std::uint64_t otherwise) const {
  const std::string_view given = text(name);
  std::uint64_t number = 0;
  const auto end = given.data() + given.size();
  const auto parsed = std::from_chars(given.data(), end, number);
  return !given.empty() && parsed.ec == std::errc{} && parsed.ptr == end ? number : otherwise;
}

std::vector<std::string_view> PassOptions::list(std::string_view name) const {
  std::vector<std::string_view> parts;
  std::string_view rest = text(name);
  while (!rest.empty()) {
    const std::size_t plus = rest.find('+');
    parts.push_back(rest.substr(0, plus));
    rest = plus == std::string_view::npos ? "" : rest.substr(plus + 1);
  }
  return parts;
}

} // namespace sourir
