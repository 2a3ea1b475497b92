#include "sourir/bisim/generated_inputs.h"

#include "sourir/bisim/tape.h"

#include <array>
#include <limits>

namespace sourir {
namespace {

constexpr std::size_t kLength = 200;

Value small_number(Tape& tape) { return Value(static_cast<std::int64_t>(tape.below(10))); }

Value edge_number(Tape& tape) {
  using Limits = std::numeric_limits<std::int64_t>;
  constexpr std::array<std::int64_t, 8> kNumbers{
      0, 1, -1, 2, 7, 1'000, Limits::max(), Limits::min()};
  return Value(kNumbers[tape.below(kNumbers.size())]);
}

Value any_value(Tape& tape, Names& names) {
  switch (tape.below(8)) {
  case 0: return Value();
  case 1: return Value(tape.chance(1, 2));
  case 2: return Value(0.5 * tape.below(8) - 1.0);
  case 3: return Value(names.intern<Str>(tape.chance(1, 2) ? "a" : "b"));
  case 4: return edge_number(tape);
  default: return small_number(tape);
  }
}

} // namespace

bool reads_input(const Program& program) {
  for (const Function& f : program.functions)
    for (const Version& v : f.versions)
      for (const Stmt& s : v.body)
        if (std::holds_alternative<Read>(s.instr)) return true;
  return false;
}

std::vector<std::vector<Value>> generated_inputs(const Program& program, std::uint64_t seed,
                                                 Names& names) {
  if (!reads_input(program)) return {{}};
  Tape tape(seed);
  std::vector<std::vector<Value>> lists(4);
  for (std::size_t i = 0; i < kLength; ++i) {
    lists[0].push_back(small_number(tape));
    lists[1].push_back(any_value(tape, names));
    lists[2].push_back(edge_number(tape));
  }
  for (std::uint32_t i = tape.below(3); i > 0; --i) lists[3].push_back(small_number(tape));
  return lists;
}

} // namespace sourir
