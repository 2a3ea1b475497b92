// Values for variables that a state map does not know, because the output was optimized: such that
// the input may hold there, as far as its code says.
#pragma once

#include "sourir/analysis/cfg.h"
#include "sourir/analysis/constants.h"
#include "sourir/analysis/dataflow.h"
#include "sourir/bisim/generate/choice_sequence.h"
#include "sourir/semantics/config.h"
#include "sourir/semantics/resolved.h"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace sourir {

// What the output shows of them.
struct ShownValues {
  std::vector<Value> named;  // that its next instructions name: elements or lengths, perhaps
  std::vector<Value> arrays; // which a variable may share
};

class UnknownValues {
public:
  // The first kUniform choices give all variables of which nothing is known the same value; only
  // the others are among those shown.
  static constexpr std::size_t kUniform = 5;

  // For a variable of the version at that position. Arrays are made in the heap.
  Value choose(const ResolvedVersion& code, Pc pc, Slot slot, std::size_t choice,
               const ShownValues& shown, Heap& heap);

private:
  // One of the values, or an array of such elements or such a length, if the variable may have it.
  std::optional<Value> choose_shown(const Fact& fact, const ShownValues& shown, Heap& heap);

  // The facts before each instruction when calls, but no exits, enter the version.
  struct Analysis {
    explicit Analysis(const Version& version)
        : size(version.body.size()), cfg(version, {}), constants(cfg, version),
          solution(solve(cfg, constants)) {}
    const Facts& before(Pc pc);

    std::size_t size; // of the version
    Cfg cfg;
    Constants constants;
    decltype(solve(cfg, constants)) solution;
    std::map<Pc, Facts> found;
  };
  Analysis& analysis(const ResolvedVersion& code);

  std::map<const ResolvedVersion*, std::unique_ptr<Analysis>> analyses_;
  ChoiceSequence choices_{std::uint64_t{0}};
};

} // namespace sourir
