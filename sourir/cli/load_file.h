// Files as programs, with everything that can go wrong said on standard error.
#pragma once

#include "sourir/semantics/value.h"
#include "sourir/syntax/ast.h"
#include "sourir/syntax/json/load.h"

#include <optional>
#include <string>
#include <vector>

namespace sourir {

// Whether programs that passes made are well-formed.

// All problems on standard error, at their places in the program's canonical text.
void show_not_wellformed(const std::string& name, const Program& program, Names& names);

inline constexpr std::size_t kShownProblems = 20; // of a file, unless a flag says otherwise

// Empty: the file cannot be read, which has been said.
std::optional<Loaded> load_file(const std::string& path, Names& names,
                                const LoadOptions& options = {});

// The first `most` problems of a file on standard error, errors before warnings, in the order of
// the text; then how many more there are.
void show_problems(const Loaded& loaded, std::size_t most = kShownProblems);

// `say_error` with the way to the help of a command; the exit status of a usage error.
int usage_error(const std::string& command, const std::string& message);

// What programs read while they are checked.

// A file with one literal a line, "-" for standard input; empty: several generated lists, if the
// program reads. The problem, or nothing.
std::string check_inputs(const std::string& path, const Program& program, std::uint64_t seed,
                         Names& names, std::vector<std::vector<Value>>& inputs);

} // namespace sourir
