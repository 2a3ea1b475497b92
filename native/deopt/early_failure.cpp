#include "native/deopt/early_failure.h"

#include "sourir/syntax/match.h"

#include <algorithm>
#include <vector>

namespace sourir::native {

namespace {

// Values need not be scanned: nothing is allocated, and elements stay reachable from their arrays.
class Region {
public:
  Region(const ResolvedVersion& version, const Value* slots)
      : env_(slots, slots + version.slots.size()) {}

  enum class Step : std::uint8_t { On, Fails, Ends };

  Step execute(const resolved::Instr& instr) {
    return match(
        instr, [&](const resolved::Decl& i) { return i.e ? bind(i.x, *i.e) : bind(i.x, Value()); },
        [&](const resolved::Drop& i) { return bind(i.x, Value::unbound()); },
        [&](const resolved::Assign& i) { return bind(i.x, i.e); },
        [&](const resolved::Assert& i) { return holds(env(), i.e) ? Step::On : Step::Ends; },
        [&](const resolved::Assume& i) {
          return first_failing(env(), i.guards) < i.guards.size() ? Step::Fails : Step::On;
        },
        [](const resolved::Anchor&) { return Step::On; },
        [](const resolved::GuardHint&) { return Step::On; },
        [](const auto&) { return Step::Ends; });
  }

  Env env() const { return env_.data(); }

private:
  Step bind(Slot x, Value value) {
    env_[x] = value;
    return Step::On;
  }
  Step bind(Slot x, const resolved::Expr& e) {
    const EvalResult result = eval(env(), e);
    return result ? bind(x, result.value) : Step::Ends;
  }

  std::vector<Value> env_;
};

} // namespace

std::optional<Pc> failing_guard(const ResolvedVersion& version, Pc pc, Value* slots, bool asks) {
  Region region(version, slots);
  for (; pc < version.instrs.size(); ++pc) {
    const Region::Step step = region.execute(version.instrs[pc]);
    if (step == Region::Step::Ends) return {};
    if (step == Region::Step::On && asks && exit_at(version, pc) != nullptr) return {};
    if (step == Region::Step::On) continue;
    std::copy_n(region.env(), version.slots.size(), slots);
    return pc;
  }
  return {};
}

} // namespace sourir::native
