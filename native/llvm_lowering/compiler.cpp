// The compiler of native code: modules lowered to LLVM IR, optimized, and linked by LLVM's JIT; the
// entry point of the shared library. One compilation at a time; any thread.
#include "native/llvm_lowering/event_counting.h"
#include "native/llvm_lowering/ir_lines.h"
#include "native/llvm_lowering/line_table.h"
#include "native/llvm_lowering/llvm_passes.h"
#include "native/llvm_lowering/module_lowering.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <stdexcept>

namespace sourir::native {

namespace {

template <class T>
T need(llvm::Expected<T> result) {
  if (result) return std::move(*result);
  throw std::runtime_error("LLVM: " + llvm::toString(result.takeError()));
}

void need(llvm::Error error) {
  if (error) throw std::runtime_error("LLVM: " + llvm::toString(std::move(error)));
}

void verify(const llvm::Module& module) {
  std::string complaint;
  llvm::raw_string_ostream out(complaint);
  if (llvm::verifyModule(module, &out)) throw std::runtime_error("LLVM: " + complaint);
}

// The machine code of one module; several versions share it.
struct LoadedModule {
  std::shared_ptr<llvm::orc::LLJIT> jit;
  llvm::orc::ResourceTrackerSP tracker;
  LineTable lines;
  explicit LoadedModule(LineTable table) : lines(std::move(table)) {}
  ~LoadedModule() {
    if (tracker) llvm::consumeError(tracker->remove());
  }
};

class Installed final : public NativeCode {
public:
  Installed(std::shared_ptr<LoadedModule> loaded, std::string name)
      : loaded_(std::move(loaded)), name_(std::move(name)) {}
  ~Installed() override {
    for (const auto& counted : events) counted->retire();
  }
  Installed(const Installed&) = delete;
  Installed& operator=(const Installed&) = delete;
  std::optional<Pc> call_at(std::uint64_t return_address) const override {
    if (return_address <= begin || return_address > begin + size) return {};
    const std::uint32_t line = loaded_->lines.call(name_, return_address - begin - 1);
    return line == 0 ? std::nullopt : std::optional<Pc>(line - 1);
  }

private:
  std::shared_ptr<LoadedModule> loaded_;
  std::string name_;
};

// While it exists, machine code of no instruction has line 0, where LLVM would let it have the line
// of the code before. LLVM has no other switch for it than this option of its command line.
class UnknownLocations {
public:
  UnknownLocations() {
    if (option_ != nullptr) option_->addOccurrence(1, kName, "Enable");
  }
  ~UnknownLocations() {
    if (option_ != nullptr) option_->reset();
  }
  UnknownLocations(const UnknownLocations&) = delete;
  UnknownLocations& operator=(const UnknownLocations&) = delete;

private:
  static constexpr llvm::StringRef kName = "use-unknown-locations";
  llvm::cl::Option* const option_ = llvm::cl::getRegisteredOptions().lookup(kName);
};

class LlvmCompiler final : public NativeCompiler {
public:
  explicit LlvmCompiler(const CompilerHost& host);
  std::vector<std::unique_ptr<NativeCode>> compile(std::span<const CompileRequest> requests,
                                                   const CompileOptions& options) override;
  std::string show(std::span<const CompileRequest> requests, const CompileOptions& options,
                   Form form) override;
  AssemblyOfIr assembly_of_ir(std::span<const CompileRequest> requests,
                              const CompileOptions& options) override;
  std::vector<PassChange> passes(std::span<const CompileRequest> requests,
                                 const CompileOptions& options) override;
  void serve(const CompilerHost& host) override;
  std::vector<NativeExit> exits(const CompileRequest& request,
                                const CompileOptions& options) override;

private:
  struct Made {
    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::Module> module;
    // In the order of the requests: names of the functions, and what they were lowered with.
    std::vector<std::string> names;
    std::vector<LoweredVersion> lowered;
  };
  // After LLVM's passes.
  Made optimized(std::span<const CompileRequest> requests, const CompileOptions& options,
                 const std::string& suffix);
  // By request: its functions of LLVM, which count from now on.
  std::vector<std::vector<CountedFunction>>
  count(Made& made, std::span<const CompileRequest> requests, const CompileOptions& options);
  Made lower(std::span<const CompileRequest> requests, const CompileOptions& options,
             const std::string& suffix, std::vector<NativeExit>* exits = nullptr);

