// Generated cases for RapidCheck. A case is a function of a tape of words; RapidCheck shrinks the
// tape (fewer words, smaller words), and a failure prints the program and the tape that makes it.
#pragma once

#include "sourir/bisim/random_program.h"
#include "sourir/semantics/run.h"
#include "sourir/syntax/printer.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace sourir::testing {

// How the case of a tape is made: the policy comes from the tape too (swarm testing).
struct Case {
  std::vector<std::uint32_t> words;

  RandomCase make(Names &names) const {
    Tape tape(words);
    const Policy policy = random_policy(tape, 120);
    return random_case(tape, policy, names);
  }
};

inline std::ostream &operator<<(std::ostream &out, const Case &c) {
  Names names;
  const RandomCase made = c.make(names);
  return out << "program:\n" << print(made.program, names) << "leave: " << made.leave
             << "\ntape: " << print_tape(c.words) << '\n';
}

inline std::vector<std::uint32_t> words_of(std::uint64_t seed) {
  Tape tape(seed);
  Names names;
  const Policy policy = random_policy(tape, 120);
  (void)random_case(tape, policy, names);
  return tape.used();
}

} // namespace sourir::testing

namespace rc {

template <> struct Arbitrary<sourir::testing::Case> {
  static Gen<sourir::testing::Case> arbitrary() {
    using sourir::testing::Case;
    using Words = std::vector<std::uint32_t>;
    const auto drawn = gen::map(gen::inRange<std::uint64_t>(0, ~std::uint64_t{0}),
                                [](std::uint64_t seed) { return Case{sourir::testing::words_of(seed)}; });
    return gen::shrink(drawn, [](const Case &c) {
      const auto smaller = [](std::uint32_t word) { return shrink::towards(word, 0U); };
      return seq::map(seq::concat(shrink::removeChunks(c.words),
                                  shrink::eachElement(c.words, smaller)),
                      [](Words &&words) { return Case{std::move(words)}; });
    });
  }
};

} // namespace rc

namespace sourir::testing {

// A generated program, linked and ready to run as often as wanted.
class Generated {
public:
  explicit Generated(const Case &c, std::uint64_t fuel = 20'000)
      : made_(c.make(names_)), program_(made_.program, names_) {
    limits_.fuel = fuel;
    limits_.heap = 64 << 20;
    limits_.output = 1 << 20;
  }

  // A configuration at the start under this schedule.
  Config start(const std::string &leave) {
    schedules_.push_back(
        std::make_unique<Schedule>(std::get<Schedule>(parse_schedule(leave, names_))));
    resolve(*schedules_.back(), program_);
    inputs_.push_back(std::make_unique<Input>(made_.inputs, names_));
    return sourir::start(program_, *inputs_.back(), *schedules_.back(), limits_);
  }

  struct Ran {
    std::vector<std::string> lines; // printed, and the last says how it ended
    Outcome outcome;
    Statistics statistics;
  };
  Ran run(const std::string &leave) {
    Ran ran;
    Config c = start(leave);
    RunHooks hooks;
    hooks.print = [&](std::string_view line) { ran.lines.emplace_back(line); };
    hooks.statistics = &ran.statistics;
    ran.outcome = sourir::run(c, hooks);
    ran.lines.push_back(ran.outcome.kind == OutcomeKind::Stop
                            ? "stop " + show(ran.outcome.result, c.heap, names_)
                            : std::string("stuck ") + name_of(ran.outcome.reason));
    return ran;
  }

  const RandomCase &made() const { return made_; }
  Names &names() { return names_; }

private:
  Names names_;
  RandomCase made_;
  LinkedProgram program_;
  Limits limits_;
  std::vector<std::unique_ptr<Schedule>> schedules_;
  std::vector<std::unique_ptr<Input>> inputs_;
};

} // namespace sourir::testing
