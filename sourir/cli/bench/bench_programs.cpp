#include "sourir/cli/bench/bench_programs.h"

#include "sourir/os/files.h"
#include "sourir/semantics/text/value_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

namespace sourir {

namespace {

constexpr std::size_t kLargestList = std::size_t{1} << 20;
constexpr const char* kList = "programs.json";

std::string inside(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

std::string found_folder() {
  std::error_code error;
  for (const char* place : {"bench", "."})
    if (std::filesystem::exists(inside(place, kList), error)) return place;
  return SOURIR_BENCH_FOLDER;
}

// Names become parts of paths.
bool is_plain(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
}

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

// Throws what nlohmann::json throws where the shape is another one.
std::vector<BenchProgram> programs_at(const Json& list, const std::string& size) {
  std::vector<BenchProgram> programs;
  for (const Json& entry : list.at("programs")) {
    BenchProgram program{.name = entry.at("name"), .n = 0, .answer = {}};
    if (!is_plain(program.name))
      throw std::runtime_error(fmt::format("'{}' cannot be the name of a program", program.name));
    const Json& sizes = entry.at("sizes");
    if (!sizes.contains(size))
      throw std::runtime_error(fmt::format("'{}' has no size '{}'", program.name, size));
    program.n = sizes.at(size).at("n");
    program.answer = sizes.at(size).at("answer");
    programs.push_back(std::move(program));
  }
  return programs;
}

// What is chosen, in the order of the list; the problem where a name is not in it.
std::string choose(std::vector<BenchProgram>& programs, const std::vector<std::string>& names) {
  std::vector<std::string> all;
  all.reserve(programs.size());
  for (const BenchProgram& program : programs) all.push_back(program.name);
  for (const std::string& name : names)
    if (std::ranges::find(all, name) == all.end())
      return fmt::format("there is no program '{}'; there are {}", name, fmt::join(all, ", "));
  if (!names.empty())
    std::erase_if(programs, [&](const BenchProgram& program) {
      return std::ranges::find(names, program.name) == names.end();
    });
  return programs.empty() ? "there are no programs" : "";
}

} // namespace

std::string BenchFolder::source(const BenchProgram& program) const {
  return inside(path, "programs/" + program.name + ".sou");
}

std::string BenchFolder::source_for(const std::string& peer, const std::string& ending,
                                    const BenchProgram& program) const {
  std::error_code error;
  const std::string own = inside(path, fmt::format("peers/{}.{}{}", program.name, peer, ending));
  if (std::filesystem::exists(own, error)) return own;
  return inside(path, "peers/" + program.name + ending);
}

std::variant<BenchFolder, std::string> read_bench_folder(std::string path, const std::string& size,
                                                         const std::vector<std::string>& names) {
  if (path.empty()) path = found_folder();
  const std::string file = inside(path, kList);
  const auto text = read_file(file, kLargestList);
  if (const auto* problem = std::get_if<FileProblem>(&text))
    return problem->message + "; --dir=FOLDER says where the benchmark programs are";
  try {
    BenchFolder folder{path, programs_at(Json::parse(std::get<std::string>(text)), size)};
    if (std::string problem = choose(folder.programs, names); !problem.empty())
      return fmt::format("'{}': {}", file, problem);
    return folder;
  } catch (const std::exception& error) { // of the JSON library, or ours
    return fmt::format("'{}': {}", file, error.what());
  }
}

bool same_answer(const std::string& found, const std::string& expected) {
  if (found == expected) return true;
  const bool is_float = expected.find_first_of(".e") != std::string::npos;
  const auto a = number_of(found), b = number_of(expected);
  return is_float && a && b && *a == *b;
}

} // namespace sourir
