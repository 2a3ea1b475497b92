// Any bytes as a program: if it is well-formed and small, every pass runs on it, and what they make
// is well-formed, too.
#include "tests/fuzz/fuzz_check.h"

#include "sourir/passes/run_pipeline.h"

#include <cstddef>
#include <cstdint>

namespace {

constexpr std::size_t kMost = 200; // instructions

std::size_t size_of(const sourir::Program& program) {
  std::size_t size = 0;
  for (const sourir::Function& function : program.functions)
    for (const sourir::Version& version : function.versions) size += version.body.size();
  return size;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sourir;
  Names names;
  const Loaded loaded =
      load("fuzz.sou", std::string(reinterpret_cast<const char*>(data), size), names);
  if (loaded.problems.has_errors() || size_of(loaded.program) >= kMost) return 0;
  PipelineHooks hooks;
  hooks.after_pass = [&](const PassEvent& event) {
    Diagnostics problems;
    check_wellformed(event.after, {}, names, problems);
    fuzzing::require(!problems.has_errors(), event.report.pass.c_str());
    if (event.report.changed) (void)coverage(event.map(), event.before, event.after);
    return Verdict::Continue;
  };
  const auto pipeline = std::get<Pipeline>(parse_pipeline("all,fix:3(all)"));
  const PipelineResult result = run_pipeline(pipeline, loaded.program, names, {}, hooks);
  // Where comments hang may differ after a pass, but not how that reads.
  const std::string text = print(result.program, names);
  Diagnostics problems;
  const Parsed back = parse(Source("printed", text), names, problems);
  fuzzing::require(!problems.has_errors(), "what passes made can be read");
  fuzzing::require(print(back.program, names) == text, "print(parse(print(p))) == print(p)");
  return 0;
}
