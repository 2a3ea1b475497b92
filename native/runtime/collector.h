// Garbage-collected memory: Boehm's collector, which finds pointers in the stacks of registered
// threads, in scanned blocks and in ScannedStacks, and nowhere else: not in a std::vector, not in
// an exception that is being thrown. Nothing moves. Sizes are in bytes. In builds with
// AddressSanitizer or ThreadSanitizer blocks come from malloc and live as long as their Blocks, so
// that the sanitizer sees each of them (and its fake stacks hide nothing from a collector); the
// limit on the heap then counts all that was ever allocated, as in the reference.
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

  static void begin(); // on the main thread, before any Blocks; again: no effect

  Blocks();
  ~Blocks();
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  // The heads of free lists of cleared counted blocks, by size, linked through the first word.
  std::span<void*, kSizes> lists() { return std::span<void*, kSizes>(lists_, kSizes); }
  // Null from all of these: out of memory.
  void* refill(std::size_t size);       // lists()[size], which is empty, by one block or more
  void* scanned(std::uint64_t bytes);   // cleared
  void* unscanned(std::uint64_t bytes); // not cleared

  // Drops the free lists and reclaims unreachable blocks. The sum of `weigh` over the reachable
  // counted blocks of all Blocks of the process. Without a collector: the largest number.
  std::uint64_t collect(std::uint64_t (*weigh)(const void* block));

private:
  void* kept(void* block);

  void** lists_ = nullptr;  // itself scanned
  std::vector<void*> kept_; // without a collector: all blocks
};

// A reserved range of addresses for values; the collector scans the part below `top`.
class ScannedStack {
public:
  // Pages are committed when first touched. Throws std::bad_alloc where no range can be reserved.
  explicit ScannedStack(std::uint64_t bytes);
  ~ScannedStack();
  ScannedStack(const ScannedStack&) = delete;
  ScannedStack& operator=(const ScannedStack&) = delete;

  Value* begin() const { return begin_; }
  Value* end() const { return end_; }
  Value* top = nullptr; // set before each call that may allocate

private:
  Value* begin_ = nullptr;
  Value* end_ = nullptr;
};

} // namespace sourir::native
