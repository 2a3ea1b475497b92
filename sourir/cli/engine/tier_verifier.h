// `run --verify`: each version that the tiers make runs beside what it is a version of, from the
// state that asked for it on (bisim/state_entry.h).
#pragma once

#include "native/tiering/verifier.h"
#include "sourir/bisim/lockstep.h"

#include <string>

namespace sourir {

class TierVerifier {
public:
  // What an engine takes; this must outlive it.
  native::Verifier hook();

  // Of the versions that differ, for people; empty: none does. Once the engine has ended.
  const std::string& report() const { return report_; }

private:
  native::Verified check(const native::VersionToVerify& v);
  native::Verified differs(const native::VersionToVerify& v, const std::string& how);

  std::string report_;
};

} // namespace sourir
