// When functions and loops become native code, and when that code goes away again (runtime.md
// "Tiers"). A hot function gets a version in the language, made by the optimizer from what the
// baseline has seen, and that becomes native code; a hot loop of a version, and a place that exits
// lead to, get code to enter it in the middle. Code that is left too often is retired, and made
// again after more has been seen; what keeps failing is made without counting on anything.
#pragma once

#include "native/engine/engine.h"
#include "native/runtime/function_cell.h"
#include "native/tiering/added_version.h"
#include "native/tiering/compiler_thread.h"
#include "native/tiering/observed.h"
#include "native/tiering/tier_event.h"
#include "sourir/semantics/config.h"

#include <chrono>
#include <map>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

namespace sourir::native {

// What activations are inside: versions in the interpreter, native code.
struct CodeInUse {
  std::unordered_set<const ResolvedVersion*> streams;
  std::unordered_set<const NativeCode*> native;
};

class Tiering {
  struct MiddleUnit;

public:
  explicit Tiering(Machine& machine);
  ~Tiering();

  // The compiler that the settings give, where one is needed; Engine::Native: all is compiled.
  void begin();
  // A function was called so often, now with these arguments.
  void hot(FunctionCell& f, const Value* arguments);
  // Native code of a version, for calls; null: none.
  const NativeCode* code_of(const ResolvedVersion& code) const;
  // Code to enter in the middle: with all slots, or with these as its first ones.
  struct Entry {
    const NativeCode* code = nullptr; // null: there is none
    const std::vector<Slot>* with = nullptr;
    MiddleUnit* unit = nullptr;
  };
  // A loop went round about `count` more times, now with these slots.
  Entry loop(const ResolvedVersion& code, Pc head, std::int64_t count, const Value* slots);
  // A frame that an exit made goes on here, with these slots (all that is not in use is unbound).
  Entry continuation(const ResolvedVersion& code, Pc pc, const Value* slots);
  // The native code that this address is in; null: none.
  const NativeCode* code_at(std::uint64_t address) const;
  // How an activation of a version that was added goes on in the program as it is; null: it is not
  // known, or the version is of the program.
  const resolved::Exit* way_back(const ResolvedVersion& code, Pc pc);
  // What was made at run time and has this code; null: it is of the program.
  const AddedVersion* added(const ResolvedVersion& code) const;
  // Native code was left.
  struct Departure {
    const ResolvedVersion* code = nullptr;
    Pc pc = 0;
    const resolved::Exit* exit =
        nullptr;                    // of an assume or anchor there; null: on in the same version
    const Entry* entered = nullptr; // it was entered in the middle
    bool better = false;            // for the code of the loop whose head this is
    const Value* slots = nullptr;   // of the innermost frame that the exit made
    void** middle = nullptr;        // Landing::Frame::middle of that, if there is one
  };
  // Code to go on in behind the exit, which is not the code that was left.
  Entry left(const Departure& d);
  // An exit begins an activation of the baseline at a position, with these slots: what they hold is
  // seen as if it had come there by itself.
  void entered(const ResolvedVersion& code, Pc pc, const Value* slots);
  // Code that is sampled looked, and says what it holds (Sampling::hear). True: there is better
  // code, this is to be left. (resampling.cpp)
  bool look(profiler::SampledCode& code, const std::uint64_t* words, std::uint64_t given,
            std::uint32_t bits);
  SamplingReport sampled() const;
  // The machine's statistics as they are now: the compiler thread counts, too.
  EngineStatistics counted() const;
  // The run is over. False: the compiler is still at work, and uses everything.
  bool stop() { return thread_.stop(); }
  // Whether something was given up, and somebody should look whether anybody is still inside. Not
  // all the time: stacks may be deep.
  bool looks_for_retired() const { return !retired_.empty() && jobs_ >= next_look_; }
  // Frees the code that was given up, but for that in use, with all that came with it.
  void free_retired(const CodeInUse& in_use);

private:
  static constexpr int kCalleeLevels = 3; // whose feedback goes along

