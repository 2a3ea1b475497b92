// The comparison of native code with the reference on one program.
#pragma once

#include "native/engine/compiler_loader.h"
#include "tests/unit/engine_runs.h"

namespace sourir::testing {

// Native code does not know the values of frames that wait in it: only places are compared there.
inline std::string without_unknown_values(const std::string& expected, const std::string& got) {
  const auto line = [](const std::string& text, std::size_t& at) {
    const std::size_t end = text.find('\n', at);
    std::string result = text.substr(at, end - at);
    at = end == std::string::npos ? text.size() : end + 1;
    return result;
  };
  const auto is_value = [](const std::string& text) { return text.starts_with("  "); };
  std::string result;
  for (std::size_t e = 0, g = 0; e < expected.size();) {
    std::string wanted = line(expected, e);
    std::string found = g < got.size() ? line(got, g) : "";
    while (is_value(wanted) && !is_value(found) && e <= expected.size()) {
      if (e == expected.size()) return result;
      wanted = line(expected, e);
    }
    result += wanted + "\n";
  }
  return result;
}

// What differs; empty: nothing.
inline std::string native_difference(const EngineCase& c, const native::NativeSettings& settings) {
  const Seen expected = seen_in_reference(c);
  if (expected.limit == Limit::Fuel) return "";
  const Seen got = seen_in_engine(c, settings);
  if (expected.kind == got.kind && without_unknown_values(expected.text, got.text) == got.text)
    return "";
  return "the reference:\n" + expected.text + "\nnative:\n" + got.text;
}

inline native::NativeSettings native_settings(unsigned level) {
  native::NativeSettings settings;
  settings.engine = native::NativeSettings::Engine::Native;
  settings.level = level;
  settings.compiler = native::compiler_from_library();
  return settings;
}

} // namespace sourir::testing
