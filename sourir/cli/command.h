// A subcommand as data: main.cpp lets CLI11 parse it, help.cpp describes it, completion.cpp
// completes it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sourir {

struct Flag {
  enum class Takes : std::uint8_t { Nothing, Optional, Value };

  std::string names; // "-o,--output"
  Takes takes = Takes::Nothing;
  std::string value; // what the value is called in the help: "FILE" is completed with files
  std::string help;
  std::vector<std::string> choices = {}; // all that the value may be; empty: anything
  bool repeats = false;                  // may be given several times: each value counts
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

// What stands on the command line as a number; an error message otherwise.
std::string parse_number(std::string_view text, std::uint64_t& into);
std::string parse_bytes(std::string_view text, std::uint64_t& into);

} // namespace sourir
