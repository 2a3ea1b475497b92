// Call stacks of the samples, in the formats of tools for flame graphs.
#pragma once

#include "profiler/sample_log.h"

#include <map>
#include <string>

namespace sourir::profiler {

// Samples by stack; the outermost frame first.
using Stacks = std::map<std::vector<std::string>, std::uint64_t>;

// Of recorded samples, with the two counts as stacks [baseline] and [elsewhere].
Stacks stacks_of(std::span<const RecordedSample> samples, std::uint64_t baseline,
                 std::uint64_t elsewhere);

// "a;b;c 12", a line each, sorted.
std::string folded(const Stacks& stacks);
// https://www.speedscope.app/file-format-schema.json
std::string speedscope(const Stacks& stacks, const std::string& name);
// A self-contained HTML page.
std::string flame_graph(const Stacks& stacks, const std::string& title);

} // namespace sourir::profiler
