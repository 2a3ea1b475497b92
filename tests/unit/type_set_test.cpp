#include "sourir/syntax/type_set.h"

#include "native/runtime/site_feedback.h"
#include "sourir/syntax/text/printer.h"

#include <gtest/gtest.h>

namespace sourir {
namespace {

constexpr TypeSet kNil = Kind::Nil;
static_assert(kNil.single() && TypeSet().empty() && kAnyType == TypeSet::all());

// All sets of types against arithmetic on their bits.
TEST(TypeSet, OperationsAreThoseOfSets) {
  for (unsigned a = 0; a < 128; ++a)
    for (unsigned b = 0; b < 128; ++b) {
      const TypeSet x = TypeSet::from_bits(a), y = TypeSet::from_bits(b);
      EXPECT_EQ((x | y).bits(), a | b);
      EXPECT_EQ((x & y).bits(), a & b);
      EXPECT_EQ((x - y).bits(), a & ~b);
      EXPECT_EQ(x.several(), std::popcount(a) > 1);
      EXPECT_EQ(x.within(y), (x - y).empty());
      EXPECT_EQ(x.intersects(y), !(x & y).empty());
      TypeSet joined = x, met = x;
      EXPECT_EQ(joined |= y, x | y);
      EXPECT_EQ(met &= y, x & y);
    }
}

TEST(TypeSet, BitsAreTypes) {
  for (std::size_t i = 0; i < kTypes; ++i) {
    const auto type = static_cast<Kind>(i);
    EXPECT_EQ(TypeSet(type).bits(), 1U << i);
    EXPECT_EQ(TypeSet(type).only(), type);
    EXPECT_TRUE(kAnyType.has(type));
    EXPECT_FALSE((kAnyType - type).has(type));
    EXPECT_EQ(kTypeNames[i], spelling(type));
  }
  EXPECT_EQ(TypeSet({Kind::Int, Kind::Float}), kNumbers);
  EXPECT_EQ(TypeSet().only(), std::nullopt);
  EXPECT_EQ(kNumbers.only(), std::nullopt);
}

// The bit beside the types: a variable without a value.
TEST(TypeSet, UnboundIsNoType) {
  const TypeSet unbound = native::type_set(Tag::Unbound);
  EXPECT_EQ(unbound.bits(), 0x80);
  EXPECT_FALSE(unbound.intersects(kAnyType));
  EXPECT_TRUE(unbound.single());
  EXPECT_EQ(unbound.only(), std::nullopt);
  EXPECT_EQ(native::only_tag(unbound), Tag::Unbound);
  EXPECT_EQ(native::only_tag(Kind::Float), Tag::Float);
  EXPECT_EQ(native::only_tag(kNumbers), Tag::Unbound);
}

TEST(TypeSet, Text) {
  EXPECT_EQ(text_of({}, "?"), "?");
  EXPECT_EQ(text_of(Kind::Fun, "?"), "fun");
  EXPECT_EQ(text_of({Kind::Array, Kind::Nil, Kind::Int}, ""), "nil|int|array");
}

} // namespace
} // namespace sourir
