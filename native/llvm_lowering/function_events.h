// What happens in each block of a function after LLVM's passes, as sites of an EventCode: by the
// markers, which are taken out, and by the instructions of LLVM. Pure but for that, and for the
// blocks that it splits: a call that may not return begins its block afterwards.
#pragma once

#include "native/llvm_lowering/event_markers.h"

#include <map>
#include <unordered_map>
#include <unordered_set>

namespace llvm {
class BasicBlock;
class Function;
class Instruction;
} // namespace llvm

namespace sourir::native {

// Sites, and how often the event happens at each.
using Worth = std::map<std::uint32_t, std::int32_t>;

inline void add(Worth& to, const Worth& more, std::int32_t times = 1) {
  for (const auto& [site, n] : more) to[site] += n * times;
}

class FunctionEvents {
public:
  FunctionEvents(llvm::Function& function, const std::vector<EventMarker>& markers,
                 const ResolvedVersion& version, const profiler::EventOptions& options);

  const std::vector<profiler::EventSite>& sites() const { return sites_; }
  // Of one execution of the block.
  const Worth& of(const llvm::BasicBlock* block) const { return worth_.at(block); }
  // Of one back edge from this block.
  Worth of_back_edge(const llvm::BasicBlock& latch);
  // The block begins with a call that may not return: what happened before it is to be counted.
  bool begins_with_call(const llvm::BasicBlock* block) const { return at_call_.contains(block); }

private:
  void split_at_calls(llvm::Function& function);
  void collect(llvm::BasicBlock& block, const std::vector<EventMarker>& markers);
  void add_marker(const EventMarker& marker, Worth& worth);
  void add_instruction(Pc pc, std::int32_t times, Worth& worth);
  void add_event(profiler::Event event, std::uint32_t at, std::int32_t times, Worth& worth);

  const ResolvedVersion& version_;
  const profiler::EventOptions& options_;
  std::vector<profiler::EventSite> sites_;
  std::map<std::pair<std::uint32_t, profiler::Event>, std::uint32_t> numbers_; // of sites
  std::unordered_map<const llvm::BasicBlock*, Worth> worth_;
  std::unordered_set<const llvm::BasicBlock*> at_call_;
};

} // namespace sourir::native
