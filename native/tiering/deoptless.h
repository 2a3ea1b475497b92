// Deoptless (dissertation 3.4, 4.9; docs/deoptless.md): for each function the continuations of the
// exits that lead there, by their contexts, and the exits that found none.
//
// Owns: targets, contexts and continuations; their addresses stay valid to the end of the run.
// Never: compiles, enters or invalidates code; knows frames.
// Threads: callers synchronize (the lock of the tiers).
#pragma once

#include "native/deopt/exit_dispatch.h"
#include "native/tiering/tiering_policy.h"

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace sourir::native {

class Deoptless {
public:
  Deoptless(const LinkedProgram& program, CodeCache& cache, const TieringPolicy& policy)
      : program_(program), cache_(cache), policy_(policy) {}

  // Null: a frame is of an optimized version or in no scope that is known, or there are more than
  // DeoptContext::kMostVariables variables.
  const DeoptTarget* target(const resolved::Exit& exit);

  struct Decision {
    const DeoptContinuation* enter = nullptr;
    // To be compiled, for the join of the contexts that arrived.
    const DeoptContinuation* compile = nullptr;
    bool adds = false; // a comparable one failed: its feedback is to be added to what is recorded
  };
  // An exit is taken. forced exits are of a kind of their own.
  Decision at_exit(const DeoptContext& context);
  // The job for the continuation has ended; it has code, or failed.
  void compiled(const OsrEntry& entry, bool has_code);
  // Its code was invalidated.
  void remove(const OsrEntry& entry);
  // Null: the entry is none of a continuation.
  const DeoptContinuation* of(const OsrEntry& entry) const;

private:
  // Exits with comparable contexts.
  struct Class {
    std::uint64_t exits = 0, arrivals = 0;
    std::optional<DeoptContext> arrived; // the join of the contexts that arrived
    bool compiling = false;
    std::uint32_t failed = 0;
  };
  using ClassKey = std::pair<const DeoptTarget*, FailedGuard>;
  using Table = std::vector<DeoptContinuation*>; // by comes_before()

  Class& class_of(const DeoptContext& c) { return classes_[{c.target, c.cause.guard}]; }
  Table& table_of(const DeoptTarget& target) {
    return tables_[target.frames.front().code->function];
  }
  bool add_frame(DeoptTarget& target, const resolved::Frame& frame, const Slot* result) const;
  const DeoptContinuation* find(const Table& table, const DeoptContext& context) const;
  const DeoptContinuation& add(Table& table, const DeoptContext& context);

  const LinkedProgram& program_;
  CodeCache& cache_;
  const TieringPolicy& policy_;
  std::deque<DeoptTarget> targets_;
  std::map<ClassKey, Class> classes_;
  std::unordered_map<FunName, Table> tables_;
  std::deque<DeoptContinuation> continuations_; // also those that were removed
  std::unordered_map<const OsrEntry*, DeoptContinuation*> by_entry_;
};

} // namespace sourir::native
