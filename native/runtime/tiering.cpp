#include "native/runtime/tiering.h"

#include "native/runtime/compiler_loader.h"
#include "native/runtime/machine.h"
#include "native/runtime/runtime_calls.h"
#include "sourir/analysis/liveness.h"

#include <algorithm>
#include <bit>
#include <chrono>

namespace sourir::native {

using Engine = NativeSettings::Engine;

namespace {

constexpr std::uint32_t kSamples = 8;      // of the arguments before a function is compiled
constexpr std::uint32_t kMostRetired = 12; // then nothing is counted on any more
// What was seen before code was retired is forgotten so often: the program may do something else
// now. From then on it does by turns.
constexpr std::uint32_t kMostForgotten = 3;
constexpr int kCalleeLevels = 3; // whose feedback goes along
constexpr std::uint64_t kNever = ~std::uint64_t{0};

Tag only_tag(TagSet tags) {
  return std::has_single_bit(tags) ? static_cast<Tag>(std::countr_zero(tags)) : Tag::Unbound;
}

} // namespace

Tiering::Tiering(Machine& machine) : machine_(machine), thread_(machine.settings().background) {}
Tiering::~Tiering() = default;

void Tiering::begin() {
  const NativeSettings& settings = machine_.settings();
  if (settings.engine == Engine::Baseline || !settings.compiler) return;
  if (settings.engine == Engine::Native) return compile_all();
  for (const Function& f : machine_.program().source().functions) {
    FunctionCell& cell = machine_.cell(f.name);
    cell.hot_at = std::max<std::uint64_t>(settings.calls_until_native / kSamples, 1);
  }
}

void Tiering::compile_all() {
  std::vector<CompileRequest> requests;
  const auto entered = [&](const InstrStream& code) { // by all calls
    const FunctionCell& f = machine_.cell(code.function);
    return one_version(f) && &code == f.fun->dispatch.front();
  };
  for (const Function& f : machine_.program().source().functions)
    for (const InstrStream* code : machine_.cell(f.name).fun->versions)
      if (!code->source->cont && suits(*code))
        requests.push_back({.code = code, .calls_itself = entered(*code)});
  for (const NativeCode* code : compile(requests)) {
    by_version_[code->code] = code;
    FunctionCell& f = machine_.cell(code->code->function);
    if (entered(*code->code)) f.entry.store(code->entry, std::memory_order_release);
  }
}

bool Tiering::suits(const InstrStream& code) const {
  return code.parameters <= kMostNativeParameters;
}

bool Tiering::one_version(const FunctionCell& f) const {
  return f.fun->dispatch.size() == 1 && !machine_.schedule().enters();
}

void Tiering::hot(FunctionCell& f, const Value* arguments) {
  const NativeSettings& settings = machine_.settings();
  std::unique_lock lock(mutex_);
  FunctionUnit& unit = functions_[&f];
  f.hot_at = kNever;
  if (unit.compiling || f.entry.load(std::memory_order_relaxed) != nullptr) return;
  unit.parameters.resize(f.arity);
  for (std::uint32_t p = 0; p < f.arity; ++p)
    unit.parameters[p] = static_cast<TagSet>(unit.parameters[p] | tag_set(arguments[p].tag()));
  if (++unit.samples % std::min(kSamples, std::max(settings.calls_until_native, 1U)) != 0) {
    const std::uint64_t step = std::max<std::uint64_t>(settings.calls_until_native / kSamples, 1);
    f.hot_at = f.calls + (step << unit.retired);
    return;
  }
  auto job = std::make_shared<Job>();
  prepare(*job, f, unit);
  if (job->versions.empty()) return;
  note_state(*job, *f.fun->dispatch.front(), 0, arguments, f.arity);
  unit.compiling = true;
  lock.unlock(); // without a thread the job runs here, and may throw
  thread_.post([this, job] { run(*job); });
  lock.lock();
}

// The copies that the compiler thread works on.
void Tiering::prepare(Job& job, FunctionCell& f, const FunctionUnit& unit) {
  job.function = &f;
  job.believe = unit.retired < kMostRetired;
  for (const InstrStream* code : f.fun->dispatch)
    if (suits(*code)) job.versions.push_back(code);
  if (!job.believe || job.versions.empty()) return;
  for (const InstrStream* code : job.versions) snapshot(job, *code, kCalleeLevels);
  const InstrStream& active = *f.fun->dispatch.front();
  const NativeSettings& settings = machine_.settings();
  if (adds_versions() && one_version(f)) {
    job.feedback = observed(active, job.sites[&active], unit.parameters, settings.speculation);
    add_targets(job, active);
  }
  for (const TagSet tags : unit.parameters) job.expected.push_back(only_tag(tags));
}

// On the compiler thread.
// Where there is no compiler after all the program goes on in the baseline: its jobs never end.
void Tiering::run(Job& job) {
  try {
    if (!compiler_) compiler_ = machine_.settings().compiler(machine_);
  } catch (const NoCompiler&) {
    return;
  }
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
    for (const InstrStream* code : job.versions) {
      CompileRequest r{.code = code, .start = job.loop.second, .entry = job.function != nullptr};
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
  const auto before = std::chrono::steady_clock::now();
  const auto made = compile(requests);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - before;
  job.milliseconds = took.count();
  install(job, std::move(added), made);
}

std::unique_ptr<AddedVersion> Tiering::add(Job& job) {
  const Optimizer& optimizer = machine_.settings().optimizer;
  const LinkedProgram& program = machine_.program();
  const SitesOf sites = [&](const InstrStream& code) {
    const auto at = job.sites.find(&code);
    return at == job.sites.end() ? std::span<const SiteFeedback>() : std::span(at->second);
  };
  const std::lock_guard lock(machine_.names_mutex());
  if (job.function == nullptr) {
    const auto& [code, head] = job.loop;
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

std::vector<const NativeCode*> Tiering::compile(std::span<const CompileRequest> requests) {
  const NativeSettings& settings = machine_.settings();
  const auto before = std::chrono::steady_clock::now();
  if (!compiler_) compiler_ = settings.compiler(machine_);
  const CompileOptions options{.level = settings.level,
                               .forced_exits = machine_.forces_exits(),
                               .fuel = machine_.limits_fuel(),
                               .entries = machine_.notes_steps()};
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
                      const std::vector<const NativeCode*>& made) {
  const std::lock_guard lock(mutex_);
  for (const NativeCode* code : made)
    tell({.code = code->code,
          .pc = code->start,
          .loop = job.function == nullptr,
          .added = added ? added->program.get() : nullptr,
          .bytes = code->size,
          .milliseconds = job.milliseconds});
  if (job.function == nullptr) {
    LoopUnit& unit = loops_[job.loop];
    unit.compiling = false;
    unit.left = 0;
    unit.entry = {made.front(), added ? &added->entered_with : nullptr};
    unit.compiled = made.front()->code;
    if (added) keep(std::move(added));
    return;
  }
  FunctionUnit& unit = functions_[job.function];
  unit.compiling = false;
  unit.left = 0;
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
  added_.push_back(std::move(added));
}

const AddedVersion* Tiering::added(const InstrStream& code) const {
  const std::lock_guard lock(mutex_);
  const auto has = [&](const auto& a) {
    return std::ranges::any_of(a->streams, [&](const auto& s) { return s.get() == &code; });
  };
  const auto at = std::ranges::find_if(added_, has);
  return at == added_.end() ? nullptr : at->get();
}

const code::Exit* Tiering::way_back(const InstrStream& code, Pc pc) {
  const std::lock_guard lock(mutex_);
  const auto at = std::ranges::find_if(added_, [&](const auto& a) { return &a->code() == &code; });
  return at == added_.end() ? nullptr : (*at)->way_back(pc, machine_.program());
}

const NativeCode* Tiering::code_of(const InstrStream& code) const {
  const std::lock_guard lock(mutex_);
  const auto at = by_version_.find(&code);
  return at == by_version_.end() ? nullptr : at->second;
}

Tiering::LoopEntry Tiering::loop(const InstrStream& code, Pc head, std::int64_t count,
                                 const Value* slots) {
  const NativeSettings& settings = machine_.settings();
  if (settings.engine != Engine::Auto || !settings.compiler || !settings.enter_loops) return {};
  std::unique_lock lock(mutex_);
  LoopUnit& unit = loops_[{&code, head}];
  unit.count += count;
  if (unit.entry.code != nullptr || unit.compiling) return unit.entry;
  if (unit.count < static_cast<std::int64_t>(settings.iterations_until_native) << unit.retired)
    return {};
  unit.compiling = true;
  auto job = std::make_shared<Job>();
  job->loop = {&code, head};
  job->versions = {&code};
  job->believe = unit.retired < kMostRetired;
  if (job->believe) {
    snapshot(*job, code, adds_versions() ? kCalleeLevels : 0);
    if (adds_versions()) {
      job->feedback = observed(code, job->sites[&code], {}, settings.speculation);
      add_targets(*job, code);
    }
    job->expected = kinds_now(code, head, slots);
    note_state(*job, code, head, slots, code.slots.size());
  }
  lock.unlock(); // without a thread the job runs here, and may throw
  thread_.post([this, job] { run(*job); });
  lock.lock();
  return loops_[{&code, head}].entry;
}

// What the live variables are now: the best guess of what they will be.
std::vector<Tag> Tiering::kinds_now(const InstrStream& code, Pc head, const Value* slots) const {
  std::vector<Tag> kinds(code.slots.size(), Tag::Unbound);
  const Cfg cfg(*code.source, {});
  if (head >= code.source->body.size() || !cfg.reachable(Position{head})) return {};
  for (const Var x : Liveness(*code.source, cfg).before(head)) {
    const Slot slot = *code.slot_of(x);
    kinds[slot] = slots[slot].tag();
  }
  return kinds;
}

const NativeCode* Tiering::code_at(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const auto after = by_address_.upper_bound(address);
  if (after == by_address_.begin()) return nullptr;
  const NativeCode* code = std::prev(after)->second;
  return address <= code->begin + code->size ? code : nullptr;
}

void Tiering::left(const InstrStream& code, Pc pc, const code::Exit* exit) {
  const NativeSettings& settings = machine_.settings();
  const std::lock_guard lock(mutex_);
  tell({.kind = TierEvent::Kind::Left, .code = &code, .pc = pc, .exit = exit});
  if (settings.engine != Engine::Auto || machine_.forces_exits()) return;
  for (auto& [key, unit] : loops_) {
    if (unit.entry.code == nullptr || unit.compiled != &code ||
        ++unit.left < settings.exits_until_retired)
      continue;
    if (unit.retired < kMostRetired) retire_loop(key, unit);
  }
  // What was cut out of a function bears a name that the program does not know.
  if (machine_.program().function(code.function) == nullptr) return;
  FunctionCell& f = machine_.cell(code.function);
  const auto at = functions_.find(&f);
  if (at == functions_.end() ||
      std::ranges::find(at->second.compiled, &code) == at->second.compiled.end())
    return;
  if (at->second.retired >= kMostRetired) return;
  if (++at->second.left >= settings.exits_until_retired) retire(f, at->second);
}

void Tiering::tell(const TierEvent& event) const {
  if (!machine_.hooks().tiers) return;
  const std::lock_guard names(machine_.names_mutex());
  machine_.hooks().tiers(event);
}

void Tiering::retire_loop(const std::pair<const InstrStream*, Pc>& loop, LoopUnit& unit) {
  write_back(*unit.compiled);
  tell({.kind = TierEvent::Kind::Retired, .code = unit.compiled, .pc = loop.second});
  if (unit.retired < kMostForgotten) machine_.forget(*loop.first);
  ++unit.retired;
  unit.left = 0;
  unit.count = 0;
  unit.entry = {};
  ++machine_.statistics.retired;
}

void Tiering::retire(FunctionCell& f, FunctionUnit& unit) {
  for (const InstrStream* code : unit.compiled) {
    write_back(*code);
    tell({.kind = TierEvent::Kind::Retired, .code = code});
  }
  if (unit.retired < kMostForgotten) {
    machine_.forget(*f.fun->dispatch.front());
    std::ranges::fill(unit.parameters, TagSet{0});
  }
  ++unit.retired;
  unit.left = 0;
  f.entry.store(nullptr, std::memory_order_release);
  for (const InstrStream* code : unit.compiled) by_version_.erase(code);
  unit.compiled.clear();
  f.hot_at = f.calls + 1;
  ++machine_.statistics.retired;
}

} // namespace sourir::native
