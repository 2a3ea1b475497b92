#include "sourir/semantics/schedule.h"

#include "sourir/semantics/resolved.h"
#include "sourir/semantics/watch_plan.h"
#include "sourir/syntax/text/lexer.h"
#include "sourir/syntax/text/parser.h"
#include "sourir/syntax/text/printer.h"

#include <algorithm>
#include <charconv>

namespace sourir {

namespace {

// SplitMix64's finalizer, a hash of counters.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  const auto read = [text](auto& n) {
    if constexpr (std::is_same_v<Number, double>)
      return read_double(text, n);
    else
      return std::from_chars(text.data(), text.data() + text.size(), n);
  };
  Number n{};
  const auto [end, error] = read(n);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return n;
}

// "before:after", after empty if there is no colon.
std::pair<std::string_view, std::string_view> split(std::string_view text, char at) {
  const std::size_t i = text.find(at);
  if (i == std::string_view::npos) return {text, {}};
  return {text.substr(0, i), text.substr(i + 1)};
}

Result<Schedule> parse_every(std::string_view argument) {
  const auto k = number<std::uint64_t>(argument);
  if (!k || *k == 0) return failure("every:K needs a number from 1, as in every:2");
  Schedule s;
  s.mode = Schedule::Mode::Every;
  s.every = *k;
  return s;
}

Result<Schedule> parse_random(std::string_view argument) {
  const auto [p_text, seed_text] = split(argument, ':');
  const auto p = number<double>(p_text);
  const auto seed = number<std::uint64_t>(seed_text);
  if (!p || !(*p >= 0 && *p <= 1) || !seed)
    return failure("p:P:SEED needs a probability from 0 to 1 and a number, as in p:0.1:42");
  Schedule s;
  s.mode = Schedule::Mode::Random;
  s.probability = *p;
  s.seed = *seed;
  return s;
}

Result<Schedule> parse_at(std::string_view list, Names& names) {
  Schedule s;
  s.mode = Schedule::Mode::At;
  for (bool more = true; more;) {
    const auto [item, rest] = split(list, ',');
    if (const auto n = number<std::uint64_t>(item); n && *n > 0)
      s.numbers.push_back(*n);
    else if (const auto place = n ? std::nullopt : parse_place(item, names))
      s.places.push_back(*place);
    else
      return failure("at:LIST needs numbers of opportunities (from 1) or places F.V.L, as in "
                     "at:3,main.V1.loop; this is neither: '{}'",
                     item);
    more = item.size() < list.size(); // a comma follows
    list = rest;
  }
  std::ranges::sort(s.numbers);
  return s;
}

bool is_name(std::string_view text, Names& names) {
  return parse_place(std::string(text) + ".V.L", names).has_value();
}

Result<Schedule> parse_enter(std::string_view argument, Names& names) {
  Schedule s;
  const auto [head, rest] = split(argument, ':');
  const auto n = number<std::uint64_t>(head == "any" ? rest : head);
  const auto [function, version] = split(argument, '.');
  if (head == "any" && n) {
    s.mode = Schedule::Mode::EnterAny;
    s.seed = *n;
  } else if (n && is_name(rest, names)) {
    s.mode = Schedule::Mode::EnterAt;
    s.call = *n;
    s.version = names.intern<VerName>(rest);
  } else if (is_name(function, names) && is_name(version, names)) {
    s.mode = Schedule::Mode::EnterVersion;
    s.function = names.intern<FunName>(function);
    s.version = names.intern<VerName>(version);
  } else
    return failure(
        "enter: needs any:SEED, a version F.V, or the number of a call (from 0) and a version, "
        "as in enter:3:base");
  return s;
}

Result<Schedule> parse_mapped(std::string_view argument, Names& names) {
  const auto [head, rest] = split(argument, ':');
  Result<Schedule> parsed = Schedule{};
  if (argument == "each")
    parsed->mode = Schedule::Mode::Every;
  else if (head == "every")
    parsed = parse_every(rest);
  else if (head == "p")
    parsed = parse_random(rest);
  else if (head == "at")
    parsed = parse_at(rest, names);
  else
    return failure("map: needs each, every:K, p:P:SEED or at:LIST, as in map:at:3");
  if (parsed) parsed->mapped = true;
  return parsed;
}

} // namespace

std::size_t Schedule::chosen(std::uint64_t n, std::size_t count) const {
  return mix(mix(seed) ^ n) % count;
}

namespace {

// The top 53 bits as a number in [0, 1).
bool is_drawn(std::uint64_t seed, std::uint64_t n, double probability) {
  return static_cast<double>(mix(mix(seed) ^ n) >> 11) * 0x1p-53 < probability;
}

} // namespace

