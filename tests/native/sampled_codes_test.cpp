// Records of sampled code: where they lie, how they are found, and how long they live.
#include "native/runtime/sampled_codes.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace sourir::native {
namespace {

#ifdef MAP_32BIT
TEST(SampledCodesTest, CodeReachesRecordsWithAddressesOf32Bits) {
  SampledCodes codes;
  for (int i = 0; i < 100; ++i) {
    const profiler::SampledCode& code = codes.make("f.opt");
    EXPECT_LT(reinterpret_cast<std::uintptr_t>(&code), std::uintptr_t{1} << 31);
  }
}
#endif

TEST(SampledCodesTest, RecordsAreNumberedByVersionAndFoundOncePublished) {
  SampledCodes codes;
  codes.make("f.opt");
  profiler::SampledCode& second = codes.make("f.opt");
  EXPECT_EQ(second.name, "f.opt#2");
  EXPECT_EQ(codes.published("f.opt#2"), nullptr);
  second.begin = 0x1000;
  second.size = 16;
  codes.publish(second);
  EXPECT_EQ(codes.published("f.opt#2"), &second);
  EXPECT_EQ(codes.find(0x100f), &second);
  codes.remove(second);
  EXPECT_EQ(codes.find(0x100f), nullptr);
}

TEST(SampledCodesTest, ReportsKeepTheRecords) {
  SampledCodes::Records records;
  {
    SampledCodes codes;
    codes.publish(codes.make("f.opt"));
    codes.make("g.opt");
    records = codes.all();
  }
  ASSERT_EQ(records.published.size(), 1U);
  EXPECT_EQ(records.published[0]->name, "f.opt#1");
  EXPECT_EQ(records.unpublished, std::vector<std::string>{"g.opt#1"});
}

} // namespace
} // namespace sourir::native
