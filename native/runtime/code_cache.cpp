#include "native/runtime/code_cache.h"

#include <algorithm>

namespace sourir::native {

std::vector<const NativeCode*> CodeCache::add(std::vector<std::unique_ptr<NativeCode>> made) {
  const std::lock_guard lock(mutex_);
  std::vector<const NativeCode*> added;
  for (std::unique_ptr<NativeCode>& code : made) {
    ++statistics_.compiled;
    statistics_.machine_code_bytes += code->size + code->decoder_size;
    added.push_back(code.get());
    const std::uint64_t begin = code->begin;
    objects_[begin].code = std::move(code);
  }
  return added;
}

OptimizedVersion& CodeCache::add(std::unique_ptr<OptimizedVersion> version) {
  const std::lock_guard lock(mutex_);
  version->number = ++statistics_.optimized;
  for (const auto& stream : version->streams) owners_.emplace(stream.get(), version.get());
  versions_.push_back(std::move(version));
  return *versions_.back();
}

const NativeCode* CodeCache::code_at(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  return find(address);
}

const NativeCode* CodeCache::code_at_signal(std::uint64_t address) const {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return lock ? find(address) : nullptr;
}

const NativeCode* CodeCache::find(std::uint64_t address) const {
  const auto after = objects_.upper_bound(address);
  if (after == objects_.begin()) return nullptr;
  const NativeCode* const code = std::prev(after)->second.code.get();
  return address <= code->begin + code->size ? code : nullptr;
}

const NativeCode* CodeCache::code_for_calls(const ResolvedVersion& version) const {
  const std::lock_guard lock(mutex_);
  const auto at = for_calls_.find(&version);
  return at == for_calls_.end() ? nullptr : at->second;
}

OptimizedVersion* CodeCache::owner(const ResolvedVersion& stream) const {
  const auto at = owners_.find(&stream);
  return at == owners_.end() ? nullptr : at->second;
}

OptimizedVersion* CodeCache::version_of(const ResolvedVersion& stream) const {
  const std::lock_guard lock(mutex_);
  return owner(stream);
}

OsrEntry& CodeCache::osr_entry(const ResolvedVersion& version, Pc pc, std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  OsrEntry& entry = osr_entries_[{&version, pc, number}];
  entry.version = &version;
  entry.pc = pc;
  entry.number = number;
  return entry;
}

bool CodeCache::has_osr_code(const ResolvedVersion& version, Pc pc) const {
  const std::lock_guard lock(mutex_);
  const auto at = osr_entries_.find({&version, pc, 0});
  return at != osr_entries_.end() && at->second.code != nullptr;
}

// --- Entering code ---

DispatchTable::Entry& CodeCache::add_entry(FunctionCell& function, Context context,
                                           std::vector<resolved::Expr> when) {
  const std::lock_guard lock(mutex_);
  DispatchTable& table = *function.dispatch;
  if (table.entries.empty()) return table.append({});
  DispatchTable::Entry& added = table.insert(std::move(context), std::move(when));
  added.required = false;
  return added;
}

std::vector<CodeCache::ContextCalls> CodeCache::context_calls(const FunctionCell& function) const {
  const std::lock_guard lock(mutex_);
  std::vector<ContextCalls> all;
  for (const DispatchTable::Entry* const e : function.dispatch->order)
    all.push_back({e->context, e->tested_calls + e->direct_calls, e->direct_calls});
  return all;
}

void CodeCache::add_dispatcher(FunctionCell& function, std::unique_ptr<NativeCode> dispatcher) {
  const std::lock_guard lock(mutex_);
  function.dispatch->dispatcher = dispatcher->entry;
  dispatchers_.push_back(std::move(dispatcher));
}

void CodeCache::install_for_calls(const NativeCode& code, std::atomic<void*>* calls,
                                  FunctionCell* dispatched) {
  const std::lock_guard lock(mutex_);
  CodeObject& installed = object(code);
  installed.calls = calls;
  installed.dispatched = dispatched;
  enable(installed);
}

void CodeCache::install(OsrEntry& entry, const NativeCode& code,
                        const std::vector<Slot>* parameters) {
  const std::lock_guard lock(mutex_);
  CodeObject& installed = object(code);
  installed.osr = &entry;
  installed.parameters = parameters;
  enable(installed);
}

void CodeCache::enable(CodeObject& object) {
  const NativeCode& code = *object.code;
  object.state = State::Installed;
  if (object.osr != nullptr) {
    object.osr->code = &code;
    object.osr->parameters = object.parameters;
    object.osr->ready.store(&code, std::memory_order_release);
    return;
  }
  for_calls_[code.code] = &code;
  set_calls(object, code.entry);
}

// A dispatcher finds no required entry null: entries become so on the thread of the program only,
// which the dispatcher runs on, and its own address is removed in the same step.
void CodeCache::set_calls(const CodeObject& object, void* entry) {
  if (object.calls == nullptr) return;
  object.calls->store(entry, std::memory_order_release);
  if (object.dispatched == nullptr) return;
  const DispatchTable& table = *object.dispatched->dispatch;
  object.dispatched->entry.store(table.is_complete() ? table.dispatcher : nullptr,
                                 std::memory_order_release);
}

// Other code that was installed in its place meanwhile stays.
void CodeCache::disable(CodeObject& object, State state) {
  const NativeCode& code = *object.code;
  object.state = state;
  if (object.osr != nullptr) {
    if (object.osr->code != &code) return;
    object.osr->code = nullptr;
    object.osr->parameters = nullptr;
    object.osr->ready.store(nullptr, std::memory_order_release);
    return;
  }
  const auto at = for_calls_.find(code.code);
  if (at == for_calls_.end() || at->second != &code) return;
  for_calls_.erase(at);
  set_calls(object, nullptr);
}

void CodeCache::invalidate(const NativeCode& code) {
  const std::lock_guard lock(mutex_);
  disable(object(code), State::Invalidated);
  invalidated_.push_back(&code);
  invalidated_count_ = invalidated_.size();
}

void CodeCache::set_aside(const NativeCode& code) {
  const std::lock_guard lock(mutex_);
  disable(object(code), State::SetAside);
}

void CodeCache::reinstate(const NativeCode& code) {
  const std::lock_guard lock(mutex_);
  enable(object(code));
}

// --- Freeing code ---

void CodeCache::pin(const ResolvedVersion& version) {
  const std::lock_guard lock(mutex_);
  ++jobs_;
  pinned_.insert(&version);
}

void CodeCache::unpin(const ResolvedVersion& version) {
  const std::lock_guard lock(mutex_);
  if (const auto at = pinned_.find(&version); at != pinned_.end()) pinned_.erase(at);
}

// Whether code of the version is installed, or may be reinstated, at an entry that outlives it.
bool CodeCache::entered_from_outside(const OptimizedVersion& version) const {
  return std::ranges::any_of(objects_, [&](const auto& entry) {
    const CodeObject& object = entry.second;
    if (object.state != State::Installed && object.state != State::SetAside) return false;
    if (owner(*object.code->code) != &version) return false;
    return object.osr == nullptr || owner(*object.osr->version) != &version;
  });
}

// Versions are released as a whole: no activation may use any of their streams, now or later.
bool CodeCache::in_use(const CodeObject& object, const CodeInUse& in_use) const {
  const OptimizedVersion* const version = owner(*object.code->code);
  if (version == nullptr) return in_use.native.contains(object.code.get());
  const auto of_it = [&](const ResolvedVersion* stream) { return owner(*stream) == version; };
  return std::ranges::any_of(in_use.versions, of_it) || std::ranges::any_of(pinned_, of_it) ||
         std::ranges::any_of(in_use.native,
                             [&](const NativeCode* code) { return of_it(code->code); }) ||
         entered_from_outside(*version);
}

void CodeCache::release(const NativeCode& code, ReleasedCode& released) {
  const OptimizedVersion* const version = owner(*code.code);
  const auto of_it = [&](const ResolvedVersion& stream) {
    return version != nullptr && owner(stream) == version;
  };
  const auto same_record = [&](const NativeCode& c) {
    return c.sampled != nullptr && c.sampled == code.sampled; // its instrumented code
  };
  const auto goes = [&](const NativeCode* c) {
    return c == &code || of_it(*c->code) || same_record(*c);
  };
  std::erase_if(invalidated_, goes);
  std::erase_if(for_calls_, [&](const auto& entry) { return goes(entry.second); });
  std::erase_if(osr_entries_, [&](const auto& entry) {
    if (!of_it(*entry.second.version)) return false;
    released.entries.push_back(&entry.second);
    return true;
  });
  for (auto at = objects_.begin(); at != objects_.end();) {
    const auto next = std::next(at);
    if (goes(at->second.code.get())) {
      released.code.push_back(std::move(at->second.code));
      ++statistics_.freed;
      objects_.erase(at);
    }
    at = next;
  }
  if (version == nullptr) return;
  for (const auto& stream : version->streams) owners_.erase(stream.get());
  const auto at = std::ranges::find(versions_, version, &std::unique_ptr<OptimizedVersion>::get);
  released.versions.push_back(std::move(*at));
  versions_.erase(at);
}

ReleasedCode CodeCache::release_unused(const CodeInUse& used) {
  const std::lock_guard lock(mutex_);
  ReleasedCode released;
  for (std::size_t i = invalidated_.size(); i-- > 0;)
    if (i < invalidated_.size() && !in_use(object(*invalidated_[i]), used))
      release(*invalidated_[i], released);
  fruitless_walks_ = invalidated_.size() < invalidated_count_ ? 0 : fruitless_walks_ + 1;
  invalidated_count_ = invalidated_.size();
  constexpr std::uint64_t kMostDoublings = 10;
  next_search_ = jobs_ + (std::uint64_t{1} << std::min(fruitless_walks_, kMostDoublings));
  return released;
}

CodeCacheStatistics CodeCache::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

} // namespace sourir::native
