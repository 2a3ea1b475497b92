// Every pass on random programs, checked: see pass_trial.h.
//
//   pass_campaign [PROGRAMS [SEED [PASSES [FOLDER]]]]
//
// PASSES: names with commas between, or `all`. Failing programs are made smaller and written to
// FOLDER as PASS-N.sou, or shown. Exits with 1 if there is any.
#include "tests/pass_campaign/odd_operands.h"
#include "tests/pass_campaign/pass_trial.h"

#include "sourir/bisim/random_program.h"
#include "sourir/passes/pipeline.h"
#include "sourir/passes/registry.h"
#include "sourir/syntax/exit_frames.h"
#include "sourir/syntax/printer.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>

namespace sourir::testing {
namespace {

constexpr std::uint32_t kSizes[] = {40, 100, 100, 300}; // of programs, about
constexpr std::uint32_t kChain = 8;                     // passes, one after another, at most
constexpr std::size_t kLargest = 2'000; // instructions of a program that is passed on
constexpr double kSlow = 2;             // seconds for one pass on one program, with its check
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
  // What a tape says: a program, what is around it, and a chain of passes.
  struct Case {
    Names names;
    Program program;
    Surroundings around;
    std::vector<PassChoice> chain;
  };
  std::unique_ptr<Case> make(Tape& tape) const {
    auto made = std::make_unique<Case>();
    Policy policy = random_policy(tape, kSizes[tape.below(4)]);
    const bool odd = tape.chance(1, 3);
    if (odd) forbid_exits(policy);
    made->around.feedback_seed = tape.chance(3, 4) ? tape.word() : 0;
    made->chain = draw_chain(tape);
    RandomCase random = random_case(tape, policy, made->names);
    made->program = std::move(random.program);
    made->around.reads = {std::move(random.inputs)};
    if (odd) put_odd_operands(made->program, tape, made->names);
    return made;
  }

  void try_program(std::uint64_t seed) {
    Tape tape(seed);
    const auto made = make(tape);
    seed_ = seed;
    for (const PassChoice& pass : passes_) {
      const Trial trial = counted(pass, made->program, *made);
      if (trial.problem != Trial::Problem::None) failed(pass, trial, tape.used(), false);
    }
    Program program = made->program;
    for (std::size_t i = 0; i < made->chain.size() && size_of(program) < kLargest; ++i) {
      const PassChoice& pass = made->chain[i];
      const bool asked = i + 1 == made->chain.size() || arguments_.passes == "all";
      Trial next = asked ? counted(pass, program, *made)
                         : try_pass(pass, program, made->around, made->names);
      if (next.problem == Trial::Problem::None) {
        program = std::move(next.output);
        continue;
      }
      if (asked) failed(pass, next, tape.used(), true);
      return;
    }
  }

  // The input of the pass with this problem; empty: it has it no more.
  std::optional<Program> failing(const PassChoice& pass, const std::string& kind, bool in_chain,
                                 Case& made) const {
    const auto same = [&](const Trial& trial) {
      return trial.problem != Trial::Problem::None && kind_of(trial) == kind;
    };
    Program program = made.program;
    if (!in_chain) {
      if (!same(try_pass(pass, program, made.around, made.names))) return std::nullopt;
      return program;
    }
    for (const PassChoice& link : made.chain) {
      Trial next = try_pass(link, program, made.around, made.names);
      if (link.text == pass.text && same(next)) return program;
      if (next.problem != Trial::Problem::None || size_of(program) > kLargest) return std::nullopt;
      program = std::move(next.output);
    }
    return std::nullopt;
  }

  static void forbid_exits(Policy& policy) {
    policy.versions = 0;
    for (const Feature f : {Feature::Assumes, Feature::Anchors, Feature::Contexts,
                            Feature::Continuations, Feature::Inlining})
      policy.set(f, false);
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

  Trial counted(const PassChoice& pass, const Program& program, Case& made) {
    const auto start = std::chrono::steady_clock::now();
    Trial trial = try_pass(pass, program, made.around, made.names);
    Tally& tally = tallies_[pass.text];
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    tally.seconds += took.count();
    if (took.count() > kSlow)
      fmt::print("{} takes {:.1f} s on a program from seed {}\n", pass.text, took.count(), seed_);
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
    return trial;
  }

  // Made smaller by its tape, so that it stays a program that the generator makes; lines are
  // taken out only where there are no exits that would then tell lies.
  void failed(const PassChoice& pass, const Trial& trial, const std::vector<std::uint32_t>& words,
              bool in_chain) {
    ++tallies_[pass.text].failed;
    const std::string kind = kind_of(trial);
    if (shown_[pass.text + kind]++ >= kWritten) return;
    const auto small = shrink_tape(words, [&](const std::vector<std::uint32_t>& candidate) {
      Tape tape(candidate);
      return failing(pass, kind, in_chain, *make(tape)).has_value();
    });
    Tape tape(small);
    const auto made = make(tape);
    Program program = *failing(pass, kind, in_chain, *made);
    if (trial.problem == Trial::Problem::Structure || !has_exits(program))
      program = shrink(pass, std::move(program), made->around, made->names);
    show_failure(pass, program, made->around, made->names, ++written_[pass.row->name]);
  }

  static bool has_exits(const Program& program) {
    for (const Function& f : program.functions)
      for (const Version& v : f.versions)
        for (const Stmt& s : v.body)
          if (exit_of(s.instr) != nullptr) return true;
    return false;
  }

  void show_failure(const PassChoice& pass, const Program& small, const Surroundings& around,
                    Names& names, std::uint64_t number) {
    const Trial trial = try_pass(pass, small, around, names);
    std::string text = fmt::format("# {} on a program from seed {}:\n", pass.text, seed_);
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
  std::uint64_t seed_ = 0;
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
