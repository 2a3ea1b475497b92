#include "native/tiering/feedback_repair.h"

#include "native/tiering/feedback_predicates.h"
#include "native/tiering/successors.h"
#include "sourir/syntax/match.h"

#include <algorithm>

namespace sourir::native {

namespace {

class Repair {
public:
  Repair(std::vector<SiteFeedback>& sites, const ResolvedVersion& version, Pc start,
         const EntryFacts& entry)
      : sites_(sites), version_(version), start_(start), entry_(entry), tainted_(entry.offending),
        types_(version.slots.size()), reached_(version.instrs.size(), false),
        rebound_(version.slots.size(), false) {
    tainted_.resize(version.slots.size(), false);
    reach(start);
  }

  // What the version returns from here, where that is stale; empty: as before.
  std::optional<TypeSet> run() {
    taint_contradicted();
    while (spread()) {
    }
    begin_types();
    while (infer()) {
    }
    for_each_reached([&](Pc pc) { update(pc); });
    update_before_start();
    return returned();
  }

private:
  const resolved::Instr& instr(Pc pc) const { return version_.instrs[pc]; }

  template <class F>
  void for_each_reached(F&& f) const {
    for (Pc pc = 0; pc < reached_.size(); ++pc)
      if (reached_[pc]) f(pc);
  }

  void reach(Pc start) {
    const std::vector<bool> reached = reached_from(version_, start);
    for (Pc pc = 0; pc < reached.size(); ++pc) {
      if (!reached[pc]) continue;
      reached_[pc] = true;
      if (const auto x = bound_by(instr(pc))) rebound_[*x] = true;
      if (const auto* i = std::get_if<resolved::ArrayDecl>(&instr(pc))) rebound_[i->x] = true;
      if (const auto* i = std::get_if<resolved::ArrayDef>(&instr(pc))) rebound_[i->x] = true;
    }
  }

  // --- What is stale ---

  void taint_contradicted() {
    for_each_reached([&](Pc pc) {
      const auto x = bound_by(instr(pc));
      if (!x || sites_[pc].result.empty()) return;
      if (!entry_.types[*x].intersects(sites_[pc].result)) tainted_[*x] = true;
      const auto elements = loaded_type(pc);
      if (elements && !elements->intersects(sites_[pc].result)) tainted_[*x] = true;
    });
  }

  // Of an element of an array whose storage on entry shows it; empty: no such load.
  std::optional<TypeSet> loaded_type(Pc pc) const {
    const resolved::Expr* const e = bound_value(instr(pc));
    if (e == nullptr || e->shape != resolved::Shape::Index || e->a.slot == resolved::kLiteral)
      return {};
    const auto elements = full_of(storage_of(e->a.slot));
    return elements ? std::optional(type_set(*elements)) : std::nullopt;
  }

  bool is_tainted(const resolved::Operand& operand) const {
    return operand.slot != resolved::kLiteral && tainted_[operand.slot];
  }
  bool is_tainted(const resolved::Expr& e) const { return is_tainted(e.a) || is_tainted(e.b); }

  bool reads_tainted(Pc pc) const {
    return match(
        instr(pc), [&](const resolved::Decl& i) { return i.e && is_tainted(*i.e); },
        [&](const resolved::Assign& i) { return is_tainted(i.e); },
        [&](const resolved::ArrayUpdate& i) { return is_tainted(i.value); },
        [&](const resolved::Branch& i) { return is_tainted(i.e); },
        [&](const resolved::Call& i) {
          const auto tainted = [&](const resolved::Expr& e) { return is_tainted(e); };
          return is_tainted(i.callee) || std::ranges::any_of(i.arguments, tainted);
        },
        [](const auto&) { return false; });
  }

  // Whether another variable became stale.
  bool spread() {
    bool more = false;
    for_each_reached([&](Pc pc) {
      std::optional<Slot> x = bound_by(instr(pc));
      if (const auto* const store = std::get_if<resolved::ArrayUpdate>(&instr(pc))) x = store->x;
      if (!x || tainted_[*x] || !reads_tainted(pc)) return;
      if (binds_known_type(pc)) return;
      tainted_[*x] = more = true;
    });
    return more;
  }

  // A comparison, a length: its type does not depend on those of its operands.
  bool binds_known_type(Pc pc) const {
    const resolved::Expr* const e = bound_value(instr(pc));
    if (e == nullptr) return false;
    if (e->shape == resolved::Shape::Binary) return !is_arithmetic(static_cast<BinaryOp>(e->op));
    return e->shape == resolved::Shape::Length || e->shape == resolved::Shape::KindTest;
  }

  bool is_stale(Pc pc) const {
    const auto x = bound_by(instr(pc));
    return (x && tainted_[*x]) || reads_tainted(pc);
  }

