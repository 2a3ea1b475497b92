// A subcommand as data: command_line.cpp makes a CLI11 application of it, which parses and
// describes it; completion.cpp makes completions of it. Values are checked here, so that messages
// name what is allowed, and the sources of subcommands do without CLI11's header.
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
  std::string value; // what the value is called in the help: "FILE" is completed with files
  std::string help;
  std::vector<std::string> choices = {}; // all that the value may be; empty: anything
  bool repeats = false;                  // may be given several times: each value counts
  std::string group = {};                // its heading in the help
  std::vector<std::string> aliases = {}; // former names: they work, and are not shown
  bool hidden = false;                   // is a former name itself
  std::string listing = {}; // what `FLAG help` prints, where there is so much to choose
  // Takes the value ("" where none was given); what is wrong with it, or nothing.
  std::function<std::string(const std::string&)> set = {};

  std::string long_name() const { return names.substr(names.find("--")); }
};

struct Operands {
  std::string name = "FILE";
  std::size_t least = 1, most = 1;
  std::vector<std::string> choices = {}; // for completion
};

struct Command {
  std::string name;
  std::string summary; // one line, for the list of commands
  std::string details; // lines below the flags: exit codes, examples
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
// The first choice is what is taken where the value is left out, if `takes` is Optional.
Flag choice_flag(std::string names, Flag::Takes takes, std::vector<std::string> choices,
                 std::string& into, std::string help);
// A whole number from `least` on.
Flag number_flag(std::string names, std::uint64_t& into, std::string help, std::uint64_t least = 0);
// The same with a suffix K, M or G for powers of 1024.
Flag bytes_flag(std::string names, std::uint64_t& into, std::string help);

// The flag also under a former name.
Flag with_alias(Flag flag, std::string alias);
// The flags under one heading.
void add_group(std::vector<Flag>& to, const std::string& heading, std::vector<Flag> flags);

// A setting of a flag that takes KEY=VALUE: what its value may be says `flag`.
struct Setting {
  std::string key;
  Flag flag; // its name is a former one, which works and is not shown
};
// `NAME KEY=VALUE` or `NAME KEY=VALUE,KEY=VALUE`, several times; `NAME help` lists the keys.
// Followed by the former flags.
std::vector<Flag> settings_flag(const std::string& name, const std::string& what,
                                std::vector<Setting> settings);

// The flags that say how much a run may use.
void add_limit_flags(std::vector<Flag>& flags, Limits& limits);

// What stands on the command line as a number; an error message otherwise.
std::string parse_number(std::string_view text, std::uint64_t& into);
std::string parse_bytes(std::string_view text, std::uint64_t& into);

} // namespace sourir
