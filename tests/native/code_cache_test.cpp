// The life of code objects in the code cache, without executing any.
#include "native/runtime/code_cache.h"
#include "tests/unit/running.h"

#include <gtest/gtest.h>

namespace sourir::native {
namespace {

struct FakeCode final : NativeCode {
  FakeCode(const ResolvedVersion& version, std::uint64_t at, int& alive_now) : alive(alive_now) {
    code = &version;
    begin = at;
    size = 16;
    entry = reinterpret_cast<void*>(at);
    ++alive;
  }
  ~FakeCode() override { --alive; }
  std::optional<Pc> call_at(std::uint64_t) const override { return {}; }
  int& alive;
};

class CodeCacheTest : public ::testing::Test {
protected:
  const ResolvedVersion& function(const char* name) {
    return *running_.program().function(running_.names().intern<FunName>(name))->dispatch[0];
  }
  const NativeCode& add(const ResolvedVersion& version) {
    std::vector<std::unique_ptr<NativeCode>> made;
    made.push_back(std::make_unique<FakeCode>(version, next_ += 0x100, alive_));
    return *cache_.add(std::move(made)).front();
  }
  // An optimized version of f with a stream of its own.
  OptimizedVersion& add_version() {
    auto version = std::make_unique<OptimizedVersion>();
    version->streams.push_back(std::make_unique<ResolvedVersion>(function("f")));
    return cache_.add(std::move(version));
  }

