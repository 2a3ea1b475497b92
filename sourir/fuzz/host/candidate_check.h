// A command that decides whether a program is of interest, run on many programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace sourir {

class CandidateCheck {
public:
  // `jobs` commands at once, each of so many seconds at most.
  CandidateCheck(std::string command, std::uint64_t seconds, std::uint64_t jobs)
      : command_(std::move(command)), seconds_(seconds), jobs_(jobs) {}
  CandidateCheck(const CandidateCheck&) = delete;
  ~CandidateCheck();

  // Makes a folder for the candidates. The problem, or nothing.
  std::string prepare();
  // The first of these programs (at most `jobs`) for which the command succeeds; a program that has
  // failed is not run again. Afterwards problem() is that of the first program.
  std::optional<std::size_t> first_that_holds(const std::vector<std::string>& programs);

  std::uint64_t asked() const { return asked_; } // commands that were run
  const std::string& problem() const { return problem_; }

private:
  std::string path_of(std::size_t slot) const;
  std::string command_for(std::size_t slot) const;
  std::string ask(std::size_t slot, const std::string& program) const;

  std::string command_;
  std::uint64_t seconds_, jobs_, asked_ = 0;
  std::string folder_, problem_;
  std::unordered_set<std::size_t> failed_; // hashes of programs
};

} // namespace sourir
