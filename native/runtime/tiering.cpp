#include "native/runtime/tiering.h"

#include "native/runtime/machine.h"
#include "native/runtime/runtime_calls.h"

#include <algorithm>
#include <chrono>

namespace sourir::native {

using Engine = NativeSettings::Engine;

void Tiering::begin() {
  const NativeSettings& settings = machine_.settings();
  if (settings.engine == Engine::Baseline || !settings.compiler) return;
  if (settings.engine == Engine::Auto) {
    for (const Function& f : machine_.program().source().functions)
      machine_.cell(f.name).hot_at = std::max<std::uint64_t>(settings.calls_until_native, 1);
    return;
  }
  std::vector<CompileRequest> requests;
  for (const Function& f : machine_.program().source().functions)
    for (const InstrStream* code : machine_.cell(f.name).fun->versions)
      if (!code->source->cont && suits(*code)) requests.push_back({.code = code});
  for (const NativeCode* code : compile(requests)) install(*code);
}

bool Tiering::suits(const InstrStream& code) const {
  return code.parameters <= kMostNativeParameters;
}

std::vector<const NativeCode*> Tiering::compile(std::span<const CompileRequest> requests) {
  const NativeSettings& settings = machine_.settings();
  if (!compiler_) compiler_ = settings.compiler(machine_);
  const CompileOptions options{.level = settings.level,
                               .forced_exits = machine_.forces_exits(),
                               .fuel = machine_.limits_fuel()};
  const auto before = std::chrono::steady_clock::now();
  std::vector<const NativeCode*> made;
  for (std::unique_ptr<NativeCode>& code : compiler_->compile(requests, options)) {
    ++machine_.statistics.compiled;
    machine_.statistics.machine_code_bytes += code->size;
    by_address_[code->begin] = code.get();
    made.push_back(code.get());
    codes_.push_back(std::move(code));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
  machine_.statistics.compile_seconds += took.count();
  return made;
}

// Calls go straight to it where no context and no schedule has to be asked.
void Tiering::install(const NativeCode& code) {
  by_version_[code.code] = &code;
  FunctionCell& f = machine_.cell(code.code->function);
  if (f.fun->dispatch.size() == 1 && !machine_.schedule().enters())
    f.entry.store(code.entry, std::memory_order_release);
}

void Tiering::hot(FunctionCell& f) {
  f.hot_at = ~std::uint64_t{0};
  std::vector<CompileRequest> requests;
  for (const InstrStream* code : f.fun->dispatch)
    if (suits(*code)) requests.push_back({.code = code});
  if (requests.empty()) return;
  for (const NativeCode* code : compile(requests)) install(*code);
}

const NativeCode* Tiering::code_of(const InstrStream& code) const {
  const auto at = by_version_.find(&code);
  return at == by_version_.end() ? nullptr : at->second;
}

const NativeCode* Tiering::loop(const InstrStream& code, Pc head, std::int64_t count) {
  const NativeSettings& settings = machine_.settings();
  if (settings.engine != Engine::Auto || !settings.compiler) return nullptr;
  Loop& loop = loops_[{&code, head}];
  loop.count += count;
  if (loop.code == nullptr && loop.count >= settings.iterations_until_native) {
    const CompileRequest request{.code = &code, .start = head, .entry = false};
    loop.code = compile({&request, 1}).front();
  }
  return loop.code;
}

const NativeCode* Tiering::code_at(std::uint64_t address) const {
  const auto after = by_address_.upper_bound(address);
  if (after == by_address_.begin()) return nullptr;
  const NativeCode* code = std::prev(after)->second;
  return address <= code->begin + code->size ? code : nullptr;
}

} // namespace sourir::native
