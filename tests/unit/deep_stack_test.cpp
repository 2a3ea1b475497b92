// Deep stacks: frames and what they hold, the end of the stack, exceptions, interruption.
#include "native/runtime/deep_stack.h"
#include "native/runtime/heap.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csetjmp>
#include <stdexcept>
#include <thread>

namespace sourir::native {
namespace {

#ifdef __SANITIZE_THREAD__
constexpr bool kThreadSanitizer = true; // takes note of at most 65,536 frames
#else
constexpr bool kThreadSanitizer = false;
#endif

// `depth` frames; the arrays of all of them are held by the stack only.
std::int64_t sum_down(Heap& heap, std::int64_t depth) {
  Array* mine = heap.allocate(1);
  if (mine == nullptr || !heap.store(mine, 0, Value(depth))) return -1;
  const std::int64_t rest = depth == 0 ? 0 : sum_down(heap, depth - 1);
  return rest + Heap::load(mine, 0).as_int();
}

std::int64_t without_end(volatile std::int64_t* n) {
  volatile std::int64_t here[64] = {};
  here[0] = *n + 1;
  *n = here[0];
  if (here[0] < 0) return 0;
  return without_end(n) + here[0];
}

TEST(DeepStack, AMillionFramesAndWhatTheyHold) {
  const Limits limits;
  std::int64_t sum = 0;
  DeepStackOptions options;
  options.bytes = std::uint64_t{4} << 30;
  constexpr std::int64_t kDepth = kThreadSanitizer ? 30'000 : kCollects ? 1'000'000 : 200'000;
  const WorkEnd end = on_deep_stack(options, [&](const StackBounds& bounds) {
    const void* here = __builtin_frame_address(0);
    EXPECT_TRUE(here > bounds.low && here < bounds.high);
    Heap heap(limits);
    sum = sum_down(heap, kDepth);
  });
  EXPECT_EQ(end, WorkEnd::Done);
  EXPECT_EQ(sum, kDepth * (kDepth + 1) / 2);
}

TEST(DeepStack, TheEndOfTheStackIsNotTheEndOfTheProcess) {
  if (kThreadSanitizer) GTEST_SKIP() << "its own stack ends first";
  for (int again = 0; again < 3; ++again) {
    volatile std::int64_t n = 0;
    EXPECT_EQ(on_deep_stack({}, [&](const StackBounds&) { n = without_end(&n); }),
              WorkEnd::StackUsedUp);
    EXPECT_GT(n, 10'000);
  }
}

TEST(DeepStack, ExceptionsArriveWhereItWasStarted) {
  const auto work = [](const StackBounds&) { throw std::runtime_error("no"); };
  EXPECT_THROW(on_deep_stack({}, work), std::runtime_error);
}

TEST(DeepStack, AStackThatCannotBeIsSaid) {
  DeepStackOptions options;
  options.bytes = std::uint64_t{1} << 60;
  EXPECT_THROW(on_deep_stack(options, [](const StackBounds&) {}), std::bad_alloc);
}

TEST(DeepStack, WhatDoesNotNoticeAnInterruptIsLeftBehind) {
  std::atomic<bool> interrupt = true;
  static std::atomic<bool> go_on = true;
  DeepStackOptions options;
  options.interrupt = &interrupt;
  options.grace = std::chrono::milliseconds(20);
  static std::atomic<bool> ended = false;
  const auto deaf = [](const StackBounds&) {
    while (go_on) std::this_thread::yield();
    ended = true;
  };
  EXPECT_EQ(on_deep_stack(options, deaf), WorkEnd::Abandoned);
  go_on = false;
  while (!ended) std::this_thread::yield();
  const auto polite = [&](const StackBounds&) {
    while (!interrupt) std::this_thread::yield();
  };
  EXPECT_EQ(on_deep_stack(options, polite), WorkEnd::Done);
}

TEST(DeepStack, WhatDoesNotNoticeAnInterruptIsMadeToLeave) {
  if (kThreadSanitizer) GTEST_SKIP() << "it delays signals until the next call of a library";
  std::atomic<bool> interrupt = true;
  std::jmp_buf place;
  std::atomic<int> asked = 0;
  DeepStackOptions options;
  options.interrupt = &interrupt;
  options.grace = std::chrono::milliseconds(200);
  options.leave = [&](std::uint64_t instruction) {
    EXPECT_NE(instruction, 0u);
    if (++asked == 3) std::longjmp(place, 1);
  };
  volatile std::uint64_t turns = 0;
  const auto deaf = [&](const StackBounds&) {
    if (setjmp(place) == 0)
      for (;;) turns = turns + 1;
  };
  EXPECT_EQ(on_deep_stack(options, deaf), WorkEnd::Done);
  EXPECT_EQ(asked, 3);
}

TEST(DeepStackDeathTest, OtherFaultsAreWhatTheyWere) {
  EXPECT_DEATH(on_deep_stack({},
                             [](const StackBounds&) {
                               volatile int* nowhere = nullptr;
                               *nowhere = 1;
                             }),
               "");
}

} // namespace
} // namespace sourir::native
