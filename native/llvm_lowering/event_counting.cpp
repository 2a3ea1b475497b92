#include "native/llvm_lowering/event_counting.h"

#include "native/llvm_lowering/function_events.h"
#include "native/llvm_lowering/loop_nodes.h"
#include "native/llvm_lowering/path_numbering.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>

namespace sourir::native {

namespace {

using profiler::EventCode;
using profiler::EventStrategy;

constexpr std::size_t kMostRegisters = 8; // of a loop, for its edges
constexpr std::uint64_t kMostPathsInAll = 1 << 12;
constexpr std::size_t kLongestArm = 8; // instructions, of a branch that LLVM may turn into data

// --- The paths of a function, and what each is worth ---

bool is_nothing(const Worth& worth) {
  return std::ranges::all_of(worth, [](const auto& w) { return w.second == 0; });
}

// A way out of a block; those within a loop that is one node are none.
struct FlowWay {
  llvm::BasicBlock *from = nullptr, *to = nullptr;
  unsigned successor = 0;
};

class FunctionPaths {
public:
  FunctionPaths(llvm::Function& f, FunctionEvents& events, const llvm::DominatorTree& dominators,
                std::vector<LoopNode> loops, std::uint64_t most_prefixes);

  const std::vector<FlowWay>& ways() const { return ways_; }
  const std::vector<LoopNode>& loops() const { return loops_; }
  const PathNumbering& numbers() const { return *numbering_; }
  // The loop that is the node; null: a block.
  const LoopNode* loop_at(std::uint32_t node) const { return nodes_[node].loop; }
  std::uint32_t source(std::uint32_t way) const { return flow_[way].from; }
  std::uint32_t target(std::uint32_t way) const { return flow_[way].to; }
  llvm::BasicBlock* block(std::uint32_t node) const { return nodes_[node].block; }

  Worth worth(std::uint64_t path) const;
  // Of one traversal of an edge of a loop that is counted.
  Worth worth(const LoopNode& loop, const EdgeWorth& edge) const;
  // The paths that end at a way, or at a node without one, where anything happens on one of them.
  using Ends = std::map<std::uint32_t, std::vector<std::uint64_t>>;
  const Ends& ending_at_ways() const { return at_ways_; }
  const Ends& ending_at_nodes() const { return at_nodes_; }

private:
  struct Node {
    llvm::BasicBlock* block = nullptr;
    const LoopNode* loop = nullptr;
  };
  std::uint32_t node_of(llvm::BasicBlock* block);
  void find_ends();

