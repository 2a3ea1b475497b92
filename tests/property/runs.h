// Runs of random cases, and their comparison.
#pragma once

#include "sourir/semantics/run.h"
#include "tests/property/cases.h"

namespace sourir::testing {

// Everything that a configuration refers to.
class Setting {
public:
  Setting(Case& c, const Program& program, std::string_view deopt);
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

  Config start() { return sourir::start(linked_, input_, schedule_, limits_); }
  const LinkedProgram& linked() const { return linked_; }
  Limits& limits() { return limits_; }

private:
  LinkedProgram linked_;
  Input input_;
  Schedule schedule_;
  Limits limits_;
};

// What can be observed of a run, and how it went.
struct Ran {
  std::string printed; // a line each
  OutcomeKind kind = OutcomeKind::Stop;
  StuckReason reason = StuckReason::None;
  std::string result; // of stop, as printed
  Statistics statistics;

  bool conclusive() const { return kind == OutcomeKind::Stop || kind == OutcomeKind::Stuck; }
  std::string observed() const;
};
Ran run(Case& c, const Program& program, std::string_view deopt);

// Fails unless both runs are observed to be the same, or one ran into a limit.
void must_agree(const Ran& one, const Ran& other, const std::string& what);

} // namespace sourir::testing
