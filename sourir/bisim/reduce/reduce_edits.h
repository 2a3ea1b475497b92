// Edits that make a program smaller. The result need not be well-formed. Internal to
// reduce_program.
#pragma once

#include "sourir/syntax/ast.h"

#include <functional>
#include <vector>

namespace sourir::reduce {

// A list of candidates: what a program becomes by the k-th of them. After a candidate that was
// taken, the k-th of the new program is the next one.
struct Edit {
  std::function<std::size_t(const Program&)> count;
  std::function<bool(Program&, std::size_t k)> apply; // false: there is nothing to do
};

// In the order in which they are to be tried, again and again.
std::vector<Edit> all_edits();

Edit take_out_trivia();
Edit take_out_functions();
Edit take_out_versions();
Edit take_out_lines(std::size_t chunk);
Edit simplify_lines();
Edit take_out_variables();
Edit take_out_parameters();
Edit straighten();

// Their labels move to the statement after them.
void erase_lines(Version& version, std::size_t begin, std::size_t end);
// How often labels are named in this version, or by exits anywhere.
std::size_t uses_of(const Program& program, const Function& function, const Version& version,
                    Label label);
// Simpler instructions that may replace this one.
std::vector<Instruction> simpler(const Instruction& instr);

} // namespace sourir::reduce