  FunctionEvents& events_;
  const std::vector<LoopNode> loops_;
  std::unordered_map<const llvm::BasicBlock*, std::uint32_t> node_numbers_;
  std::vector<Node> nodes_;
  std::vector<FlowWay> ways_;
  std::vector<FlowEdge> flow_;
  std::vector<Worth> back_edges_; // by way: what happens on it
  std::optional<PathNumbering> numbering_;
  Ends at_ways_, at_nodes_;
};

std::uint32_t FunctionPaths::node_of(llvm::BasicBlock* block) {
  const auto found = node_numbers_.find(block);
  if (found != node_numbers_.end()) return found->second;
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  const auto loop = std::ranges::find_if(loops_, [&](const LoopNode& l) {
    return std::ranges::find(l.blocks, block) != l.blocks.end();
  });
  nodes_.push_back({block, loop == loops_.end() ? nullptr : &*loop});
  node_numbers_[block] = number;
  if (loop != loops_.end())
    for (llvm::BasicBlock* other : loop->blocks) node_numbers_[other] = number;
  return number;
}

FunctionPaths::FunctionPaths(llvm::Function& f, FunctionEvents& events,
                             const llvm::DominatorTree& dominators, std::vector<LoopNode> loops,
                             std::uint64_t most_prefixes)
    : events_(events), loops_(std::move(loops)) {
  for (llvm::BasicBlock& block : f) {
    if (!dominators.isReachableFromEntry(&block)) continue;
    const std::uint32_t from = node_of(&block);
    const llvm::Instruction& end = *block.getTerminator();
    for (unsigned s = 0; s < end.getNumSuccessors(); ++s) {
      llvm::BasicBlock* const next = end.getSuccessor(s);
      const std::uint32_t to = node_of(next);
      if (from == to && nodes_[from].loop != nullptr) continue;
      ways_.push_back({&block, next, s});
      flow_.push_back({from, to, events.begins_with_call(next)});
      const bool back = dominators.dominates(next, &block);
      back_edges_.push_back(back ? events.of_back_edge(block) : Worth());
    }
  }
  const auto nodes = static_cast<std::uint32_t>(nodes_.size());
  for (std::uint64_t most = most_prefixes;; most /= 4) {
    numbering_.emplace(nodes, flow_, most);
    if (numbering_->paths() <= kMostPathsInAll || most <= 1) break;
  }
  find_ends();
}

Worth FunctionPaths::worth(const LoopNode& loop, const EdgeWorth& edge) const {
  Worth worth;
  for (std::size_t b = 0; b < loop.blocks.size(); ++b)
    if (edge.executions[b] != 0) add(worth, events_.of(loop.blocks[b]), edge.executions[b]);
  // All executions of the header but the first of each time are by a back edge.
  const std::int32_t back = edge.executions[0] - (loop.leaves(edge.edge) ? 1 : 0);
  for (std::size_t e = 0; e < loop.edges.size() && back != 0; ++e)
    if (loop.graph[e].to == 0) {
      add(worth, events_.of_back_edge(*loop.edges[e].from), back);
      break;
    }
  return worth;
}

Worth FunctionPaths::worth(std::uint64_t path) const {
  Worth worth;
  for (const PathNumbering::Step& step : numbering_->path(path)) {
    const Node& node = nodes_[step.node];
    const bool has_way = step.edge != PathNumbering::kNoEdge;
    if (has_way) add(worth, back_edges_[step.edge]);
    if (node.loop == nullptr) {
      add(worth, events_.of(node.block));
      continue;
    }
    if (!has_way) continue; // a loop without an end
    const FlowWay& way = ways_[step.edge];
    for (const EdgeWorth& e : node.loop->counted) {
      const LoopNode::Edge& edge = node.loop->edges[e.edge];
      if (edge.from == way.from && edge.successor == way.successor)
        add(worth, this->worth(*node.loop, e));
    }
  }
  return worth;
}

void FunctionPaths::find_ends() {
  for (std::uint64_t p = 0; p < numbering_->paths(); ++p) {
    const PathNumbering::Step last = numbering_->path(p).back();
    if (last.edge == PathNumbering::kNoEdge && loop_at(last.node) != nullptr) continue;
    last.edge == PathNumbering::kNoEdge ? at_nodes_[last.node].push_back(p)
                                        : at_ways_[last.edge].push_back(p);
  }
  const auto worthless = [this](const auto& end) {
    return std::ranges::all_of(end.second,
                               [this](std::uint64_t path) { return is_nothing(worth(path)); });
  };
  std::erase_if(at_ways_, worthless);
  std::erase_if(at_nodes_, worthless);
}

// --- The code that counts ---

// Where code at the end of a block goes.
llvm::Instruction* end_of(llvm::BasicBlock& block) {
  llvm::CallInst* const jump = block.getTerminatingMustTailCall();
  return jump != nullptr ? static_cast<llvm::Instruction*>(jump) : block.getTerminator();
}

// Nothing but values differs between the ways from this branch to the block where they meet.
bool may_become_data(const llvm::BranchInst& branch) {
  if (!branch.isConditional() || branch.getSuccessor(0) == branch.getSuccessor(1)) return false;
  const llvm::BasicBlock* const from = branch.getParent();
  // The block after the arm, if this is one.
  const auto after = [from](const llvm::BasicBlock* arm) -> const llvm::BasicBlock* {
    if (arm->getSinglePredecessor() != from || arm->size() > kLongestArm) return nullptr;
    for (const llvm::Instruction& i : *arm)
      if (!i.isTerminator() && !llvm::isSafeToSpeculativelyExecute(&i)) return nullptr;
    return arm->getSingleSuccessor();
  };
  const llvm::BasicBlock *const yes = branch.getSuccessor(0), *const no = branch.getSuccessor(1);
  const llvm::BasicBlock *const after_yes = after(yes), *const after_no = after(no);
  if (after_yes == from || after_no == from) return false;
  return after_yes == no || after_no == yes || (after_yes != nullptr && after_yes == after_no);
}

class CounterCode {
public:
  explicit CounterCode(llvm::Function& f) : f_(f), b_(f.getContext()), word_(b_.getInt64Ty()) {}

