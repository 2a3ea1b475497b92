#include "sourir/os/files.h"

#include "sourir/os/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

namespace sourir {

namespace {

std::string quoted(const std::string& path) { return path == "-" ? path : "'" + path + "'"; }

FileProblem cannot(std::string_view what, const std::string& path, int error) {
  return {fmt::format("cannot {} {}: {}", what, quoted(path), std::strerror(error))};
}

// Where a file is missing, the same name with a suffix as a suggestion.
std::string missing_help(const std::string& path) {
  for (const char* suffix : {".sou", ".sou.json"})
    if (struct stat s{}; stat((path + suffix).c_str(), &s) == 0 && S_ISREG(s.st_mode))
      return fmt::format("; did you mean '{}{}'?", path, suffix);
  return {};
}

bool is_directory(int fd) {
  struct stat s{};
  return fstat(fd, &s) == 0 && S_ISDIR(s.st_mode);
}

} // namespace

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

void OpenFile::close() {
  if (fd_ >= 0) ::close(fd_);
}

std::string make_folders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  return error ? fmt::format("cannot make the folder {}: {}", quoted(path), error.message()) : "";
}

std::string display_name(const std::string& path) { return path; }

std::variant<OpenFile, FileProblem> open_to_read(const std::string& path) {
  OpenFile file(path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                            : open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd() < 0) {
    FileProblem problem = cannot("read", path, errno);
    if (errno == ENOENT) problem.message += missing_help(path);
    return problem;
  }
  if (is_directory(file.fd())) return cannot("read", path, EISDIR);
  return file;
}

std::variant<OpenFile, FileProblem> open_to_write(const std::string& path) {
  constexpr mode_t kMode = 0666; // less the umask
  OpenFile file(path == "-" ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                            : open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode));
  if (file.fd() < 0) return cannot("write", path, errno);
  return file;
}

std::variant<std::string, FileProblem> read_file(const std::string& path, std::size_t most) {
  auto opened = open_to_read(path);
  if (auto* problem = std::get_if<FileProblem>(&opened)) return std::move(*problem);
  const int fd = std::get<OpenFile>(opened).fd();
  std::string text;
  while (text.size() <= most) {
    constexpr std::size_t kChunk = std::size_t{1} << 16;
    const std::size_t before = text.size();
    text.resize(before + std::min(std::max(kChunk, before / 2), most + 1 - before));
    const ssize_t n = read(fd, text.data() + before, text.size() - before);
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return cannot("read", path, errno);
    if (n == 0) break;
  }
  if (text.size() > most) text.resize(most + 1);
  return text;
}

std::string replace_file(const std::string& path, std::string_view contents) {
  struct stat old{};
  const bool exists = stat(path.c_str(), &old) == 0;
  if (path == "-" || (exists && !S_ISREG(old.st_mode))) {
    auto opened = open_to_write(path);
    if (const auto* problem = std::get_if<FileProblem>(&opened)) return problem->message;
    Output out(std::get<OpenFile>(opened).fd(), quoted(path));
    out.write(contents);
    return out.flush() ? "" : out.problem();
  }
  if (exists && access(path.c_str(), W_OK) != 0) return cannot("write", path, errno).message;
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                         std::free);
  const std::string target = exists && real ? std::string(real.get()) : path;
  std::string temporary = target + ".XXXXXX";
  const OpenFile file(mkstemp(temporary.data()));
  if (file.fd() < 0) return cannot("write", path, errno).message;
  const mode_t mask = umask(0);
  umask(mask);
  Output out(file.fd(), quoted(path));
  out.write(contents);
  std::string problem = out.flush() ? "" : out.problem();
  if (problem.empty() && (fchmod(file.fd(), exists ? old.st_mode & 07777u : 0666u & ~mask) != 0 ||
                          rename(temporary.c_str(), target.c_str()) != 0))
    problem = cannot("write", path, errno).message;
  if (!problem.empty()) unlink(temporary.c_str());
  return problem;
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat x{}, y{};
  return stat(a.c_str(), &x) == 0 && stat(b.c_str(), &y) == 0 && x.st_dev == y.st_dev &&
         x.st_ino == y.st_ino && S_ISREG(x.st_mode);
}

} // namespace sourir