  // How often something was made and retired, and whether a job for it is under way.
  struct Unit {
    bool compiling = false;
    std::uint32_t retired = 0;
    std::uint64_t left = 0, exits = 0; // until it is given up; of the code that is there
    // How often what samples asked for was given up soon.
    std::uint32_t disappointed = 0;
    // What the code that samples asked for took the place of: it comes back if that is given up.
    std::vector<const NativeCode*> before;
    bool goes_back() const { return !compiling && !before.empty(); }
  };
  struct FunctionUnit : Unit {
    std::vector<TypeSet> parameters; // kinds that calls came with
    std::uint32_t samples = 0;
    std::vector<const ResolvedVersion*> compiled; // what the cell's entry belongs to
  };
  struct MiddleUnit : Unit {
    Pc pc = 0;
    std::int64_t rounds = 0; // of the loop that begins there
    std::uint64_t taken = 0; // exits that led there
    Entry entry;
    // Entry::with of the code that may come back. Whose version the code is does not tell: code for
    // exits into a version that was added takes all slots of that version.
    const std::vector<Slot>* before_with = nullptr;
    // The code of the entry, for who holds no lock: the thread of the program, which alone takes
    // an entry away.
    std::atomic<const NativeCode*> ready = nullptr;
    void install(const Entry& made) {
      entry = made;
      ready.store(made.code, std::memory_order_release);
    }
  };
  // What a job works on: copies, since the program runs on.
  struct Job : std::enable_shared_from_this<Job> {
    FunctionCell* function = nullptr; // or:
    std::pair<const ResolvedVersion*, Pc> middle{};
    bool exits = false; // what leads to the middle
    std::vector<const ResolvedVersion*> versions;
    bool believe = true; // in feedback
    Feedback feedback;
    std::unordered_map<const ResolvedVersion*, std::vector<SiteFeedback>> sites;
    std::vector<TypeSet> parameters; // of a function: the kinds that calls came with
    std::vector<Tag> expected;
    profiler::SampledCode* replaces = nullptr; // whose samples asked for it; null: nobody's
    double milliseconds = 0;                   // that the compiler took
    // For the verifier: the state that asked for it, in its one frame.
    std::optional<Config> asked;
  };

  // Where code that is sampled comes from.
  struct SampledOrigin {
    std::shared_ptr<const Job> job;
    const NativeCode* native = nullptr;
    std::vector<SitePlace> places; // by SampledPosition; of a parameter: slot instead of position
  };
  // Code that samples asked for, until the thread of the program enters it.
  struct Finished {
    std::shared_ptr<Job> job;
    std::unique_ptr<AddedVersion> added;
    std::vector<const NativeCode*> made;
  };

