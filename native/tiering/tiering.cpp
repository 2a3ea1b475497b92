#include "native/tiering/tiering.h"

#include "native/engine/machine.h"
#include "native/engine/runtime_calls.h"
#include "native/tiering/compiler_loader.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

namespace sourir::native {

using Engine = NativeSettings::Engine;

namespace {

constexpr std::uint32_t kSamples = 8; // of the arguments before a function is compiled
constexpr std::uint64_t kNever = ~std::uint64_t{0};

} // namespace

Tiering::Tiering(Machine& machine) : machine_(machine), thread_(machine.settings().background) {}
Tiering::~Tiering() = default;

void Tiering::begin() {
  const NativeSettings& settings = machine_.settings();
  if (settings.engine == Engine::Baseline || !settings.compiler) return;
  if (settings.engine == Engine::Native) return begin_native();
  for (const Function& f : machine_.program().source().functions) {
    FunctionCell& cell = machine_.cell(f.name);
    cell.hot_at = std::max<std::uint64_t>(settings.calls_until_native / kSamples, 1);
  }
}

void Tiering::begin_native() {
  try {
    compile_all();
  } catch (const NoCompiler&) {
    throw;
  } catch (const std::exception& e) {
    warn(std::string("all versions stay in the baseline: ") + e.what());
  }
}

void Tiering::compile_all() {
  std::vector<CompileRequest> requests;
  const auto entered = [&](const ResolvedVersion& code) { // by all calls
    const FunctionCell& f = machine_.cell(code.function);
    return one_version(f) && &code == f.fun->dispatch.front();
  };
  for (const Function& f : machine_.program().source().functions)
    for (const ResolvedVersion* code : machine_.cell(f.name).fun->versions)
      if (!code->source->cont && suits(*code))
        requests.push_back({.code = code, .calls_itself = entered(*code)});
  add_continuations(requests, Job());
  const auto made = compile(requests);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const NativeCode* const code = made[i];
    if (!requests[i].entry) {
      install_continuation(*code);
      continue;
    }
    by_version_[code->code] = code;
    tell({.code = code->code, .bytes = code->size});
    FunctionCell& f = machine_.cell(code->code->function);
    if (entered(*code->code)) f.entry.store(code->entry, std::memory_order_release);
  }
}

bool Tiering::suits(const ResolvedVersion& code) const {
  return code.parameters <= kMostNativeParameters;
}

bool Tiering::one_version(const FunctionCell& f) const {
  return f.fun->dispatch.size() == 1 && !machine_.schedule().enters();
}

bool Tiering::too_early() {
  if (!machine_.settings().background) return false; // runs are to be the same
  early_ = early_ && std::chrono::steady_clock::now() - began_ < machine_.settings().quiet_start;
  return early_;
}

void Tiering::hot(FunctionCell& f, const Value* arguments) {
  const NativeSettings& settings = machine_.settings();
  std::unique_lock lock(mutex_);
  FunctionUnit& unit = functions_[&f];
  f.hot_at = kNever;
  if (unit.compiling || f.entry.load(std::memory_order_relaxed) != nullptr) return;
  unit.parameters.resize(f.arity);
  for (std::uint32_t p = 0; p < f.arity; ++p) unit.parameters[p] |= type_set(arguments[p].tag());
  const std::uint32_t samples = std::min(kSamples, std::max(settings.calls_until_native, 1U));
  if (++unit.samples % samples != 0 || too_early()) {
    const std::uint64_t step = std::max<std::uint64_t>(settings.calls_until_native / kSamples, 1);
    f.hot_at = f.calls + delay(unit, step);
    return;
  }
  auto job = std::make_shared<Job>();
  prepare(*job, f, unit);
  if (job->versions.empty()) return;
  note_state(*job, *f.fun->dispatch.front(), 0, arguments, f.arity);
  unit.compiling = true;
  begin_job(lock, job);
}

// Each time that it was given up it has to be hotter.
std::uint64_t Tiering::delay(const Unit& unit, std::uint64_t n) const {
  constexpr std::uint32_t kMostDoublings = 6;
  return machine_.settings().every_entry ? n : n << std::min(unit.retired, kMostDoublings);
}

// Without a thread the job runs here.
void Tiering::begin_job(std::unique_lock<std::mutex>& lock, std::shared_ptr<Job> job) {
  ++jobs_;
  lock.unlock();
  if (machine_.settings().engine == Engine::Native)
    attempt(*job); // as everything there, before it first runs
  else
    thread_.post([this, job = std::move(job)] { attempt(*job); });
  lock.lock();
}

