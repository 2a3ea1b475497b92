// Any bytes as a program: problems or a program that survives everything (fuzz_check.h).
#include "tests/fuzz/fuzz_check.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sourir;
  Names names;
  const Loaded loaded =
      load("fuzz.sou", std::string(reinterpret_cast<const char*>(data), size), names);
  for (const Diagnostic& problem : loaded.problems.sorted())
    (void)render(problem, loaded.source, false);
  if (!loaded.problems.has_errors()) fuzzing::accepted({loaded.program, loaded.spans}, names);
  return 0;
}
