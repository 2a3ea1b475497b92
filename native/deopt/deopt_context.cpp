#include "native/deopt/deopt_context.h"

#include <algorithm>
#include <bit>

namespace sourir::native {

namespace {

constexpr StorageSet kAnyStorage = 0xFF;

TypeSet type_of(const Value& v) { return type_set(v.tag()); }

TypeSet type_of(const resolved::Operand& operand, const Value* env) {
  return type_of(operand.slot == resolved::kLiteral ? operand.literal : env[operand.slot]);
}

// Whether an array may be restricted by its storage: one that need not be an array is not.
bool one_storage(TypeSet types, StorageSet storages) {
  return types == TypeSet(Kind::Array) && std::has_single_bit(unsigned{storages});
}

int bits(const DeoptContext& c) {
  int sum = std::popcount(c.cause.offending.bits());
  for (std::size_t i = 0; i < c.size(); ++i)
    sum += std::popcount(c.types[i].bits()) + std::popcount(unsigned{c.storages[i]});
  return sum;
}

} // namespace

DeoptCause cause_of(const resolved::Expr& guard, const Value* env) {
  using enum resolved::Shape;
  switch (guard.shape) {
  case KindTest: return {FailedGuard::Type, type_of(guard.a, env)};
  case ElementsTest: return {FailedGuard::Elements, type_of(guard.a, env)};
  case Binary: {
    const auto op = static_cast<BinaryOp>(guard.op);
    const bool equality = op == BinaryOp::Eq || op == BinaryOp::Ne;
    return {equality ? FailedGuard::Equality : FailedGuard::Condition, type_of(guard.a, env)};
  }
  case Simple:
    if (guard.a.slot == resolved::kLiteral) return {FailedGuard::Unreached, {}};
    return {FailedGuard::Condition, type_of(guard.a, env)};
  default: return {FailedGuard::Condition, {}};
  }
}

std::vector<std::vector<Value>> values_by_slot(const DeoptTarget& target, const Value* values) {
  std::vector<std::vector<Value>> slots;
  for (const DeoptTarget::Frame& frame : target.frames)
    slots.emplace_back(frame.code->slots.size(), Value::unbound());
  for (std::size_t i = 0; i < target.variables.size(); ++i)
    slots[target.variables[i].frame][target.variables[i].slot] = values[i];
  return slots;
}

DeoptContext context_of(const DeoptTarget& target, DeoptCause cause, const Value* values) {
  DeoptContext c{.target = &target, .cause = cause};
  for (std::size_t i = 0; i < target.variables.size(); ++i) {
    const bool live = target.variables[i].live && !values[i].is(Tag::Unbound);
    const bool array = live && values[i].is(Tag::Array);
    c.types[i] = live ? type_of(values[i]) : kAnyType;
    c.storages[i] = array ? storage_of(*array_of(values[i])) : live ? StorageSet{0} : kAnyStorage;
  }
  return c;
}

bool comparable(const DeoptContext& a, const DeoptContext& b) {
  return a.target == b.target && a.cause.guard == b.cause.guard;
}

bool entails(const DeoptContext& a, const DeoptContext& b) {
  if (!comparable(a, b) || !a.cause.offending.within(b.cause.offending)) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!a.types[i].within(b.types[i]) || (a.storages[i] & ~b.storages[i]) != 0) return false;
  return true;
}

bool admits(const DeoptContext& context, DeoptCause cause, const Value* values) {
  if (cause.guard != context.cause.guard || !cause.offending.within(context.cause.offending))
    return false;
  const std::size_t n = context.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (context.types[i] == kAnyType && context.storages[i] == kAnyStorage) continue;
    if (!type_of(values[i]).within(context.types[i])) return false;
    if (values[i].is(Tag::Array) && (storage_of(*array_of(values[i])) & ~context.storages[i]) != 0)
      return false;
  }
  return true;
}

bool comes_before(const DeoptContext& a, const DeoptContext& b) { return bits(a) < bits(b); }

DeoptContext join(const DeoptContext& a, const DeoptContext& b) {
  DeoptContext c = a;
  c.cause.offending |= b.cause.offending;
  for (std::size_t i = 0; i < a.size(); ++i) {
    c.types[i] |= b.types[i];
    c.storages[i] = static_cast<StorageSet>(a.storages[i] | b.storages[i]);
  }
  return c;
}

std::size_t wider_by(const DeoptContext& a, const DeoptContext& b) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool type = a.types[i].single() && !b.types[i].single();
    const bool storage =
        one_storage(a.types[i], a.storages[i]) && !one_storage(b.types[i], b.storages[i]);
    n += type || storage ? 1 : 0;
  }
  return n;
}

std::string_view name_of(FailedGuard guard) {
  switch (guard) {
  case FailedGuard::None: return "forced";
  case FailedGuard::Type: return "type";
  case FailedGuard::Elements: return "elements";
  case FailedGuard::Equality: return "equality";
  case FailedGuard::Condition: return "condition";
  case FailedGuard::Unreached: return "unreached";
  case FailedGuard::Watchpoint: return "watchpoint";
  }
  return {};
}

std::string text_of(const DeoptContext& context, const Names& names) {
  std::string out = "[";
  for (std::size_t i = 0; i < context.size(); ++i) {
    const TypeSet types = context.types[i];
    if (types == kAnyType) continue;
    const DeoptTarget::Variable& v = context.target->variables[i];
    out.append(out.size() == 1 ? "" : ", ")
        .append(names.text(context.target->frames[v.frame].code->slots[v.slot]))
        .append(" is ");
    const std::optional<Tag> elements =
        types == TypeSet(Kind::Array) ? full_of(context.storages[i]) : std::nullopt;
    if (elements)
      out.append(kTypeNames[static_cast<std::size_t>(*elements)]).append("[]");
    else
      out.append(sourir::text_of(types, "none"));
  }
  return out + "]";
}

} // namespace sourir::native