  void begin_native();
  void compile_all();
  void prepare(Job& job, FunctionCell& f, const FunctionUnit& unit);
  void add_targets(Job& job, const ResolvedVersion& active) const;
  void snapshot(Job& job, const ResolvedVersion& code, int levels) const;
  void run(Job& job);
  std::unique_ptr<AddedVersion> add(Job& job);
  bool adds_versions() const;
  bool enters_behind_exits() const;
  // verification.cpp. `count`: of the slots that have values
  void note_state(Job& job, const ResolvedVersion& code, Pc pc, const Value* slots,
                  std::size_t count) const;
  bool verified(const Job& job, const AddedVersion& added);
  std::vector<const NativeCode*> compile(std::vector<CompileRequest> requests);
  void install(Job& job, std::unique_ptr<AddedVersion> added,
               std::span<const NativeCode* const> made);
  void put_into_place(Job& job, std::unique_ptr<AddedVersion> added,
                      std::span<const NativeCode* const> made);
  // resampling.cpp
  void sample(CompileRequest& request);
  void note_origins(Job& job, const AddedVersion* added, std::span<const CompileRequest> requests,
                    std::span<const NativeCode* const> made);
  std::optional<SitePlace> place_of(const Job& job, const AddedVersion* added,
                                    const NativeCode& code, const SampleSlot& slot) const;
  void resample(std::unique_lock<std::mutex>& lock, profiler::SampledCode& code);
  std::shared_ptr<Job> job_with_samples(const profiler::SampledCode& code,
                                        const SampledOrigin& from) const;
  void expect_samples(Job& job, const profiler::SampledCode& code, const SampledOrigin& from) const;
  Unit* unit_of(const SampledOrigin& from); // null: it was given up
  bool keep_for_program(Job& job, std::unique_ptr<AddedVersion>& added,
                        std::span<const NativeCode* const> made);
  void replace(const NativeCode& old);
  void adopt_finished(const NativeCode& old);
  void disappointed(Unit& unit, const NativeCode& code);
  void go_back(MiddleUnit& unit);
  void go_back(FunctionCell& f, FunctionUnit& unit);
  void listen_again(const NativeCode& code, std::uint32_t disappointed);
  void keep(std::unique_ptr<AddedVersion> added);
  MiddleUnit& middle(const ResolvedVersion& code, Pc pc);
  // Those that go on at the targets of exits of what is compiled, if it is time for that.
  void add_continuations(std::vector<CompileRequest>& requests, const Job& job);
  void install_continuation(const NativeCode& code);
  std::vector<BetterLoop> better_loops(const ResolvedVersion& code, Pc start);
  Entry continuation(std::unique_lock<std::mutex>& lock, const ResolvedVersion& code, Pc pc,
                     const Value* slots, const NativeCode* left);
  Entry make_entry(std::unique_lock<std::mutex>& lock, MiddleUnit& unit,
                   const ResolvedVersion& code, const Value* slots, bool exits);
  void count(const Departure& d);
  void retire(MiddleUnit& unit);
  void retire(FunctionCell& f, FunctionUnit& unit);
  void write_back(const ResolvedVersion& code);
  bool count_exit(Unit& unit); // whether it is time to give up
  void forget_before(Unit& unit);
  std::uint64_t delay(const Unit& unit, std::uint64_t n) const;
  void begin_job(std::unique_lock<std::mutex>& lock, std::shared_ptr<Job> job);
  void attempt(Job& job);
  AddedVersion* owner(const ResolvedVersion& code) const;
  bool is_entered(const AddedVersion& added) const;
  bool in_use(const NativeCode& code, const CodeInUse& in_use) const;
  void free_with(const NativeCode& code);
  void tell(const TierEvent& event) const;
  bool too_early();
  void warn(std::string_view what) const;
  bool suits(const ResolvedVersion& code) const;
  bool one_version(const FunctionCell& f) const; // calls go straight to it
  std::vector<Tag> kinds_now(const ResolvedVersion& code, Pc head, const Value* slots) const;
  std::vector<SiteFeedback> seen_in(const ResolvedVersion& code) const;

  Machine& machine_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  bool early_ = true;
  std::unique_ptr<NativeCompiler> compiler_; // of the compiler thread
  bool without_compiler_ = false;            // likewise: there is none, and this has been said
  mutable std::mutex mutex_;                 // of all that follows
  std::vector<std::unique_ptr<NativeCode>> codes_;
  std::vector<std::unique_ptr<AddedVersion>> added_;
  std::unordered_map<const ResolvedVersion*, AddedVersion*>
      owners_; // of these, by all their streams
  std::map<std::uint64_t, const NativeCode*> by_address_;
  std::unordered_map<const ResolvedVersion*, const NativeCode*> by_version_;
  std::unordered_map<const ResolvedVersion*, std::span<const SiteFeedback>> added_sites_;
  std::unordered_map<const FunctionCell*, FunctionUnit> functions_;
  std::map<std::pair<const ResolvedVersion*, Pc>, MiddleUnit> middles_;
  std::unordered_map<const profiler::SampledCode*, SampledOrigin> sampled_;
  std::unordered_map<const profiler::SampledCode*, Finished> finished_;
  // Of the thread of the program only: what is not entered any more, and when to look who is
  // inside.
  std::vector<const NativeCode*> retired_;
  std::uint64_t jobs_ = 0, next_look_ = 0, vain_looks_ = 0;
  CompilerThread thread_; // last: its job ends before the rest goes
};

} // namespace sourir::native
