// The machine code of a running program: who owns it, where it is entered, when it is freed.
//
// Life of a code object: add() takes it over; install_for_calls() or install() makes it enterable;
// invalidate() ends that, or set_aside(), after which reinstate() may follow; release_unused()
// hands out what is invalidated and used by no activation, to be freed. The code objects of an
// optimized version, also those behind its exits, and the version itself are released together.
//
// Owns: code objects, their addresses, the optimized versions that they are of, the OSR entries.
// Never: decides that code is compiled, invalidated or reinstated; calls anybody.
// Threads: any of them may call any function, but for those under "Thread of the program only". A
// caller that needs several calls to be one step has a lock of its own, taken before.
#pragma once

#include "native/runtime/native_code.h"
#include "native/runtime/optimized_version.h"

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

namespace sourir::native {

// A place of a version at which a running activation may enter native code: a loop header, the
// target of an exit. Its address stays the same until the version is released.
struct OsrEntry {
  const ResolvedVersion* version = nullptr;
  Pc pc = 0;
  const NativeCode* code = nullptr; // null: there is none (yet)
  // The slots of `version` that the code takes as its first ones; null: it takes all.
  const std::vector<Slot>* parameters = nullptr;
  // `code` for readers without a lock: machine code (TierUpLoop), and the thread of the program,
  // which alone takes code away.
  std::atomic<const NativeCode*> ready = nullptr;
};

// What the activations of a run are inside: versions in the interpreter, native code.
struct CodeInUse {
  std::unordered_set<const ResolvedVersion*> versions;
  std::unordered_set<const NativeCode*> native;
};

// Taken out of the cache; freed with this object. Whoever refers to it by address drops that first.
struct ReleasedCode {
  std::vector<std::unique_ptr<NativeCode>> code;
  std::vector<std::unique_ptr<OptimizedVersion>> versions;
  std::vector<const OsrEntry*> entries; // of these versions: where they were
};

struct CodeCacheStatistics {
  std::uint64_t compiled = 0, machine_code_bytes = 0; // all that was ever added
  std::uint64_t freed = 0;                            // of `compiled`
  std::uint64_t optimized = 0;                        // versions that were ever added
};

class CodeCache {
public:
  // In the order given. No code object is entered before it is installed.
  std::vector<const NativeCode*> add(std::vector<std::unique_ptr<NativeCode>> made);
  // Numbers the version. Its code objects are known as its own from now on.
  OptimizedVersion& add(std::unique_ptr<OptimizedVersion> version);

  // The code object that the address lies in, or that a call at its end returns to; null: none.
  const NativeCode* code_at(std::uint64_t address) const;
  // The code object that calls of this version enter; null: none.
  const NativeCode* code_for_calls(const ResolvedVersion& version) const;
  // The optimized version that this is a stream of; null: it is of the program.
  OptimizedVersion* version_of(const ResolvedVersion& stream) const;
  // The entry of a place; made when it is first asked for.
  OsrEntry& osr_entry(const ResolvedVersion& version, Pc pc);
  bool has_osr_code(const ResolvedVersion& version, Pc pc) const;

  // Calls of the version enter it. `calls`: the word that callers read (FunctionCell::entry), where
  // all calls of the function go to this version; null: somebody dispatches.
  void install_for_calls(const NativeCode& code, std::atomic<void*>* calls);
  // Precondition: the entry has no code. `parameters` as in OsrEntry.
  void install(OsrEntry& entry, const NativeCode& code, const std::vector<Slot>* parameters);

  // --- Thread of the program only ---

  // No activation enters it any more; it is freed when none is inside.
  void invalidate(const NativeCode& code);
  // No activation enters it until it is reinstated, where it was installed before. Also for code
  // that is set aside already: invalidate() and reinstate() end that.
  void set_aside(const NativeCode& code);
  void reinstate(const NativeCode& code);

  // A job of the compiler begins or ends: what it makes of this version is entered there, so the
  // version stays.
  void pin(const ResolvedVersion& version);
  void unpin(const ResolvedVersion& version);
  // Whether there is invalidated code, and it is time to look at all activations for it: stacks may
  // be deep, so after a search in vain twice as many jobs must have begun as after the one before.
  bool wants_release() const { return invalidated_count_ != 0 && jobs_ >= next_search_; }
  // Invalidated code that no activation uses, and the versions that go with it.
  ReleasedCode release_unused(const CodeInUse& in_use);

  CodeCacheStatistics statistics() const;

private:
  enum class State : std::uint8_t { Added, Installed, SetAside, Invalidated };
  struct CodeObject {
    std::unique_ptr<NativeCode> code;
    State state = State::Added;
    // Where it is or was installed.
    std::atomic<void*>* calls = nullptr;
    OsrEntry* osr = nullptr; // null: for calls
    const std::vector<Slot>* parameters = nullptr;
  };

  CodeObject& object(const NativeCode& code) { return objects_.at(code.begin); }
  OptimizedVersion* owner(const ResolvedVersion& stream) const;
  void enable(CodeObject& object);
  void disable(CodeObject& object, State state);
  bool entered_from_outside(const OptimizedVersion& version) const;
  bool in_use(const CodeObject& object, const CodeInUse& in_use) const;
  void release(const NativeCode& code, ReleasedCode& released);

  mutable std::mutex mutex_;                    // of all that follows, but for the counters below
  std::map<std::uint64_t, CodeObject> objects_; // by their first address
  std::unordered_map<const ResolvedVersion*, const NativeCode*> for_calls_;
  std::map<std::pair<const ResolvedVersion*, Pc>, OsrEntry> osr_entries_;
  std::vector<std::unique_ptr<OptimizedVersion>> versions_;
  std::unordered_map<const ResolvedVersion*, OptimizedVersion*> owners_; // by all their streams
  std::vector<const NativeCode*> invalidated_;                           // in that order
  std::unordered_multiset<const ResolvedVersion*> pinned_;
  CodeCacheStatistics statistics_;
  // Of the thread of the program.
  std::size_t invalidated_count_ = 0;
  std::uint64_t jobs_ = 0, next_search_ = 0, vain_searches_ = 0;
};

} // namespace sourir::native
