// Whether a program solves an exercise of the course. What is required stands in the given program,
// in lines `# requires: WHAT` (docs/course/README.md lists them); programs are compared and checked
// as by `sourir bisim`.
#pragma once

#include "sourir/syntax/ast.h"

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

namespace sourir {

enum class Met : std::uint8_t { Yes, No, Undecided };

struct Requirement {
  std::string text; // "guard double"
  Met met = Met::No;
  std::string why; // one line or several: what was found
  // Of a comparison: what `sourir bisim` repeats it with, behind the file of the given program, if
  // that is compared, and the file of the other one.
  std::string flags = {};
  bool with_given = false;
};

// The texts of the lines `# requires:`.
std::vector<std::string> requirements_of(std::string_view given);

// Names that the exercise is recognized by: functions of which something is kept, main excepted.
std::vector<std::string> kept_functions(std::string_view given);

// Both programs are well-formed. Requirements after one that is not met and concerns the shape of
// the program are still judged. The course's own requirements are tested to be readable.
std::vector<Requirement> judge(std::string_view given_text, const Program& given,
                               const Program& mine, Names& names,
                               const std::atomic<bool>* interrupt);

} // namespace sourir