  void make_counters(std::size_t count);
  std::string name() const { return std::string(counters_->getName()); }
  std::string decoder() const {
    return decoder_ == nullptr ? "" : std::string(decoder_->getName());
  }

  void direct(FunctionEvents& events, const llvm::DominatorTree& dominators);
  void count(const FunctionPaths& paths);
  // `worth`: by path.
  void decode(const FunctionPaths& paths, const std::vector<Worth>& worth);
  // Of the tables that decode() made.
  std::uint64_t table_bytes() const { return table_bytes_; }

private:
  using EndOfPath =
      std::function<void(std::uint64_t added, const std::vector<std::uint64_t>& numbers)>;
  void track_paths(const FunctionPaths& paths, const EndOfPath& end);
  void count_loop_edges(const FunctionPaths& paths);
  void flush(const FunctionPaths& paths, const LoopNode& loop);
  llvm::Value* times_told(const LoopNode::Induction& induction);
  void end_decoded(std::uint64_t added, const std::vector<std::uint64_t>& numbers,
                   const std::vector<Worth>& worth);
  void make_decoder(const std::vector<Worth>& worth);
  llvm::GlobalVariable* make_table(const std::vector<std::int32_t>& words, const char* name);
  void promote();

  llvm::Value* word(std::int64_t n) { return b_.getInt64(static_cast<std::uint64_t>(n)); }

  llvm::Value* path_number(std::uint64_t added) {
    return b_.CreateAdd(b_.CreateLoad(word_, path_), b_.getInt64(added));
  }
  llvm::Value* counter(llvm::Value* index) {
    return b_.CreateInBoundsGEP(counters_->getValueType(), counters_, {b_.getInt64(0), index});
  }
  void increase(llvm::Value* counter, llvm::Value* by) {
    b_.CreateStore(b_.CreateAdd(b_.CreateLoad(word_, counter), by), counter);
  }
  llvm::AllocaInst* variable(const char* name);
  void go_to_edge(llvm::BasicBlock* from, unsigned successor);
  void add_on_edge(llvm::AllocaInst* variable, std::uint64_t n, llvm::BasicBlock* from,
                   unsigned successor);

