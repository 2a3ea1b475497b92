// What the process does between its start and its end.
#pragma once

#include <string>
#include <vector>

namespace sourir {

// Runs the command that `words` (without the name of the program) name, with the seeded bug that
// SOURIR_MUTANT selects; reports exceptions that nothing else catches. Returns the exit status. A
// process may call it more than once, from one thread.
int run_main(std::vector<std::string> words);

} // namespace sourir
