// Pipelines: how their text is parsed, and how they run. The messages for wrong texts are in
// tests/filetests/cli/opt_pipeline_errors.sou.
#include "sourir/passes/core/options.h"
#include "sourir/passes/pipeline.h"
#include "sourir/passes/registry.h"
#include "sourir/passes/run_pipeline.h"
#include "tests/unit/reading.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sourir {
namespace {

using testing::Reading;
using testing::Strings;

std::string text(const Pipeline& pipeline) {
  std::string out;
  for (const PipelineStep& step : pipeline) {
    out += out.empty() ? "" : ",";
    out += match(
        step.step, [](const RunPass& pass) { return pass.text; },
        [](const RunCommand& command) { return "exec:" + command.command; },
        [](const Repeat& r) {
          return "fix:" + std::to_string(r.bound) + "(" + text(r.body) + ")";
        });
  }
  return out;
}

std::string parsed(std::string_view pipeline, const LoadPlugin& plugins = {}) {
  const auto result = parse_pipeline(pipeline, plugins);
  if (const auto* error = std::get_if<PipelineError>(&result))
    return std::to_string(error->at) + "+" + std::to_string(error->length) + " " + error->message;
  return text(std::get<Pipeline>(result));
}

TEST(Pipeline, Parses) {
  EXPECT_EQ(parsed("unreachable"), "unreachable");
  EXPECT_EQ(parsed(" unreachable ,\n fix ( dce , dce ) "), "unreachable,fix:16(dce,dce)");
  EXPECT_EQ(parsed("fix:3(fix:1(dce),dce)"), "fix:3(fix:1(dce),dce)");
  EXPECT_EQ(parsed("dce:functions=f+g"), "dce:functions=f+g");
  EXPECT_EQ(parsed("exec:a 'x,y)' \"(\" (b,c),dce"), "exec:a 'x,y)' \"(\" (b,c),dce");
  EXPECT_EQ(parsed("fix(exec:a b)"), "fix:16(exec:a b)");
}

// Without a loader, as in WebAssembly, there are none; tests/cli/plugin_test.py has real ones.
TEST(Pipeline, Plugins) {
  EXPECT_EQ(parsed("dce,plugin:a.so"), "11+4 this build of sourir loads no plugins");
  std::vector<std::string> files;
  const LoadPlugin plugins = [&](const std::string& file) -> Result<std::span<const PassRow>> {
    files.push_back(file);
    if (file == "none.so") return failure("there is none");
    return all_passes().subspan(0, file == "one.so" ? 1 : 3);
  };
  EXPECT_EQ(parsed("fix:2( plugin:a.so:clear-dead:functions=f ,dce)", plugins),
            "fix:2(plugin:a.so:clear-dead:functions=f,dce)");
  EXPECT_EQ(parsed("plugin:'a, (b):c.so':clear-dead", plugins), "plugin:'a, (b):c.so':clear-dead");
  EXPECT_EQ(parsed("plugin:one.so,plugin:one.so:as=assume", plugins),
            "plugin:one.so,plugin:one.so:as=assume");
  EXPECT_EQ(files, (std::vector<std::string>{"a.so", "a, (b):c.so", "one.so", "one.so"}));
  EXPECT_EQ(parsed("plugin:none.so", plugins), "7+7 there is none");
  EXPECT_EQ(parsed("plugin:one.so:as=x", plugins).substr(0, 5), "14+4 ");
  EXPECT_EQ(parsed("plugin:one.so(dce)", plugins),
            "13+1 'checkpoints' takes no brackets; fix(...) does");
}

// Names of passes that were renamed still work; they are in no list.
TEST(Pipeline, OldNamesOfPasses) {
  EXPECT_EQ(parsed("loads,fix(kinds,sink:functions=f)"), "loads,fix:16(kinds,sink:functions=f)");
  const auto now = [](std::string_view old) { return find_pass(old)->name; };
  EXPECT_EQ(now("kinds"), "types");
  EXPECT_EQ(now("loads"), "load-elimination");
  EXPECT_EQ(now("sink"), "deferred-materialization");
  for (const PassRow& row : all_passes()) EXPECT_EQ(now(row.name), row.name);
}

// The first problem counts, whatever comes after it.
TEST(Pipeline, OneErrorIsReported) {
  EXPECT_EQ(parsed("fix(,nothing"), "4+1 here a pass is missing");
  EXPECT_EQ(parsed("fix:0(dce"), "4+1 fix:N(...) takes a number of iterations, from 1 on");
  EXPECT_EQ(parsed("fix dce,fix:x(dce)"), "0+7 there is no pass 'fix dce'");
}

TEST(Pipeline, NestingIsBounded) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "fix(";
  EXPECT_NE(parsed(deep).find("nested too deeply"), std::string::npos);
}