  llvm::Function& f_;
  llvm::IRBuilder<> b_;
  llvm::Type* const word_;
  llvm::GlobalVariable* counters_ = nullptr;
  std::vector<llvm::AllocaInst*> variables_;
  llvm::AllocaInst* path_ = nullptr;
  llvm::Function* decoder_ = nullptr;
  std::uint64_t table_bytes_ = 0;
  // Of edges within loops: where they are counted while the loop runs, and their counters.
  struct Register {
    llvm::AllocaInst* variable = nullptr; // null: told by the induction variable
    std::uint32_t counter = 0;
  };
  std::map<std::pair<const LoopNode*, std::uint32_t>, Register> registers_;
};

void CounterCode::make_counters(std::size_t count) {
  auto* const type = llvm::ArrayType::get(word_, count);
  counters_ =
      new llvm::GlobalVariable(*f_.getParent(), type, false, llvm::GlobalValue::ExternalLinkage,
                               llvm::ConstantAggregateZero::get(type), f_.getName() + ".events");
  counters_->setDSOLocal(true);
}

llvm::AllocaInst* CounterCode::variable(const char* name) {
  llvm::BasicBlock& entry = f_.getEntryBlock();
  b_.SetInsertPoint(&entry, entry.getFirstInsertionPt());
  variables_.push_back(b_.CreateAlloca(word_, nullptr, name));
  return variables_.back();
}

// Moves the builder to code that only this edge executes.
void CounterCode::go_to_edge(llvm::BasicBlock* from, unsigned successor) {
  llvm::Instruction* const end = from->getTerminator();
  llvm::BasicBlock* to = end->getSuccessor(successor);
  if (end->getNumSuccessors() == 1) return b_.SetInsertPoint(end);
  if (to->getSinglePredecessor() == nullptr) to = llvm::SplitCriticalEdge(end, successor);
  b_.SetInsertPoint(to, to->getFirstInsertionPt());
}

// Where LLVM may turn the branch into selects, the increment is a select as well, in front of the
// branch: code in an arm could keep LLVM from that.
void CounterCode::add_on_edge(llvm::AllocaInst* variable, std::uint64_t n, llvm::BasicBlock* from,
                              unsigned successor) {
  llvm::BasicBlock *arm = from, *before = from->getSinglePredecessor();
  if (from->getSingleSuccessor() == nullptr || before == nullptr)
    arm = from->getTerminator()->getSuccessor(successor), before = from;
  auto* const branch = llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
  if (branch == nullptr || !may_become_data(*branch)) {
    go_to_edge(from, successor);
    return increase(variable, b_.getInt64(n));
  }
  const bool first = branch->getSuccessor(0) == arm;
  b_.SetInsertPoint(branch);
  llvm::Value *const yes = b_.getInt64(n), *const no = b_.getInt64(0);
  increase(variable, b_.CreateSelect(branch->getCondition(), first ? yes : no, first ? no : yes));
}

void CounterCode::promote() {
  llvm::DominatorTree dominators(f_);
  llvm::PromoteMemToReg(variables_, dominators);
}

void CounterCode::direct(FunctionEvents& events, const llvm::DominatorTree& dominators) {
  const auto count_all = [&](const Worth& worth) {
    for (const auto& [site, times] : worth)
      for (std::int32_t n = 0; n < std::abs(times); ++n)
        increase(counter(b_.getInt64(site)), b_.getInt64(times < 0 ? ~std::uint64_t{0} : 1));
  };
  std::vector<std::pair<llvm::BasicBlock*, unsigned>> back_edges;
  for (llvm::BasicBlock& block : f_) {
    b_.SetInsertPoint(end_of(block));
    count_all(events.of(&block));
    for (unsigned s = 0; s < block.getTerminator()->getNumSuccessors(); ++s)
      if (dominators.dominates(block.getTerminator()->getSuccessor(s), &block))
        back_edges.emplace_back(&block, s);
  }
  for (const auto& [latch, s] : back_edges) {
    const Worth worth = events.of_back_edge(*latch);
    if (worth.empty()) continue;
    go_to_edge(latch, s);
    count_all(worth);
  }
}

void CounterCode::track_paths(const FunctionPaths& paths, const EndOfPath& end) {
  const PathNumbering& numbers = paths.numbers();
  path_ = variable("path");
  b_.CreateStore(b_.getInt64(numbers.start_at_entry()), path_);
  for (std::uint32_t w = 0; w < paths.ways().size(); ++w) {
    const bool cut = numbers.is_cut(w);
    const std::uint64_t added = numbers.added_by(w);
    const LoopNode *const left = paths.loop_at(paths.source(w)), *const entered =
                                                                     paths.loop_at(paths.target(w));
    if (!cut && left == nullptr && entered == nullptr) {
      if (added != 0) add_on_edge(path_, added, paths.ways()[w].from, paths.ways()[w].successor);
      continue;
    }
    go_to_edge(paths.ways()[w].from, paths.ways()[w].successor);
    if (left != nullptr) flush(paths, *left);
    const auto ending = paths.ending_at_ways().find(w);
    if (cut && ending != paths.ending_at_ways().end()) end(added, ending->second);
    if (cut)
      b_.CreateStore(b_.getInt64(numbers.start_after(w)), path_);
    else if (added != 0)
      b_.CreateStore(path_number(added), path_);
    if (entered == nullptr) continue;
    for (const auto& [place, reg] : registers_)
      if (place.first == entered && reg.variable != nullptr)
        b_.CreateStore(b_.getInt64(0), reg.variable);
  }
  for (const auto& [node, ending] : paths.ending_at_nodes()) {
    b_.SetInsertPoint(end_of(*paths.block(node)));
    end(0, ending);
  }
}

// Adds what was counted in the loop to memory.
void CounterCode::flush(const FunctionPaths&, const LoopNode& loop) {
  for (const auto& [place, reg] : registers_) {
    if (place.first != &loop) continue;
    llvm::Value* const times =
        reg.variable != nullptr ? b_.CreateLoad(word_, reg.variable) : times_told(*loop.induction);
    increase(counter(b_.getInt64(reg.counter)), times);
  }
}

llvm::Value* CounterCode::times_told(const LoopNode::Induction& i) {
  if (i.step == -1) return b_.CreateSub(i.begins, i.variable);
  llvm::Value* const way = b_.CreateSub(i.variable, i.begins);
  return i.step == 1 ? way
                     : b_.CreateExactSDiv(way, b_.getInt64(static_cast<std::uint64_t>(i.step)));
}

void CounterCode::count_loop_edges(const FunctionPaths& paths) {
  auto next = static_cast<std::uint32_t>(paths.numbers().paths());
  for (const LoopNode& loop : paths.loops())
    for (const EdgeWorth& e : loop.counted) {
      if (loop.leaves(e.edge)) continue;
      const std::uint32_t counter = next++;
      if (is_nothing(paths.worth(loop, e))) continue;
      llvm::AllocaInst* const var = loop.is_told(e.edge) ? nullptr : variable("edge");
      registers_[{&loop, e.edge}] = {var, counter};
      if (var == nullptr) continue;
      add_on_edge(var, 1, loop.edges[e.edge].from, loop.edges[e.edge].successor);
    }
}

void CounterCode::count(const FunctionPaths& paths) {
  count_loop_edges(paths);
  track_paths(paths, [&](std::uint64_t added, const std::vector<std::uint64_t>&) {
    increase(counter(path_number(added)), b_.getInt64(1));
  });
  promote();
}

// Where more than one path ends, the decoder adds the events of the path by its number.
void CounterCode::end_decoded(std::uint64_t added, const std::vector<std::uint64_t>& numbers,
                              const std::vector<Worth>& worth) {
  if (numbers.size() > 1) {
    if (decoder_ == nullptr) make_decoder(worth);
    b_.CreateCall(decoder_, {path_number(added)})->setCallingConv(decoder_->getCallingConv());
    return;
  }
  for (const auto& [site, times] : worth[numbers.front()])
    increase(counter(b_.getInt64(site)), word(times));
}

// Words of 32 bits.
llvm::GlobalVariable* CounterCode::make_table(const std::vector<std::int32_t>& words,
                                              const char* name) {
  const std::string_view bytes(reinterpret_cast<const char*>(words.data()),
                               words.size() * sizeof(std::int32_t));
  table_bytes_ += bytes.size();
  auto* const content = llvm::ConstantDataArray::getString(f_.getContext(), bytes, false);
  auto* const table = new llvm::GlobalVariable(*f_.getParent(), content->getType(), true,
                                               llvm::GlobalValue::PrivateLinkage, content, name);
  table->setAlignment(llvm::Align(sizeof(std::int32_t)));
  return table;
}

// void decoder(path): for each of its events, its site and how often it happens on the path.
void CounterCode::make_decoder(const std::vector<Worth>& worth) {
  std::vector<std::int32_t> rows, events;
  for (const Worth& path : worth) {
    rows.push_back(static_cast<std::int32_t>(events.size() / 2));
    for (const auto& [site, times] : path)
      if (times != 0) events.insert(events.end(), {static_cast<std::int32_t>(site), times});
  }
  rows.push_back(static_cast<std::int32_t>(events.size() / 2));
  llvm::GlobalVariable *const row_table = make_table(rows, "rows"), *const event_table = make_table(
                                                                        events, "events");
  decoder_ = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), {word_}, false),
                                    llvm::GlobalValue::InternalLinkage, f_.getName() + ".decoder",
                                    f_.getParent());
  decoder_->setCallingConv(llvm::CallingConv::PreserveMost);
  decoder_->addFnAttr(llvm::Attribute::NoUnwind);
  decoder_->addFnAttr("frame-pointer", "all"); // walks pass it
  const auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(f_.getContext(), name, decoder_);
  };
  llvm::BasicBlock *const entry = block("entry"), *const loop = block("loop"),
                          *const next = block("next"), *const end = block("end");
  llvm::IRBuilder<> b(entry);
  const auto load = [&](llvm::GlobalVariable* table, llvm::Value* index) {
    llvm::Value* const at = b.CreateInBoundsGEP(b.getInt32Ty(), table, {index});
    return b.CreateSExt(b.CreateLoad(b.getInt32Ty(), at), word_);
  };
  llvm::Value* const path = decoder_->getArg(0);
  llvm::Value* const first = load(row_table, path);
  llvm::Value* const last = load(row_table, b.CreateAdd(path, b.getInt64(1)));
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode* const i = b.CreatePHI(word_, 2);
  i->addIncoming(first, entry);
  b.CreateCondBr(b.CreateICmpEQ(i, last), end, next);
  b.SetInsertPoint(next);
  llvm::Value* const pair = b.CreateShl(i, 1);
  llvm::Value* const counter = b.CreateInBoundsGEP(counters_->getValueType(), counters_,
                                                   {b.getInt64(0), load(event_table, pair)});
  llvm::Value* const times = load(event_table, b.CreateOr(pair, b.getInt64(1)));
  b.CreateStore(b.CreateAdd(b.CreateLoad(word_, counter), times), counter);
  i->addIncoming(b.CreateAdd(i, b.getInt64(1)), next);
  b.CreateBr(loop);
  b.SetInsertPoint(end);
  b.CreateRetVoid();
}

