#include "sourir/fuzz/host/candidate_check.h"

#include "sourir/os/files.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/process.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

namespace sourir {

namespace {

// One word of a shell command.
std::string quoted(const std::string& path) {
  std::string out = "'";
  for (const char c : path) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

} // namespace

CandidateCheck::~CandidateCheck() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

std::string CandidateCheck::prepare() {
  std::error_code error;
  std::filesystem::path base = std::filesystem::temp_directory_path(error);
  if (error) return fmt::format("there is no folder for temporary files: {}", error.message());
  std::string pattern = (base / "sourir-reduce-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    return fmt::format("cannot make the folder '{}': {}", pattern, std::strerror(errno));
  folder_ = pattern;
  return {};
}

std::string CandidateCheck::path_of(std::size_t slot) const {
  return fmt::format("{}/candidate{}.sou", folder_, slot);
}

// Its output is discarded.
std::string CandidateCheck::command_for(std::size_t slot) const {
  const std::string path = quoted(path_of(slot));
  std::string text;
  std::size_t at = 0;
  for (std::size_t hole; (hole = command_.find("{}", at)) != std::string::npos; at = hole + 2)
    text += command_.substr(at, hole - at) + path;
  text += command_.substr(at);
  if (at == 0) text += " " + path;
  return fmt::format("{{ {}\n}} >/dev/null 2>&1", text);
}

// Why the command does not succeed; empty: it does.
std::string CandidateCheck::ask(std::size_t slot, const std::string& program) const {
  std::string problem = replace_file(path_of(slot), program);
  if (!problem.empty()) return problem;
  const ProcessResult done =
      run_shell(command_for(slot), "", {.seconds = static_cast<double>(seconds_), .output = 0});
  return done.fine() ? "" : "it " + done.how_it_ended();
}

std::optional<std::size_t>
CandidateCheck::first_that_holds(const std::vector<std::string>& programs) {
  std::vector<std::string> problems(programs.size(), "asked before");
  std::vector<std::jthread> running;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (failed_.contains(std::hash<std::string>()(programs[i])) || interrupted()) continue;
    ++asked_;
    if (programs.size() == 1)
      problems[i] = ask(i, programs[i]);
    else
      running.emplace_back([&, i] { problems[i] = ask(i, programs[i]); });
  }
  running.clear(); // waits
  std::optional<std::size_t> first;
  for (std::size_t i = programs.size(); i-- > 0;) {
    problem_ = problems[i];
    if (problems[i].empty())
      first = i;
    else if (!interrupted())
      failed_.insert(std::hash<std::string>()(programs[i]));
  }
  return first;
}

} // namespace sourir
