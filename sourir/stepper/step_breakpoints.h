// Breakpoints of the stepper: numbered from 1, each at one or more positions.
#pragma once

#include "sourir/stepper/step_program.h"

#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace sourir {

struct Breakpoint {
  std::uint32_t number = 0;
  std::string asked; // as it was written in the command
  std::vector<StepPosition> at;
};

class Breakpoints {
public:
  // The positions that a place, a function, a version or a line number means; or what is wrong.
  // A line without an instruction means the next one that has some.
  static std::variant<std::vector<StepPosition>, std::string> resolve(const StepProgram& program,
                                                                      std::string_view text);

  const Breakpoint& add(std::string asked, std::vector<StepPosition> at);
  bool remove(std::uint32_t number);
  void clear();
  const std::vector<Breakpoint>& all() const { return all_; }

  bool empty() const { return all_.empty(); }
  // The lowest number of those that stand here; 0: none.
  std::uint32_t at(StepPosition p) const { return all_.empty() ? 0 : look_up(p); }

private:
  std::uint32_t look_up(StepPosition p) const;
  void index();

  std::vector<Breakpoint> all_;
  std::uint32_t next_ = 1;
  std::unordered_map<const ResolvedVersion*, std::vector<std::uint32_t>> numbers_; // by position
};

} // namespace sourir
