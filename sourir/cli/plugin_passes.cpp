#include "sourir/cli/plugin_passes.h"

#include "sourir/os/files.h"
#include "sourir/passes/plugin.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <variant>

namespace sourir {
namespace {

constexpr std::size_t kLargestPlugin = std::size_t{1} << 30;

constexpr unsigned char kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
#if defined(__x86_64__)
constexpr ElfW(Half) kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr ElfW(Half) kMachine = EM_AARCH64;
#else
constexpr ElfW(Half) kMachine = EM_NONE; // is not compared
#endif

template <std::size_t N>
std::string_view field(const std::array<char, N>& text) {
  return {text.data(), strnlen(text.data(), N)};
}

std::string description(const PluginAbi& abi) {
  return fmt::format("sourir {}, headers {}, {}, {} {}{}", field(abi.version), field(abi.headers),
                     field(abi.machine), field(abi.library), abi.library_version,
                     abi.library_settings == 1 ? "" : fmt::format(".{}", abi.library_settings));
}

// Why the dynamic loader would say something misleading, or crash: it maps files that end too
// early.
std::string elf_problem(std::string_view file) {
  ElfW(Ehdr) header{};
  if (!file.starts_with(ELFMAG) || file.size() < sizeof header) return "is no shared library";
  std::memcpy(&header, file.data(), sizeof header);
  if (header.e_ident[EI_CLASS] != kClass || (kMachine != EM_NONE && header.e_machine != kMachine))
    return "was built for another kind of processor";
  if (header.e_shoff > file.size() ||
      file.size() - header.e_shoff < std::size_t{header.e_shnum} * header.e_shentsize)
    return "is no whole file: its end is missing";
  return {};
}

// What the file was compiled with; empty: it is no plugin.
std::optional<PluginAbi> abi_of(std::string_view file) {
  const std::size_t at = file.find(std::string_view(kPluginMark.data(), kPluginMark.size()));
  if (at == std::string_view::npos || file.size() - at < sizeof(PluginAbi)) return std::nullopt;
  PluginAbi abi;
  std::memcpy(&abi, file.data() + at, sizeof abi);
  return abi;
}

std::string rows_problem(std::span<const PassRow> rows) {
  if (rows.empty()) return "it has no passes";
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].name.empty() || rows[k].run == nullptr)
      return fmt::format("its pass {} has no name or no function", k + 1);
    if (std::ranges::count(rows, rows[k].name, &PassRow::name) > 1)
      return fmt::format("it has two passes {}", rows[k].name);
  }
  return {};
}

} // namespace

Result<std::span<const PassRow>> load_plugin(const std::string& file) {
  constexpr const char* kHow = "sourir_add_plugin() of find_package(sourir) makes one from C++";
  const auto read = read_file(file, kLargestPlugin);
  if (const auto* problem = std::get_if<FileProblem>(&read)) return failure("{}", problem->message);
  const auto& bytes = std::get<std::string>(read);
  if (const std::string problem = elf_problem(bytes); !problem.empty())
    return failure("'{}' {}; {}", file, problem, kHow);
  const auto abi = abi_of(bytes);
  if (!abi) return failure("'{}' is no plugin: it has no sourir_pass_plugin; {}", file, kHow);
  if (*abi != kPluginAbi)
    return failure("the plugin '{}' was built for another sourir ({}) than this one ({}): build it "
                   "again, with the headers that belong to this one",
                   file, description(*abi), description(kPluginAbi));
  // A name without a slash would be looked for in the folders of the system.
  const std::string path = std::filesystem::absolute(file).string();
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return failure("the plugin '{}' cannot be loaded: {}", file, dlerror());
  const auto* const plugin = static_cast<const PassPlugin*>(dlsym(library, "sourir_pass_plugin"));
  if (plugin == nullptr)
    return failure("'{}' is no plugin: it does not export sourir_pass_plugin; {}", file, kHow);
  if (const std::string problem = rows_problem(plugin->passes); !problem.empty())
    return failure("the plugin '{}': {}", file, problem);
  return plugin->passes;
}

Result<std::optional<PassResult>> run_plugin_pass(const RunPass& pass, const PassInput& input) {
  try {
    return pass.row->run(input);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return failure("it throws: {}", error.what());
  } catch (...) {
    return failure("it throws something that is no exception");
  }
}

} // namespace sourir
