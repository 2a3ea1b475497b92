// Where the program that runs lies. Errors: none. Threads: any.
#pragma once

#include <string>

namespace sourir {

// The path of the program of this process; "sourir", to be found in PATH, where the system does not
// tell.
std::string own_path();

} // namespace sourir