  // --- Types by variable, from below ---

  void begin_types() {
    for (Slot x = 0; x < types_.size(); ++x)
      if (entry_.types[x] != kAnyType) types_[x] = entry_.types[x];
    for_each_reached([&](Pc pc) {
      if (const auto x = bound_by(instr(pc)); x && !is_stale(pc)) types_[*x] |= sites_[pc].result;
    });
  }

  bool infer() {
    bool more = false;
    for_each_reached([&](Pc pc) {
      const auto x = bound_by(instr(pc));
      if (!x || !is_stale(pc)) return;
      const TypeSet found = types_[*x] | inferred(pc, *x);
      more = more || found != types_[*x];
      types_[*x] = found;
    });
    return more;
  }

  TypeSet type_of(const resolved::Operand& operand) const {
    return operand.slot == resolved::kLiteral ? type_set(operand.literal.tag())
                                              : types_[operand.slot];
  }

  // The storage of an array that is not bound again.
  StorageSet storage_of(Slot a) const { return rebound_[a] ? StorageSet{0} : entry_.storages[a]; }

  TypeSet inferred(Pc pc, Slot x) const {
    const bool offending = x < entry_.offending.size() && entry_.offending[x];
    const TypeSet unknown = offending ? entry_.types[x] : kAnyType;
    const resolved::Expr* const e = bound_value(instr(pc));
    if (e == nullptr)
      return std::holds_alternative<resolved::Decl>(instr(pc)) ? Kind::Nil : unknown;
    return type_of(*e, loaded_type(pc).value_or(unknown));
  }

  // loaded: of an element.
  TypeSet type_of(const resolved::Expr& e, TypeSet loaded) const {
    using enum resolved::Shape;
    switch (e.shape) {
    case Simple: return type_of(e.a);
    case Unary: return result_types(static_cast<UnaryOp>(e.op), type_of(e.a));
    case Binary: return result_types(static_cast<BinaryOp>(e.op), type_of(e.a), type_of(e.b));
    case Length: return Kind::Int;
    case KindTest:
    case ElementsTest: return Kind::Bool;
    case Index: break;
    }
    return loaded;
  }

  std::optional<TypeSet> returned() const {
    bool stale = false;
    TypeSet types;
    for_each_reached([&](Pc pc) {
      const auto* const i = std::get_if<resolved::Return>(&instr(pc));
      if (i == nullptr) return;
      stale = stale || is_tainted(i->e);
      types |= type_of(i->e, kAnyType);
    });
    if (!stale) return std::nullopt;
    return types.empty() ? kAnyType : types;
  }

  // --- The new records ---

  void update(Pc pc) {
    SiteFeedback& site = sites_[pc];
    if (const auto a = accessed_array(version_.instrs[pc]); a && storage_of(*a) != 0)
      site.storages =
          entry_.adds ? static_cast<StorageSet>(site.storages | storage_of(*a)) : storage_of(*a);
    else if (a && tainted_[*a])
      site.storages = 0;
    if (is_stale(pc)) {
      if (const auto x = bound_by(instr(pc)))
        site.result = entry_.adds ? site.result | inferred(pc, *x) : inferred(pc, *x);
      else
        site.result = kAnyType;
      if (site.result.empty()) site.result = kAnyType;
      site.taken = site.not_taken = 0;
      if (std::holds_alternative<resolved::Call>(instr(pc))) site.targets = 255;
    }
    if (!entry_.failed) return;
    if (std::holds_alternative<resolved::Call>(instr(pc)) && site.targets == 0) site.targets = 255;
    if (site.result.empty()) site.result = kAnyType;
  }

  // The last instruction before the start is not executed, but what it has bound is known there:
  // for a caller, the result of the frame within.
  void update_before_start() {
    if (start_ == 0 || reached_[start_ - 1]) return;
    const auto x = bound_by(instr(start_ - 1));
    if (!x || !tainted_[*x]) return;
    TypeSet& result = sites_[start_ - 1].result;
    result = entry_.adds ? result | entry_.types[*x] : entry_.types[*x];
  }

  std::vector<SiteFeedback>& sites_;
  const ResolvedVersion& version_;
  const Pc start_;
  const EntryFacts& entry_;
  std::vector<bool> tainted_;  // by slot
  std::vector<TypeSet> types_; // by slot
  std::vector<bool> reached_;  // by position
  std::vector<bool> rebound_;  // by slot
};

} // namespace

std::optional<TypeSet> repair_feedback(std::vector<SiteFeedback>& sites,
                                       const ResolvedVersion& version, Pc start,
                                       const EntryFacts& entry) {
  sites.resize(version.instrs.size());
  return Repair(sites, version, start, entry).run();
}

} // namespace sourir::native
