#include "sourir/cli/bench/bench_competitors.h"

#include "sourir/os/files.h"
#include "sourir/os/own_path.h"
#include "sourir/semantics/text/state_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <sstream>

namespace sourir {

namespace {

using CompetitorKind = BenchCompetitor::Kind;

struct Peer {
  const char* name; // also the command
  CompetitorKind kind;
  const char* ending;
  const char* version_flag;
};

constexpr std::array<const char*, 4> kEngines = {"reference", "baseline", "native", "auto"};
constexpr std::array<Peer, 4> kPeers = {{
    {"gcc", CompetitorKind::Compiled, ".c", "--version"},
    {"lua5.4", CompetitorKind::Interpreted, ".lua", "-v"},
    {"luajit", CompetitorKind::Interpreted, ".lua", "-v"},
    {"node", CompetitorKind::Interpreted, ".js", "--version"},
}};
constexpr double kSecondsToStart = 60;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

BenchCompetitor engine(const std::string& name, const std::string& engine_name,
                       const std::vector<std::string>& flags) {
  BenchCompetitor made{
      .name = name, .kind = CompetitorKind::Engine, .command = {}, .ending = {}, .version = {}};
  made.command = {own_path(), "run", "--engine=" + engine_name};
  made.command.insert(made.command.end(), flags.begin(), flags.end());
  return made;
}

class Search {
public:
  explicit Search(const BenchChoice& choice) : choice_(choice) {}

  // Returns the error, or nothing.
  std::string run() {
    if (std::string problem = unknown_name(); !problem.empty()) return problem;
    for (const Peer& peer : kPeers)
      if (wanted(peer.name)) try_peer(peer);
    for (const char* name : kEngines) {
      if (!wanted(name)) continue;
      if (name == std::string_view("reference") && choice_.size == "full" &&
          choice_.engines.empty())
        found_.notes.emplace_back("reference: left out at full size, it would take minutes; "
                                  "--engines names it");
      else
        try_engine(engine(name, name, {}));
    }
    for (const std::string& set : choice_.sets)
      if (std::string problem = try_set(set); !problem.empty()) return problem;
    if (found_.present.empty()) return "nobody is left to measure" + reasons();
    return {};
  }

  BenchCompetitors take() { return std::move(found_); }

private:
  bool wanted(const std::string& name) const {
    return choice_.engines.empty() ||
           std::ranges::find(choice_.engines, name) != choice_.engines.end();
  }

  std::string unknown_name() const {
    std::vector<std::string> all(kEngines.begin(), kEngines.end());
    for (const Peer& peer : kPeers) all.emplace_back(peer.name);
    if (choice_.engines == std::vector<std::string>{"none"}) return {};
    for (const std::string& name : choice_.engines)
      if (std::ranges::find(all, name) == all.end())
        return fmt::format("there is no engine '{}'; there are {}", name, fmt::join(all, ", "));
    return {};
  }

  void try_peer(const Peer& peer) {
    const ProcessResult done =
        run_bench_process({peer.name, peer.version_flag}, "", kSecondsToStart);
    if (!done.fine()) return leave_out(peer.name, done);
    BenchCompetitor made{.name = peer.name,
                         .kind = peer.kind,
                         .command = {},
                         .ending = peer.ending,
                         .version = first_line(done.output + done.errors)};
    // No fused multiply-add: a product and a sum are two operations, as in the other languages.
    made.command = peer.kind == CompetitorKind::Compiled
                       ? std::vector<std::string>{peer.name, "-O2", "-ffp-contract=off", "-o"}
                       : std::vector<std::string>{peer.name};
    found_.present.push_back(std::move(made));
  }

  void try_engine(BenchCompetitor made) {
    std::vector<std::string> words = made.command;
    words.emplace_back("-");
    const ProcessResult done = run_bench_process(words, "print 1\n", kSecondsToStart);
    if (!done.fine()) return leave_out(made.name, done);
    made.version = "sourir " SOURIR_VERSION;
    found_.present.push_back(std::move(made));
  }

