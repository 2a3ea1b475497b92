// The heap of the native tier: storages of arrays, watchpoints, limits, garbage collection.
#include "native/runtime/heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace sourir::native {
namespace {

Value number(std::int64_t n) { return Value(n); }

class NativeHeap : public ::testing::Test {
protected:
  static void SetUpTestSuite() { Heap::begin(); }

  static std::vector<Value> elements(const Array* a) {
    std::vector<Value> out;
    for (std::uint64_t i = 0; i < a->length; ++i) out.push_back(Heap::load(a, i));
    return out;
  }

  Limits limits;
};

TEST_F(NativeHeap, FillingFromTheStartStaysUnboxed) {
  for (const std::uint64_t length : {3, 1000}) {
    Heap heap(limits);
    const std::pair<Value, Storage> kinds[] = {{number(7), Storage::Int},
                                               {Value(1.5), Storage::Float},
                                               {Value(true), Storage::Bool},
                                               {Value(FunName{1}), Storage::Mixed}};
    for (const auto& [value, storage] : kinds) {
      Array* a = heap.allocate(length);
      EXPECT_EQ(a->storage, Storage::Empty);
      EXPECT_EQ(a->inside, length <= kMaxInlineElements);
      for (std::uint64_t i = 0; i < length; ++i) ASSERT_TRUE(heap.store(a, i, value));
      EXPECT_EQ(a->storage, storage);
      EXPECT_EQ(a->filled, length);
      EXPECT_EQ(elements(a), std::vector<Value>(length, value));
    }
  }
}

TEST_F(NativeHeap, AFillFromTheEndIsUnboxedWhenItIsComplete) {
  for (const std::uint64_t length : {4, 1000}) {
    Heap heap(limits);
    Array* a = heap.allocate(length);
    for (std::uint64_t i = length; i-- > 0;)
      ASSERT_TRUE(heap.store(a, i, number(static_cast<std::int64_t>(i))));
    EXPECT_EQ(a->storage, Storage::Int);
    for (std::uint64_t i = 0; i < length; ++i)
      EXPECT_EQ(Heap::load(a, i), number(static_cast<std::int64_t>(i)));
    ASSERT_TRUE(heap.store(a, 0, Value(true)));
    ASSERT_TRUE(heap.store(a, 0, number(0)));
    EXPECT_EQ(a->storage, Storage::Mixed) << "not to and fro";
  }
}

TEST_F(NativeHeap, AVariableStaysUnboxedWhenItsTypeChanges) {
  Heap heap(limits);
  Array* a = heap.allocate(1);
  ASSERT_TRUE(heap.store(a, 0, Value(1.5)));
  EXPECT_EQ(a->storage, Storage::Float);
  ASSERT_TRUE(heap.store(a, 0, number(7)));
  EXPECT_EQ(a->storage, Storage::Int);
  EXPECT_EQ(Heap::load(a, 0), number(7));
  ASSERT_TRUE(heap.store(a, 0, Value()));
  ASSERT_TRUE(heap.store(a, 0, Value(true)));
  EXPECT_EQ(a->storage, Storage::Bool);
  EXPECT_EQ(Heap::load(a, 0), Value(true));
  ASSERT_TRUE(heap.store(a, 0, Value(FunName{1})));
  EXPECT_EQ(a->storage, Storage::Mixed);
  ASSERT_TRUE(heap.store(a, 0, number(7)));
  EXPECT_EQ(a->storage, Storage::Mixed);
  EXPECT_EQ(Heap::load(a, 0), number(7));
}

TEST_F(NativeHeap, AVariableWhoseTypeChangesOftenIsBoxed) {
  Heap heap(limits);
  Array* a = heap.allocate(1);
  for (int i = 0; i < 20; ++i) {
    const Value v = i % 2 == 0 ? number(i) : Value(0.5);
    ASSERT_TRUE(heap.store(a, 0, v));
    EXPECT_EQ(Heap::load(a, 0), v);
  }
  EXPECT_EQ(a->storage, Storage::Mixed);
}

TEST_F(NativeHeap, AStackOfNumbersStaysUnboxed) {
  Heap heap(limits);
  Array* a = heap.allocate(100);
  ASSERT_TRUE(heap.store(a, 0, number(1)));
  ASSERT_TRUE(heap.store(a, 1, number(2)));
  ASSERT_TRUE(heap.store(a, 1, Value()));
  ASSERT_TRUE(heap.store(a, 50, Value()));
  EXPECT_EQ(a->storage, Storage::Int);
  EXPECT_EQ(a->filled, 1U);
}

TEST_F(NativeHeap, TestsTheTypesOfAllElements) {
  Heap heap(limits);
  const auto types = [&](const Array* a) {
    std::string all;
    for (const Tag tag : {Tag::Bool, Tag::Int, Tag::Float})
      all += Heap::elements_are(a, tag) ? kTypeNames[static_cast<std::size_t>(tag)] : "-";
    return all;
  };
  EXPECT_EQ(types(heap.allocate(0)), "boolintfloat");
  Array* a = heap.allocate(2);
  EXPECT_EQ(types(a), "---");
  ASSERT_TRUE(heap.store(a, 0, number(1)));
  EXPECT_EQ(types(a), "---") << "the other element is nil";
  ASSERT_TRUE(heap.store(a, 1, number(2)));
  EXPECT_EQ(types(a), "-int-");
  Watchpoint watchpoint{.value = number(1)};
  heap.set_watchpoint(watchpoint, a);
  EXPECT_EQ(types(a), "-int-") << "boxed for the watchpoint";
  ASSERT_TRUE(heap.store(a, 0, Value(0.5)));
  EXPECT_EQ(types(a), "---");
  ASSERT_TRUE(heap.store(a, 1, Value(1.5)));
  EXPECT_EQ(a->storage, Storage::Mixed);
  EXPECT_EQ(types(a), "--float");
}

TEST_F(NativeHeap, AWatchpointHoldsUntilItsElementChanges) {
  Heap heap(limits);
  const std::vector<Value> values{Value(true), number(7)};
  Array* a = heap.allocate(values);
  Watchpoint first{.value = Value(true)}, second{.value = number(7), .index = 1};
  heap.set_watchpoint(first, a);
  heap.set_watchpoint(second, a);
  const auto address = reinterpret_cast<std::uint64_t>(a);
  EXPECT_EQ(a->storage, Storage::Watchpoints);
  ASSERT_TRUE(heap.store(a, 0, Value(true))) << "the same value";
  EXPECT_EQ(first.array, address);
  ASSERT_TRUE(heap.store(a, 0, Value(1.5)));
  EXPECT_EQ(first.array, 0U);
  EXPECT_EQ(second.array, address) << "another element";
  EXPECT_EQ(a->storage, Storage::Watchpoints);
  ASSERT_TRUE(heap.store(a, 1, number(8)));
  EXPECT_EQ(second.array, 0U);
  EXPECT_EQ(a->storage, Storage::Mixed) << "nobody counts on it any more";
  EXPECT_EQ(elements(a), (std::vector<Value>{Value(1.5), number(8)}));
  EXPECT_EQ(heap.invalidated(), 2U);
}

TEST_F(NativeHeap, AWatchpointThatWentToAnotherArrayIsNotEndedByTheFirst) {
  Heap heap(limits);
  const std::vector<Value> values{Value(true)};
  Array *a = heap.allocate(values), *b = heap.allocate(values);
  Watchpoint watchpoint{.value = Value(true)};
  heap.set_watchpoint(watchpoint, a);
  heap.set_watchpoint(watchpoint, b);
  ASSERT_TRUE(heap.store(a, 0, Value(false)));
  EXPECT_EQ(watchpoint.array, reinterpret_cast<std::uint64_t>(b));
  ASSERT_TRUE(heap.store(b, 0, Value(false)));
  EXPECT_EQ(watchpoint.array, 0U);
}

TEST_F(NativeHeap, AnArrayWithManyStoresLosesItsWatchpoints) {
  Heap heap(limits);
  const std::vector<Value> values{Value(true), number(0)};
  Array* a = heap.allocate(values);
  Watchpoint watchpoint{.value = Value(true)};
  heap.set_watchpoint(watchpoint, a);
  for (std::int64_t i = 0; i < 1000; ++i) ASSERT_TRUE(heap.store(a, 1, number(i)));
  EXPECT_EQ(watchpoint.array, 0U);
  heap.set_watchpoint(watchpoint, a);
  EXPECT_EQ(watchpoint.array, 0U) << "it is abandoned";
  EXPECT_EQ(a->storage, Storage::Mixed);
}

TEST_F(NativeHeap, AWatchpointIsSetSoOftenOnly) {
  Heap heap(limits);
  const std::vector<Value> values{Value(true)};
  Array* a = heap.allocate(values);
  Watchpoint watchpoint{.value = Value(true)};
  const std::uint64_t times = watchpoint.left;
  for (std::uint64_t i = 0; i <= times; ++i) {
    heap.set_watchpoint(watchpoint, a);
    EXPECT_EQ(watchpoint.array != 0, i < times) << i;
    ASSERT_TRUE(heap.store(a, 0, Value(false)));
    ASSERT_TRUE(heap.store(a, 0, Value(true)));
  }
}

TEST_F(NativeHeap, TheStorageOfAnArrayThatIsListed) {
  Heap heap(limits);
  const auto storage = [&](std::vector<Value> values) {
    Array* a = heap.allocate(values);
    EXPECT_EQ(elements(a), values);
    return a->storage;
  };
  EXPECT_EQ(storage({}), Storage::Empty);
  EXPECT_EQ(storage({Value(), Value()}), Storage::Empty);
  EXPECT_EQ(storage({number(1), number(2)}), Storage::Int);
  EXPECT_EQ(storage({Value(1.0), Value(-0.0)}), Storage::Float);
  EXPECT_EQ(storage({Value(false), Value(true)}), Storage::Bool);
  EXPECT_EQ(storage({number(1), Value(1.0)}), Storage::Mixed);
  EXPECT_EQ(storage(std::vector<Value>(100, number(3))), Storage::Int);
}

TEST_F(NativeHeap, LimitsAreSaid) {
  limits.array = 10;
  limits.heap = 1000;
  Heap heap(limits);
  EXPECT_EQ(heap.allocate(11), nullptr);
  EXPECT_EQ(heap.why(), Limit::Array);
  std::vector<Value> many(11);
  EXPECT_EQ(heap.allocate(many), nullptr);
  EXPECT_EQ(heap.why(), Limit::Array);
  Array* chain = nullptr;
  int links = 0;
  for (; links < 1000; ++links) {
    Array* a = heap.allocate(10);
    if (a == nullptr) break;
    ASSERT_TRUE(heap.store(a, 0, chain == nullptr ? Value() : value_of(chain)));
    chain = a;
  }
  EXPECT_EQ(heap.why(), Limit::Heap);
  EXPECT_EQ(links, 5) << "184 bytes each, as in the reference";
  EXPECT_NE(chain, nullptr);
}

// Whatever is stored in whatever order: what is read is what a vector of values holds.
TEST_F(NativeHeap, AgreesWithVectorsOfValues) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return random() % n; };
    Heap heap(limits);
    ScannedStack held(1 << 16);
    std::vector<std::vector<Value>> expected;
    const unsigned kinds = 1 + below(7);
    const auto any = [&]() -> Value {
      switch (below(kinds)) {
      case 0: return Value(static_cast<std::int64_t>(random()) << 20);
      case 1: return {};
      case 2: return Value(1.0 / (1.0 + static_cast<double>(random())));
      case 3: return Value(below(2) == 0);
      case 4: return Value(FunName{3});
      case 5: return Value(Str{4});
      default: return held.top == held.begin() ? Value() : held.begin()[below(expected.size())];
      }
    };
    for (int step = 0; step < 400; ++step) {
      if (expected.empty() || (below(20) == 0 && expected.size() < 100)) {
        const std::size_t length = below(3) == 0 ? below(100) : below(20);
        std::vector<Value> block(length);
        if (below(2) == 0)
          for (Value& v : block) v = any();
        Array* a = heap.allocate(block);
        expected.push_back(block);
        *held.top++ = value_of(a);
        continue;
      }
      const std::size_t which = below(expected.size());
      auto& block = expected[which];
      if (block.empty()) continue;
      Array* a = array_of(held.begin()[which]);
      std::size_t at = below(block.size());
      if (below(3) != 0 && a->storage != Storage::Mixed) at = std::min(a->filled, a->length - 1);
      const Value v = any();
      block[at] = v;
      ASSERT_TRUE(heap.store(a, at, v));
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Array* a = array_of(held.begin()[i]);
      ASSERT_EQ(elements(a), expected[i]) << "seed " << seed;
      for (const Tag tag : {Tag::Bool, Tag::Int, Tag::Float})
        ASSERT_EQ(Heap::elements_are(a, tag),
                  std::ranges::all_of(expected[i], [&](Value v) { return v.is(tag); }));
    }
  }
}

