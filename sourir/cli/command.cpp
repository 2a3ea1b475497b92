#include "sourir/cli/command.h"

#include "sourir/semantics/limits.h"
#include "sourir/syntax/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <sstream>

namespace sourir {

// --- Operands

namespace {

std::vector<std::string> names_of(const Operands& operands) {
  std::istringstream in(operands.name);
  std::vector<std::string> names;
  for (std::string name; in >> name;) names.push_back(name);
  return names;
}

} // namespace

std::string Operands::usage() const {
  if (most == 0) return {};
  const std::vector<std::string> names = names_of(*this);
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string more = i + 1 == names.size() && most > names.size() ? "..." : "";
    out +=
        i < least ? fmt::format(" {}{}", names[i], more) : fmt::format(" [{}{}]", names[i], more);
  }
  return out;
}

std::string Operands::problem(const std::vector<std::string>& words) const {
  std::vector<std::string> names = names_of(*this);
  if (words.size() > most)
    return names.size() == 1
               ? fmt::format("'{}' is one {} too many", words[most], name)
               : fmt::format("'{}' is too much: {} are all that is taken", words[most], name);
  if (words.size() >= least) return {};
  names.resize(std::min(names.size(), least));
  if (words.empty())
    return fmt::format("{} {} missing", fmt::join(names, " and "),
                       names.size() == 1 ? "is" : "are");
  return fmt::format("{} are wanted here, and there is only '{}'", fmt::join(names, " and "),
                     words[0]);
}

// --- Values of flags

namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

// The factor of a suffix: K, M, G or T, also kB, MB, MiB and so on.
std::optional<std::uint64_t> unit(std::string_view suffix) {
  static constexpr std::string_view kUnits = "KMGT";
  if (suffix.empty() || suffix == "B") return 1;
  const char letter = suffix[0] == 'k' ? 'K' : suffix[0];
  const std::size_t power = kUnits.find(letter);
  const std::string_view rest = suffix.substr(1);
  if (power == std::string_view::npos || !(rest.empty() || rest == "B" || rest == "iB")) return {};
  return std::uint64_t{1} << (10 * (power + 1));
}

// Takes the digits at the start of `text` off it. Returns the error message, or nothing.
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

Flag pair_flag(std::string names, std::string value, std::vector<std::string>& into,
               std::string help) {
  Flag flag = list_flag(std::move(names), std::move(value), into, std::move(help));
  flag.pairs = true;
  flag.set = [&into, set = std::move(flag.set)](const std::string& text) {
    return into.size() == 2 ? std::string("there are two values already") : set(text);
  };
  return flag;
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

Flag given_once(Flag flag) {
  flag.once = true;
  return flag;
}

Flag with_schedules(Flag flag, bool checks) {
  flag.some_values = {"never", "always", "every:", "p:", "calls", "at:", "enter:any:", "enter:"};
  if (checks)
    flag.some_values.insert(flag.some_values.end(),
                            {"each", "pairs", "map:", "watch:always", "watch:at:"});
  return flag;
}

Flag with_alias(Flag flag, std::string alias) {
  flag.aliases.push_back(std::move(alias));
  return flag;
}

void add_group(std::vector<Flag>& to, const std::string& heading, std::vector<Flag> flags) {
  for (Flag& flag : flags) {
    flag.group = heading;
    to.push_back(std::move(flag));
  }
}

namespace {

using SettingList = std::vector<Setting>;

const Setting* setting_of(const SettingList& settings, std::string_view key) {
  const auto at = std::ranges::find(settings, key, &Setting::key);
  return at == settings.end() ? nullptr : &*at;
}

// The end of the value at the start of the text: before ",KEY=" or at the end. Values may have
// commas.
std::size_t value_end(const SettingList& settings, std::string_view text) {
  for (std::size_t comma = text.find(','); comma != std::string_view::npos;
       comma = text.find(',', comma + 1)) {
    const std::string_view rest = text.substr(comma + 1);
    if (setting_of(settings, rest.substr(0, rest.find('=')))) return comma;
  }
  return text.size();
}

std::string set_all(const std::string& name, const SettingList& settings, std::string_view text) {
  while (!text.empty()) {
    const std::size_t is = text.find('=');
    const std::string key(text.substr(0, is));
    const Setting* const setting = setting_of(settings, key);
    if (setting == nullptr) {
      std::vector<std::string_view> keys;
      for (const Setting& s : settings) keys.emplace_back(s.key);
      const auto meant = closest(key, keys);
      return fmt::format("there is no '{}'{}; `{} help` lists what there is", key,
                         meant ? fmt::format(", did you mean {}?", *meant) : "", name);
    }
    if (is == std::string_view::npos) return fmt::format("{} needs a value: {}=...", key, key);
    text.remove_prefix(is + 1);
    const std::size_t end = value_end(settings, text);
    if (std::string problem = setting->flag.set(std::string(text.substr(0, end))); !problem.empty())
      return fmt::format("{}: {}", key, problem);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

} // namespace

void append_wrapped(std::string& out, std::string_view text, std::size_t column) {
  constexpr std::size_t kWidth = 96;
  std::size_t at = column;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (at > column && at + 1 + end > kWidth) {
      out += "\n" + std::string(column, ' ');
      at = column;
    } else if (at > column) {
      out += ' ';
      ++at;
    }
    out += text.substr(0, end);
    at += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out += '\n';
}

std::vector<Flag> settings_flag(const std::string& name, const std::string& what,
                                std::vector<Setting> settings) {
  Flag flag{.names = name,
            .takes = Flag::Takes::Value,
            .value = "KEY=VALUE",
            .help = fmt::format("{}; `{} help` lists them", what, name),
            .repeats = true};
  flag.listing = fmt::format("{} KEY=VALUE[,KEY=VALUE]: {}\n", name, what);
  const auto form = [](const Setting& s) { return s.key + "=" + s.flag.value; };
  std::size_t width = 0;
  for (const Setting& s : settings) width = std::max(width, form(s).size());
  std::vector<Flag> all;
  for (Setting& s : settings) {
    flag.listing += fmt::format("  {:<{}}", form(s), width + 2);
    append_wrapped(flag.listing, s.flag.help, width + 4);
    s.flag.hidden = true;
    all.push_back(s.flag);
  }
  flag.set = [name, settings = std::move(settings)](const std::string& text) {
    return text.empty() ? "the value is empty" : set_all(name, settings, text);
  };
  all.insert(all.begin(), std::move(flag));
  return all;
}

void add_limit_flags(std::vector<Flag>& flags, Limits& limits) {
  add_group(flags, "Limits",
            {number_flag("--fuel", limits.fuel,
                         "steps it may do; other engines than the reference count calls "
                         "and back edges (default: no limit)"),
             bytes_flag("--max-heap", limits.heap,
                        "bytes of arrays: 24 for each and 16 for an element (default 4G)"),
             number_flag("--max-depth", limits.depth,
                         "calls that may wait for their result (default 2000000)"),
             number_flag("--max-array", limits.array,
                         "elements that one array may have (default 100000000)")});
}

} // namespace sourir
