// A program whose active versions are compiled, with a small runtime of its own: requests of native
// code are answered by functions of the reference, exits are recorded. For tests of the lowering
// alone.
#pragma once

#include "native/engine/compiler_loader.h"
#include "native/runtime/heap.h"
#include "native/runtime/site_feedback.h"
#include "tests/unit/running.h"

namespace sourir::testing {

inline Value integer(std::int64_t n) { return Value(n); }

class Compiled {
public:
  Compiled(const std::string& text, const native::CompileOptions& options,
           std::vector<Value> inputs = {});

  // A call of a function from outside. Where it left, if it did, is in `exits`.
  Value call(const std::string& function, std::vector<Value> arguments, std::int64_t depth = 1000);
  // Entered at a position of the active version.
  Value enter(const std::string& function, Pc start, std::vector<Value> slots);
  // Of the active version.
  native::NativeCode& code(const std::string& function);
  std::string show(const std::string& function, native::NativeCompiler::Form form);
  void compile(const std::string& function);
  Value array(std::vector<Value> elements);
  Running& running() { return running_; }

  struct Exited {
    std::string by; // bailout, deopt, fuel, stop
    Pc pc = 0;
    std::vector<Value> slots;
  };
  std::vector<Exited> exits;
  std::vector<std::string> calls;        // of runtime functions, by name, but for
  static inline std::uint64_t loads = 0; // rt_load, by all
  std::int64_t fuel = 1'000'000;
  bool calls_itself = false; // each function that is compiled from now on
  // Code with samples, compiled from now on. Polls that find a request at loops get this answer.
  profiler::SampledCode* sampled = nullptr;
  bool instrumented = true;
  std::vector<Pc> leave_soon;      // CompileRequest::leave_soon of each function
  void* entered_instead = nullptr; // the answer at entries of code that is not instrumented
  profiler::Answer answer = profiler::Answer::GoOn, answer_at_return = profiler::Answer::GoOn;
  std::uint64_t polls = 0;
  std::vector<std::vector<std::uint64_t>> reports;      // the words of each
  std::uint64_t asked = 0, exit_at = ~std::uint64_t{0}; // exit_at: by the number of the question
  std::int64_t until_asked = 1, ask_every = 1;          // opportunities
  std::uint64_t return_address = 0;                     // of the last rt_call
  Value instead;                                        // what an exited activation returns

private:
  const ResolvedVersion& active(const std::string& function);

  Running running_;
  native::CompileOptions options_;
  std::vector<native::FunctionCell> cells_;
  native::CompilerHost host_;
  std::unique_ptr<native::NativeCompiler> compiler_;
  std::unordered_map<std::string, std::unique_ptr<native::NativeCode>> codes_;

public:
  Limits limits;
  native::Heap heap{limits};
};

} // namespace sourir::testing