  CompilerHost host_;
  std::shared_ptr<llvm::orc::LLJIT> jit_;
  Optimizer optimizer_;
  std::mutex mutex_; // one compilation at a time
  std::uint64_t modules_ = 0;
};

LlvmCompiler::LlvmCompiler(const CompilerHost& host) : host_(host) {
  llvm::orc::LLJITBuilder builder;
  builder.setPlatformSetUp(llvm::orc::setUpInactivePlatform);
  builder.setLinkProcessSymbolsByDefault(false);
  jit_ = need(builder.create());
  llvm::orc::SymbolMap symbols;
  const auto add = [&](const char* name, void* address) {
    symbols[jit_->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                            llvm::JITSymbolFlags::Exported};
  };
  for (const RuntimeCall& row : host.calls) add(row.name, row.address);
  for (const Stub& f : runtime_stubs())
    add((std::string("stub.") + f.name).c_str(), reinterpret_cast<void*>(f.code));
  // Functions that LLVM emits calls of.
  add("fmod", reinterpret_cast<void*>(static_cast<double (*)(double, double)>(std::fmod)));
  add("memset", reinterpret_cast<void*>(std::memset));
  add("memcpy", reinterpret_cast<void*>(std::memcpy));
  add("memmove", reinterpret_cast<void*>(std::memmove));
  need(jit_->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))));
}

LlvmCompiler::Made LlvmCompiler::lower(std::span<const CompileRequest> requests,
                                       const CompileOptions& options, const std::string& suffix,
                                       std::vector<NativeExit>* exits) {
  Made made{std::make_unique<llvm::LLVMContext>(), nullptr, {}, {}};
  made.context->setDiscardValueNames(suffix != "");
  made.module = std::make_unique<llvm::Module>("sourir", *made.context);
  optimizer_.prepare(*made.module);
  ModuleLowering lowering(*made.module, host_, options);
  lowering.exits = exits;
  for (const CompileRequest& r : requests) {
    std::string name(host_.names->text(r.code->function));
    name.append(".");
    name.append(r.dispatched != nullptr ? "dispatch" : host_.names->text(r.code->version));
    if (!r.entry) name += "@" + std::to_string(r.start);
    made.names.push_back(name + suffix);
    made.lowered.push_back(lowering.add(r, made.names.back()));
  }
  lowering.finish();
  if (options.verify) verify(*made.module);
  return made;
}

LlvmCompiler::Made LlvmCompiler::optimized(std::span<const CompileRequest> requests,
                                           const CompileOptions& options,
                                           const std::string& suffix) {
  Made made = lower(requests, options, suffix);
  optimizer_.optimize(*made.module, options.level);
  return made;
}

std::vector<std::vector<CountedFunction>>
LlvmCompiler::count(Made& made, std::span<const CompileRequest> requests,
                    const CompileOptions& options) {
  std::vector<std::vector<CountedFunction>> result(requests.size());
  if (options.events == nullptr) return result;
  for (std::size_t i = 0; i < requests.size(); ++i)
    for (const std::string& name : {made.names[i], made.names[i] + body_suffix()}) {
      llvm::Function* const f = made.module->getFunction(name);
      if (f == nullptr) continue;
      result[i].push_back(
          count_events(*f, made.lowered[i].markers, *requests[i].code, *options.events));
      if (options.level != 0) optimizer_.simplify_branches(*f);
    }
  if (options.verify) verify(*made.module);
  return result;
}

