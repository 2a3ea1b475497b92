// Memory that is reclaimed by itself: Boehm's collector, which looks for pointers in the stacks of
// threads it knows, in scanned blocks and in ScannedStacks, and nowhere else: not in a std::vector,
// not in an exception that is being thrown. Nothing moves. In builds with AddressSanitizer or
// ThreadSanitizer blocks come from malloc and live as long as their Blocks, so that the sanitizer
// sees each of them (and its fake stacks hide nothing from a collector); the limit on the heap
// counts what was ever allocated then, as in the reference.
#pragma once

#include "sourir/semantics/value.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sourir::native {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kCollects = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kCollects = false;
#else
inline constexpr bool kCollects = true;
#endif
#else
inline constexpr bool kCollects = true;
#endif

class Blocks {
public:
  static constexpr std::size_t kSizes = 16; // of counted blocks: kGrain * (2 + i) bytes
  static constexpr std::size_t kGrain = 16;

  static void begin(); // once a process, on the main thread, before any Blocks

  Blocks();
  ~Blocks();
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  // The heads of lists of cleared counted blocks, linked through their first word; one a size.
  std::span<void*, kSizes> lists() { return std::span<void*, kSizes>(lists_, kSizes); }
  // Null from all of these: there is no memory.
  void* refill(std::size_t size);       // the list of lists()[size], which is empty; one at least
  void* scanned(std::uint64_t bytes);   // cleared
  void* unscanned(std::uint64_t bytes); // not cleared

  // Gives back the lists and reclaims what nobody holds. The sum of `weigh` over the counted
  // blocks that are left, of all Blocks of the process; cleared ones that are on lists included.
  std::uint64_t collect(std::uint64_t (*weigh)(const void* block));

private:
  void* kept(void* block);

  void** lists_ = nullptr;  // itself scanned
  std::vector<void*> kept_; // from malloc
};

// A reserved range of addresses for values, of which the collector scans what is below `top`.
class ScannedStack {
public:
  // Memory is used as it is touched. Throws std::bad_alloc where the range cannot be reserved.
  explicit ScannedStack(std::uint64_t bytes);
  ~ScannedStack();
  ScannedStack(const ScannedStack&) = delete;
  ScannedStack& operator=(const ScannedStack&) = delete;

  Value* begin() const { return begin_; }
  Value* end() const { return end_; }
  Value* top = nullptr; // set before anything that may allocate

private:
  Value* begin_ = nullptr;
  Value* end_ = nullptr;
};

} // namespace sourir::native
