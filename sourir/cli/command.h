// Subcommands and their flags as data, and constructors of flags. command_line.cpp makes a CLI11
// application of them for parsing and help, completion.cpp makes completions. Values are checked
// here, so that messages name the allowed ones; sources of subcommands need no header of CLI11.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sourir {

struct Limits;

struct Flag {
  enum class Takes : std::uint8_t { Nothing, Optional, Value };

  std::string names; // "-o,--output"
  Takes takes = Takes::Nothing;
  std::string value; // the value's name in the help: "FILE" is completed with files
  std::string help;
  std::vector<std::string> choices = {};     // all allowed values; empty: any
  std::vector<std::string> some_values = {}; // for completion, where any value is allowed
  std::function<std::vector<std::string>()> more_values = {}; // the same, where a file has them
  bool repeats = false;                  // may be given several times: each value counts
  bool pairs = false;                    // repeats, and takes two values each time
  bool once = false;                     // two different values are an error; else the last counts
  std::string group = {};                // its heading in the help
  std::vector<std::string> aliases = {}; // former names: accepted, not shown
  bool hidden = false;                   // is a former name itself
  std::string listing = {};              // what `FLAG help` prints; empty: no such help
  // Stores the value ("" where none was given). Returns the error, or nothing.
  std::function<std::string(const std::string&)> set = {};

  std::string long_name() const { return names.substr(names.find("--")); }
};

struct Operands {
  std::string name = "FILE"; // or one for each: "EXERCISE FILE"
  std::size_t least = 1, most = 1;
  std::vector<std::string> choices = {}; // for completion

  // How the usage shows them: "FILE", "[NAME]", "FILE...", "EXERCISE [FOLDER]".
  std::string usage() const;
  // The error message for this number of words, or nothing.
  std::string problem(const std::vector<std::string>& words) const;
};

struct Command {
  std::string name;
  std::string summary; // one line, for the list of commands
  std::string details; // lines below the flags: exit statuses, examples
  Operands operands = {};
  std::vector<Flag> flags = {};
  std::function<int(const std::vector<std::string>& operands)> run = {};

  bool two_words() const { return name.find(' ') != std::string::npos; }
};

inline constexpr std::size_t kAnyNumber = ~std::size_t{0};

// Flags that store into `into`, which must live as long as the flag.
Flag switch_flag(std::string names, bool& into, std::string help);
Flag text_flag(std::string names, std::string value, std::string& into, std::string help);
// May be given several times.
Flag list_flag(std::string names, std::string value, std::vector<std::string>& into,
               std::string help);
// Takes two values, which may begin with `-`: "--compare A B".
Flag pair_flag(std::string names, std::string value, std::vector<std::string>& into,
               std::string help);
// If `takes` is Optional, a flag without a value stands for the first choice.
Flag choice_flag(std::string names, Flag::Takes takes, std::vector<std::string> choices,
                 std::string& into, std::string help);
// A whole number from `least` on.
Flag number_flag(std::string names, std::uint64_t& into, std::string help, std::uint64_t least = 0);
// The same with a suffix K, M, G or T for powers of 1024.
Flag bytes_flag(std::string names, std::uint64_t& into, std::string help);

// The flag, which must not be given two different values.
Flag given_once(Flag flag);
// The flag with the forms of schedules for its completion; `checks`: also those of many runs.
Flag with_schedules(Flag flag, bool checks);
// The flag also under a former name.
Flag with_alias(Flag flag, std::string alias);
// The flags under one heading.
void add_group(std::vector<Flag>& to, const std::string& heading, std::vector<Flag> flags);

// A setting of a flag that takes KEY=VALUE; `flag` describes and stores its value.
struct Setting {
  std::string key;
  Flag flag; // its name is a former one: accepted, not shown
};
// The flag `NAME KEY=VALUE` or `NAME KEY=VALUE,KEY=VALUE`, which repeats and for which `NAME help`
// lists the keys; then the former flags of the settings.
std::vector<Flag> settings_flag(const std::string& name, const std::string& what,
                                std::vector<Setting> settings);

// Appends text of a help that is broken into lines from `column` on, and a line end; `out` ends at
// `column`.
void append_wrapped(std::string& out, std::string_view text, std::size_t column);

// The flags for the limits of a run.
void add_limit_flags(std::vector<Flag>& flags, Limits& limits);

// Parses a word as a number (of bytes, with a suffix). Returns the error message, or nothing.
std::string parse_number(std::string_view text, std::uint64_t& into);
std::string parse_bytes(std::string_view text, std::uint64_t& into);

} // namespace sourir
