#include "sourir/cli/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace sourir {

namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

// K, M and G, also kB, MB, MiB and so on.
std::optional<std::uint64_t> unit(std::string_view suffix) {
  static constexpr std::string_view kUnits = "KMGT";
  if (suffix.empty() || suffix == "B") return 1;
  const char letter = suffix[0] == 'k' ? 'K' : suffix[0];
  const std::size_t power = kUnits.find(letter);
  const std::string_view rest = suffix.substr(1);
  if (power == std::string_view::npos || !(rest.empty() || rest == "B" || rest == "iB")) return {};
  return std::uint64_t{1} << (10 * (power + 1));
}

// The digits at the start of `text`, which become the rest of it.
std::string leading_number(std::string_view& text, std::uint64_t& into) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, into);
  if (error == std::errc::result_out_of_range)
    return fmt::format("{} is too large; the largest number is {}", text, kLargest);
  if (error != std::errc{}) return text.starts_with('-') ? "must not be negative" : "not a number";
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return {};
}

} // namespace

std::string parse_number(std::string_view text, std::uint64_t& into) {
  std::string_view rest = text;
  std::uint64_t number = 0;
  const std::string problem = leading_number(rest, number);
  if (!problem.empty() && !text.starts_with('-') && problem.find("too large") == std::string::npos)
    return fmt::format("'{}' is not a whole number", text);
  if (!problem.empty()) return problem;
  if (!rest.empty()) return fmt::format("'{}' is not a whole number", text);
  into = number;
  return {};
}

std::string parse_bytes(std::string_view text, std::uint64_t& into) {
  std::string_view rest = text;
  std::uint64_t number = 0;
  const std::string problem = leading_number(rest, number);
  if (!problem.empty() && (text.starts_with('-') || problem.find("too large") != std::string::npos))
    return problem;
  const std::optional<std::uint64_t> factor = unit(rest);
  if (!problem.empty() || !factor)
    return fmt::format("'{}' is not a number of bytes, as in 4096, 64K, 512M or 4G", text);
  if (number > kLargest / *factor)
    return fmt::format("{} is too large; the largest number is {}", text, kLargest);
  into = number * *factor;
  return {};
}

Flag switch_flag(std::string names, bool& into, std::string help) {
  return {.names = std::move(names),
          .takes = Flag::Takes::Nothing,
          .value = "",
          .help = std::move(help),
          .set = [&into](const std::string&) { return into = true, std::string(); }};
}

Flag text_flag(std::string names, std::string value, std::string& into, std::string help) {
  return {.names = std::move(names),
          .takes = Flag::Takes::Value,
          .value = std::move(value),
          .help = std::move(help),
          .set = [&into](const std::string& text) {
            if (text.empty()) return std::string("the value is empty");
            into = text;
            return std::string();
          }};
}

Flag list_flag(std::string names, std::string value, std::vector<std::string>& into,
               std::string help) {
  return {.names = std::move(names),
          .takes = Flag::Takes::Value,
          .value = std::move(value),
          .help = std::move(help),
          .repeats = true,
          .set = [&into](const std::string& text) {
            if (text.empty()) return std::string("the value is empty");
            into.push_back(text);
            return std::string();
          }};
}

Flag choice_flag(std::string names, Flag::Takes takes, std::vector<std::string> choices,
                 std::string& into, std::string help) {
  auto set = [&into, choices](const std::string& text) {
    into = text.empty() ? choices.front() : text;
    if (std::ranges::count(choices, into) > 0) return std::string();
    return fmt::format("there is no '{}'; there are {}", text, fmt::join(choices, ", "));
  };
  return {.names = std::move(names),
          .takes = takes,
          .value = fmt::format("{}", fmt::join(choices, "|")),
          .help = std::move(help),
          .choices = std::move(choices),
          .set = std::move(set)};
}

Flag number_flag(std::string names, std::uint64_t& into, std::string help, std::uint64_t least) {
  return {.names = std::move(names),
          .takes = Flag::Takes::Value,
          .value = "N",
          .help = std::move(help),
          .set = [&into, least](const std::string& text) {
            std::uint64_t n = 0;
            std::string problem = parse_number(text, n);
            if (problem.empty() && n < least) problem = fmt::format("must be at least {}", least);
            if (problem.empty()) into = n;
            return problem;
          }};
}

Flag bytes_flag(std::string names, std::uint64_t& into, std::string help) {
  return {.names = std::move(names),
          .takes = Flag::Takes::Value,
          .value = "BYTES",
          .help = std::move(help),
          .set = [&into](const std::string& text) { return parse_bytes(text, into); }};
}

} // namespace sourir
