// The tool as a server: runs one command after the other in one process, so that tests of thousands
// of commands need not start (and load the compiler) thousands of times. tests/tool.py talks to it.
//
// Standard input is a socket of packets. A request is a JSON object {"arguments": [...],
// "folder": "..."} with three file descriptors: the command's standard input, output and error. The
// answer is the exit status in decimal; no answer but the end of the process where the command ends
// it (a run does not wait for a compiler that is at work). The server ends with the socket.
#include "sourir/cli/run_main.h"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 17;
using Descriptors = std::array<int, 3>;

// Receives a packet with its descriptors. Nothing: the socket's other end has gone.
std::optional<std::string> receive(int socket, Descriptors& files) {
  std::string text(kMostBytes, '\0');
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof files)> control{};
  iovec bytes{text.data(), text.size()};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (size <= 0 || header == nullptr || header->cmsg_len != CMSG_LEN(sizeof files)) return {};
  std::memcpy(files.data(), CMSG_DATA(header), sizeof files);
  text.resize(static_cast<std::size_t>(size));
  return text;
}

int run(const nlohmann::json& request, const Descriptors& files) {
  for (int fd = 0; fd < 3; ++fd) {
    if (dup2(files[static_cast<std::size_t>(fd)], fd) < 0) std::abort();
    close(files[static_cast<std::size_t>(fd)]);
  }
  if (chdir(request.at("folder").get<std::string>().c_str()) != 0) std::abort();
  return sourir::run_main(request.at("arguments").get<std::vector<std::string>>());
}

} // namespace

int main() {
  const int socket = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
  Descriptors files{};
  while (const auto request = receive(socket, files)) {
    const std::string status = std::to_string(run(nlohmann::json::parse(*request), files));
    if (send(socket, status.data(), status.size(), MSG_NOSIGNAL) < 0) return 1;
  }
  return 0;
}
