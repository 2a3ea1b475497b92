#include "sourir/cli/wellformed_output.h"

#include "sourir/cli/load_file.h"
#include "sourir/syntax/printer.h"
#include "sourir/syntax/wellformed.h"

namespace sourir {

bool is_wellformed(const Program& program, const Names& names) {
  Diagnostics problems;
  check_wellformed(program, {}, names, problems);
  return !problems.has_errors();
}

void show_not_wellformed(const std::string& name, const Program& program, Names& names) {
  show_problems(load(name, print(program, names), names));
}

} // namespace sourir
