// Any bytes as what is typed in flags and input: literals, expressions, places, schedules.
#include "tests/fuzz/fuzz_check.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sourir;
  using fuzzing::require;
  Names names;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto literal = parse_literal(text, names)) {
    require(parse_literal(print(*literal, names), names) == literal, "literals read back");
    const Value value = to_value(*literal);
    require(to_literal(value) == literal, "literals are values");
  }
  if (const auto expr = parse_expr(text, names))
    require(parse_expr(print(*expr, names), names) == expr, "expressions read back");
  if (const auto place = parse_place(text, names))
    require(parse_place(print(*place, names), names) == place, "places read back");
  (void)parse_schedule(text, names);
  return 0;
}
