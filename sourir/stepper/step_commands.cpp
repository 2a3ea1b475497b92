#include "sourir/stepper/step_commands.h"

#include "sourir/syntax/suggest.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace sourir {

namespace {

constexpr CommandRow kRows[] = {
    {"step", "s", "[N]", "does the next N steps (1)", "", command_step, true},
    {"back", "b", "[N]", "undoes the last N steps (1)", "", command_back, true},
    {"next", "n", "", "does a step, over all of a call",
     "Ends early at a breakpoint inside the call.", command_next, true},
    {"reverse-next", "N rn", "", "undoes a step, over all of a call", "", command_reverse_next,
     true},
    {"finish", "f", "", "goes on until the current frame has returned",
     "The frame may be replaced by others meanwhile: a deoptimization does not return.",
     command_finish, true},
    {"reverse-finish", "F rf", "", "goes back to before the current frame was made", "",
     command_reverse_finish, true},
    {"continue", "c", "", "goes on to the next breakpoint or the end", "", command_continue, true},
    {"reverse-continue", "r rc", "", "goes back to the previous breakpoint or the start", "",
     command_reverse_continue, true},
    {"deopt", "d", "", "goes on to just before the next deoptimization, or to the end",
     "Stops where AssumeDeopt, AssumeLeave or AnchorDeopt is the rule that fires next: `rule` "
     "shows "
     "what it will build, `step` takes it.",
     command_deopt, true},
    {"reverse-deopt", "D rd", "", "goes back to just before the previous deoptimization", "",
     command_reverse_deopt, true},
    {"goto", "g", "N|end", "goes to the configuration after N steps from the start",
     "Forward or back; `goto end` goes on over all breakpoints.", command_goto, false},
    {"restart", "", "", "goes back to the start; breakpoints stay", "", command_restart, false},
    {"break", "br B", "PLACE|LINE", "sets a breakpoint",
     "A place is F.V.L, F.V.L+n or F.V+n; F.V means its start, F the start of each of its "
     "versions. "
     "A line without an instruction means the next one that has some. Walks stop before the "
     "instruction there is done.",
     command_break, false},
    {"delete", "", "N|all", "removes a breakpoint", "", command_delete, false},
    {"breakpoints", "", "", "lists the breakpoints", "", command_breakpoints, false},
    {"show", "", "", "where we are, with the source, the environment and the rule", "",
     command_show, false},
    {"where", "w", "", "the position and the rule that fires next", "", command_where, false},
    {"rule", "", "", "the rule that fires next: premises, effect, frames that it builds",
     "Premises are shown as `e -> v`: expression e has value v in this environment and heap. For "
     "an "
     "exit, the frames are those of its metadata, innermost first, with their environments.",
     command_rule, false},
    {"env", "e", "[FRAME]", "the environment of a frame (0, the current one)", "", command_env,
     false},
    {"stack", "", "[N]", "the frames: the current one and the continuations that wait",
     "`x = $` is the variable that receives the result.", command_stack, false},
    {"heap", "", "[ADDRESS]", "the arrays that can be reached from here, or one of them", "",
     command_heap, false},
    {"list", "l", "[PLACE|LINE]", "the source around the position",
     "`=>` marks the position, `*1` a line with breakpoint 1.", command_list, false},
    {"output", "o", "[N]", "the last N lines that the program printed (50)", "", command_output,
     false},
    {"print", "p", "EXPR", "the value of an expression in the current environment", "",
     command_print, false},
    {"state", "", "[whole]", "the whole configuration as one text",
     "The same text means the same configuration, however one came there. Long parts are left out "
     "and stand in a digest; `state whole` leaves nothing out.",
     command_state, false},
    {"history", "", "[N]", "the last N steps that led here (10)", "", command_history, false},
    {"help", "h ?", "[COMMAND]", "this list, or more about a command", "", command_help, false},
    {"quit", "q", "", "ends the session", "", command_quit, false},
};

bool is_shortcut(const CommandRow& row, std::string_view word) {
  for (std::string_view rest = row.shortcut; !rest.empty();) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, blank) == word) return true;
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  return false;
}

CommandError unknown(std::string_view word) {
  std::vector<std::string_view> names;
  for (const CommandRow& row : kRows) names.push_back(row.name);
  const auto best = closest(word, names);
  return {fmt::format("there is no command {}; {}", word,
                      best ? fmt::format("did you mean {}?", *best)
                           : std::string("`help` lists the commands"))};
}

} // namespace

std::span<const CommandRow> command_rows() { return kRows; }

std::variant<const CommandRow*, CommandError> find_command(std::string_view word) {
  std::vector<const CommandRow*> candidates;
  for (const CommandRow& row : kRows) {
    if (row.name == word || is_shortcut(row, word)) return &row;
    if (row.name.starts_with(word)) candidates.push_back(&row);
  }
  if (candidates.empty()) return unknown(word);
  const CommandRow* shortest = *std::ranges::min_element(
      candidates, {}, [](const CommandRow* row) { return row->name.size(); });
  if (std::ranges::all_of(
          candidates, [&](const CommandRow* row) { return row->name.starts_with(shortest->name); }))
    return shortest;
  std::string list;
  for (const CommandRow* row : candidates)
    list += fmt::format("{}{}", list.empty() ? "" : ", ", row->name);
  return CommandError{fmt::format("{} could be {}", word, list)};
}

std::variant<std::uint64_t, CommandError>
number_argument(std::string_view argument, std::uint64_t fallback, std::string_view what) {
  std::uint64_t number = fallback;
  const char* end = argument.data() + argument.size();
  if (!argument.empty()) {
    const auto [rest, error] = std::from_chars(argument.data(), end, number);
    if (error == std::errc::result_out_of_range && rest == end) return ~std::uint64_t{0};
    if (error != std::errc{} || rest != end)
      return CommandError{fmt::format("{} is not {}", argument, what)};
  }
  return number;
}

std::optional<CommandError> no_argument(std::string_view command, std::string_view argument) {
  if (argument.empty()) return std::nullopt;
  return CommandError{
      fmt::format("{} takes nothing behind it; this is too much: {}", command, argument)};
}

} // namespace sourir
