// Every pass on random programs, checked: see pass_trial.h.
//
//   pass_campaign [PROGRAMS [SEED [PASSES [FOLDER]]]]
//
// PASSES: names with commas between, or `all`. Failing programs are made smaller and written to
// FOLDER as PASS-N.sou, or shown. Exits with 1 if there is any.
#include "tests/pass_campaign/pass_trial.h"

#include "sourir/bisim/random_program.h"
#include "sourir/passes/pipeline.h"
#include "sourir/passes/registry.h"
#include "sourir/syntax/printer.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>

namespace sourir::testing {
namespace {

constexpr std::uint32_t kSizes[] = {40, 100, 100, 300}; // of programs, about
constexpr std::uint32_t kChain = 8;                     // passes, one after another, at most
constexpr std::size_t kLargest = 2'000; // instructions of a program that is passed on
constexpr int kWritten = 2;             // counterexamples of one kind

struct Tally {
  std::uint64_t tried = 0, changed = 0, rewrites = 0, failed = 0, inconclusive = 0;
  std::uint64_t mapped = 0, mandatory = 0, states = 0, not_mapped = 0, forced = 0, exits = 0;
  double seconds = 0;
};

struct Arguments {
  std::uint64_t programs = 100, seed = 1;
  std::string passes = "all", folder;
};

std::vector<PassChoice> choices(const std::string& passes) {
  // What a pass does without options may not be all that it can do.
  static constexpr const char* kMore[] = {"checkpoints:as=assume", "checkpoints:everywhere"};
  std::string text = passes;
  if (passes == "all") {
    text.clear();
    for (const PassRow& row : all_passes()) text += std::string(row.name) + ",";
    text.pop_back();
    for (const char* const more : kMore)
      if (const auto parsed = parse_pipeline(more); std::holds_alternative<Pipeline>(parsed))
        text += std::string(",") + more;
  }
  std::vector<PassChoice> all;
  auto parsed = parse_pipeline(text);
  if (const auto* error = std::get_if<PipelineError>(&parsed)) {
    fmt::print("{}\n", error->message);
    std::exit(64);
  }
  for (const PipelineStep& step : std::get<Pipeline>(parsed))
    if (const auto* pass = std::get_if<RunPass>(&step.step))
      all.push_back({pass->row, pass->options, pass->text});
  return all;
}

std::size_t size_of(const Program& program) {
  std::size_t size = 0;
  for (const Function& f : program.functions)
    for (const Version& v : f.versions) size += v.body.size();
  return size;
}

class Campaign {
public:
  explicit Campaign(Arguments arguments)
      : arguments_(std::move(arguments)), passes_(choices(arguments_.passes)),
        chain_(choices("all")) {}

  int run() {
    for (std::uint64_t i = 0; i < arguments_.programs; ++i) try_program(arguments_.seed + i);
    show();
    for (const auto& [pass, tally] : tallies_)
      if (tally.failed > 0) return 1;
    return 0;
  }

private:
  void try_program(std::uint64_t seed) {
    Names names;
    Tape tape(seed);
    const Policy policy = random_policy(tape, kSizes[tape.below(4)]);
    const RandomCase random = random_case(tape, policy, names);
    const Surroundings around{{random.inputs}, tape.chance(3, 4) ? seed : 0};
    for (const PassChoice& pass : passes_) try_on(pass, random.program, around, names, seed);
    Program program = random.program;
    const std::vector<PassChoice> chain = draw_chain(tape);
    for (std::size_t i = 0; i < chain.size() && size_of(program) < kLargest; ++i) {
      const PassChoice& pass = chain[i];
      const bool asked = i + 1 == chain.size() || arguments_.passes == "all";
      auto next = asked ? try_on(pass, program, around, names, seed)
                        : try_pass(pass, program, around, names);
      if (next.problem != Trial::Problem::None) return;
      program = std::move(next.output);
    }
  }