void CounterCode::decode(const FunctionPaths& paths, const std::vector<Worth>& worth) {
  track_paths(paths, [&](std::uint64_t added, const std::vector<std::uint64_t>& numbers) {
    end_decoded(added, numbers, worth);
  });
  promote();
}

// --- The strategies ---

std::vector<EventCode::Worth> worth_list(const Worth& worth) {
  std::vector<EventCode::Worth> list;
  for (const auto& [site, times] : worth)
    if (times != 0) list.push_back({site, times});
  return list;
}

std::vector<LoopNode> loop_nodes(const llvm::LoopInfo& loops, const FunctionEvents& events) {
  std::vector<LoopNode> nodes;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    const bool calls = std::ranges::any_of(
        loop->blocks(), [&](const llvm::BasicBlock* b) { return events.begins_with_call(b); });
    if (!loop->isInnermost() || calls) continue;
    LoopNode node = loop_node(*loop);
    if (node.in_registers <= kMostRegisters) nodes.push_back(std::move(node));
  }
  return nodes;
}

// One counter for each site.
void count_by_site(EventCode& made) {
  for (std::uint32_t site = 0; site < made.sites.size(); ++site) made.worth.push_back({{site, 1}});
}

void count_by_path(EventCode& made, const FunctionPaths& paths) {
  for (std::uint64_t p = 0; p < paths.numbers().paths(); ++p)
    made.worth.push_back(worth_list(paths.worth(p)));
  for (const LoopNode& loop : paths.loops())
    for (const EdgeWorth& e : loop.counted)
      if (!loop.leaves(e.edge)) made.worth.push_back(worth_list(paths.worth(loop, e)));
  for (const auto& of_counter : made.worth)
    made.decoding_bytes += of_counter.size() * sizeof(EventCode::Worth);
}

} // namespace

