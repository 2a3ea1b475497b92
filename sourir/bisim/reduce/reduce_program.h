// Reduction of a program with a property (delta debugging): parts are removed, the rest is
// simplified.
#pragma once

#include "sourir/syntax/ast.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace sourir {

// The first of these programs that has the property.
using FirstThatHolds = std::function<std::optional<std::size_t>(const std::vector<Program>&)>;

struct ReduceOptions {
  bool ill_formed = false;       // candidates need not be well-formed
  std::size_t together = 1;      // programs that are tested at once; does not change the result
  std::uint64_t tries = 100'000; // programs that are tested, about, at most
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const Program& best, std::uint64_t tried)> better; // may be empty
};

// `program` has the property. Well-formed and normal stays so.
Program reduce_program(Program program, const Names& names, const FirstThatHolds& first,
                       const ReduceOptions& options);

std::size_t instructions_of(const Program& program);

} // namespace sourir
