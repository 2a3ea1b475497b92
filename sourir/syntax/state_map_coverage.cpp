#include "sourir/syntax/mapped_states.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/with_block.h"

#include <algorithm>

namespace sourir {
namespace {

bool visibly_boolean(const Expr& e) {
  if (const auto* simple = std::get_if<SimpleExpr>(&e))
    return std::holds_alternative<bool>(*simple);
  if (const auto* unary = std::get_if<Unary>(&e)) return unary->op == UnaryOp::Not;
  if (std::holds_alternative<KindTest>(e)) return true;
  const auto* binary = std::get_if<Binary>(&e);
  return binary != nullptr && (binary->op <= BinaryOp::Ge || binary->op >= BinaryOp::And);
}

bool has_effect_or_error(const Instruction& instruction) {
  const auto any_may_fail = [](const std::vector<Expr>& all) {
    return std::any_of(all.begin(), all.end(),
                       [](const Expr& e) { return may_fail(e).has_value(); });
  };
  return match(
      instruction, [](const Decl& i) { return i.value && may_fail(*i.value); },
      [](const Drop&) { return false; },
      [](const Assign& i) { return may_fail(i.value).has_value(); },
      [](const ArrayDecl&) { return true; }, // a length that no array can have
      [&](const ArrayDef& i) { return any_may_fail(i.elements); },
      [](const ArrayUpdate&) { return true; },
      [](const Branch& i) { return !visibly_boolean(i.condition) || may_fail(i.condition); },
      [](const Goto&) { return false; }, [](const Print&) { return true; },
      [](const Read&) { return true; }, [](const Assert&) { return true; },
      [](const Call&) { return true; }, [](const Return&) { return true; },
      [](const Stop&) { return true; }, [](const Assume&) { return true; },
      [](const Anchor&) { return true; }, [](const GuardHint&) { return false; });
}

// Positions that a jump from the same or a later position goes to.
std::vector<bool> loop_headers(const Version& version) {
  const auto labels = label_positions(version);
  std::vector<bool> headers(version.body.size() + 1);
  for (std::size_t at = 0; at < version.body.size(); ++at) {
    const Successors next = successors(version.body[at].instr);
    for (const Label* label : {next.first, next.second}) {
      const auto found = label != nullptr ? labels.find(*label) : labels.end();
      if (found != labels.end() && found->second <= at) headers[found->second] = true;
    }
  }
  return headers;
}

} // namespace

Coverage coverage(const StateMap& map, const Program& input, const Program& output) {
  MappedStates states(map, input);
  ProgramPositions positions(output);
  Coverage result;
  const auto count = [&](bool mapped) { result.mapped += mapped, ++result.mandatory; };
  for (const Function& f : output.functions)
    for (const Version& v : f.versions) {
      const std::vector<bool> headers = loop_headers(v);
      for (Position at = 0; at < v.body.size(); ++at) {
        const Instruction& instruction = v.body[at].instr;
        if (positions.scope(f.name, v.name, at) == nullptr) continue;
        if (at == 0 || headers[at] || has_effect_or_error(instruction))
          count(states.state(f.name, v.name, at).has_value());
        if (std::holds_alternative<Call>(instruction))
          count(states.pending(f.name, v.name, at).has_value());
      }
    }
  return result;
}

} // namespace sourir
