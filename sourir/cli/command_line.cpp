#include "sourir/cli/command_line.h"

#include "sourir/cli/commands.h"
#include "sourir/cli/load_file.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/output.h"
#include "sourir/os/terminal.h"
#include "sourir/syntax/suggest.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace sourir {

namespace {

using Words = std::vector<std::string>;

// Thrown for usage errors.
struct UsageProblem {
  std::string message;
};

constexpr std::size_t kWidestName = 30;
constexpr const char* kOther = "Other"; // flags without a heading

std::string heading(const Flag& flag) {
  return flag.hidden ? "" : flag.group.empty() ? kOther : flag.group;
}

// The layout of the help: descriptions are wrapped, each group has a heading if there are several.
class HelpFormat : public CLI::Formatter {
public:
  HelpFormat(const Command& command, const CLI::App& app) : command_(command) {
    several_groups_ =
        std::ranges::any_of(command.flags, [](const Flag& f) { return !f.group.empty(); });
    for (const CLI::Option* option : app.get_options())
      if (!option->get_group().empty() && shown(option).size() <= kWidestName)
        width_ = std::max(width_, shown(option).size());
  }

  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    std::string out =
        fmt::format("usage: sourir {}{} [FLAGS]\n\n", command_.name, command_.operands.usage());
    append_wrapped(out, command_.summary, 0);
    for (const std::string& group : app->get_groups())
      if (!group.empty())
        out += make_group(group, false, app->get_options([&](const CLI::Option* option) {
          return option->get_group() == group;
        }));
    return out + "\n" + command_.details;
  }
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    std::string out = several_groups_ ? "\n" + group + ":\n" : "\n";
    for (const CLI::Option* option : options) out += make_option(option, is_positional);
    return out;
  }
  std::string make_option(const CLI::Option* option, bool) const override {
    const std::string name = shown(option);
    std::string out = fmt::format("  {:<{}}", name, width_);
    out += name.size() > width_ ? "\n" + std::string(width_ + 4, ' ') : "  ";
    append_wrapped(out, option->get_description(), width_ + 4);
    return out;
  }

private:
  // "-o, --output FILE"
  static std::string shown(const CLI::Option* option) {
    const std::string names = option->get_name(false, true);
    const std::size_t comma = names.find(',');
    return (comma == std::string::npos ? "    " + names
                                       : names.substr(0, comma) + ", " + names.substr(comma + 1)) +
           option->get_type_name();
  }

  const Command& command_;
  bool several_groups_ = false;
  std::size_t width_ = 0;
};

// The error message for a word that is no flag of the command.
std::string unexpected(const Command& command, const std::string& word) {
  std::vector<std::string_view> known;
  const std::string name = word.substr(0, word.find('='));
  for (const Flag& flag : command.flags) {
    if (flag.hidden) continue;
    const std::size_t comma = flag.names.find(',');
    known.emplace_back(flag.names).remove_prefix(comma == std::string::npos ? 0 : comma + 1);
  }
  known.emplace_back("--help");
  std::string message = fmt::format("`sourir {}` has no flag {}", command.name, name);
  if (const auto meant = closest(name, known)) message += fmt::format("; did you mean {}?", *meant);
  return message;
}

void give_value(const Flag& flag, std::string value) {
  if (flag.takes == Flag::Takes::Nothing && value != "true")
    throw UsageProblem{fmt::format("{} takes no value", flag.long_name())};
  if (flag.takes != Flag::Takes::Value && value == "true") value.clear();
  if (const std::string problem = flag.set(value); !problem.empty())
    throw UsageProblem{fmt::format("{}: {}", flag.long_name(), problem)};
}

void give_values(const Flag& flag, const CLI::Option& option) {
  const Words& values = option.results();
  if (flag.once)
    for (const std::string& value : values)
      if (value != values.front())
        throw UsageProblem{fmt::format("{} is given twice, as '{}' and as '{}'", flag.long_name(),
                                       values.front(), value)};
  for (std::size_t i = flag.repeats ? 0 : values.size() - 1; i < values.size(); ++i)
    give_value(flag, values[i]);
}

