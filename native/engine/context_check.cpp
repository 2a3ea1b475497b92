#include "native/engine/context_check.h"

namespace sourir::native {

bool holds_of(const DeoptContext& context, const DeoptTarget& target, DeoptCause cause,
              const Value* values) {
  if (context.target != &target || context.cause.guard != cause.guard) return false;
  if (!cause.offending.within(context.cause.offending)) return false;
  for (std::size_t i = 0; i < target.variables.size(); ++i) {
    if (!target.variables[i].live || context.types[i] == kAnyType) continue;
    if (!type_set(values[i].tag()).within(context.types[i])) return false;
    if (!values[i].is(Tag::Array)) continue;
    const StorageSet storage = storage_of(*array_of(values[i]));
    if ((storage & ~context.storages[i]) != 0) return false;
  }
  return true;
}

std::uint64_t misplaced_versions(const DispatchTable& table) {
  std::uint64_t misplaced = 0;
  if (!table.by_tiers) return misplaced; // the program's own have the order of the program
  for (std::size_t later = 1; later < table.order.size(); ++later)
    for (std::size_t earlier = 0; earlier < later; ++earlier)
      if (entails(table.order[later]->context, table.order[earlier]->context)) {
        ++misplaced;
        break;
      }
  return misplaced;
}

} // namespace sourir::native
