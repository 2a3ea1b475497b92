#include "native/llvm_lowering/sample_reports.h"

#include "native/llvm_lowering/line_table.h"

#include <llvm/IR/IRBuilder.h>

namespace sourir::native {

namespace {

constexpr std::uint64_t kNoTag = ~std::uint64_t{0};

} // namespace

SampleReports::SampleReports(Emitter& emitter, Variables& variables, Exits& exits)
    : e_(emitter), b_(emitter.ir), variables_(variables), exits_(exits),
      plan_(emitter.request, variables.types()) {}

void SampleReports::begin(bool polls) {
  if (slots().empty()) return;
  llvm::BasicBlock& first = e_.function()->getEntryBlock();
  llvm::IRBuilder<> entry(&first, first.getFirstInsertionPt());
  buffer_ = entry.CreateAlloca(e_.i64, e_.number(slots().size()), "sampled");
  for (const SampleSlot& slot : slots()) {
    tags_.push_back(entry.CreateAlloca(e_.i64, nullptr, "seen"));
    b_.CreateStore(slot.parameter ? variables_.load_tag(slot.at) : e_.number(kNoTag), tags_.back());
  }
  if (!polls) return;
  e_.set_position(e_.request.start, kNoCall);
  poll({.bailout_pc = e_.request.start}, profiler::kPollRuntime | profiler::kBailOut);
}

void SampleReports::record(const TypedValue& v) {
  if (const auto slot = plan_.slot_at(e_.pc())) b_.CreateStore(v.tag, tags_[*slot]);
}

void SampleReports::at_back_edge() {
  if (e_.request.sampled == nullptr) return;
  const SamplePlan::Safepoint safepoint = plan_.at_back_edge(e_.pc());
  Poll here{.reported = safepoint.reported, .bailout_pc = e_.pc()};
  if (safepoint.polls) here.bits = profiler::requested_at(polling_back_edges_++);
  if (e_.module.options.ticks != nullptr) count_event(here);
  if (safepoint.polls) poll(here, profiler::kPollRuntime | profiler::kBailOut);
}

void SampleReports::at_return() {
  if (e_.request.sampled == nullptr) return;
  const Poll here{.reported = plan_.at_return(), .bits = profiler::kRequestedAtReturn};
  if (e_.module.options.ticks != nullptr) count_event(here);
  if (here.reported != 0) poll(here, profiler::kPollRuntime);
}

// The trigger that is the same in each run.
void SampleReports::count_event(const Poll& poll) {
  llvm::Value* events = e_.pointer(e_.module.options.ticks);
  llvm::Value* left = b_.CreateSub(e_.load(e_.i64, events, Memory::Fuel), e_.number(1));
  e_.store(left, events, Memory::Fuel);
  report("rt_tick", b_.CreateICmpSGE(left, e_.number(0)), poll);
}

void SampleReports::poll(const Poll& poll, std::uint32_t also) {
  llvm::Value* word =
      b_.CreateLoad(b_.getInt32Ty(), e_.pointer(&e_.request.sampled->request), true);
  llvm::Value* requested = b_.CreateAnd(word, b_.getInt32(poll.bits | also));
  report("rt_look", b_.CreateICmpEQ(requested, b_.getInt32(0)), poll);
}

void SampleReports::report(std::string_view runtime_call, llvm::Value* no_request,
                           const Poll& poll) {
  llvm::BasicBlock *on = e_.block("on"), *requested = e_.block("ask");
  e_.branch_likely(no_request, on, requested);
  b_.SetInsertPoint(requested);
  for (std::size_t i = 0; i < tags_.size(); ++i)
    if ((poll.reported >> i & 1) != 0)
      b_.CreateStore(b_.CreateLoad(e_.i64, tags_[i]), b_.CreateConstGEP1_64(e_.i64, buffer_, i));
  llvm::Value* words = buffer_ != nullptr ? buffer_ : e_.pointer(nullptr);
  llvm::Value* newer =
      e_.call_runtime(runtime_call, {e_.pointer(e_.request.sampled), words,
                                     e_.number(poll.reported), e_.number(poll.bits)});
  if (!poll.bailout_pc) {
    b_.CreateBr(on);
  } else {
    llvm::BasicBlock* stale = e_.block("stale");
    e_.branch_likely(b_.CreateICmpEQ(newer, e_.number(0)), on, stale);
    b_.SetInsertPoint(stale);
    exits_.bail_out(*poll.bailout_pc, variables_.types().before(*poll.bailout_pc));
  }
  b_.SetInsertPoint(on);
}

} // namespace sourir::native
