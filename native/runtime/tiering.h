// When functions and loops become native code.
#pragma once

#include "native/runtime/function_cell.h"

#include <map>
#include <unordered_map>

namespace sourir::native {

struct Insn;

class Tiering {
public:
  explicit Tiering(Machine& machine) : machine_(machine) {}

  // The compiler that the settings give, where one is needed; Engine::Native: all is compiled.
  void begin();
  // A function was called so often: it gets native code, or is never asked for again.
  void hot(FunctionCell& f);
  // Native code of a version, for calls; null: none.
  const NativeCode* code_of(const InstrStream& code) const;
  // A loop went round about `count` more times: code to enter at its head, or null.
  const NativeCode* loop(const InstrStream& code, Pc head, std::int64_t count);
  // The native code that this address is in; null: none.
  const NativeCode* code_at(std::uint64_t address) const;

private:
  void install(const NativeCode& code);
  std::vector<const NativeCode*> compile(std::span<const CompileRequest> requests);
  bool suits(const InstrStream& code) const;

  Machine& machine_;
  std::unique_ptr<NativeCompiler> compiler_;
  std::vector<std::unique_ptr<NativeCode>> codes_;
  std::map<std::uint64_t, const NativeCode*> by_address_;
  std::unordered_map<const InstrStream*, const NativeCode*> by_version_;
  struct Loop {
    std::int64_t count = 0;
    const NativeCode* code = nullptr;
  };
  std::map<std::pair<const InstrStream*, Pc>, Loop> loops_;
};

} // namespace sourir::native
