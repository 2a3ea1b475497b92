#include "native/tiering/tier_events.h"

namespace sourir::native {

TierEvent invalidated_event(const ResolvedVersion& code, const OsrEntry* entry,
                            const CodeHistory& history,
                            const TieringPolicy::Invalidation& decision) {
  return {.kind = TierEvent::Kind::Invalidated,
          .code = &code,
          .pc = entry != nullptr ? entry->pc : 0,
          .entry = entry,
          .exit_count = history.exits,
          .invalidations = history.invalidations + (decision.reinstate ? 0U : 1U),
          .resets_feedback = decision.reset_feedback};
}

TierEvent event_of(TierEvent::Kind kind, const NativeCode& code, const OsrEntry* entry) {
  return {.kind = kind, .code = code.code, .pc = code.start, .entry = entry, .bytes = code.size};
}

TierEvent deoptimized_event(const DeoptEvent& e, bool native, const DeoptContext* context) {
  return {.kind = TierEvent::Kind::Deoptimized,
          .code = e.version,
          .pc = e.pc,
          .entry = e.exited != nullptr ? e.exited_entry : nullptr,
          .exit = e.exit,
          .details = e.reason != DeoptReason::TierUp ? e.details : nullptr,
          .native = native,
          .context = context};
}

} // namespace sourir::native
