// Instrumentation for samples. The code keeps the tag of the last value of each sample slot, mostly
// in a register where it is anyway. At safepoints (back edges, returns) it polls the word of its
// SampledCode (profiler/sampled_code.h); where a sample is requested, a cold block stores the tags
// and reports them to the runtime, or bails out because newer code is there.
#pragma once

#include "native/llvm_lowering/exits.h"
#include "native/llvm_lowering/sample_plan.h"

namespace sourir::native {

class SampleReports {
public:
  SampleReports(Emitter& emitter, Variables& variables, Exits& exits);

  const std::vector<SampleSlot>& slots() const { return plan_.slots(); }
  // At the entry, with the variables filled. polls: recursive calls enter here; other calls find
  // newer code by themselves.
  void begin(bool polls);
  // The current instruction binds this value.
  void record(const TypedValue& v);
  // The current instruction may go back; the variables are those before it.
  void at_back_edge();
  void at_return();

private:
  struct Poll {
    SamplePlan::SlotSet reported = 0;
    std::uint32_t bits = 0;       // of the request, that stand for this safepoint
    std::optional<Pc> bailout_pc; // where the baseline continues if there is newer code
  };
  void poll(const Poll& poll, std::uint32_t also);
  void count_event(const Poll& poll);
  void report(std::string_view runtime_call, llvm::Value* no_request, const Poll& poll);

  Emitter& e_;
  llvm::IRBuilderBase& b_;
  Variables& variables_;
  Exits& exits_;
  SamplePlan plan_;
  std::size_t polling_back_edges_ = 0; // so far
  std::vector<llvm::Value*> tags_;     // by slot: where its tag is kept, or kNoTag
  llvm::Value* buffer_ = nullptr;      // where the runtime finds the tags; null: no slots
};

} // namespace sourir::native
