// The machine code of a running program: its owner, its entries, and when it is freed.
//
// The dispatcher of a function lives to the end of the run. Calls enter it while each version that
// it may jump to has code.
//
// Life of a code object: add() takes it over; install_for_calls() or install() makes it enterable;
// invalidate() ends that, or set_aside(), after which reinstate() may follow; release_unused()
// hands out what is invalidated and used by no activation, to be freed. An optimized version is
// released together with its code objects, those for the targets of its exits included.
//
// Owns: code objects, their addresses, the optimized versions that they are of, the OSR entries.
// Never: decides that code is compiled, invalidated or reinstated; calls upward.
// Threads: any thread may call any function, except those under "Thread of the program only". A
// caller that needs several calls to be one step takes a lock of its own before.
#pragma once

#include "native/runtime/native_code.h"
#include "native/runtime/optimized_version.h"

#include <atomic>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace sourir::native {

// A place of a version at which a running activation may enter native code: a loop header, the
// target of an exit. Its address stays the same until the version is released.
struct OsrEntry {
  const ResolvedVersion* version = nullptr;
  Pc pc = 0;
  // 0: for every activation there; otherwise for exits by their context (native/deopt), whose
  // variables are what the code takes.
  std::uint32_t number = 0;
  const NativeCode* code = nullptr; // null: none (yet)
  // The slots of `version` that the code takes as its first ones; null: it takes all.
  const std::vector<Slot>* parameters = nullptr;
  // `code` for readers without a lock: machine code (TierUpLoop), and the thread of the program,
  // the only one that removes code.
  std::atomic<const NativeCode*> ready = nullptr;
};

// The code that activations of a run use: versions in the interpreter, native code.
struct CodeInUse {
  std::unordered_set<const ResolvedVersion*> versions;
  std::unordered_set<const NativeCode*> native;
};

// Removed from the cache; freed with this object, after all references by address are dropped.
struct ReleasedCode {
  std::vector<std::unique_ptr<NativeCode>> code;
  std::vector<std::unique_ptr<OptimizedVersion>> versions;
  std::vector<const OsrEntry*> entries; // of these versions: where they were
};

struct CodeCacheStatistics {
  std::uint64_t compiled = 0, machine_code_bytes = 0; // all ever added
  std::uint64_t freed = 0;                            // of `compiled`
  std::uint64_t optimized = 0;                        // versions ever added
};

class CodeCache {
public:
  // In the order given. No code object is entered before it is installed.
  std::vector<const NativeCode*> add(std::vector<std::unique_ptr<NativeCode>> made);
  // Numbers the version, which owns the code objects of its streams from now on.
  OptimizedVersion& add(std::unique_ptr<OptimizedVersion> version);

  // The code object that contains the address, which may be one past its end (the return address
  // of a call there); null: none.
  const NativeCode* code_at(std::uint64_t address) const;
  // The same for a signal handler; null also while another thread uses the cache.
  const NativeCode* code_at_signal(std::uint64_t address) const;
  // The code object that calls of this version enter; null: none.
  const NativeCode* code_for_calls(const ResolvedVersion& version) const;
  // The optimized version that this is a stream of; null: it is of the program.
  OptimizedVersion* version_of(const ResolvedVersion& stream) const;
  // Created at the first request.
  OsrEntry& osr_entry(const ResolvedVersion& version, Pc pc, std::uint32_t number = 0);
  bool has_osr_code(const ResolvedVersion& version, Pc pc) const;

  // Adds an entry to the table of the function, whose versions the tiers make. The first one is for
  // all calls. On the thread of the compiler.
  DispatchTable::Entry& add_entry(FunctionCell& function, Context context,
                                  std::vector<resolved::Expr> when);
  // What has been counted in the table of a function whose versions the tiers make, in the order in
  // which calls test their contexts; the last is for all other calls.
  struct ContextCalls {
    Context context;
    std::uint64_t calls = 0, direct = 0; // direct: of `calls`
  };
  std::vector<ContextCalls> context_calls(const FunctionCell& function) const;
  // The function's calls are dispatched by this code from now on, whenever all versions have code.
  void add_dispatcher(FunctionCell& function, std::unique_ptr<NativeCode> dispatcher);
  // Calls of the version enter it. `calls`: the word that callers read, FunctionCell::entry where
  // all calls of the function go to this version, or that of the version in the table of
  // `dispatched`; null: the runtime dispatches them.
  void install_for_calls(const NativeCode& code, std::atomic<void*>* calls,
                         FunctionCell* dispatched = nullptr);
  // Precondition: the entry has no code. `parameters` as in OsrEntry.
  void install(OsrEntry& entry, const NativeCode& code, const std::vector<Slot>* parameters);

  // --- Thread of the program only ---

  // No activation enters it any more; it is released when none uses it.
  void invalidate(const NativeCode& code);
  // No activation enters it until reinstate() installs it again where it was. Also for code that
  // is set aside already; invalidate() and reinstate() end that state.
  void set_aside(const NativeCode& code);
  void reinstate(const NativeCode& code);

  // Beginning and end of a compile job: its code will be entered from this version, which is not
  // released meanwhile.
  void pin(const ResolvedVersion& version);
  void unpin(const ResolvedVersion& version);
  // Whether there is invalidated code, and a walk over all activations is due. Stacks may be deep:
  // each walk in vain doubles the number of jobs until the next one.
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
    FunctionCell* dispatched = nullptr;
    OsrEntry* osr = nullptr; // null: for calls
    const std::vector<Slot>* parameters = nullptr;
  };

  const NativeCode* find(std::uint64_t address) const;
  CodeObject& object(const NativeCode& code) { return objects_.at(code.begin); }
  OptimizedVersion* owner(const ResolvedVersion& stream) const;
  void enable(CodeObject& object);
  void disable(CodeObject& object, State state);
  static void set_calls(const CodeObject& object, void* entry);
  bool entered_from_outside(const OptimizedVersion& version) const;
  bool in_use(const CodeObject& object, const CodeInUse& in_use) const;
  void release(const NativeCode& code, ReleasedCode& released);

  mutable std::mutex mutex_;                    // of all that follows, except the last counters
  std::map<std::uint64_t, CodeObject> objects_; // by their first address
  std::vector<std::unique_ptr<NativeCode>> dispatchers_;
  std::unordered_map<const ResolvedVersion*, const NativeCode*> for_calls_;
  std::map<std::tuple<const ResolvedVersion*, Pc, std::uint32_t>, OsrEntry> osr_entries_;
  std::vector<std::unique_ptr<OptimizedVersion>> versions_;
  std::unordered_map<const ResolvedVersion*, OptimizedVersion*> owners_; // by all their streams
  std::vector<const NativeCode*> invalidated_;                           // in that order
  std::unordered_multiset<const ResolvedVersion*> pinned_;
  CodeCacheStatistics statistics_;
  // Thread of the program only.
  std::size_t invalidated_count_ = 0;
  std::uint64_t jobs_ = 0, next_search_ = 0, fruitless_walks_ = 0;
};

} // namespace sourir::native