  testing::Running running_{R"(function main()
  call r = 'f(1)
  stop r
function f(var x)
  return x
)"};
  int alive_ = 0;
  std::uint64_t next_ = 0x1000;
  CodeCache cache_;
};

TEST_F(CodeCacheTest, FindsCodeByAddressUpToItsEnd) {
  const NativeCode& code = add(function("f"));
  EXPECT_EQ(cache_.code_at(code.begin), &code);
  EXPECT_EQ(cache_.code_at(code.begin + code.size), &code); // where a last call returns to
  EXPECT_EQ(cache_.code_at(code.begin + code.size + 1), nullptr);
  EXPECT_EQ(cache_.code_at(code.begin - 1), nullptr);
}

TEST_F(CodeCacheTest, CallsEnterCodeFromInstallationToInvalidation) {
  const ResolvedVersion& f = function("f");
  const NativeCode& code = add(f);
  std::atomic<void*> calls = nullptr;
  EXPECT_EQ(cache_.code_for_calls(f), nullptr);
  cache_.install_for_calls(code, &calls);
  EXPECT_EQ(cache_.code_for_calls(f), &code);
  EXPECT_EQ(calls.load(), code.entry);
  cache_.invalidate(code);
  EXPECT_EQ(cache_.code_for_calls(f), nullptr);
  EXPECT_EQ(calls.load(), nullptr);
}

// f of the program has two versions here.
TEST(Dispatchers, AreEnteredWhileEachVersionHasCode) {
  testing::Running running(R"(function main()
  stop 0
function f(var x)
version ints when [(x is int)]
  return x
version base
  return 0
)");
  int alive = 0;
  CodeCache cache;
  FunctionCell f;
  f.fun = running.program().function(running.names().intern<FunName>("f"));
  f.dispatch = std::make_unique<DispatchTable>();
  for (const ResolvedVersion* version : f.fun->dispatch) f.dispatch->append(version->when);
  const auto installed = [&](std::size_t version, std::uint64_t at) {
    std::vector<std::unique_ptr<NativeCode>> made;
    made.push_back(std::make_unique<FakeCode>(*f.fun->dispatch[version], at, alive));
    const NativeCode& code = *cache.add(std::move(made)).front();
    cache.install_for_calls(code, &f.dispatch->entries[version].code, &f);
    return &code;
  };
  const NativeCode* ints = installed(0, 0x1000);
  EXPECT_EQ(f.entry.load(), nullptr);
  cache.add_dispatcher(f, std::make_unique<FakeCode>(*f.fun->dispatch[1], 0x2000, alive));
  EXPECT_EQ(f.entry.load(), nullptr);
  const NativeCode* const base = installed(1, 0x3000);
  void* const dispatcher = reinterpret_cast<void*>(0x2000);
  EXPECT_EQ(f.entry.load(), dispatcher);
  EXPECT_EQ(f.dispatch->entries[1].code.load(), base->entry);

  cache.set_aside(*base);
  EXPECT_EQ(f.entry.load(), nullptr);
  cache.reinstate(*base);
  EXPECT_EQ(f.entry.load(), dispatcher);

  cache.invalidate(*ints);
  EXPECT_EQ(f.entry.load(), nullptr);
  EXPECT_EQ(f.dispatch->entries[0].code.load(), nullptr);
  EXPECT_EQ(cache.release_unused({}).code.size(), 1U);
  ints = installed(0, 0x4000);
  EXPECT_EQ(f.entry.load(), dispatcher);
  EXPECT_EQ(f.dispatch->entries[0].code.load(), ints->entry);
}

TEST_F(CodeCacheTest, AnOsrEntryKeepsItsAddress) {
  const ResolvedVersion& f = function("f");
  OsrEntry& entry = cache_.osr_entry(f, 0);
  const NativeCode& code = add(f);
  EXPECT_FALSE(cache_.has_osr_code(f, 0));
  cache_.install(entry, code, nullptr);
  EXPECT_TRUE(cache_.has_osr_code(f, 0));
  EXPECT_EQ(entry.ready.load(), &code);
  cache_.invalidate(code);
  EXPECT_EQ(entry.ready.load(), nullptr);
  EXPECT_EQ(&cache_.osr_entry(f, 0), &entry);
}

TEST_F(CodeCacheTest, ReinstatesWhatIsSetAside) {
  const ResolvedVersion& f = function("f");
  const NativeCode& general = add(f);
  std::atomic<void*> calls = nullptr;
  cache_.install_for_calls(general, &calls);
  cache_.set_aside(general);
  EXPECT_EQ(calls.load(), nullptr);
  const NativeCode& special = add(add_version().code());
  cache_.install_for_calls(special, &calls);
  EXPECT_EQ(calls.load(), special.entry);
  EXPECT_FALSE(cache_.wants_release()); // what is set aside is kept
  cache_.invalidate(special);
  cache_.reinstate(general);
  EXPECT_EQ(calls.load(), general.entry);
  EXPECT_EQ(cache_.code_for_calls(f), &general);
}

TEST_F(CodeCacheTest, ReinstatesALoopWithItsParameters) {
  const ResolvedVersion& f = function("f");
  OsrEntry& entry = cache_.osr_entry(f, 0);
  const NativeCode& code = add(f);
  const std::vector<Slot> parameters{0};
  cache_.install(entry, code, &parameters);
  cache_.set_aside(code);
  EXPECT_EQ(entry.parameters, nullptr);
  cache_.reinstate(code);
  EXPECT_EQ(entry.parameters, &parameters);
  EXPECT_EQ(entry.code, &code);
}

TEST_F(CodeCacheTest, FreesInvalidatedCodeThatNoActivationUses) {
  const NativeCode& code = add(function("f"));
  EXPECT_FALSE(cache_.wants_release());
  cache_.invalidate(code);
  EXPECT_TRUE(cache_.wants_release());
  EXPECT_TRUE(cache_.release_unused({.versions = {}, .native = {&code}}).code.empty());
  EXPECT_EQ(alive_, 1);
  EXPECT_EQ(cache_.release_unused({}).code.size(), 1U);
  EXPECT_EQ(alive_, 0);
  EXPECT_EQ(cache_.statistics().freed, 1U);
  EXPECT_EQ(cache_.code_at(0x1100), nullptr);
}

TEST_F(CodeCacheTest, AfterASearchInVainTwiceAsManyJobsMustBegin) {
  const ResolvedVersion& f = function("f");
  const NativeCode& code = add(f);
  cache_.invalidate(code);
  const CodeInUse used{.versions = {}, .native = {&code}};
  for (const int jobs : {2, 4, 8}) {
    ASSERT_TRUE(cache_.wants_release());
    cache_.release_unused(used);
    for (int job = 0; job < jobs; ++job) {
      EXPECT_FALSE(cache_.wants_release());
      cache_.pin(f);
      cache_.unpin(f);
    }
  }
  EXPECT_TRUE(cache_.wants_release());
}

TEST_F(CodeCacheTest, AVersionGoesWithAllItsCode) {
  OptimizedVersion& version = add_version();
  const ResolvedVersion& stream = version.code();
  const NativeCode& code = add(stream);
  cache_.install_for_calls(code, nullptr);
  cache_.install(cache_.osr_entry(stream, 0), add(stream), nullptr); // after an exit of its own
  EXPECT_EQ(cache_.version_of(stream), &version);
  cache_.invalidate(code);
  const ReleasedCode released = cache_.release_unused({});
  EXPECT_EQ(released.code.size(), 2U);
  EXPECT_EQ(released.versions.size(), 1U);
  EXPECT_EQ(released.entries.size(), 1U);
  EXPECT_EQ(cache_.version_of(stream), nullptr);
}

TEST_F(CodeCacheTest, AVersionStaysWhileItIsUsed) {
  OptimizedVersion& version = add_version();
  const ResolvedVersion& stream = version.code();
  const NativeCode& code = add(stream);
  const NativeCode& other = add(stream);
  cache_.invalidate(code);
  // In the interpreter; in other code of it; by a job; from a place that stays.
  EXPECT_TRUE(cache_.release_unused({.versions = {&stream}, .native = {}}).code.empty());
  EXPECT_TRUE(cache_.release_unused({.versions = {}, .native = {&other}}).code.empty());
  cache_.pin(stream);
  EXPECT_TRUE(cache_.release_unused({}).code.empty());
  cache_.unpin(stream);
  cache_.install(cache_.osr_entry(function("main"), 0), other, nullptr);
  EXPECT_TRUE(cache_.release_unused({}).code.empty());
  cache_.set_aside(other);
  EXPECT_TRUE(cache_.release_unused({}).code.empty());
  cache_.invalidate(other);
  EXPECT_EQ(cache_.release_unused({}).code.size(), 2U);
}

TEST_F(CodeCacheTest, NumbersVersionsAndCountsWhatWasAdded) {
  EXPECT_EQ(add_version().number, 1U);
  EXPECT_EQ(add_version().number, 2U);
  add(function("f"));
  EXPECT_EQ(cache_.statistics().optimized, 2U);
  EXPECT_EQ(cache_.statistics().compiled, 1U);
  EXPECT_EQ(cache_.statistics().machine_code_bytes, 16U);
}

} // namespace
} // namespace sourir::native
