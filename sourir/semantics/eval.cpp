#include "sourir/semantics/eval.h"

namespace sourir {

template EvalResult eval_operation(const Heap&, Env, const resolved::Expr&);
template std::size_t first_failing(const Heap&, Env, const std::vector<resolved::Expr>&);

} // namespace sourir
