// Where callers find the code of a version: in the cell of its function, where calls enter no other
// version, or in the dispatch table of the function.
// Never: decides that code is installed. Threads: any that may call CodeCache.
#pragma once

#include "native/runtime/code_cache.h"

namespace sourir::native {

class CallEntries {
public:
  // cells: by the id of the function's name. schedule_chooses: the version that a call enters.
  CallEntries(FunctionCell* cells, CodeCache& cache, bool schedule_chooses)
      : cells_(cells), cache_(cache), schedule_chooses_(schedule_chooses) {}

  // All calls enter one version, or an optimized version of it.
  bool one_version(const FunctionCell& f) const {
    return f.fun->dispatch.size() == 1 && !schedule_chooses_;
  }
  bool all_calls_enter(const ResolvedVersion& version) const;
  // The function, if native code chooses among its versions; null: it does not.
  FunctionCell* dispatched(FunName function) const;
  std::vector<FunctionCell*> all_dispatched(const Program& program) const;
  // Calls of the version that the code is of enter it.
  void install(const NativeCode& code) const;
  // Calls that this entry of the table of `f` is for.
  void install(const NativeCode& code, FunctionCell& f, DispatchTable::Entry& entry) const {
    cache_.install_for_calls(code, &entry.code, &f);
  }

private:
  FunctionCell& cell(FunName name) const { return cells_[name.id]; }

  FunctionCell* cells_;
  CodeCache& cache_;
  bool schedule_chooses_;
};

} // namespace sourir::native