TEST_F(NativeHeap, GarbageIsReclaimed) {
  if (!kCollects) GTEST_SKIP() << "blocks come from malloc in this build";
  limits.heap = 10'000'000;
  Heap heap(limits);
  ScannedStack held(1 << 16);
  held.top = held.begin() + 100;
  for (std::int64_t i = 0; i < 3'000'000; ++i) {
    Array* a = heap.allocate(static_cast<std::uint64_t>(i % 50));
    ASSERT_NE(a, nullptr) << i;
    if (a->length > 0) {
      ASSERT_TRUE(heap.store(a, 0, held.begin()[i % 100]));
      if (i % 3 == 0) {
        ASSERT_TRUE(heap.store(a, a->length - 1, number(i)));
        if (a->length > 1) {
          ASSERT_TRUE(heap.store(a, 0, Value()));
        }
      }
    }
    held.begin()[(i * 7) % 100] = i % 1000 == 0 ? Value() : value_of(a);
  }
}

// The collector frees what nobody holds and nothing else, however deep it is held.
TEST_F(NativeHeap, AMillionLinksAreKept) {
  Heap heap(limits);
  ScannedStack held(1 << 12);
  held.top = held.begin() + 1;
  *held.begin() = Value();
  constexpr std::int64_t kLinks = 1'000'000;
  for (std::int64_t i = 0; i < kLinks; ++i) {
    Array* a = heap.allocate(2);
    ASSERT_TRUE(heap.store(a, 0, *held.begin()));
    ASSERT_TRUE(heap.store(a, 1, number(i)));
    *held.begin() = value_of(a);
    ASSERT_NE(heap.allocate(20), nullptr);
  }
  Value link = *held.begin();
  for (std::int64_t i = kLinks; i-- > 0;) {
    ASSERT_EQ(Heap::load(array_of(link), 1), number(i));
    link = Heap::load(array_of(link), 0);
  }
  EXPECT_TRUE(link.is(Tag::Nil));
}

} // namespace
} // namespace sourir::native