TEST(Pipeline, OptionValues) {
  const auto problem = [](std::string_view takes, std::optional<std::string_view> value) {
    return value_problem({"o", takes, ""}, value);
  };
  EXPECT_EQ(problem("", {}), "");
  EXPECT_EQ(problem("", "false"), "");
  EXPECT_EQ(problem("", "1"), "o is a switch: true or false, not '1'");
  EXPECT_EQ(problem("N", "18446744073709551615"), "");
  for (const char* const wrong : {"18446744073709551616", "-1", "1x", " 1"})
    EXPECT_NE(problem("N", wrong), "") << wrong;
  EXPECT_EQ(problem("N", {}), "o needs a value: o=N");
  EXPECT_EQ(problem("NAME", "_a1"), "");
  for (const char* const wrong : {"1a", "a.b", "stop", "a+b"})
    EXPECT_NE(problem("NAME", wrong), "") << wrong;
  EXPECT_EQ(problem("L+M", "a+b"), "");
  for (const char* const wrong : {"a+", "+a", "a++b", "goto", "a+1"})
    EXPECT_NE(problem("L+M", wrong), "") << wrong;
  EXPECT_EQ(problem("E+E", "x==1+!y"), "");
  EXPECT_EQ(problem("a|bc", "bc"), "");
  EXPECT_EQ(problem("a|bc", "b"), "o is one of a|bc, not 'b'");
  EXPECT_EQ(problem("TEXT", "x==1"), "");
}

TEST(Pipeline, Presets) {
  for (const Preset& preset : all_presets())
    EXPECT_EQ(parsed(preset.name), parsed(preset.pipeline)) << preset.name;
  Strings all;
  const auto every = parse_pipeline("all");
  for (const PipelineStep& step : std::get<Pipeline>(every))
    all.push_back(std::get<RunPass>(step.step).text);
  std::ranges::sort(all);
  Strings names;
  for (const PassRow& row : all_passes()) names.emplace_back(row.name);
  EXPECT_EQ(all, names);
}

// Passes that are only there for the test: each rewrite removes the last instruction but one.
std::optional<PassResult> shorten(const PassInput& input) {
  PassResult result{input.program, {}, 1, {"shorter"}};
  auto& body = result.program.functions[0].versions[0].body;
  if (body.size() < 2) return std::nullopt;
  body.erase(body.end() - 2);
  return result;
}
std::optional<PassResult> nothing(const PassInput&) { return std::nullopt; }

constexpr PassRow kShorten = {"shorten", "", "", shorten, kNoOptions};
constexpr PassRow kNothing = {"nothing", "", "", nothing, kNoOptions};

class PipelineRun : public ::testing::Test {
protected:
  static PipelineStep step(const PassRow& row) {
    return {RunPass{&row, {}, std::string(row.name)}};
  }
  PipelineResult run(const Pipeline& pipeline, const PipelineHooks& hooks = {}) {
    return run_pipeline(pipeline, reading_.parsed.program, *reading_.names, {}, hooks);
  }
  static std::size_t size(const Program& p) { return p.functions[0].versions[0].body.size(); }

  Reading reading_{"print 1\nprint 2\nprint 3\nprint 4\nstop\n"};
};

TEST_F(PipelineRun, RepeatsUntilNothingChanges) {
  const PipelineResult result = run({{Repeat{16, {step(kShorten), step(kNothing)}}}});
  EXPECT_EQ(size(result.program), 1U);
  // Four iterations that change something; then it is known that neither step has anything to do.
  EXPECT_EQ(result.reports.size(), 9U);
  EXPECT_TRUE(result.remarks.empty());
  EXPECT_FALSE(result.map);
}

