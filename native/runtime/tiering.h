// When functions and loops become native code, and when that code goes away again (runtime.md
// "Tiers"). A hot function gets a version in the language, made by the optimizer from what the
// baseline has seen, and that becomes native code; a hot loop of a version gets code to enter it in
// the middle. Code that is left too often is retired, and made again after more has been seen; what
// keeps failing is made without counting on anything.
#pragma once

#include "native/runtime/added_version.h"
#include "native/runtime/compiler_thread.h"
#include "native/runtime/function_cell.h"
#include "native/runtime/observed.h"
#include "native/runtime/tier_event.h"
#include "sourir/semantics/config.h"

#include <map>
#include <mutex>
#include <unordered_map>

namespace sourir::native {

class Tiering {
public:
  explicit Tiering(Machine& machine);
  ~Tiering();

  // The compiler that the settings give, where one is needed; Engine::Native: all is compiled.
  void begin();
  // A function was called so often, now with these arguments.
  void hot(FunctionCell& f, const Value* arguments);
  // Native code of a version, for calls; null: none.
  const NativeCode* code_of(const InstrStream& code) const;
  // Code to enter at the head of a loop: with all slots, or with these as its first ones.
  struct LoopEntry {
    const NativeCode* code = nullptr; // null: there is none
    const std::vector<Slot>* with = nullptr;
  };
  // A loop went round about `count` more times, now with these slots.
  LoopEntry loop(const InstrStream& code, Pc head, std::int64_t count, const Value* slots);
  // The native code that this address is in; null: none.
  const NativeCode* code_at(std::uint64_t address) const;
  // How an activation of a version that was added goes on in the program as it is; null: it is not
  // known, or the version is of the program.
  const code::Exit* way_back(const InstrStream& code, Pc pc);
  // What was made at run time and has this code; null: it is of the program.
  const AddedVersion* added(const InstrStream& code) const;
  // An exit begins an activation of the baseline at a position, with these slots: what they hold is
  // seen as if it had come there by itself.
  void entered(const InstrStream& code, Pc pc, const Value* slots);
  // Native code of this version was left for the baseline, by an exit of its own if one is given.
  void left(const InstrStream& code, Pc pc, const code::Exit* exit);
  // The run is over. False: the compiler is still at work, and uses everything.
  bool stop() { return thread_.stop(); }

private:
  // How often something was made and retired, and whether a job for it is under way.
  struct Unit {
    bool compiling = false;
    std::uint32_t retired = 0;
    std::uint64_t left = 0;
  };
  struct FunctionUnit : Unit {
    std::vector<TagSet> parameters; // kinds that calls came with
    std::uint32_t samples = 0;
    std::vector<const InstrStream*> compiled; // what the cell's entry belongs to
  };
  struct LoopUnit : Unit {
    std::int64_t count = 0;
    LoopEntry entry;
    const InstrStream* compiled = nullptr; // what its code is of
  };
  // What a job works on: copies, since the program runs on.
  struct Job {
    FunctionCell* function = nullptr; // or:
    std::pair<const InstrStream*, Pc> loop{};
    std::vector<const InstrStream*> versions;
    bool believe = true; // in feedback
    Feedback feedback;
    std::unordered_map<const InstrStream*, std::vector<SiteFeedback>> sites;
    std::vector<Tag> expected;
    double milliseconds = 0; // that the compiler took
    // For the verifier: the state that asked for it, in its one frame.
    std::optional<Config> asked;
  };

  void compile_all();
  void prepare(Job& job, FunctionCell& f, const FunctionUnit& unit);
  void add_targets(Job& job, const InstrStream& active) const;
  void snapshot(Job& job, const InstrStream& code, int levels) const;
  void run(Job& job);
  std::unique_ptr<AddedVersion> add(Job& job);
  bool adds_versions() const;
  // verification.cpp. `count`: of the slots that have values
  void note_state(Job& job, const InstrStream& code, Pc pc, const Value* slots,
                  std::size_t count) const;
  bool verified(const Job& job, const AddedVersion& added);
  std::vector<const NativeCode*> compile(std::span<const CompileRequest> requests);
  void install(Job& job, std::unique_ptr<AddedVersion> added,
               const std::vector<const NativeCode*>& made);
  void keep(std::unique_ptr<AddedVersion> added);
  void retire(FunctionCell& f, FunctionUnit& unit);
  void retire_loop(const std::pair<const InstrStream*, Pc>& loop, LoopUnit& unit);
  void write_back(const InstrStream& code);
  void tell(const TierEvent& event) const;
  bool suits(const InstrStream& code) const;
  bool one_version(const FunctionCell& f) const; // calls go straight to it
  std::vector<Tag> kinds_now(const InstrStream& code, Pc head, const Value* slots) const;
  std::vector<SiteFeedback> seen_in(const InstrStream& code) const;

  Machine& machine_;
  std::unique_ptr<NativeCompiler> compiler_; // of the compiler thread
  mutable std::mutex mutex_;                 // of all that follows
  std::vector<std::unique_ptr<NativeCode>> codes_;
  std::vector<std::unique_ptr<AddedVersion>> added_;
  std::map<std::uint64_t, const NativeCode*> by_address_;
  std::unordered_map<const InstrStream*, const NativeCode*> by_version_;
  std::unordered_map<const InstrStream*, std::span<const SiteFeedback>> added_sites_;
  std::unordered_map<const FunctionCell*, FunctionUnit> functions_;
  std::map<std::pair<const InstrStream*, Pc>, LoopUnit> loops_;
  CompilerThread thread_; // last: its job ends before the rest goes
};

} // namespace sourir::native
