#include "native/deopt/exit_details.h"

#include "native/deopt/materialize.h"
#include "sourir/semantics/eval.h"

#include <algorithm>

namespace sourir::native {

ShownValue shown(Value value, const Names& names) {
  ShownValue out{value.tag(), {}};
  if (render(out.text, value, names, ShownValue::kShownBytes)) return out;
  std::size_t end = ShownValue::kShownBytes;
  while (end > 0 && (static_cast<unsigned char>(out.text[end]) & 0xC0) == 0x80)
    --end; // not inside a UTF-8 sequence
  out.text.resize(end);
  out.text += "...";
  return out;
}

ExitDetails guard_details(const ResolvedVersion& version, Pc pc, Env env, bool forced,
                          const Names& names) {
  ExitDetails out{.forced = forced};
  const auto* const assume = std::get_if<resolved::Assume>(&version.instrs[pc]);
  if (forced || assume == nullptr) return out;
  const std::size_t failing = first_failing(env, assume->guards);
  if (failing == assume->guards.size()) return out;
  out.guard = failing;
  const resolved::Expr& guard = assume->guards[failing];
  const EvalResult v = eval(env, guard);
  v ? static_cast<void>(out.value = shown(v.value, names)) : static_cast<void>(out.why = v.why);
  for (const resolved::Operand& operand : {guard.a, guard.b}) {
    const auto same = [&](const auto& known) { return known.first == operand.slot; };
    if (operand.slot != resolved::kLiteral && std::ranges::none_of(out.operands, same))
      out.operands.emplace_back(operand.slot, shown(env[operand.slot], names));
  }
  return out;
}

} // namespace sourir::native