bool Schedule::forces_exit(std::uint64_t n, bool returned, const ResolvedVersion* code,
                           std::uint32_t pc) const {
  switch (mode) {
  case Mode::Never:
  case Mode::Each: // Each and Pairs are expanded to many schedules
  case Mode::Pairs:
  case Mode::EnterAny:
  case Mode::EnterVersion:
  case Mode::EnterAt: return false;
  case Mode::Always: return true;
  case Mode::Every: return n % every == 0;
  case Mode::Random: return is_drawn(seed, n, probability);
  case Mode::Calls: return returned;
  case Mode::At: break;
  }
  return std::ranges::binary_search(numbers, n) ||
         std::ranges::binary_search(positions, std::pair(code, pc));
}

std::uint64_t Schedule::next_possible(std::uint64_t n) const {
  constexpr std::uint64_t kFar = 1 << 12;
  if (mode == Mode::Every) return n + std::min(every - n % every, kFar);
  if (mode == Mode::Random) {
    std::uint64_t next = n + 1;
    while (next < n + kFar && !is_drawn(seed, next, probability)) ++next;
    return next;
  }
  if (mode != Mode::At || !positions.empty()) return n + 1;
  const auto next = std::ranges::upper_bound(numbers, n);
  return next == numbers.end() ? n + kFar : std::min(*next, n + kFar);
}

namespace {

Result<Schedule> parse_exits(std::string_view text, Names& names) {
  using enum Schedule::Mode;
  static constexpr std::pair<std::string_view, Schedule::Mode> kPlain[] = {
      {"never", Never}, {"always", Always}, {"calls", Calls}, {"each", Each}, {"pairs", Pairs}};
  for (const auto& [name, mode] : kPlain)
    if (text == name) {
      Schedule s;
      s.mode = mode;
      return s;
    }
  const auto [head, argument] = split(text, ':');
  if (head == "every") return parse_every(argument);
  if (head == "p") return parse_random(argument);
  if (head == "at") return parse_at(argument, names);
  if (head == "enter") return parse_enter(argument, names);
  if (head == "map") return parse_mapped(argument, names);
  return failure("there is no schedule '{}'; there are never, always, every:K, p:P:SEED, calls, "
                 "at:LIST, each, pairs, enter:WHAT, map:WHERE and watch:WHICH",
                 text);
}

} // namespace

std::pair<std::string_view, std::string_view> split_watch(std::string_view text) {
  if (text.starts_with("watch:")) return {{}, text};
  const std::size_t at = std::min(text.find("/watch:"), text.size());
  return {text.substr(0, at), text.substr(at)};
}

Result<WatchSchedule> parse_watch(std::string_view text, Names& names) {
  WatchSchedule watch;
  watch.all = text == "always";
  if (watch.all || text == "never") return watch;
  const auto [head, list] = split(text, ':');
  auto places = head == "at" ? parse_at(list, names) : Result<Schedule>();
  if (!places || places->places.empty() || !places->numbers.empty())
    return failure("which guards are watched? always, never, or at:LIST with places F.V.L of "
                   "assumes, as in at:f.fast.loop; not '{}'",
                   text);
  watch.places = std::move(places->places);
  return watch;
}

Result<Schedule> parse_schedule(std::string_view text, Names& names) {
  const auto [exits, watch] = split_watch(text);
  auto parsed =
      exits.empty() && !watch.empty() ? Result<Schedule>(Schedule()) : parse_exits(exits, names);
  if (!parsed || watch.empty()) return parsed;
  if (parsed->mapped) return failure("map: leads into another program, where nothing is watched");
  auto watched = parse_watch(watch.substr(watch.find(':') + 1), names);
  if (!watched) return failure("{}", watched.error().message);
  parsed->watch = *std::move(watched);
  return parsed;
}

Result<> resolve(WatchSchedule& watch, const LinkedProgram& program) {
  watch.positions.clear();
  for (const Place& place : watch.places) {
    const auto found = program.find(place);
    if (!found)
      return failure("there is no place {} in the program", print(place, program.names()));
    if (const std::string why = why_unwatchable(*found->first, found->second, program.names());
        !why.empty())
      return failure("{}", why);
    watch.positions.push_back(*found);
  }
  return {};
}

Result<> resolve(Schedule& schedule, const LinkedProgram& program) {
  for (const Place& place : schedule.places) {
    const auto found = program.find(place);
    if (!found)
      return failure("there is no place {} in the program", print(place, program.names()));
    schedule.positions.push_back(*found);
  }
  const auto text = [&](auto name) { return std::string(program.names().text(name)); };
  if (schedule.mode == Schedule::Mode::EnterVersion &&
      program.version(schedule.function, schedule.version) == nullptr)
    return failure("there is no version {}.{} in the program", text(schedule.function),
                   text(schedule.version));
  std::ranges::sort(schedule.positions);
  return resolve(schedule.watch, program);
}

} // namespace sourir