  // "NAME=ENGINE FLAG..."
  std::string try_set(const std::string& set) {
    const std::size_t is = set.find('=');
    std::istringstream words(is == std::string::npos ? "" : set.substr(is + 1));
    std::string engine_name, word;
    std::vector<std::string> flags;
    words >> engine_name;
    while (words >> word) flags.push_back(word);
    const std::string name = set.substr(0, is);
    if (name.empty() || std::ranges::find(kEngines, engine_name) == kEngines.end())
      return fmt::format("--set: '{}' is not NAME=ENGINE FLAG..., where the engine is one of {}",
                         set, fmt::join(kEngines, ", "));
    const auto same = [&](const BenchCompetitor& other) { return other.name == name; };
    if (std::ranges::any_of(found_.present, same))
      return fmt::format("--set: there is a '{}' already", name);
    try_engine(engine(name, engine_name, flags));
    return {};
  }

  void leave_out(const std::string& name, const ProcessResult& done) {
    found_.notes.push_back(fmt::format("{}: left out, it {}", name, done.how_it_ended()));
  }

  std::string reasons() const {
    std::string text;
    for (const std::string& note : found_.notes) text += "\n  " + note;
    return text;
  }

  const BenchChoice& choice_;
  BenchCompetitors found_;
};

} // namespace

Result<BenchCompetitors> find_competitors(const BenchChoice& choice) {
  Search search(choice);
  if (std::string problem = search.run(); !problem.empty()) return failure("{}", problem);
  return search.take();
}

std::vector<std::string> command_for(const BenchCompetitor& competitor, const BenchFolder& folder,
                                     const BenchProgram& program, const std::string& executable) {
  if (competitor.kind == CompetitorKind::Compiled) return {executable, std::to_string(program.n)};
  std::vector<std::string> words = competitor.command;
  if (competitor.kind == CompetitorKind::Engine) {
    words.push_back(folder.source(program));
  } else {
    words.push_back(folder.source_for(competitor.name, competitor.ending, program));
    words.push_back(std::to_string(program.n));
  }
  return words;
}

ProcessResult run_bench_process(std::vector<std::string> words, std::string input, double seconds) {
  constexpr std::size_t kMostOutput = std::size_t{1} << 20;
  return run_program({.words = std::move(words), .input = std::move(input), .keep_errors = true},
                     {.seconds = seconds, .output = kMostOutput});
}

std::vector<std::string> parts_of_list(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream text(list);
  for (std::string part; std::getline(text, part, ',');)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

namespace {

constexpr std::size_t kLargestList = std::size_t{1} << 20;
constexpr const char* kList = "programs.json";

std::string inside(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

std::string found_folder() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const std::string installed = (program.parent_path() / "share/sourir/bench").string();
  for (const std::string& place : {std::string("bench"), std::string("."), installed})
    if (std::filesystem::exists(inside(place, kList), error)) return place;
  return SOURIR_BENCH_FOLDER;
}

// Whether the name may be a part of a path.
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

// Throws the exceptions of nlohmann::json where the list has another shape.
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

// Keeps the named programs, in the order of the list. Returns the error for an unknown name.
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

Result<BenchFolder> read_bench_folder(std::string path, const std::string& size,
                                      const std::vector<std::string>& names) {
  if (path.empty()) path = found_folder();
  const std::string file = inside(path, kList);
  const auto text = read_file(file, kLargestList);
  if (const auto* problem = std::get_if<FileProblem>(&text))
    return failure("{}; --dir=FOLDER says where the benchmark programs are", problem->message);
  try {
    BenchFolder folder{path, programs_at(Json::parse(std::get<std::string>(text)), size)};
    if (std::string problem = choose(folder.programs, names); !problem.empty())
      return failure("'{}': {}", file, problem);
    return folder;
  } catch (const std::exception& error) { // of the JSON library or programs_at()
    return failure("'{}': {}", file, error.what());
  }
}

bool same_answer(const std::string& found, const std::string& expected) {
  if (found == expected) return true;
  const bool is_float = expected.find_first_of(".e") != std::string::npos;
  const auto a = number_of(found), b = number_of(expected);
  return is_float && a && b && *a == *b;
}

} // namespace sourir
