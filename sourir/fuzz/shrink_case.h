// Smaller cases with the same finding, by their choice sequence or by their parts.
#pragma once

#include "sourir/fuzz/fuzz_case.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace sourir {

// Whether two kinds are probably of the same bug: of the same transform and oracle.
bool same_bug(std::string_view kind, std::string_view other);

struct ShrinkOptions {
  std::uint64_t tries = 5'000; // different cases to try, at most
  // After each try: whether it made the case smaller, and the case by then. May be empty.
  std::function<void(bool smaller, const FuzzCase& best)> tried = {};
};

// A shorter choice sequence whose case has a finding of probably the same bug.
std::vector<std::uint32_t> shrink_case(std::vector<std::uint32_t> choices, const std::string& kind,
                                       const FuzzPlan& plan,
                                       const ShrinkOptions& options = {.tries = 500});

// A smaller case with a finding of probably the same bug, which need not be one that a choice
// sequence gives: transforms, inputs, functions, versions, lines and variables removed, the rest
// simplified. The program's own exits stay right, as far as forcing each of them shows.
std::unique_ptr<FuzzCase> shrink_case(std::unique_ptr<FuzzCase> fuzz_case, const std::string& kind,
                                      const FuzzPlan& plan, const ShrinkOptions& options = {});

// A smaller choice sequence that fails, too: parts are removed or become zeros. `tries`: calls of
// `fails`, at most.
using ChoicesFail = std::function<bool(const std::vector<std::uint32_t>&)>;
std::vector<std::uint32_t> shrink_choices(std::vector<std::uint32_t> words, std::uint64_t tries,
                                          const ChoicesFail& fails);

} // namespace sourir