// The copies that the compiler thread works on.
void Tiering::prepare(Job& job, FunctionCell& f, const FunctionUnit& unit) {
  job.function = &f;
  job.believe = unit.retired < machine_.settings().most_retired;
  for (const ResolvedVersion* code : f.fun->dispatch)
    if (suits(*code)) job.versions.push_back(code);
  if (!job.believe || job.versions.empty()) return;
  for (const ResolvedVersion* code : job.versions) snapshot(job, *code, kCalleeLevels);
  const ResolvedVersion& active = *f.fun->dispatch.front();
  const NativeSettings& settings = machine_.settings();
  if (adds_versions() && one_version(f)) {
    job.feedback = observed(active, job.sites[&active], unit.parameters, settings.speculation);
    add_targets(job, active);
  }
  job.parameters = unit.parameters;
  for (const TypeSet tags : unit.parameters) job.expected.push_back(only_tag(tags));
}

// On the compiler thread. Where a job fails the program goes on in the baseline: it counts as under
// way for ever. That there is no compiler at all is said once.
void Tiering::attempt(Job& job) {
  try {
    run(job);
  } catch (const NoCompiler& e) {
    if (!std::exchange(without_compiler_, true)) warn(e.what());
  } catch (const std::exception& e) {
    const ResolvedVersion& code = *job.versions.front();
    const std::lock_guard names(machine_.names_mutex());
    const Names& all = machine_.program().names();
    warn(std::string(all.text(code.function)) + "." + std::string(all.text(code.version)) +
         " stays in the baseline: " + e.what());
  }
}

void Tiering::run(Job& job) {
  if (!compiler_) compiler_ = machine_.settings().compiler(machine_);
  std::unique_ptr<AddedVersion> added;
  if (job.believe && adds_versions()) added = add(job);
  if (added && !verified(job, *added)) added = nullptr;
  std::vector<CompileRequest> requests;
  if (added) {
    requests.push_back({.code = &added->code(),
                        .entry = job.function != nullptr,
                        .parameters_only = job.function == nullptr,
                        .feedback = added->sites.data()});
  } else {
    for (const ResolvedVersion* code : job.versions) {
      CompileRequest r{.code = code, .start = job.middle.second, .entry = job.function != nullptr};
      if (job.exits) {
        const std::lock_guard lock(mutex_);
        r.better = better_loops(*code, r.start);
      }
      if (job.believe) {
        const auto& seen = job.sites[code];
        if (seen.size() >= code->instrs.size()) r.feedback = seen.data();
        if (!job.expected.empty()) r.expected = job.expected.data();
      }
      requests.push_back(r);
    }
  }
  const bool itself = job.function != nullptr && one_version(*job.function);
  for (CompileRequest& r : requests) r.calls_itself = itself;
  const std::size_t asked_for = requests.size();
  add_continuations(requests, job);
  const auto before = std::chrono::steady_clock::now();
  if (machine_.sampling().on() && job.believe)
    for (CompileRequest& r : std::span(requests).first(asked_for)) sample(r);
  const auto made = compile(requests);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - before;
  job.milliseconds = took.count();
  note_origins(job, added.get(), requests, std::span(made).first(asked_for));
  install(job, std::move(added), std::span(made).first(asked_for));
  const std::lock_guard lock(mutex_);
  for (const NativeCode* code : std::span(made).subspan(asked_for)) {
    install_continuation(*code);
    tell({.code = code->code, .pc = code->start, .exits = true, .bytes = code->size});
  }
}

std::unique_ptr<AddedVersion> Tiering::add(Job& job) {
  const Optimizer& optimizer = machine_.settings().optimizer;
  const LinkedProgram& program = machine_.program();
  const SitesOf sites = [&](const ResolvedVersion& code) {
    const auto at = job.sites.find(&code);
    return at == job.sites.end() ? std::span<const SiteFeedback>() : std::span(at->second);
  };
  const std::lock_guard lock(machine_.names_mutex());
  if (job.function == nullptr) {
    const auto& [code, head] = job.middle;
    // Only of what the program began with: what was added is a version of another program.
    if (program.version(code->function, code->version) != code || job.expected.empty())
      return nullptr;
    return add_loop(program, *code, head, job.feedback, job.expected, sites, optimizer,
                    machine_.names());
  }
  if (!one_version(*job.function)) return nullptr;
  return add_version(program, job.function->name, job.feedback, sites, optimizer, machine_.names());
}

bool Tiering::adds_versions() const {
  return machine_.settings().optimizer && !machine_.forces_exits() && !machine_.schedule().enters();
}

