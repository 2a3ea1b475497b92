// Compilers of native code that fail: they cost speed, nothing else.
#include "native/runtime/compiler_host.h"
#include "tests/unit/engine_runs.h"
#include "tests/unit/running.h"

#include <gtest/gtest.h>

namespace sourir::testing {
namespace {

using Engine = native::NativeSettings::Engine;

class Failing final : public native::NativeCompiler {
public:
  explicit Failing(bool no_memory) : no_memory_(no_memory) {}
  std::vector<std::unique_ptr<native::NativeCode>> compile(std::span<const native::CompileRequest>,
                                                           const native::CompileOptions&) override {
    if (no_memory_) throw std::bad_alloc();
    throw std::runtime_error("LLVM: out of registers");
  }
  std::string show(std::span<const native::CompileRequest>, const native::CompileOptions&,
                   Form) override {
    return "";
  }
  std::vector<native::PassChange> passes(std::span<const native::CompileRequest>,
                                         const native::CompileOptions&) override {
    return {};
  }
  native::AssemblyOfIr assembly_of_ir(std::span<const native::CompileRequest>,
                                      const native::CompileOptions&) override {
    return {};
  }
  std::vector<native::NativeExit> exits(const native::CompileRequest&,
                                        const native::CompileOptions&) override {
    return {};
  }
  void serve(const native::CompilerHost&) override {}

private:
  bool no_memory_;
};

constexpr const char* kHotProgram = R"(function main()
  var i = 0
  goto loop
loop:
  branch (i < 2000) $go $end
$go:
  call r = 'next(i)
  i <- r
  drop r
  goto loop
$end:
  stop i
function next(var n)
  return (n + 1)
)";

std::vector<std::string> warnings(Engine engine, bool background, bool no_memory) {
  Running running(kHotProgram);
  Input input(std::vector<Value>(), running.names());
  native::NativeSettings settings;
  settings.engine = engine;
  settings.background = background;
  settings.tiers.calls_until_native = settings.tiers.iterations_until_native = 10;
  settings.compiler = [&](native::Machine&) { return std::make_unique<Failing>(no_memory); };
  std::vector<std::string> said;
  native::EngineHooks hooks;
  hooks.warn = [&](std::string_view what) { said.emplace_back(what); };
  const native::EngineRun run = run_engine(running.program(), input, Schedule(), settings, hooks);
  EXPECT_EQ(run.outcome.result, Value(std::int64_t{2000}));
  EXPECT_EQ(run.statistics.compiled, 0U);
  return said;
}

TEST(FailingCompiler, TheProgramGoesOnInTheBaseline) {
  const std::vector<std::string> expected{
      "main.anon stays in the baseline: LLVM: out of registers",
      "next.anon stays in the baseline: LLVM: out of registers"};
  EXPECT_EQ(warnings(Engine::Auto, false, false), expected);
  EXPECT_EQ(warnings(Engine::Native, false, false),
            std::vector<std::string>{"all versions stay in the baseline: LLVM: out of registers"});
}

TEST(FailingCompiler, AlsoWithoutMemoryAndOnItsThread) {
  for (const std::string& said : warnings(Engine::Auto, true, true))
    EXPECT_NE(said.find("stays in the baseline: std::bad_alloc"), said.npos) << said;
  EXPECT_EQ(warnings(Engine::Auto, false, true).size(), 2U);
}

} // namespace
} // namespace sourir::testing
