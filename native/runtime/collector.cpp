#include "native/runtime/collector.h"

#include <gc/gc.h>
#include <gc/gc_inline.h>
#include <gc/gc_mark.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace sourir::native {

namespace {

// State of the process, as the collector's own.
struct Process {
  unsigned counted = 0;                    // the collector's number for counted blocks
  std::vector<const ScannedStack*> stacks; // changed under the collector's lock
  GC_push_other_roots_proc threads = nullptr;
};
Process& process() {
  static Process the;
  return the;
}

void push_stacks() {
  for (const ScannedStack* stack : process().stacks) GC_push_all(stack->begin(), stack->top);
  process().threads(); // the stacks of threads: the collector's default
}

struct Sum {
  std::uint64_t (*weigh)(const void*);
  std::uint64_t total = 0;
};

void add_if_counted(void* block, std::size_t, void* sum) {
  if (GC_get_kind_and_size(block, nullptr) != static_cast<int>(process().counted)) return;
  Sum& s = *static_cast<Sum*>(sum);
  s.total += s.weigh(block);
}

void* add_all(void* sum) {
  GC_enumerate_reachable_objects_inner(add_if_counted, sum);
  return nullptr;
}

void* add_stack(void* stack) {
  process().stacks.push_back(static_cast<const ScannedStack*>(stack));
  return nullptr;
}

void* remove_stack(void* stack) {
  std::erase(process().stacks, static_cast<const ScannedStack*>(stack));
  return nullptr;
}

} // namespace

void Blocks::begin() {
  if constexpr (!kCollects) return;
  if (process().counted != 0) return;
  // Pointers in the heap are to the start of a block; in stacks they may be to anywhere in it.
  GC_set_all_interior_pointers(0);
  GC_set_no_dls(1); // no data segment holds a pointer to a block
  GC_set_warn_proc(GC_ignore_warn_proc);
  GC_set_markers_count(1);
  // More memory, fewer collections: half the time of binary trees. Committed when first touched.
  GC_set_free_space_divisor(1);
  GC_INIT();
  GC_expand_hp(std::size_t{64} << 20);
  GC_allow_register_threads();
  process().threads = GC_get_push_other_roots();
  GC_set_push_other_roots(push_stacks);
  process().counted = GC_new_kind(GC_new_free_list(), GC_DS_LENGTH, 1, 1);
}

Blocks::Blocks() {
  const std::size_t bytes = kSizes * sizeof(void*);
  lists_ = static_cast<void**>(kCollects ? GC_MALLOC_UNCOLLECTABLE(bytes) : std::calloc(1, bytes));
  if (lists_ == nullptr) throw std::bad_alloc();
}

Blocks::~Blocks() {
  for (void* block : kept_) std::free(block);
  if constexpr (kCollects)
    GC_FREE(lists_);
  else
    std::free(lists_);
}

void* Blocks::kept(void* block) {
  if (block != nullptr) kept_.push_back(block);
  return block;
}

void* Blocks::refill(std::size_t size) {
  const std::size_t bytes = kGrain * (2 + size);
  if constexpr (!kCollects)
    lists_[size] = kept(std::calloc(1, bytes));
  else
    GC_generic_malloc_many(bytes, static_cast<int>(process().counted), &lists_[size]);
  return lists_[size];
}

void* Blocks::scanned(std::uint64_t bytes) {
  return kCollects ? GC_MALLOC(bytes) : kept(std::calloc(1, bytes));
}

void* Blocks::unscanned(std::uint64_t bytes) {
  return kCollects ? GC_MALLOC_ATOMIC(bytes) : kept(std::malloc(bytes));
}

std::uint64_t Blocks::collect(std::uint64_t (*weigh)(const void*)) {
  if constexpr (!kCollects) return ~std::uint64_t{0};
  std::ranges::fill(lists(), nullptr);
  GC_gcollect();
  Sum sum{weigh};
  GC_call_with_alloc_lock(add_all, &sum);
  return sum.total;
}

ScannedStack::ScannedStack(std::uint64_t bytes) {
  constexpr std::uint64_t kPage = 4096;
  bytes = std::max(bytes + kPage - 1, kPage) / kPage * kPage;
  void* range = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) throw std::bad_alloc();
  begin_ = top = static_cast<Value*>(range);
  end_ = begin_ + bytes / sizeof(Value);
  if constexpr (kCollects) GC_call_with_alloc_lock(add_stack, this);
}

ScannedStack::~ScannedStack() {
  if constexpr (kCollects) GC_call_with_alloc_lock(remove_stack, this);
  munmap(begin_, static_cast<std::size_t>(end_ - begin_) * sizeof(Value));
}

} // namespace sourir::native
