// What a plugin defines: a shared library with passes of its own, which sourir loads into itself
// for `plugin:FILE` (docs/own_passes.md). Its source defines one variable:
//
//   constexpr sourir::PassRow kRows[] = {{"name", "What it does.", "plugin:./name.so", name, {}}};
//   const sourir::PassPlugin sourir_pass_plugin = {.passes = kRows};
//
// The functions of these headers are those of the program that loads it.
#pragma once

#include "sourir/passes/core/pass.h"
#include "sourir/passes/plugin_headers.h" // made by sourir/passes/plugin_headers.py

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sourir {

// What the sources of a program and of its plugins must be compiled with alike. It stands in the
// bytes of the file and is compared before any code of it is loaded, so its layout never changes.
struct PluginAbi {
  std::array<char, 24> mark;      // kPluginMark
  std::array<char, 16> version;   // of sourir
  std::array<char, 24> headers;   // a hash of all headers of the libraries
  std::array<char, 16> machine;   // "x86_64"
  std::array<char, 16> library;   // "libstdc++"
  std::uint32_t library_version;  // 12
  std::uint32_t library_settings; // those that change the layout of its types; usually 1
  friend bool operator==(const PluginAbi&, const PluginAbi&) = default;
};

inline constexpr std::array<char, 24> kPluginMark = {"sourir-pass-plugin-abi:"};

inline constexpr PluginAbi kPluginAbi = {
    .mark = kPluginMark,
    .version = kPluginVersion,
    .headers = kPluginHeaders,
#if defined(__x86_64__)
    .machine = {"x86_64"},
#elif defined(__aarch64__)
    .machine = {"aarch64"},
#else
    .machine = {"other"},
#endif
#if defined(_GLIBCXX_RELEASE)
    .library = {"libstdc++"},
    .library_version = _GLIBCXX_RELEASE,
#if defined(_GLIBCXX_DEBUG)
    .library_settings = 2 + _GLIBCXX_USE_CXX11_ABI,
#else
    .library_settings = _GLIBCXX_USE_CXX11_ABI,
#endif
#elif defined(_LIBCPP_VERSION)
    .library = {"libc++"},
    .library_version = _LIBCPP_VERSION,
    .library_settings = _LIBCPP_ABI_VERSION,
#else
    .library = {"other"},
    .library_version = 0,
    .library_settings = 0,
#endif
};

struct PassPlugin {
  std::span<const PassRow> passes; // at least one, each with another name
  const PluginAbi* abi = &kPluginAbi;
};

} // namespace sourir

// Also where names are hidden unless something else is said (-fvisibility=hidden).
extern "C" [[gnu::visibility("default")]] const sourir::PassPlugin sourir_pass_plugin;