std::vector<const NativeCode*> Tiering::compile(std::vector<CompileRequest> requests) {
  const NativeSettings& settings = machine_.settings();
  const auto before = std::chrono::steady_clock::now();
  if (!compiler_) compiler_ = settings.compiler(machine_);
  const CompileOptions options{.level = settings.level,
                               .forced_exits = machine_.forces_exits(),
                               .fuel = machine_.limits_fuel(),
                               .entries = machine_.notes_steps(),
                               .ticks = machine_.sampling().ticks()};
  std::vector<std::unique_ptr<NativeCode>> codes;
  {
    const std::lock_guard names(machine_.names_mutex());
    codes = compiler_->compile(requests, options);
    if (machine_.hooks().made) {
      std::vector<const NativeCode*> made;
      for (const auto& code : codes) made.push_back(code.get());
      machine_.hooks().made({*compiler_, requests, options, made});
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
  const std::lock_guard lock(mutex_);
  EngineStatistics& statistics = machine_.statistics;
  statistics.compile_seconds += took.count();
  std::vector<const NativeCode*> made;
  for (std::unique_ptr<NativeCode>& code : codes) {
    ++statistics.compiled;
    statistics.machine_code_bytes += code->size;
    by_address_[code->begin] = code.get();
    made.push_back(code.get());
    codes_.push_back(std::move(code));
  }
  return made;
}

void Tiering::install(Job& job, std::unique_ptr<AddedVersion> added,
                      std::span<const NativeCode* const> made) {
  const std::lock_guard lock(mutex_);
  for (const NativeCode* code : made)
    tell({.code = code->code,
          .pc = code->start,
          .loop = job.function == nullptr && !job.exits,
          .exits = job.exits,
          .sampled = job.replaces != nullptr,
          .added = added ? added->program.get() : nullptr,
          .bytes = code->size,
          .milliseconds = job.milliseconds});
  if (!keep_for_program(job, added, made)) put_into_place(job, std::move(added), made);
}

void Tiering::put_into_place(Job& job, std::unique_ptr<AddedVersion> added,
                             std::span<const NativeCode* const> made) {
  if (job.function == nullptr) {
    MiddleUnit& unit = middles_[job.middle];
    unit.compiling = false;
    unit.left = unit.exits = 0;
    if (unit.entry.code == nullptr)
      unit.install({made.front(), added ? &added->entered_with : nullptr, &unit});
    if (added) keep(std::move(added));
    return;
  }
  FunctionUnit& unit = functions_[job.function];
  unit.compiling = false;
  unit.left = unit.exits = 0;
  unit.compiled.clear();
  for (const NativeCode* code : made) {
    by_version_[code->code] = code;
    unit.compiled.push_back(code->code);
  }
  if (added) keep(std::move(added));
  if (one_version(*job.function))
    job.function->entry.store(made.front()->entry, std::memory_order_release);
}

void Tiering::keep(std::unique_ptr<AddedVersion> added) {
  added->number = ++machine_.statistics.optimized;
  added_sites_[&added->code()] = added->sites;
  for (const auto& stream : added->streams) owners_.emplace(stream.get(), added.get());
  added_.push_back(std::move(added));
}

const AddedVersion* Tiering::added(const ResolvedVersion& code) const {
  const std::lock_guard lock(mutex_);
  return owner(code);
}

const resolved::Exit* Tiering::way_back(const ResolvedVersion& code, Pc pc) {
  const std::lock_guard lock(mutex_);
  AddedVersion* const added = owner(code);
  if (added == nullptr || &added->code() != &code) return nullptr;
  return added->way_back(pc, machine_.program());
}

const NativeCode* Tiering::code_of(const ResolvedVersion& code) const {
  const std::lock_guard lock(mutex_);
  const auto at = by_version_.find(&code);
  return at == by_version_.end() ? nullptr : at->second;
}

const NativeCode* Tiering::code_at(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const auto after = by_address_.upper_bound(address);
  if (after == by_address_.begin()) return nullptr;
  const NativeCode* code = std::prev(after)->second;
  return address <= code->begin + code->size ? code : nullptr;
}

EngineStatistics Tiering::counted() const {
  const std::lock_guard lock(mutex_);
  return machine_.statistics;
}

void Tiering::warn(std::string_view what) const {
  if (machine_.hooks().warn) machine_.hooks().warn(what);
}

void Tiering::tell(const TierEvent& event) const {
  if (!machine_.hooks().tiers) return;
  const std::lock_guard names(machine_.names_mutex());
  machine_.hooks().tiers(event);
}

} // namespace sourir::native
