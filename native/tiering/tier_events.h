// The events of the tiers for their hooks, from what the tiers know. Threads: any.
#pragma once

#include "native/deopt/deoptimizer.h"
#include "native/tiering/native_settings.h"

namespace sourir::native {

// history: before its counts are reset.
TierEvent invalidated_event(const ResolvedVersion& code, const OsrEntry* entry,
                            const CodeHistory& history,
                            const TieringPolicy::Invalidation& decision);
TierEvent event_of(TierEvent::Kind kind, const NativeCode& code, const OsrEntry* entry);
// An exit, a bailout or a tier-up. native: it continues in native code; context: in that for it.
TierEvent deoptimized_event(const DeoptEvent& e, bool native, const DeoptContext* context);

} // namespace sourir::native
