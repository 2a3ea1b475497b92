#include "sourir/cli/wellformed_output.h"

#include "sourir/cli/load_file.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/wellformed.h"

namespace sourir {

void show_not_wellformed(const std::string& name, const Program& program, Names& names) {
  show_problems(load(name, print(program, names), names));
}

} // namespace sourir