  // Whatever comes before, often what most passes need; in the end a pass that is looked at.
  std::vector<PassChoice> draw_chain(Tape& tape) const {
    std::vector<PassChoice> chain;
    if (tape.chance(1, 2)) chain = choices("fresh-version,checkpoints,speculate");
    const auto draw = [&](const std::vector<PassChoice>& from) {
      chain.push_back(from[tape.below(static_cast<std::uint32_t>(from.size()))]);
    };
    for (std::uint32_t i = tape.below(kChain); i > 0; --i) draw(chain_);
    draw(passes_);
    return chain;
  }

  Trial try_on(const PassChoice& pass, const Program& program, const Surroundings& around,
               Names& names, std::uint64_t seed) {
    const auto start = std::chrono::steady_clock::now();
    Trial trial = try_pass(pass, program, around, names);
    Tally& tally = tallies_[pass.text];
    tally.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ++tally.tried;
    tally.changed += trial.changed;
    tally.rewrites += trial.rewrites;
    tally.mapped += trial.mapped;
    tally.mandatory += trial.mandatory;
    tally.states += trial.verdict.states;
    tally.not_mapped += trial.verdict.not_mapped;
    tally.forced += trial.verdict.forced;
    tally.exits += trial.verdict.exits;
    tally.inconclusive += trial.verdict.agreement == Agreement::Inconclusive;
    if (trial.problem == Trial::Problem::None) return trial;
    ++tally.failed;
    if (auto& shown = shown_[pass.text + kind_of(trial)]; shown++ < kWritten)
      show_failure(pass, program, around, names, seed, ++written_[pass.row->name]);
    return trial;
  }

  void show_failure(const PassChoice& pass, const Program& program, const Surroundings& around,
                    Names& names, std::uint64_t seed, std::uint64_t number) {
    const Program small = shrink(pass, program, around, names);
    const Trial trial = try_pass(pass, small, around, names);
    std::string text = fmt::format("# {} on a program from seed {}:\n", pass.text, seed);
    std::string why = trial.text;
    for (std::size_t at = 0; at < why.size();) {
      const std::size_t end = std::min(why.find('\n', at), why.size());
      text += "#   " + why.substr(at, end - at) + "\n";
      at = end + 1;
    }
    text += print(small, names);
    if (arguments_.folder.empty()) {
      fmt::print("{}\n", text);
      return;
    }
    const std::string name = fmt::format("{}/{}-{}.sou", arguments_.folder, pass.row->name, number);
    std::ofstream(name) << text;
    fmt::print("wrote {}\n", name);
  }

  void show() const {
    fmt::print("{:24} {:>6} {:>7} {:>8} {:>6} {:>6} {:>8} {:>8} {:>8} {:>8} {:>7} {:>7}\n", "pass",
               "tried", "changed", "rewrites", "failed", "inconc", "coverage", "states", "unmapped",
               "forced", "exits", "seconds");
    for (const auto& [pass, t] : tallies_) {
      const double of = static_cast<double>(std::max<std::uint64_t>(t.mandatory, 1));
      fmt::print("{:24} {:6} {:6.1f}% {:8} {:6} {:6} {:7.2f}% {:8} {:8} {:8} {:7} {:7.2f}\n", pass,
                 t.tried, 100.0 * static_cast<double>(t.changed) / static_cast<double>(t.tried),
                 t.rewrites, t.failed, t.inconclusive, 100.0 * static_cast<double>(t.mapped) / of,
                 t.states, t.not_mapped, t.forced, t.exits, t.seconds);
      if (t.changed == 0) fmt::print("  {} has never changed anything: nothing is shown\n", pass);
    }
  }

  Arguments arguments_;
  std::vector<PassChoice> passes_, chain_;
  std::map<std::string, Tally> tallies_;
  std::map<std::string_view, std::uint64_t> written_;
  std::map<std::string, int> shown_; // by pass and kind of problem
};

} // namespace
} // namespace sourir::testing

int main(int argc, char** argv) {
  sourir::testing::Arguments arguments;
  if (argc > 1) arguments.programs = std::strtoull(argv[1], nullptr, 10);
  if (argc > 2) arguments.seed = std::strtoull(argv[2], nullptr, 10);
  if (argc > 3) arguments.passes = argv[3];
  if (argc > 4) arguments.folder = argv[4];
  return sourir::testing::Campaign(arguments).run();
}
