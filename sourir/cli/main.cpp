// The command line. CLI11 is included here and nowhere else (it takes 7 s to compile); it only
// takes the words apart: values are checked by command.h, help and suggestions are our own.
#include "sourir/analysis/mutant.h"
#include "sourir/cli/commands.h"
#include "sourir/cli/help.h"
#include "sourir/cli/load_file.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/output.h"
#include "sourir/os/terminal.h"
#include "sourir/syntax/suggest.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <new>


namespace sourir {

namespace {

using Words = std::vector<std::string>;

// What can be wrong with the words of a command line.
struct UsageProblem {
  std::string message;
};

// A word that is no flag of the command.
std::string unexpected(const Command& command, const std::string& word) {
  std::vector<std::string_view> known;
  const std::string name = word.substr(0, word.find('='));
  for (const Flag& flag : command.flags) {
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
  for (std::size_t i = flag.repeats ? 0 : values.size() - 1; i < values.size(); ++i)
    give_value(flag, values[i]);
}

CLI::Option* add_flag(CLI::App& app, const Flag& flag) {
  if (flag.takes != Flag::Takes::Value) return app.add_flag(flag.names);
  CLI::Option* const option = app.add_option(flag.names);
  return flag.repeats ? option->take_all()->allow_extra_args(false) : option->take_last();
}

// What CLI11 left over: operands, and flags that it does not know. (An operand that CLI11 knows
// of would be taken apart if it looks like "[a,b]".)
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
    if (word.empty()) throw UsageProblem{fmt::format("{} is empty", command.operands.name)};
    found.push_back(word);
  }
  if (found.size() < command.operands.least)
    throw UsageProblem{fmt::format("{} is missing", command.operands.name)};
  if (found.size() > command.operands.most)
    throw UsageProblem{fmt::format("'{}' is one {} too many", found[command.operands.most],
                                   command.operands.name)};
  return found;
}

// CLI11 would take the next word, whatever it is.
void check_values_given(const Command& command, const Words& words) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i)
    for (const Flag& flag : command.flags) {
      const std::string name = flag.long_name();
      const bool alone =
          words[i] == name || (name != flag.names && words[i] + "," + name == flag.names);
      const bool nothing_follows = i + 1 == words.size() || words[i + 1].starts_with("--");
      if (words[i] == name + "=" || (alone && flag.takes == Flag::Takes::Value && nothing_follows))
        throw UsageProblem{fmt::format("{} needs a value", name)};
    }
}

// Sets the flags; the operands. `wants_help`: --help was asked for, nothing is set.
Words parse(const Command& command, Words words, bool& wants_help) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  CLI::Option* const wanted = app.add_flag("-h,--help");
  std::vector<CLI::Option*> options;
  for (const Flag& flag : command.flags) options.push_back(add_flag(app, flag));
  check_values_given(command, words);
  std::ranges::reverse(words); // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    throw UsageProblem{error.what()};
  }
  wants_help = wanted->count() > 0;
  if (wants_help) return {};
  const Words found = operands(command, app.remaining());
  for (std::size_t i = 0; i < options.size(); ++i)
    if (options[i]->count() > 0) give_values(command.flags[i], *options[i]);
  return found;
}

int run_command(const Command& known, const Words& words) {
  Command command = known;
  std::string colour = "auto";
  command.flags.push_back(
      choice_flag("--color", Flag::Takes::Value, {"auto", "always", "never"}, colour,
                  "colours; auto (the default): on a terminal, without NO_COLOR"));
  bool wants_help = false;
  Words operands;
  try {
    operands = parse(command, words, wants_help);
  } catch (const UsageProblem& problem) {
    return usage_error(command.name, problem.message);
  }
  if (wants_help) {
    standard_output().write(help(command));
    return exit_status::kFine;
  }
  set_colour(colour);
  return command.run(operands);
}

int unknown_command(const std::string& word) {
  std::vector<std::string_view> names;
  for (const Command& c : all_commands())
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

int dispatch(Words words) {
  Output& out = standard_output();
  if (words.empty()) {
    out.write(overview(all_commands()));
    return exit_status::kFine;
  }
  const std::string first = words.front();
  words.erase(words.begin());
  const auto named = [&](const std::string& name) {
    return std::ranges::find_if(all_commands(), [&](const Command& c) { return c.name == name; });
  };
  if (first == "help" && words.size() > 1 &&
      named(words[0] + " " + words[1]) != all_commands().end())
    out.write(help(*named(words[0] + " " + words[1])));
  else if (first == "help" && !words.empty() && named(words[0]) != all_commands().end())
    out.write(help(*named(words[0])));
  else if (first == "--help" || first == "-h" || first == "help")
    out.write(overview(all_commands()));
  else if (first == "--version")
    out.write("sourir " SOURIR_VERSION "\n");
  else if (const auto command = named(first); command != all_commands().end()) {
    const auto longer = words.empty() ? all_commands().end() : named(first + " " + words[0]);
    if (longer == all_commands().end()) return run_command(*command, words);
    words.erase(words.begin());
    return run_command(*longer, words);
  } else
    return unknown_command(first);
  return exit_status::kFine;
}

// Test builds have seeded bugs, and commands no flag for them. False: it is no number of one.
bool select_from_environment() {
  const char* const number = std::getenv("SOURIR_MUTANT");
  return !has_mutants() || number == nullptr || select_mutant(std::atoi(number));
}

int bug(const char* what) {
  say(fmt::format("{} {}\nThis is a bug of sourir " SOURIR_VERSION
                  ". Please report it with the command line, the files that it names\nand this "
                  "message.\n",
                  error_word(), what));
  return exit_status::kBug;
}

} // namespace

} // namespace sourir

int main(int argc, char** argv) {
  using namespace sourir;
  secure_standard_files();
  try {
    if (!select_from_environment())
      return usage_error("", "SOURIR_MUTANT is the number of no seeded bug");
    return finish(dispatch(Words(argv + std::min(argc, 1), argv + argc)));
  } catch (const std::bad_alloc&) {
    say(fmt::format("{} the machine has no more memory\n", error_word()));
    return exit_status::kLimit;
  } catch (const std::exception& error) {
    return bug(error.what());
  } catch (...) {
    return bug("something was thrown that is no exception");
  }
}
