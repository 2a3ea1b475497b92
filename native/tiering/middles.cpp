// Code that is entered in the middle, and what becomes of code that is left.
#include "native/engine/machine.h"
#include "native/tiering/tiering.h"
#include "sourir/analysis/liveness.h"
#include "sourir/semantics/exits.h"
#include "sourir/semantics/iterations.h"

#include <algorithm>

namespace sourir::native {

using Engine = NativeSettings::Engine;

Tiering::MiddleUnit& Tiering::middle(const ResolvedVersion& code, Pc pc) {
  MiddleUnit& unit = middles_[{&code, pc}];
  unit.pc = pc;
  return unit;
}

Tiering::Entry Tiering::loop(const ResolvedVersion& code, Pc head, std::int64_t count,
                             const Value* slots) {
  const NativeSettings& settings = machine_.settings();
  if (settings.engine != Engine::Auto || !settings.compiler || !settings.enter_loops) return {};
  std::unique_lock lock(mutex_);
  MiddleUnit& unit = middle(code, head);
  unit.rounds += count;
  if (unit.entry.code != nullptr || unit.compiling) return unit.entry;
  if (unit.rounds < static_cast<std::int64_t>(delay(unit, settings.iterations_until_native)) ||
      too_early())
    return {};
  return make_entry(lock, unit, code, slots, false);
}

Tiering::Entry Tiering::continuation(const ResolvedVersion& code, Pc pc, const Value* slots) {
  std::unique_lock lock(mutex_);
  return continuation(lock, code, pc, slots, nullptr);
}

Tiering::Entry Tiering::continuation(std::unique_lock<std::mutex>& lock,
                                     const ResolvedVersion& code, Pc pc, const Value* slots,
                                     const NativeCode* left) {
  const NativeSettings& settings = machine_.settings();
  if (settings.engine == Engine::Baseline || !settings.compiler || !enters_behind_exits())
    return {};
  MiddleUnit& unit = middle(code, pc);
  ++unit.taken;
  // What was left for its own beginning would be left there again.
  if (unit.entry.code != nullptr) return unit.entry.code == left ? Entry() : unit.entry;
  const std::uint64_t enough = std::max(settings.exits_until_continuation, 1U);
  if (unit.compiling || unit.taken < delay(unit, enough)) return {};
  return make_entry(lock, unit, code, slots, true);
}

// A log for the reference says nothing of code behind exits.
bool Tiering::enters_behind_exits() const {
  return machine_.settings().enter_behind_exits && !machine_.notes_steps();
}

Tiering::Entry Tiering::make_entry(std::unique_lock<std::mutex>& lock, MiddleUnit& unit,
                                   const ResolvedVersion& code, const Value* slots, bool exits) {
  const NativeSettings& settings = machine_.settings();
  unit.compiling = true;
  auto job = std::make_shared<Job>();
  job->middle = {&code, unit.pc};
  job->exits = exits;
  job->versions = {&code};
  job->believe = settings.engine == Engine::Auto && unit.retired < settings.most_retired;
  if (job->believe) {
    snapshot(*job, code, adds_versions() ? kCalleeLevels : 0);
    if (adds_versions()) {
      job->feedback = observed(code, job->sites[&code], {}, settings.speculation);
      add_targets(*job, code);
    }
    job->expected = kinds_now(code, unit.pc, slots);
    note_state(*job, code, unit.pc, slots, code.slots.size());
  }
  begin_job(lock, job);
  return unit.entry;
}

// What the live variables are now: the best guess of what they will be.
std::vector<Tag> Tiering::kinds_now(const ResolvedVersion& code, Pc pc, const Value* slots) const {
  std::vector<Tag> kinds(code.slots.size(), Tag::Unbound);
  const Cfg cfg(*code.source, {});
  if (pc >= code.source->body.size() || !cfg.reachable(Position{pc})) return {};
  for (const Var x : Liveness(*code.source, cfg).before(pc)) {
    const Slot slot = *code.slot_of(x);
    kinds[slot] = slots[slot].tag();
  }
  return kinds;
}

namespace {

template <class F>
void for_each_target(const ResolvedVersion& code, F&& f) {
  const auto of = [&](const resolved::Exit& exit) {
    f(exit.frame);
    for (const resolved::OuterFrame& outer : exit.outer) f(outer.frame);
  };
  for (const resolved::Instr& i : code.instrs) {
    if (const resolved::Exit* const exit = exit_of(i)) of(*exit);
  }
}

} // namespace

void Tiering::add_continuations(std::vector<CompileRequest>& requests, const Job& job) {
  const NativeSettings& settings = machine_.settings();
  if (settings.exits_until_continuation != 0 || !enters_behind_exits()) return;
  const std::lock_guard lock(mutex_);
  const auto there = [&](const resolved::Frame& to) {
    const auto known = middles_.find({to.code, to.pc});
    if (known != middles_.end() && known->second.entry.code != nullptr) return true;
    return std::ranges::any_of(requests, [&](const CompileRequest& r) {
      return !r.entry && r.code == to.code && r.start == to.pc;
    });
  };
  for (std::size_t i = 0; i < requests.size(); ++i) // also of those that are added
    for_each_target(*requests[i].code, [&](const resolved::Frame& to) {
      if (there(to)) return;
      CompileRequest r{.code = to.code, .start = to.pc, .entry = false};
      const auto seen = job.sites.find(to.code);
      if (job.believe && seen != job.sites.end() && seen->second.size() >= to.code->instrs.size())
        r.feedback = seen->second.data();
      r.better = better_loops(*to.code, to.pc);
      requests.push_back(r);
    });
}

// Code behind an exit does not stay in a loop of many calls or inner loops for ever if there is
// code of that loop's own, which the optimizer made for it. (Short loops are left to LLVM.)
std::vector<BetterLoop> Tiering::better_loops(const ResolvedVersion& code, Pc start) {
  if (machine_.settings().engine != Engine::Auto || owner(code) != nullptr) return {};
  std::vector<std::uint32_t> before(code.instrs.size() + 1); // calls and ends of rounds
  for (Pc pc = 0; pc < code.instrs.size(); ++pc) {
    const resolved::Instr& i = code.instrs[pc];
    before[pc + 1] =
        before[pc] + (is_back_edge(i, pc) || std::holds_alternative<resolved::Call>(i));
  }
  std::vector<BetterLoop> loops;
  const auto round = [&](Pc head, Pc end) {
    if (head <= end && head != start && before[end] != before[head])
      loops.push_back({head, &middle(code, head).ready});
  };
  for (Pc pc = 0; pc < code.instrs.size(); ++pc) {
    if (const auto* jump = std::get_if<resolved::Goto>(&code.instrs[pc])) round(jump->target, pc);
    if (const auto* branch = std::get_if<resolved::Branch>(&code.instrs[pc]))
      round(branch->if_true, pc), round(branch->if_false, pc);
  }
  std::ranges::sort(loops, {}, &BetterLoop::head);
  return loops;
}

void Tiering::install_continuation(const NativeCode& code) {
  MiddleUnit& unit = middle(*code.code, code.start);
  if (unit.entry.code == nullptr) unit.install({&code, nullptr, &unit});
}

Tiering::Entry Tiering::left(const Departure& d) {
  const bool counts = machine_.settings().engine == Engine::Auto && !machine_.forces_exits();
  const NativeCode* const code_left = d.entered != nullptr ? d.entered->code : nullptr;
  if (!counts && !machine_.hooks().tiers && d.middle != nullptr && *d.middle != nullptr) {
    const auto& unit = *static_cast<MiddleUnit*>(*d.middle);
    const NativeCode* const ready = unit.ready.load(std::memory_order_acquire);
    if (ready != nullptr && ready != code_left) return unit.entry;
  }
  std::unique_lock lock(mutex_);
  Entry on;
  if (d.better) {
    on = middle(*d.code, d.pc).entry;
    tell({.kind = TierEvent::Kind::Left, .code = d.code, .pc = d.pc, .native = true});
    return on.code == code_left ? Entry() : on;
  }
  if (d.exit != nullptr)
    on = continuation(lock, *d.exit->frame.code, d.exit->frame.pc, d.slots, code_left);
  if (on.code != nullptr && d.middle != nullptr) *d.middle = on.unit;
  tell({.kind = TierEvent::Kind::Left,
        .code = d.code,
        .pc = d.pc,
        .exit = d.exit,
        .native = on.code != nullptr});
  if (counts) count(d);
  return on;
}

void Tiering::count(const Departure& d) {
  const NativeSettings& settings = machine_.settings();
  const auto enough = [&](Unit& unit) {
    const bool counted_on = unit.retired < settings.most_retired;
    const bool first = settings.replace_at_first_exit && d.exit != nullptr;
    return count_exit(unit) || (counted_on && first);
  };
  if (d.entered != nullptr) {
    MiddleUnit& unit = *d.entered->unit;
    if (unit.entry.code == d.entered->code && enough(unit)) retire(unit);
    return;
  }
  FunctionCell& f = machine_.cell(d.code->function);
  const auto at = functions_.find(&f);
  if (at == functions_.end() ||
      std::ranges::find(at->second.compiled, d.code) == at->second.compiled.end())
    return;
  if (enough(at->second)) retire(f, at->second);
}

} // namespace sourir::native
