// Who is inside which code.
#include "native/engine/machine.h"
#include "sourir/analysis/mutant.h"

namespace sourir::native {

// Frames of the interpreter down to where native code called it, then the native ones that wait,
// which link to each other, and so on.
void Machine::for_each_activation(const std::function<void(const Activation&)>& visit) const {
  const Waiting* at = registers.frames;
  for (const Boundary* b = boundary_;; b = b->outer) {
    const Waiting* low = b ? b->frames : reinterpret_cast<const Waiting*>(waiting_.begin());
    while (at > low)
      if (const Insn* call = (--at)->call;
          call != from_native_.data() && call != from_start_.data())
        visit({.waiting = at});
    if (b == nullptr) return;
    bool replaced = b->replaced;
    const auto* link = static_cast<const std::uint64_t*>(b->native_frame);
    for (; link != nullptr; link = reinterpret_cast<const std::uint64_t*>(link[0])) {
      const NativeCode* code = tiering_.code_at(link[1]);
      if (code == nullptr) break;
      visit({.native = code, .address = link[1], .replaced = replaced});
      replaced = false;
    }
  }
}

void Machine::free_retired(const Insn* ip) {
  if (!tiering_.looks_for_retired()) return;
  CodeInUse in_use;
  const Insn* last = nullptr;
  const auto interpreted = [&](const Insn* at) { // recursion waits at the same place all the time
    if (at != last) in_use.streams.insert(bytecode_of(at).code);
    last = at;
  };
  if (ip != nullptr) interpreted(ip);
  for_each_activation([&](const Activation& a) {
    if (a.waiting != nullptr)
      interpreted(a.waiting->call);
    else
      in_use.native.insert(a.native);
  });
  tiering_.free_retired(mutant(111) ? CodeInUse() : in_use);
}

} // namespace sourir::native
