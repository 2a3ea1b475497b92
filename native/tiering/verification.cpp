// Asking the verifier about versions that were made (verifier.h).
#include "native/engine/machine.h"

#include <algorithm>
#include <array>

namespace sourir::native {

void Tiering::note_state(Job& job, const ResolvedVersion& code, Pc pc, const Value* slots,
                         std::size_t count) const {
  if (!machine_.settings().verifier || !adds_versions() || !job.believe) return;
  std::vector<Value> env(slots, slots + count);
  env.resize(code.slots.size(), Value::unbound());
  job.asked = machine_.state_of(FrameState{&code, pc, env.data()});
}

bool Tiering::verified(const Job& job, const AddedVersion& added) {
  const Verifier& verifier = machine_.settings().verifier;
  if (!verifier || !job.asked) return true;
  std::vector<Value> arguments;
  for (Slot p = 0; p < added.code().parameters; ++p)
    arguments.push_back(job.asked->env()[added.cut_out ? added.entered_with[p] : p]);
  const std::lock_guard names(machine_.names_mutex());
  const Verified said =
      verifier({machine_.program(), added, arguments, job.asked->heap, machine_.names()});
  const std::lock_guard lock(mutex_);
  EngineStatistics& statistics = machine_.statistics;
  ++(said == Verified::Holds     ? statistics.verified
     : said == Verified::Differs ? statistics.differing
                                 : statistics.undecided);
  return said != Verified::Differs;
}

} // namespace sourir::native
