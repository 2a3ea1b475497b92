#include "sourir/cli/bench/bench_environment.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace sourir {

namespace {

// Of the first processor; empty: Linux does not say.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const std::size_t name = line.find(": "); name != std::string::npos)
        return line.substr(name + 2);
  return {};
}

#ifdef NDEBUG
constexpr bool kAssertions = false;
#else
constexpr bool kAssertions = true;
#endif
#ifdef __OPTIMIZE__
constexpr bool kOptimized = true;
#else
constexpr bool kOptimized = false;
#endif
#ifdef __clang__
constexpr const char* kCompiler = "clang ";
#else
constexpr const char* kCompiler = "gcc ";
#endif
#ifdef SOURIR_HAVE_LLVM
constexpr bool kWithNativeCode = true;
#else
constexpr bool kWithNativeCode = false;
#endif

} // namespace

nlohmann::ordered_json bench_machine() {
  nlohmann::ordered_json machine = nlohmann::ordered_json::object();
  if (const std::string name = processor_name(); !name.empty()) machine["processor"] = name;
  if (const long n = sysconf(_SC_NPROCESSORS_ONLN); n > 0) machine["processors"] = n;
  if (utsname system{}; uname(&system) == 0)
    machine["system"] = fmt::format("{} {} {}", system.sysname, system.release, system.machine);
  return machine;
}

nlohmann::ordered_json bench_build() {
  return {{"version", SOURIR_VERSION},
          {"compiler", std::string(kCompiler) + __VERSION__},
          {"optimized", kOptimized},
          {"assertions", kAssertions},
          {"native_code", kWithNativeCode}};
}

} // namespace sourir