CLI::Option* add_option(CLI::App& app, const Flag& flag, const std::string& names) {
  if (flag.takes != Flag::Takes::Value) return app.add_flag(names, flag.help);
  CLI::Option* const option = app.add_option(names);
  option->description(flag.help);
  if (flag.pairs) option->type_size(2);
  return flag.repeats ? option->take_all()->allow_extra_args(false) : option->take_last();
}

// The option of the flag, and those of its former names.
std::vector<CLI::Option*> add_options(CLI::App& app, const Flag& flag) {
  CLI::Option* const option = add_option(app, flag, flag.names)->group(heading(flag));
  if (flag.takes == Flag::Takes::Value)
    option->type_name((flag.choices.empty() ? " " : "=") + flag.value);
  else
    option->type_name(flag.takes == Flag::Takes::Optional ? "[=" + flag.value + "]" : "");
  std::vector<CLI::Option*> all = {option};
  for (const std::string& alias : flag.aliases)
    all.push_back(add_option(app, flag, alias)->group(""));
  return all;
}

// The operands among the words that CLI11 did not parse; the others are unknown flags. (Operands
// declared to CLI11 would be taken apart where they look like "[a,b]".)
Words operands(const Command& command, const Words& left_over) {
  Words found;
  bool only_operands = false;
  for (const std::string& word : left_over) {
    if (!only_operands && word == "--") {
      only_operands = true;
      continue;
    }
    if (!only_operands && word.starts_with('-') && word != "-")
      throw UsageProblem{unexpected(command, word)};
    if (command.operands.most == 0)
      throw UsageProblem{fmt::format("'{}' is no flag, and nothing else is taken here", word)};
    if (word.empty()) throw UsageProblem{fmt::format("{} is empty", command.operands.name)};
    found.push_back(word);
  }
  if (const std::string problem = command.operands.problem(found); !problem.empty())
    throw UsageProblem{problem};
  return found;
}

// Without a value CLI11 would take the next word, even a flag.
void check_values_given(const Command& command, const Words& words) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i)
    for (const Flag& flag : command.flags) {
      std::string name = flag.long_name();
      const bool is_short = name != flag.names && words[i] + "," + name == flag.names;
      for (const std::string& alias : flag.aliases)
        if (words[i].starts_with(alias)) name = alias;
      const bool alone = words[i] == name || is_short;
      const bool nothing_follows = flag.pairs
                                       ? i + 2 >= words.size()
                                       : i + 1 == words.size() || words[i + 1].starts_with("--");
      if (words[i] == name + "=" || (alone && flag.takes == Flag::Takes::Value && nothing_follows))
        throw UsageProblem{fmt::format("{} needs {}", name, flag.pairs ? "two values" : "a value")};
    }
}

// Thrown for `FLAG help`, which lists the choices instead of running the command.
struct ListingWanted {
  std::string listing;
};

// Sets the flags and returns the operands. If help is requested, sets only `help`.
Words parse(const Command& command, Words words, std::string& help) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::vector<CLI::Option*>> options;
  for (const Flag& flag : command.flags) options.push_back(add_options(app, flag));
  CLI::Option* const wanted = app.add_flag("-h,--help")->group("");
  check_values_given(command, words);
  std::ranges::reverse(words); // CLI11 takes them from the end
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    throw UsageProblem{error.what()};
  }
  if (wanted->count() > 0) {
    help = HelpFormat(command, app).make_help(&app, "", CLI::AppFormatMode::Normal);
    return {};
  }
  for (std::size_t i = 0; i < options.size(); ++i)
    if (!command.flags[i].listing.empty() &&
        std::ranges::count(options[i].front()->results(), "help") > 0)
      throw ListingWanted{command.flags[i].listing};
  const Words found = operands(command, app.remaining());
  for (std::size_t i = 0; i < options.size(); ++i)
    for (const CLI::Option* option : options[i])
      if (option->count() > 0) give_values(command.flags[i], *option);
  return found;
}

