// The frames that wait for a result, from the frames that stand behind it.
#pragma once

#include "sourir/syntax/state_map.h"

namespace sourir {

// `state` is over the variables behind a call whose result is `result`; the answer is over those at
// the call: the innermost frame waits for the variable whose value is `result`. Empty: no variable
// of that frame has it, or it is used in another way too, or a value reads the heap, which the
// callee may change.
std::optional<Pending> pending_form(const Metadata& state, Var result);

} // namespace sourir
