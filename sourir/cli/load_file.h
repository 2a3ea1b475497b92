// Programs and inputs from files. Errors are reported on standard error, if not returned.
#pragma once

#include "sourir/semantics/value.h"
#include "sourir/syntax/ast.h"
#include "sourir/syntax/json/load.h"

#include <optional>
#include <string>
#include <vector>

namespace sourir {

// Shows the problems of a program that passes made, at their places in its canonical text.
void show_not_wellformed(const std::string& name, const Program& program, Names& names);

inline constexpr std::size_t kShownProblems = 20; // of a file, unless a flag says otherwise

// Empty: the file cannot be read, which has been reported.
std::optional<Loaded> load_file(const std::string& path, Names& names,
                                const LoadOptions& options = {});

// Shows problems of a file in the order of the text, at most `most`: errors are chosen before
// warnings. Then the number of those omitted.
void show_problems(const Loaded& loaded, std::size_t most = kShownProblems);

// say_error() with a hint to the help of the command. Returns the exit status of a usage error.
int usage_error(const std::string& command, const std::string& message);

// The inputs of a program that is checked: from a file with one literal a line, "-" for standard
// input; empty path: several generated lists, if the program reads. Returns the error, or nothing.
std::string check_inputs(const std::string& path, const Program& program, std::uint64_t seed,
                         Names& names, std::vector<std::vector<Value>>& inputs);

} // namespace sourir