TEST_F(PipelineRun, SaysWhenTheBoundWasHit) {
  const PipelineResult result = run({{Repeat{2, {step(kShorten)}}}});
  EXPECT_EQ(size(result.program), 3U);
  ASSERT_EQ(result.remarks.size(), 1U);
}

TEST_F(PipelineRun, TheHookSeesEachPass) {
  Strings seen;
  PipelineHooks hooks;
  hooks.after_pass = [&](const PassEvent& event) {
    seen.push_back(event.report.pass + " " + std::to_string(size(event.before)) + " " +
                   std::to_string(size(event.after)));
    return Verdict::Continue;
  };
  run({step(kShorten), step(kNothing), step(kShorten)}, hooks);
  EXPECT_EQ(seen, (Strings{"shorten 5 4", "nothing 4 4", "shorten 4 3"}));
}

TEST_F(PipelineRun, TheHookStopsAndTakesBack) {
  for (const Verdict verdict : {Verdict::Stop, Verdict::Undo}) {
    PipelineHooks hooks;
    hooks.after_pass = [&](const PassEvent& event) {
      return size(event.after) == 3 ? verdict : Verdict::Continue;
    };
    const PipelineResult result = run({{Repeat{16, {step(kShorten)}}}, step(kShorten)}, hooks);
    EXPECT_EQ(size(result.program), verdict == Verdict::Stop ? 3U : 4U);
    EXPECT_TRUE(result.stopped);
    EXPECT_TRUE(result.remarks.empty());
  }
}

TEST_F(PipelineRun, ComposesMaps) {
  PipelineHooks hooks;
  hooks.compose_maps = true;
  const auto parsed_passes = parse_pipeline("unreachable,unreachable");
  Reading dead("branch true $a $b\n$a:\nstop\n$b:\nprint 1\nstop\n");
  const PipelineResult result =
      run_pipeline(std::get<Pipeline>(parsed_passes), dead.parsed.program, *dead.names, {}, hooks);
  ASSERT_TRUE(result.map);
  EXPECT_EQ(coverage(*result.map, dead.parsed.program, result.program).mapped,
            coverage(*result.map, dead.parsed.program, result.program).mandatory);
}

TEST_F(PipelineRun, Commands) {
  const Pipeline pipeline = {step(kShorten), {RunCommand{"cmd"}}, step(kShorten)};
  EXPECT_NE(run(pipeline).error, "");
  PipelineHooks hooks;
  hooks.command = [](const std::string&, const PassInput&) -> Result<CommandOutput> {
    return failure("it is broken");
  };
  const PipelineResult broken = run(pipeline, hooks);
  EXPECT_EQ(broken.error, "it is broken");
  EXPECT_EQ(size(broken.program), 4U);
  hooks.command = [](const std::string&, const PassInput& input) -> Result<CommandOutput> {
    return CommandOutput{input.program, {}};
  };
  const PipelineResult fine = run(pipeline, hooks);
  EXPECT_EQ(size(fine.program), 3U);
  EXPECT_FALSE(fine.reports[1].changed);
  EXPECT_EQ(fine.reports[1].pass, "exec:cmd");
}

// What it makes is checked before anything relies on it.
TEST_F(PipelineRun, PassesOfPlugins) {
  PipelineStep foreign = step(kShorten);
  std::get<RunPass>(foreign.step).foreign = true;
  EXPECT_EQ(size(run({foreign}).program), 4U);
  PipelineHooks hooks;
  hooks.plugin = [](const RunPass&, const PassInput&) -> Result<std::optional<PassResult>> {
    return failure("it is broken");
  };
  const PipelineResult broken = run({foreign, step(kShorten)}, hooks);
  EXPECT_EQ(broken.error, "the pass " + std::get<RunPass>(foreign.step).text + ": it is broken");
  EXPECT_EQ(size(broken.program), 5U);
  EXPECT_FALSE(broken.rejected);
  hooks.plugin = [](const RunPass&, const PassInput&) -> Result<std::optional<PassResult>> {
    return PassResult{};
  };
  const PipelineResult rejected = run({step(kShorten), foreign, step(kShorten)}, hooks);
  EXPECT_NE(rejected.error.find("no-main"), std::string::npos) << rejected.error;
  EXPECT_EQ(size(rejected.program), 4U);
  EXPECT_EQ(rejected.rejected, Program());
}

} // namespace
} // namespace sourir