int run_words(const Command& known, const Words& words) {
  Command command = known;
  std::string colour = "auto";
  command.flags.push_back(
      choice_flag("--color", Flag::Takes::Value, {"auto", "always", "never"}, colour,
                  "colours; auto (the default): on a terminal, without NO_COLOR"));
  std::string help;
  Words operands;
  try {
    operands = parse(command, words, help);
  } catch (const UsageProblem& problem) {
    return usage_error(command.name, problem.message);
  } catch (const ListingWanted& wanted) {
    help = wanted.listing;
  }
  if (!help.empty()) {
    standard_output().write(help);
    return exit_status::kFine;
  }
  set_colour(colour);
  return command.run(operands);
}

std::string overview(const std::vector<Command>& commands) {
  std::string out =
      "sourir: the intermediate representation of a compiler that speculates, in which the way\n"
      "back to unoptimized code is part of the program.\n\n"
      "usage: sourir COMMAND [FILE] [FLAGS]\n\n"
      "Try first:\n"
      "  sourir check program.sou     is it well-formed?\n"
      "  sourir run program.sou       run it\n"
      "  sourir step program.sou      go through it, forward and back\n"
      "  sourir explain               everything that a message can say\n\n"
      "All commands (`sourir COMMAND --help` says more about one):\n";
  std::size_t width = 0;
  for (const Command& c : commands)
    if (!c.two_words()) width = std::max(width, c.name.size());
  for (const Command& c : commands) {
    if (c.two_words()) continue;
    out += fmt::format("  {:<{}}  ", c.name, width);
    append_wrapped(out, c.summary, width + 4);
  }
  out += fmt::format("  {:<{}}  the version of this program\n", "--version", width);
  return out;
}

int unknown_command(const std::vector<Command>& commands, const std::string& word) {
  std::vector<std::string_view> names;
  for (const Command& c : commands)
    if (!c.two_words()) names.push_back(c.name);
  std::string message = fmt::format("there is no command '{}'", word);
  std::error_code ignored;
  if (word == "-" || word.ends_with(".sou") || word.ends_with(".json") ||
      std::filesystem::is_regular_file(word, ignored))
    message += fmt::format("; did you mean `sourir run {}`?", word);
  else if (word.starts_with('-'))
    message = fmt::format("the first word is a command, not a flag such as {}", word);
  else if (const auto meant = closest(word, names))
    message += fmt::format("; did you mean {}?", *meant);
  return usage_error("", message);
}

// The error message for a word that is nearly the second one of a command; else nothing.
std::string misspelt(const std::vector<Command>& commands, const Command& first,
                     const std::string& word) {
  if (std::ranges::count(first.operands.choices, word) > 0) return {};
  std::vector<std::string_view> known;
  for (const Command& c : commands)
    if (c.name.starts_with(first.name + " "))
      known.push_back(std::string_view(c.name).substr(first.name.size() + 1));
  const auto meant = closest(word, known);
  return meant ? fmt::format("there is no `{0} {1}`; did you mean {2}?", first.name, word, *meant)
               : "";
}

} // namespace

int run_command_line(std::vector<std::string> words) {
  Output& out = standard_output();
  const std::vector<Command> commands = all_commands();
  if (words.empty()) {
    out.write(overview(commands));
    return exit_status::kFine;
  }
  const std::string first = words.front();
  words.erase(words.begin());
  const auto named = [&](const std::string& name) {
    return std::ranges::find_if(commands, [&](const Command& c) { return c.name == name; });
  };
  if (first == "help" && words.size() > 1 && named(words[0] + " " + words[1]) != commands.end())
    return run_words(*named(words[0] + " " + words[1]), {"--help"});
  else if (first == "help" && !words.empty() && named(words[0]) != commands.end())
    return run_words(*named(words[0]), {"--help"});
  else if (first == "--help" || first == "-h" || first == "help")
    out.write(overview(commands));
  else if (first == "--version")
    out.write("sourir " SOURIR_VERSION "\n");
  else if (const auto command = named(first); command != commands.end()) {
    const auto longer = words.empty() ? commands.end() : named(first + " " + words[0]);
    if (longer == commands.end()) {
      const std::string problem = words.empty() ? "" : misspelt(commands, *command, words[0]);
      return problem.empty() ? run_words(*command, words) : usage_error(command->name, problem);
    }
    words.erase(words.begin());
    return run_words(*longer, words);
  } else
    return unknown_command(commands, first);
  return exit_status::kFine;
}

} // namespace sourir
