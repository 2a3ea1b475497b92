// `sourir manual`: manual pages, made from the table of subcommands.
#include "sourir/cli/commands.h"
#include "sourir/cli/load_file.h"

#include "sourir/os/exit_status.h"
#include "sourir/os/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sourir {

namespace {

// Text for troff: no line is a request, no character is an escape, hyphens stay what they are.
std::string in_roff(std::string_view text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    begins = c == '\n';
  }
  return out;
}

std::string page_name(const Command& command) {
  std::string name = "sourir-" + command.name;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string title(const std::string& name) {
  std::string upper = name;
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return fmt::format(".TH {} 1 \"\" \"sourir {}\" \"sourir\"\n", in_roff(upper), SOURIR_VERSION);
}

std::string section(const std::string& heading, const std::string& text) {
  return ".SH " + heading + "\n" + text;
}

// Lines as they are.
std::string lines(const std::string& text) { return ".nf\n" + in_roff(text) + "\n.fi\n"; }

std::string flag_text(const Flag& flag) {
  std::string names = flag.names;
  if (const std::size_t comma = names.find(','); comma != std::string::npos)
    names.replace(comma, 1, ", ");
  std::string value = flag.value;
  if (!flag.choices.empty()) value = fmt::format("{}", fmt::join(flag.choices, "|"));
  std::string out = ".TP\n.B " + in_roff(names);
  if (flag.takes == Flag::Takes::Optional) out += in_roff("[=" + value + "]");
  if (flag.takes == Flag::Takes::Value) out += in_roff((flag.choices.empty() ? " " : "=") + value);
  return out + "\n" + in_roff(flag.help) + "\n";
}

std::string flags_text(const Command& command) {
  std::string out, group;
  for (const Flag& flag : command.flags) {
    if (flag.hidden) continue;
    if (flag.group != group && !flag.group.empty()) out += ".SS " + in_roff(flag.group) + "\n";
    group = flag.group;
    out += flag_text(flag);
  }
  return out + ".TP\n.B \\-\\-help\nwhat the command does\n";
}

std::string page(const Command& command) {
  return title(page_name(command)) +
         section("NAME", in_roff(page_name(command) + " - " + command.summary) + "\n") +
         section("SYNOPSIS", in_roff(fmt::format("sourir {}{} [FLAGS]", command.name,
                                                 command.operands.usage())) +
                                 "\n") +
         section("FLAGS", flags_text(command)) + section("DETAILS", lines(command.details)) +
         section("SEE ALSO", ".BR sourir (1)\n");
}

std::string page(const std::vector<Command>& commands) {
  std::string list;
  for (const Command& c : commands)
    list += ".TP\n.BR " + in_roff(page_name(c)) + " (1)\n" + in_roff(c.summary) + "\n";
  return title("sourir") +
         section("NAME",
                 in_roff("sourir - speculation and deoptimization, in a small language") + "\n") +
         section("SYNOPSIS", in_roff("sourir COMMAND [FILE] [FLAGS]") + "\n") +
         section("COMMANDS", list) +
         section("SEE ALSO", in_roff("`sourir explain` explains terms, rules and errors; `sourir "
                                     "course` is a course of ten lessons.") +
                                 "\n");
}

int run_manual(const std::vector<std::string>& words) {
  const std::vector<Command> commands = all_commands();
  const std::string name = fmt::format("{}", fmt::join(words, " "));
  if (name.empty()) {
    standard_output().write(page(commands));
    return exit_status::kFine;
  }
  const auto found = std::ranges::find(commands, name, &Command::name);
  if (found == commands.end())
    return usage_error("manual", "there is no command '" + printable(name) + "'");
  standard_output().write(page(*found));
  return exit_status::kFine;
}

} // namespace

Command manual_command() {
  Command c{.name = "manual",
            .summary = "Print the manual page of sourir or of a command.",
            .details = "Examples:\n"
                       "  sourir manual run | man -l -          on a terminal\n"
                       "  sourir manual campaign replay | man -l -\n"};
  c.operands = {.name = "COMMAND", .least = 0, .most = 2};
  c.run = run_manual;
  return c;
}

} // namespace sourir
