// Code that samples say is stale: the same job once more, with what was sampled instead of what was
// recorded (paper 4.2; thesis 4.4).
#include "native/engine/machine.h"
#include "native/tiering/inferred.h"
#include "native/tiering/tiering.h"
#include "sourir/analysis/mutant.h"
#include "sourir/semantics/exits.h"
#include "sourir/syntax/text/printer.h"

#include <algorithm>

namespace sourir::native {

using profiler::kBailOut;
using profiler::kPollRuntime;
using profiler::SampledCode;
using profiler::SampledPosition;

void Tiering::sample(CompileRequest& request) {
  std::string version;
  {
    const std::lock_guard names(machine_.names_mutex());
    const Names& all = machine_.program().names();
    version.append(all.text(request.code->function))
        .append(".")
        .append(all.text(request.code->version));
    if (!request.entry) version += "@" + std::to_string(request.start);
  }
  const std::lock_guard lock(mutex_);
  request.sampled = &machine_.sampling().make(version);
}

// A place of the running program whose feedback a slot samples; a parameter: its slot.
std::optional<SitePlace> Tiering::place_of(const Job& job, const AddedVersion* added,
                                           const NativeCode& code, const SampleSlot& slot) const {
  if (!slot.parameter)
    return added != nullptr ? added->origins[slot.at]
                            : std::optional<SitePlace>({code.code, slot.at});
  if (job.function != nullptr) return SitePlace{job.function->fun->dispatch.front(), slot.at};
  if (added == nullptr) return {};
  return SitePlace{job.middle.first, added->entered_with[slot.at]};
}

namespace {

// The feedback that code was made for: of an instruction, of calls, of a loop that was entered.
TypeSet used_at(const SiteFeedback* sites, const std::vector<TypeSet>& parameters,
                const std::vector<Tag>& expected, const SampleSlot& slot, Slot variable) {
  if (!slot.parameter) return sites != nullptr ? sites[slot.at].result : TypeSet{};
  if (slot.at < parameters.size()) return parameters[slot.at];
  const bool known = variable < expected.size() && expected[variable] != Tag::Unbound;
  return known ? type_set(expected[variable]) : TypeSet{};
}

} // namespace

// Before anybody enters the code.
void Tiering::note_origins(Job& job, const AddedVersion* added,
                           std::span<const CompileRequest> requests,
                           std::span<const NativeCode* const> made) {
  for (std::size_t i = 0; i < made.size(); ++i) {
    SampledCode* const sampled = made[i]->sampled;
    if (sampled == nullptr) continue;
    const std::scoped_lock locks(machine_.names_mutex(), mutex_);
    SampledOrigin origin{job.shared_from_this(), made[i], {}};
    for (const SampleSlot& slot : made[i]->sample_slots) {
      sampled->slots.push_back(profiler::kNoPosition);
      const auto place = place_of(job, added, *made[i], slot);
      if (!place) continue;
      const auto same = [&](const SampledPosition& p) {
        const std::size_t n = static_cast<std::size_t>(&p - sampled->positions.data());
        return p.parameter == slot.parameter && origin.places[n] == *place;
      };
      auto at = std::ranges::find_if(sampled->positions, same);
      if (at == sampled->positions.end()) {
        SampledPosition position{.pc = place->second, .parameter = slot.parameter};
        const ResolvedVersion& from = *place->first;
        position.place =
            print(from.place(slot.parameter ? 0 : place->second), machine_.program().names());
        const std::optional<Slot> x =
            slot.parameter ? place->second : bound_by(from.instrs[place->second]);
        position.what = x ? machine_.program().names().text(from.slots[*x]) : "";
        position.used =
            used_at(requests[i].feedback, job.parameters, job.expected, slot, place->second);
        origin.places.push_back(*place);
        sampled->positions.push_back(std::move(position));
        at = std::prev(sampled->positions.end());
      }
      sampled->slots.back() = static_cast<std::uint16_t>(at - sampled->positions.begin());
    }
    if (mutant(114) && !sampled->slots.empty())
      std::ranges::rotate(sampled->slots, sampled->slots.begin() + 1);
    sampled->begin = made[i]->begin;
    sampled->size = made[i]->size;
    sampled->asked_for = job.replaces != nullptr;
    if (const Unit* const unit = job.function != nullptr
                                     ? static_cast<Unit*>(&functions_[job.function])
                                     : static_cast<Unit*>(&middles_[job.middle]))
      sampled->failed_recompilations = unit->disappointed;
    sampled_[sampled] = std::move(origin);
    machine_.sampling().publish(*sampled);
  }
}

// --- On the thread of the program ---

bool Tiering::look(SampledCode& code, const std::uint64_t* words, std::uint64_t given,
                   std::uint32_t bits) {
  machine_.sampling().hear(code, words, given, bits);
  const auto asks = [&](std::uint32_t what) { return (code.request.load() & what) != 0; };
  if (asks(kBailOut) || !asks(kPollRuntime)) return asks(kBailOut);
  std::unique_lock lock(mutex_);
  if (!finished_.contains(&code)) {
    code.request.fetch_and(~kPollRuntime);
    resample(lock, code);
  }
  const auto from = sampled_.find(&code);
  if (finished_.contains(&code) && from != sampled_.end()) replace(*from->second.native);
  return asks(kBailOut);
}

Tiering::Unit* Tiering::unit_of(const SampledOrigin& from) {
  const Job& job = *from.job;
  if (job.function == nullptr) {
    const auto at = middles_.find(job.middle);
    return at != middles_.end() && at->second.entry.code == from.native ? &at->second : nullptr;
  }
  FunctionUnit& unit = functions_[job.function];
  const bool current = std::ranges::find(unit.compiled, from.native->code) != unit.compiled.end() &&
                       by_version_.contains(from.native->code) &&
                       by_version_[from.native->code] == from.native;
  return current ? &unit : nullptr;
}

void Tiering::resample(std::unique_lock<std::mutex>& lock, SampledCode& code) {
  const auto from = sampled_.find(&code);
  Unit* const unit = from == sampled_.end() ? nullptr : unit_of(from->second);
  if (unit != nullptr && unit->compiling) return; // for another reason; it will be told again
  code.settled.store(true);
  if (unit == nullptr || unit->disappointed >= profiler::Settings::kMostFailedRecompilations)
    return;
  ++machine_.sampling().asked;
  auto job = job_with_samples(code, from->second);
  job->replaces = &code;
  unit->compiling = true;
  begin_job(lock, std::move(job));
}

// What has enough samples counts instead of what was recorded; the rest is inferred.
std::shared_ptr<Tiering::Job> Tiering::job_with_samples(const SampledCode& code,
                                                        const SampledOrigin& from) const {
  auto job = std::make_shared<Job>(*from.job);
  const std::uint32_t enough = code.min_samples(machine_.sampling().settings().thresholds);
  for (std::size_t i = 0; i < code.positions.size(); ++i) {
    const SampledPosition& position = code.positions[i];
    if (position.samples() < enough) continue;
    const auto& [stream, at] = from.places[i];
    const auto sites = job->sites.find(stream);
    if (position.parameter) {
      if (job->function != nullptr && at < job->parameters.size())
        job->parameters[at] = position.sampled();
    } else if (sites != job->sites.end() && at < sites->second.size()) {
      sites->second[at].result = position.sampled();
    }
  }
  const ResolvedVersion& active = *job->versions.front();
  for (auto& [stream, sites] : job->sites)
    fill_in(*stream,
            stream == &active ? std::span<const TypeSet>(job->parameters)
                              : std::span<const TypeSet>(),
            sites);
  const NativeSettings& settings = machine_.settings();
  job->feedback = {};
  if (adds_versions() && (job->function == nullptr || one_version(*job->function))) {
    job->feedback = observed(active, job->sites[&active], job->parameters, settings.speculation);
    add_targets(*job, active);
  }
  expect_samples(*job, code, from);
  return job;
}

// A loop is entered with what its variables are then: what its last rounds bound to them.
void Tiering::expect_samples(Job& job, const SampledCode& code, const SampledOrigin& from) const {
  if (job.function != nullptr) {
    for (std::size_t p = 0; p < job.parameters.size() && p < job.expected.size(); ++p)
      job.expected[p] = only_tag(job.parameters[p]);
    return;
  }
  std::unordered_map<Slot, TypeSet> bound, came;
  const std::uint32_t enough = code.min_samples(machine_.sampling().settings().thresholds);
  for (std::size_t i = 0; i < code.positions.size(); ++i) {
    const auto& [stream, at] = from.places[i];
    const SampledPosition& position = code.positions[i];
    if (stream != job.middle.first) continue;
    const TypeSet seen = position.samples() < enough ? kAnyType : position.sampled();
    const std::optional<Slot> x = position.parameter ? at : bound_by(stream->instrs[at]);
    if (x) (position.parameter ? came : bound)[*x] |= seen;
  }
  came.merge(bound);
  for (const auto& [x, seen] : bound) came[x] = seen;
  for (const auto& [x, seen] : came)
    if (x < job.expected.size()) job.expected[x] = only_tag(seen);
}

// False: what asked for it has been given up meanwhile.
bool Tiering::keep_for_program(Job& job, std::unique_ptr<AddedVersion>& added,
                               std::span<const NativeCode* const> made) {
  if (job.replaces == nullptr) return false;
  const auto from = sampled_.find(job.replaces);
  if (from == sampled_.end() || unit_of(from->second) == nullptr) return false;
  finished_[job.replaces] = {job.shared_from_this(), std::move(added), {made.begin(), made.end()}};
  job.replaces->request.fetch_or(kPollRuntime);
  return true;
}

// The code that samples asked for takes the place of this.
void Tiering::replace(const NativeCode& old) {
  const SampledOrigin from = sampled_.find(old.sampled)->second;
  Unit& unit = *unit_of(from);
  Finished better = std::move(finished_[old.sampled]);
  finished_.erase(old.sampled);
  std::vector<const NativeCode*> gone;
  if (from.job->function != nullptr) {
    for (const ResolvedVersion* code : functions_[from.job->function].compiled)
      if (const auto at = by_version_.find(code); at != by_version_.end()) {
        gone.push_back(at->second);
        by_version_.erase(at);
      }
  } else {
    gone.push_back(&old);
    MiddleUnit& middle = middles_[from.job->middle];
    if (unit.before.empty()) middle.before_with = middle.entry.with;
    middle.install({});
  }
  for (const NativeCode* code : gone) {
    write_back(*code->code);
    tell(
        {.kind = TierEvent::Kind::Retired, .code = code->code, .pc = code->start, .sampled = true});
    if (code->sampled != nullptr) code->sampled->request.fetch_or(kBailOut);
  }
  // The most general code is what to go back to.
  std::vector<const NativeCode*>& kept = unit.before.empty() ? unit.before : retired_;
  kept.insert(kept.end(), gone.begin(), gone.end());
  ++machine_.sampling().recompiled;
  put_into_place(*better.job, std::move(better.added), better.made);
}

// It was given up while code was made that samples asked for.
void Tiering::adopt_finished(const NativeCode& old) {
  if (old.sampled == nullptr) return;
  const auto at = finished_.find(old.sampled);
  if (at == finished_.end()) return;
  Finished better = std::move(at->second);
  finished_.erase(at);
  put_into_place(*better.job, std::move(better.added), better.made);
}

// Samples asked for the code, and it is given up before there are many of it: back off.
void Tiering::disappointed(Unit& unit, const NativeCode& code) {
  const SampledCode* const sampled = code.sampled;
  if (sampled == nullptr || !sampled->asked_for) return;
  if (sampled->hits.load() > sampled->max_samples(machine_.sampling().settings().thresholds))
    return;
  if (++unit.disappointed == profiler::Settings::kMostFailedRecompilations)
    ++machine_.sampling().given_up;
}

// Code that samples asked for was left too often: what it took the place of is entered again.
void Tiering::go_back(MiddleUnit& unit) {
  const NativeCode& code = *unit.before.front();
  unit.before.clear();
  unit.install({&code, unit.before_with, &unit});
  listen_again(code, unit.disappointed);
}

void Tiering::go_back(FunctionCell& f, FunctionUnit& unit) {
  for (const NativeCode* code : unit.before) {
    by_version_[code->code] = code;
    unit.compiled.push_back(code->code);
    listen_again(*code, unit.disappointed);
  }
  if (one_version(f)) f.entry.store(unit.before.front()->entry, std::memory_order_release);
  unit.before.clear();
}

void Tiering::listen_again(const NativeCode& code, std::uint32_t disappointed) {
  tell({.kind = TierEvent::Kind::Returned, .code = code.code, .pc = code.start});
  ++machine_.sampling().returned;
  if (code.sampled != nullptr) code.sampled->restart_sampling(disappointed);
}

SamplingReport Tiering::sampled() const {
  const std::lock_guard lock(mutex_);
  return machine_.sampling().report();
}

} // namespace sourir::native
