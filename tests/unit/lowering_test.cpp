#ifdef SOURIR_HAVE_LLVM
#include "compiled.h"

#include <gtest/gtest.h>

namespace sourir::testing {
namespace {

using native::CompileOptions;

class Lowering : public ::testing::TestWithParam<unsigned> {
protected:
  CompileOptions options() const { return {.level = GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(Levels, Lowering, ::testing::Values(0U, 2U),
                         [](const auto& level) { return "O" + std::to_string(level.param); });

Value integer(std::int64_t n) { return Value(n); }

constexpr const char* kFib = R"(
  return 0
function fib(var n)
  branch (n < 2) $small $big
$small:
  return n
$big:
  var n1 = (n - 1)
  call a = 'fib(n1)
  var n2 = (n - 2)
  call b = 'fib(n2)
  var r = (a + b)
  return r
)";

TEST_P(Lowering, FibOfInts) {
  Compiled fib(kFib, options());
  EXPECT_EQ(fib.call("fib", {integer(20)}), integer(6765));
  EXPECT_TRUE(fib.exits.empty());
  EXPECT_TRUE(fib.calls.empty());
}

} // namespace
} // namespace sourir::testing
#endif