CountedFunction count_events(llvm::Function& function, const std::vector<EventMarker>& markers,
                             const ResolvedVersion& version,
                             const profiler::EventOptions& options) {
  if (options.strategy == EventStrategy::None) return erase_markers(function), CountedFunction();
  FunctionEvents events(function, markers, version, options);
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  auto made = std::make_shared<EventCode>();
  CounterCode code(function);
  if (options.strategy == EventStrategy::Direct) {
    for (const llvm::BasicBlock& block : function)
      for (const llvm::BasicBlock* next : llvm::successors(&block))
        if (dominators.dominates(next, &block)) events.of_back_edge(block);
    made->sites = events.sites();
    count_by_site(*made);
    code.make_counters(made->sites.size());
    code.direct(events, dominators);
    return {made, code.name(), {}};
  }
  const bool counts = options.strategy == EventStrategy::Count;
  FunctionPaths paths(function, events, dominators,
                      counts ? loop_nodes(loops, events) : std::vector<LoopNode>(),
                      options.most_paths);
  made->paths = paths.numbers().paths();
  if (counts) {
    count_by_path(*made, paths);
    made->sites = events.sites();
    code.make_counters(made->worth.size());
    code.count(paths);
  } else {
    std::vector<Worth> worth;
    for (std::uint64_t p = 0; p < made->paths; ++p) worth.push_back(paths.worth(p));
    made->sites = events.sites();
    count_by_site(*made);
    code.make_counters(made->sites.size());
    code.decode(paths, worth);
    made->decoding_bytes = code.table_bytes();
  }
  return {made, code.name(), code.decoder()};
}

} // namespace sourir::native
