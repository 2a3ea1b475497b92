#include "sourir/os/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace sourir {

namespace {

std::string& colour_mode() {
  static std::string mode = "auto";
  return mode;
}

} // namespace

void set_colour(std::string_view mode) { colour_mode() = mode; }

bool colour_on(int fd) {
  if (colour_mode() != "auto") return colour_mode() == "always";
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  if (no_colour && *no_colour) return false;
  return isatty(fd) != 0 && !(terminal && std::string_view(terminal) == "dumb");
}

std::string error_word() { return colour_on(STDERR_FILENO) ? "\033[1;31merror\033[0m:" : "error:"; }

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out;
}

std::string cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return text.substr(0, most) + "...";
}

void secure_standard_files() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN); // a limit of file sizes becomes an error of writing
  for (int fd = 0; fd <= 2; ++fd)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) // the next open() gets the lowest number
      (void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

} // namespace sourir
