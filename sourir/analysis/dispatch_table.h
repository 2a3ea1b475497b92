// The dispatch table of a function: the versions that calls may enter, with their contexts, in the
// order in which a call tries them (dissertation 3.2).
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/context.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace sourir {

struct DispatchRow {
  const Version* version = nullptr;
  Context context;
  std::vector<std::size_t> entails; // other rows, ascending
  // The first row above whose context this one entails: it takes the calls.
  std::optional<std::size_t> hidden_by;

  // False: no call enters the version, whatever the arguments are.
  bool may_be_entered() const { return !context.is_never() && !hidden_by; }
};

// The function must outlive the table.
std::vector<DispatchRow> dispatch_table(const Function& function);

} // namespace sourir
