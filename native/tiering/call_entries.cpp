#include "native/tiering/call_entries.h"

#include <algorithm>

namespace sourir::native {

bool CallEntries::all_calls_enter(const ResolvedVersion& version) const {
  const FunctionCell& f = cell(version.function);
  return one_version(f) && &version == f.fun->dispatch.front();
}

FunctionCell* CallEntries::dispatched(FunName function) const {
  FunctionCell& f = cell(function);
  const bool compiled = f.arity <= kMostNativeParameters;
  const bool of_program = f.dispatch && !f.dispatch->by_tiers;
  return compiled && of_program && f.dispatch->in_native_code ? &f : nullptr;
}

std::vector<FunctionCell*> CallEntries::all_dispatched(const Program& program) const {
  std::vector<FunctionCell*> all;
  for (const Function& f : program.functions)
    if (FunctionCell* const one = dispatched(f.name)) all.push_back(one);
  return all;
}

void CallEntries::install(const NativeCode& code) const {
  const ResolvedVersion& version = *code.code;
  FunctionCell& f = cell(version.function);
  const std::vector<const ResolvedVersion*>& all = f.fun->dispatch;
  const bool optimized = std::ranges::find(f.fun->versions, &version) == f.fun->versions.end();
  if (all_calls_enter(version) || (one_version(f) && optimized))
    return cache_.install_for_calls(code, &f.entry);
  FunctionCell* const table = dispatched(f.name);
  const auto number = static_cast<std::size_t>(std::ranges::find(all, &version) - all.begin());
  if (table == nullptr || number == all.size()) return cache_.install_for_calls(code, nullptr);
  cache_.install_for_calls(code, &f.dispatch->entries[number].code, table);
}

} // namespace sourir::native
