#include "sourir/bisim/entry_check.h"

#include "sourir/bisim/call_drivers.h"

#include <algorithm>

namespace sourir {
namespace {

// Of programs that are made and linked for it.
constexpr std::uint64_t kMostInstructions = 400'000;
// Steps of one call. A call with a value that it never ends with is told nothing of by more.
constexpr std::uint64_t kMostSteps = 10'000;

const Function* function(const Program& program, FunName name) {
  const auto found = std::ranges::find(program.functions, name, &Function::name);
  return found == program.functions.end() ? nullptr : &*found;
}

} // namespace

LockstepVerdict check_entries(const Program& input, const Program& output, const StateMap& map,
                              const std::vector<Value>& reads, const LockstepOptions& options,
                              Names& names, std::uint64_t calls) {
  LockstepVerdict all;
  std::uint64_t work = 0, size = 0;
  for (const Function& f : output.functions)
    for (const Version& v : f.versions) size += v.body.size();
  LockstepOptions short_runs = options;
  short_runs.fuel = std::min(options.fuel, kMostSteps);
  short_runs.all_fuel = std::min(options.all_fuel, 50 * kMostSteps);
  CallDrivers drivers(input, reads, options.seed, names);
  const FunName main = names.intern<FunName>("main");
  const StateMap others = without_main(map, names);
  for (const Function& f : output.functions) {
    const Function* const before = function(input, f.name);
    if (f.name == main || before == nullptr || *before == f) continue;
    for (std::uint64_t i = 0; i < (f.params.empty() ? 1 : calls); ++i) {
      work += size;
      if (work > kMostInstructions) return all;
      const std::vector<Stmt> body = drivers.body(f, i);
      const auto one = with_main(input, body, names), other = with_main(output, body, names);
      if (!one || !other) return all;
      LockstepVerdict verdict = check_lockstep(*one, *other, others, {{}}, short_runs, names);
      const bool tells_nothing = verdict.agreement == Agreement::Inconclusive ||
                                 (verdict.counterexample && verdict.input_at_fault);
      if (tells_nothing && !verdict.checker_failed) {
        ++all.skipped;
        continue;
      }
      show_main(verdict, *one, names);
      all.add(std::move(verdict));
      if (all.agreement == Agreement::Different || all.checker_failed || all.interrupted)
        return all;
    }
  }
  return all;
}

} // namespace sourir
