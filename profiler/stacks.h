// Samples with who called whom, in the forms that tools for flame graphs read.
#pragma once

#include "profiler/sample_log.h"

#include <map>
#include <string>

namespace sourir::profiler {

// How often each stack was found, the outermost first.
using Stacks = std::map<std::vector<std::string>, std::uint64_t>;

// Those of the samples, and of others by a name in brackets: baseline, elsewhere.
Stacks stacks_of(std::span<const RecordedSample> samples, std::uint64_t baseline,
                 std::uint64_t elsewhere);

// "a;b;c 12", a line each, sorted.
std::string folded(const Stacks& stacks);
// https://www.speedscope.app/file-format-schema.json
std::string speedscope(const Stacks& stacks, const std::string& name);
// A page of HTML that needs nothing else.
std::string flame_graph(const Stacks& stacks, const std::string& title);

} // namespace sourir::profiler
