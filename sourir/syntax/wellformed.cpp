#include "sourir/syntax/wellformed.h"

#include "sourir/syntax/program_index.h"

namespace sourir {

void check_wellformed(const Program& program, const SourceMap& spans, const Names& names,
                      Diagnostics& problems) {
  ProgramIndex index(program, spans, names, problems);
  check_declarations(index);
  check_names(index);
  check_scopes(index);
  check_exits(index);
}

bool is_wellformed(const Program& program, const Names& names) {
  Diagnostics problems;
  check_wellformed(program, {}, names, problems);
  return !problems.has_errors();
}

} // namespace sourir