std::vector<std::unique_ptr<NativeCode>>
LlvmCompiler::compile(std::span<const CompileRequest> requests, const CompileOptions& options) {
  const std::lock_guard lock(mutex_);
  Made made = optimized(requests, options, "#" + std::to_string(++modules_));
  constexpr std::uint64_t kSome = 256;
  if (modules_ % kSome == 0) // names of freed code
    jit_->getExecutionSession().getSymbolStringPool()->clearDeadEntries();
  const std::vector<std::vector<CountedFunction>> counted = count(made, requests, options);
  std::unique_ptr<llvm::MemoryBuffer> object = optimizer_.object(*made.module, options.level);
  auto loaded = std::make_shared<LoadedModule>(LineTable(object->getBuffer()));
  loaded->jit = jit_;
  loaded->tracker = jit_->getMainJITDylib().createResourceTracker();
  need(jit_->addObjectFile(loaded->tracker, std::move(object)));
  std::vector<std::unique_ptr<NativeCode>> result;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::string& name = made.names[i];
    auto code = std::make_unique<Installed>(loaded, name);
    code->begin = need(jit_->lookup(name)).getValue();
    code->entry = reinterpret_cast<void*>(code->begin);
    code->size = loaded->lines.size(name);
    code->code = requests[i].code;
    code->start = requests[i].start;
    code->at_entry = requests[i].entry;
    code->sampled = requests[i].sampled;
    code->sample_slots = std::move(made.lowered[i].sample_slots);
    for (const CountedFunction& f : counted[i]) {
      if (f.code == nullptr) continue;
      f.code->counters = need(jit_->lookup(f.counters)).template toPtr<const std::uint64_t*>();
      code->events.push_back(f.code);
      code->decoder_size += loaded->lines.size(f.decoder);
    }
    result.push_back(std::move(code));
  }
  return result;
}

void LlvmCompiler::serve(const CompilerHost& host) {
  const std::lock_guard lock(mutex_);
  host_ = host;
}

std::string LlvmCompiler::show(std::span<const CompileRequest> requests,
                               const CompileOptions& options, Form form) {
  const std::lock_guard lock(mutex_);
  Made made = form == Form::Llvm ? lower(requests, options, "") : optimized(requests, options, "");
  if (form != Form::Llvm) count(made, requests, options);
  if (form == Form::Assembly) return optimizer_.assembly(*made.module, options.level);
  std::string text;
  llvm::raw_string_ostream out(text);
  made.module->print(out, nullptr);
  return text;
}

AssemblyOfIr LlvmCompiler::assembly_of_ir(std::span<const CompileRequest> requests,
                                          const CompileOptions& options) {
  const std::lock_guard lock(mutex_);
  Made made = optimized(requests, options, "");
  count(made, requests, options);
  AssemblyOfIr shown{number_instructions(*made.module), {}};
  const UnknownLocations line_0;
  shown.assembly = optimizer_.assembly(*made.module, options.level);
  return shown;
}

std::vector<PassChange> LlvmCompiler::passes(std::span<const CompileRequest> requests,
                                             const CompileOptions& options) {
  const std::lock_guard lock(mutex_);
  const std::string suffix = "#"; // values without names: the same code has the same text
  const Made made = lower(requests, options, suffix);
  std::vector<PassChange> changes;
  optimizer_.optimize(*made.module, options.level, &changes);
  for (PassChange& change : changes)
    if (const auto at = change.function.find(suffix); at != std::string::npos)
      change.function.erase(at, suffix.size());
  return changes;
}

std::vector<NativeExit> LlvmCompiler::exits(const CompileRequest& request,
                                            const CompileOptions& options) {
  const std::lock_guard lock(mutex_);
  std::vector<NativeExit> found;
  lower({&request, 1}, options, "", &found);
  std::ranges::stable_sort(found, {}, &NativeExit::at);
  return found;
}

} // namespace

} // namespace sourir::native

extern "C" __attribute__((visibility("default"))) sourir::native::NativeCompiler*
sourir_make_native_compiler(const sourir::native::CompilerHost& host) {
  if (host.interface_number != sourir::native::CompilerHost::kInterface) return nullptr;
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  return new sourir::native::LlvmCompiler(host);
}
