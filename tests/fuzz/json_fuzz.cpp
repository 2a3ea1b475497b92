// Any bytes as the JSON form. What is read must write and read back the same, and if it is
// well-formed survive everything that a program from text survives.
#include "tests/fuzz/fuzz_check.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sourir;
  Names names;
  Diagnostics problems;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Source source("fuzz.sou.json", text);
  const Parsed parsed = from_json(source, names, problems);
  for (const Diagnostic& problem : problems.sorted()) (void)render(problem, source, false);
  if (!problems.has_errors()) {
    Diagnostics again;
    const Source json("again", to_json(parsed.program, parsed.spans, names));
    const Parsed back = from_json(json, names, again);
    fuzzing::require(!again.has_errors() && back.program == parsed.program &&
                         back.spans == parsed.spans,
                     "from_json(to_json(p)) == p");
    check_wellformed(parsed.program, parsed.spans, names, problems);
  }
  const Loaded loaded = load("fuzz.sou.json", text, names);
  for (const Diagnostic& problem : loaded.problems.sorted())
    (void)render(problem, loaded.source, false);
  if (!loaded.problems.has_errors()) fuzzing::accepted({loaded.program, loaded.spans}, names);
  return 0;
}
