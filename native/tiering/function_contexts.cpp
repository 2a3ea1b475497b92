#include "native/tiering/function_contexts.h"

#include "native/runtime/heap.h"
#include "sourir/semantics/current_context.h"
#include "sourir/semantics/resolved.h"
#include "sourir/syntax/match.h"

#include <algorithm>
#include <ranges>
#include <utility>
#include <vector>

namespace sourir::native {

namespace {

struct StoredElements {
  std::uint64_t length(Value array) const { return array_of(array)->length; }
  Value element(Value array, std::uint64_t index) const {
    return native::Heap::load(array_of(array), index);
  }
  bool elements_are(Value array, Tag tag) const {
    return full_of(storage_of(*array_of(array))) == tag;
  }
};

// The parameters that more is done with than to print, return or store them.
ContextPolicy::Parameters used_parameters(const ResolvedVersion& code) {
  ContextPolicy::Parameters used;
  const auto operand = [&](const resolved::Operand& o) {
    if (o.slot < std::min<std::size_t>(code.parameters, used.size())) used.set(o.slot);
  };
  const auto expr = [&](const resolved::Expr& e) { operand(e.a), operand(e.b); };
  const auto computed = [&](const resolved::Expr& e) {
    if (e.shape != resolved::Shape::Simple) expr(e);
  };
  for (const resolved::Instr& instr : code.instrs)
    match(
        instr,
        [&](const resolved::Decl& i) {
          if (i.e) expr(*i.e);
        },
        [&](const resolved::Assign& i) { expr(i.e); },
        [&](const resolved::ArrayDecl& i) { expr(i.length); },
        [&](const resolved::ArrayDef& i) { std::ranges::for_each(i.elements, computed); },
        [&](const resolved::ArrayUpdate& i) {
          operand({.slot = i.x}), expr(i.index), computed(i.value);
        },
        [&](const resolved::Branch& i) { expr(i.e); },
        [&](const resolved::Print& i) { computed(i.e); },
        [&](const resolved::Assert& i) { expr(i.e); },
        [&](const resolved::Call& i) { expr(i.callee), std::ranges::for_each(i.arguments, expr); },
        [&](const resolved::Return& i) { computed(i.e); }, [&](const resolved::Stop&) {},
        [](const auto&) {});
  return used;
}

std::vector<Pc> targets(const resolved::Instr& instr) {
  if (const auto* jump = std::get_if<resolved::Goto>(&instr)) return {jump->target};
  if (const auto* branch = std::get_if<resolved::Branch>(&instr))
    return {branch->if_true, branch->if_false};
  return {};
}

} // namespace

// The least that a call executes, up to a loop or an end of the function.
bool outweighs_dispatch(const ResolvedVersion& code) {
  constexpr std::size_t kSmall = 16; // instructions
  const std::size_t n = code.instrs.size();
  std::vector<bool> heads(n);
  for (Pc pc = 0; pc < n; ++pc)
    for (const Pc to : targets(code.instrs[pc]))
      if (to <= pc) heads[to] = true;
  std::vector<Pc> now{0}, next;
  std::vector<bool> seen(n);
  for (std::size_t executed = 0; executed < kSmall; ++executed, now = std::exchange(next, {}))
    for (const Pc pc : now) {
      if (pc == n) return false;
      if (seen[pc] || heads[pc]) continue;
      seen[pc] = true;
      if (std::holds_alternative<resolved::Return>(code.instrs[pc]) ||
          std::holds_alternative<resolved::Stop>(code.instrs[pc]))
        return false;
      const std::vector<Pc> jumps = targets(code.instrs[pc]);
      next.insert(next.end(), jumps.begin(), jumps.end());
      if (jumps.empty()) next.push_back(pc + 1);
    }
  return true;
}

FunctionContexts::FunctionContexts(const ResolvedVersion& base)
    : base_(base), used_(used_parameters(base)) {}

Context FunctionContexts::add(const ContextPolicy& policy, std::span<const Value> arguments) {
  const Context call = current_context(arguments, StoredElements());
  policy.add(history_, call, arguments.size(), used_);
  return call;
}

std::size_t FunctionContexts::number_of(const Context& context) const {
  const auto& all = history_.versions;
  const auto at = std::ranges::find(all, context, &ContextHistory::Version::context);
  return static_cast<std::size_t>(at - all.begin());
}

FunctionContexts::Version* FunctionContexts::of(const ResolvedVersion& code) {
  const auto at = std::ranges::find(versions_, &code, &Version::compiled);
  return at == versions_.end() ? nullptr : &*at;
}

std::size_t FunctionContexts::add_version(Context context) {
  history_.versions.push_back({.context = std::move(context)});
  versions_.emplace_back();
  return versions_.size() - 1;
}

std::optional<std::size_t> FunctionContexts::without_code(const Context& call) const {
  for (std::size_t i = 0; i < versions_.size(); ++i) {
    const Version& v = versions_[i];
    const bool lost = v.compiled == nullptr && v.entry != nullptr && !v.history.compiling;
    if (lost && !history_.versions[i].evicted && entails(call, context(i))) return i;
  }
  return std::nullopt;
}

bool FunctionContexts::all_have_code() const {
  for (std::size_t i = 0; i < versions_.size(); ++i)
    if (!history_.versions[i].evicted && versions_[i].compiled == nullptr) return false;
  return true;
}

DispatchTable::Entry* FunctionContexts::with_code_for(const Context& call) const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < versions_.size(); ++i) {
    const DispatchTable::Entry* const entry = versions_[i].entry;
    if (entry == nullptr || entry->code.load(std::memory_order_acquire) == nullptr) continue;
    if (entails(call, context(i)) && (!best || entails(context(i), context(*best)))) best = i;
  }
  return best ? versions_[*best].entry : nullptr;
}

std::vector<Expr> FunctionContexts::guards(const Context& context) const {
  const auto parameters = std::span(base_.slots).first(base_.parameters);
  return *context.guards(parameters); // each parameter has one type, or any
}

std::vector<Config> FunctionContexts::for_context(const Context& context,
                                                  const std::vector<Config>& states) const {
  const auto parameters = std::span(base_.slots).first(base_.parameters);
  std::vector<Config> some;
  for (const Config& state : states) {
    const std::span<const Value> arguments(state.env(), base_.parameters);
    if (holds(context, parameters, arguments, state.heap)) some.push_back(state);
  }
  return some;
}

} // namespace sourir::native
