// `sourir completion`: completion scripts for bash, zsh and fish, made from the table of
// subcommands.
#include "sourir/cli/commands.h"
#include "sourir/cli/load_file.h"

#include "sourir/os/exit_status.h"
#include "sourir/os/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sourir {

namespace {

// "-o,--output" as {"-o", "--output"}.
std::vector<std::string> spellings(const Flag& flag) {
  const std::size_t comma = flag.names.find(',');
  if (comma == std::string::npos) return {flag.names};
  return {flag.names.substr(0, comma), flag.names.substr(comma + 1)};
}

// The flags without former names.
std::vector<Flag> shown_flags(const Command& command) {
  std::vector<Flag> all = command.flags;
  std::erase_if(all, [](const Flag& flag) { return flag.hidden; });
  return all;
}

std::vector<std::string> values_of(const Flag& flag) {
  return flag.more_values       ? flag.more_values()
         : flag.choices.empty() ? flag.some_values
                                : flag.choices;
}

// Operands, and the second words of longer names.
std::vector<std::string> words_after(const Command& command, const std::vector<Command>& all) {
  std::vector<std::string> words = command.operands.choices;
  for (const Command& c : all) {
    if (!c.name.starts_with(command.name + " ")) continue;
    std::string second = c.name.substr(command.name.size() + 1);
    if (std::ranges::count(words, second) == 0) words.push_back(std::move(second));
  }
  return words;
}

bool needs_equals(const Flag& flag) {
  return flag.takes == Flag::Takes::Value && !flag.choices.empty();
}

// --- bash ----------------------------------------------------------------------------------------
// clang-format off
constexpr const char* kBashBody = R"bash(
# The words that may stand behind flag $2 of command $1. None: file names.
_sourir_values() {
  case "$1 $2" in
%VALUES%  esac
}

# Completes the last of the words between commas in $1; what is typed in front of it stays.
_sourir_complete() {
  local before=""
  if [[ "$1" == *,* ]]; then before="${1%,*},"; fi
  COMPREPLY=($(compgen -P "${before##*[:=]}" -W "$values" -- "${1##*,}"))
  if [[ "${COMPREPLY[*]}" == *: ]]; then compopt -o nospace 2>/dev/null; fi
}

_sourir() {
  local text="${COMP_LINE:0:COMP_POINT}" words cur prev command flags values=
  read -ra words <<<"$text"
  if [[ "$text" == *[[:space:]] ]]; then words+=(""); fi
  cur="${words[${#words[@]}-1]}"
  prev="${words[${#words[@]}-2]}"
  command="${words[1]}"
  case "$command ${words[2]}" in
  %LONGER%) if ((${#words[@]} > 3)); then command="$command ${words[2]}"; fi ;;
  esac
  COMPREPLY=()
  if ((${#words[@]} <= 2)); then
    COMPREPLY=($(compgen -W "%COMMANDS% --help --version" -- "$cur"))
    return
  fi
  if [[ "$cur" == --*=* ]]; then
    values="$(_sourir_values "$command" "${cur%%=*}")"
    _sourir_complete "${cur#*=}"
    if [[ "$COMP_WORDBREAKS" != *=* ]]; then COMPREPLY=("${COMPREPLY[@]/#/${cur%%=*}=}"); fi
    return
  fi
  if [[ "$cur" == -* ]]; then
    case "$command" in
%FLAGS%    *) flags="--help" ;;
    esac
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
    if [[ "${COMPREPLY[*]}" == *= ]]; then compopt -o nospace 2>/dev/null; fi
    return
  fi
  if [[ "$prev" == -* ]]; then values="$(_sourir_values "$command" "$prev")"; fi
  if [[ -z "$values" ]]; then values="$(_sourir_values "$command" "")"; fi
  _sourir_complete "$cur"
}
complete -o default -F _sourir sourir
)bash";
// clang-format on

std::string bash_values(const std::vector<Command>& commands) {
  std::string out;
  for (const Command& c : commands) {
    for (const Flag& flag : shown_flags(c))
      for (const std::string& name : spellings(flag))
        if (!values_of(flag).empty())
          out += fmt::format("    \"{} {}\") echo \"{}\" ;;\n", c.name, name,
                             fmt::join(values_of(flag), " "));
    if (const auto words = words_after(c, commands); !words.empty())
      out += fmt::format("    \"{} \") echo \"{}\" ;;\n", c.name, fmt::join(words, " "));
  }
  return out;
}

std::string bash_flags(const std::vector<Command>& commands) {
  std::string out;
  for (const Command& c : commands) {
    out += fmt::format("    \"{}\") flags=\"", c.name);
    for (const Flag& flag : shown_flags(c))
      out += fmt::format("{}{} ", flag.long_name(), needs_equals(flag) ? "=" : "");
    out += "--help\" ;;\n";
  }
  return out;
}

std::string command_names(const std::vector<Command>& commands) {
  std::string out;
  for (const Command& c : commands)
    if (!c.two_words()) out += (out.empty() ? "" : " ") + c.name;
  return out;
}

// The names of two words, as a pattern of the shell.
std::string longer_names(const std::vector<Command>& commands) {
  std::string out;
  for (const Command& c : commands)
    if (c.two_words()) out += (out.empty() ? "\"" : "|\"") + c.name + "\"";
  return out;
}

void replace(std::string& text, std::string_view what, const std::string& with) {
  text.replace(text.find(what), what.size(), with);
}

std::string bash_script(const std::vector<Command>& commands) {
  std::string out = "# Completion of sourir for bash: eval \"$(sourir completion bash)\"";
  out += kBashBody;
  replace(out, "%VALUES%", bash_values(commands));
  replace(out, "%COMMANDS%", command_names(commands));
  replace(out, "%FLAGS%", bash_flags(commands));
  replace(out, "%LONGER%", longer_names(commands));
  return out;
}

// --- zsh -----------------------------------------------------------------------------------------
// Text escaped for '...' within the brackets of a specification.
std::string zsh_quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') out += "'\\'";
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const Flag& flag) {
  if (!values_of(flag).empty()) return fmt::format("({})", fmt::join(values_of(flag), " "));
  return flag.value == "FILE" ? "_files" : " ";
}

std::string zsh_flag(const Flag& flag, const std::string& name) {
  const bool is_long = name.starts_with("--");
  const char* equals = flag.takes == Flag::Takes::Nothing ? "" : is_long ? "=" : "+";
  std::string out =
      fmt::format("'{}{}[{}]", name, flag.takes == Flag::Takes::Optional ? "=-" : equals,
                  zsh_quoted(flag.help));
  if (flag.takes != Flag::Takes::Nothing)
    out += fmt::format(":{}{}:{}", flag.takes == Flag::Takes::Optional ? ":" : "",
                       zsh_quoted(flag.value), zsh_action(flag));
  return out + "'";
}

std::string zsh_command(const Command& c, const std::vector<Command>& all) {
  std::string out = fmt::format("    \"{}\") _arguments", c.name);
  for (const Flag& flag : shown_flags(c))
    for (const std::string& name : spellings(flag)) out += " \\\n        " + zsh_flag(flag, name);
  out += " \\\n        '--help[what the command does]'";
  const std::vector<std::string> words = words_after(c, all);
  if (c.operands.most > 0)
    out += fmt::format(" \\\n        '{}:{}:{}'", c.operands.most > 1 ? "*" : "1", c.operands.name,
                       words.empty() ? "_files" : fmt::format("({})", fmt::join(words, " ")));
  return out + " ;;\n";
}

std::string zsh_script(const std::vector<Command>& commands) {
  std::string out = "#compdef sourir\n"
                    "# Completion of sourir for zsh: source <(sourir completion zsh)\n"
                    "_sourir() {\n"
                    "  local context state line curcontext=\"$curcontext\"\n"
                    "  local -a commands=(\n";
  for (const Command& c : commands)
    if (!c.two_words()) out += fmt::format("    '{}:{}'\n", c.name, zsh_quoted(c.summary));
  out += "  )\n"
         "  local command\n"
         "  _arguments -C '1:command:->command' '*::argument:->argument'\n"
         "  case $state in\n"
         "  command) _describe command commands ;;\n"
         "  argument)\n"
         "    command=\"$words[1]\"\n"
         "    case \"$words[1] $words[2]\" in\n"
         "    " +
         longer_names(commands) +
         ")\n"
         "      if ((CURRENT > 2)); then command=\"$words[1] $words[2]\"; shift words; "
         "((CURRENT--)); fi ;;\n"
         "    esac\n"
         "    case \"$command\" in\n";
  for (const Command& c : commands) out += zsh_command(c, commands);
  return out +
         "    esac ;;\n"
         "  esac\n"
         "}\n"
         "if [ \"$funcstack[1]\" = _sourir ]; then _sourir \"$@\"; else compdef _sourir sourir; "
         "fi\n";
}

// --- fish ----------------------------------------------------------------------------------------
// In single quotes only these two are special.
std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// The test for the command, of one word or two.
std::string fish_condition(const Command& command, const std::vector<Command>& all) {
  const std::size_t space = command.name.find(' ');
  std::string test = "__fish_seen_subcommand_from " + command.name.substr(0, space);
  if (space != std::string::npos)
    return test + "; and __fish_seen_subcommand_from " + command.name.substr(space + 1);
  for (const Command& c : all)
    if (c.name.starts_with(command.name + " "))
      test += "; and not __fish_seen_subcommand_from " + c.name.substr(command.name.size() + 1);
  return test;
}

std::string fish_flag(const Flag& flag) {
  std::string out;
  for (const std::string& name : spellings(flag))
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!values_of(flag).empty())
    out += (flag.takes == Flag::Takes::Value ? " -x -a " : " -a ") +
           fish_quoted(fmt::format("{}", fmt::join(values_of(flag), " ")));
  else if (flag.takes == Flag::Takes::Value)
    out += flag.value == "FILE" ? " -r -F" : " -x";
  return out + " -d " + fish_quoted(flag.help);
}

std::string fish_script(const std::vector<Command>& commands) {
  std::string out = "# Completion of sourir for fish: sourir completion fish | source\n";
  for (const Command& c : commands)
    if (!c.two_words())
      out += fmt::format("complete -c sourir -f -n __fish_use_subcommand -a {} -d {}\n", c.name,
                         fish_quoted(c.summary));
  for (const Command& c : commands) {
    const std::string begin =
        fmt::format("complete -c sourir -n {}", fish_quoted(fish_condition(c, commands)));
    for (const Flag& flag : shown_flags(c)) out += begin + fish_flag(flag) + "\n";
    out += begin + " -l help -d 'what the command does'\n";
    if (const auto words = words_after(c, commands); !words.empty())
      out += fmt::format("{} -f -a {}\n", begin,
                         fish_quoted(fmt::format("{}", fmt::join(words, " "))));
  }
  return out;
}

struct Shell {
  const char* name;
  std::string (*script)(const std::vector<Command>&);
};
constexpr Shell kShells[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};

} // namespace

Command completion_command() {
  Command c{.name = "completion",
            .summary = "Print a completion script for bash, zsh or fish.",
            .details =
                "Examples:\n"
                "  eval \"$(sourir completion bash)\"          in ~/.bashrc\n"
                "  source <(sourir completion zsh)           in ~/.zshrc, after compinit\n"
                "  sourir completion fish > sourir.fish      for ~/.config/fish/completions\n"};
  c.operands = {.name = "SHELL", .choices = {"bash", "zsh", "fish"}};
  c.run = [](const std::vector<std::string>& names) {
    for (const Shell& shell : kShells)
      if (shell.name == names[0])
        return standard_output().write(shell.script(all_commands())), exit_status::kFine;
    return usage_error("completion",
                       "there is bash, zsh and fish, not '" + printable(names[0]) + "'");
  };
  return c;
}

} // namespace sourir
