#include "sourir/analysis/dispatch_table.h"

namespace sourir {

std::vector<DispatchRow> dispatch_table(const Function& function) {
  std::vector<DispatchRow> table;
  for (const Version& v : function.versions)
    if (!v.cont) table.push_back({&v, context_of(function, v), {}, {}});
  for (std::size_t i = 0; i < table.size(); ++i)
    for (std::size_t j = 0; j < table.size(); ++j) {
      if (i == j || !entails(table[i].context, table[j].context)) continue;
      table[i].entails.push_back(j);
      if (j < i && !table[i].hidden_by) table[i].hidden_by = j;
    }
  return table;
}

} // namespace sourir
