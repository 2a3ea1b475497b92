#include "sourir/cli/help.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {

namespace {

constexpr std::size_t kWidth = 96, kWidestName = 30;

// Appends words, broken between `column` and kWidth; the cursor stands at `column`.
void wrap(std::string& out, std::string_view text, std::size_t column) {
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

// "-o, --output FILE"
std::string shown(const Flag& flag) {
  const std::size_t comma = flag.names.find(',');
  std::string out = comma == std::string::npos
                        ? "    " + flag.names
                        : flag.names.substr(0, comma) + ", " + flag.names.substr(comma + 1);
  if (flag.takes == Flag::Takes::Value) out += (flag.choices.empty() ? " " : "=") + flag.value;
  if (flag.takes == Flag::Takes::Optional) out += "[=" + flag.value + "]";
  return out;
}

std::string operands_shown(const Operands& operands) {
  if (operands.most == 0) return {};
  std::string out = operands.name + (operands.most > 1 ? "..." : "");
  return " " + (operands.least == 0 ? "[" + out + "]" : out);
}

} // namespace

std::string help(const Command& command) {
  std::string out =
      fmt::format("usage: sourir {}{} [FLAGS]\n\n", command.name, operands_shown(command.operands));
  wrap(out, command.summary, 0);
  std::size_t width = 0;
  for (const Flag& flag : command.flags)
    if (shown(flag).size() <= kWidestName) width = std::max(width, shown(flag).size());
  out += "\n";
  for (const Flag& flag : command.flags) {
    const std::string name = shown(flag);
    out += fmt::format("  {:<{}}", name, width);
    out += name.size() > width ? "\n" + std::string(width + 4, ' ') : "  ";
    wrap(out, flag.help, width + 4);
  }
  return out + "\n" + command.details;
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
    wrap(out, c.summary, width + 4);
  }
  out += fmt::format("  {:<{}}  the version of this program\n", "--version", width);
  return out;
}

} // namespace sourir
