#include "sourir/syntax/metadata.h"

#include "sourir/syntax/expr.h"
#include "sourir/syntax/match.h"
#include "sourir/syntax/traverse.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace sourir {
namespace {

template <class Line>
auto& name_of(Line& line) {
  return std::visit(
      [](auto& i) -> auto& {
        if constexpr (std::is_same_v<std::decay_t<decltype(i)>, ArrayUpdate>)
          return i.array;
        else
          return i.name;
      },
      line);
}

// The line with its expressions substituted and `name` as its subject. Precondition: all results
// are flat.
DeferredInstr substitute(DeferredInstr line, Var name, const Substitution& values) {
  for_each_expr(line, [&](Expr& e) { e = substitute(e, values).value(); });
  name_of(line) = name;
  return line;
}

// --- the names that a block cannot make when some variables of its origin are unknown

// The variable whose value, or an element of which, is the value of e: it may be shared.
std::optional<Var> shared(const Expr& e) {
  if (const auto* index = std::get_if<Index>(&e)) return index->array;
  if (const auto* simple = std::get_if<SimpleExpr>(&e))
    if (const auto* x = std::get_if<Var>(simple)) return *x;
  return std::nullopt;
}

// For each name made by the block, the others that may be the same array, hold it or be held by
// it, directly.
std::unordered_map<Var, std::vector<Var>> neighbours(const std::vector<Deferred>& block) {
  std::unordered_map<Var, std::vector<Var>> all;
  for (const Deferred& d : block) {
    const Var name = subject(d.instr);
    if (makes_subject(d.instr)) all[name];
    for_each_expr(d.instr, [&](const Expr& e) {
      const auto other = shared(e);
      if (other && all.contains(*other)) all[name].push_back(*other), all[*other].push_back(name);
    });
  }
  return all;
}

bool mentions(const DeferredInstr& line, const std::unordered_set<Var>& unknown) {
  bool found = false;
  for_each_expr(line, [&](const Expr& e) {
    for_each_variable(e, [&](Var x) { found |= unknown.contains(x); });
  });
  return found;
}

// Adds to `unknown` the names made by the block that depend on a name in it: through a value,
// through an element of an array, or because a store with an unknown part went into an array (of
// the block) that they may be or hold. Lines whose subject is unknown are useless.
void spread_unknown(const std::vector<Deferred>& block, std::unordered_set<Var>& unknown) {
  const auto near = neighbours(block);
  const auto add_all_near = [&](Var array) {
    std::vector<Var> rest{array};
    while (!rest.empty()) {
      const Var x = rest.back();
      rest.pop_back();
      if (!unknown.insert(x).second) continue;
      if (const auto found = near.find(x); found != near.end())
        rest.insert(rest.end(), found->second.begin(), found->second.end());
    }
  };
  for (std::size_t before = unknown.size() + 1; before != unknown.size();) {
    before = unknown.size();
    for (const Deferred& d : block) {
      if (unknown.contains(subject(d.instr)) || !mentions(d.instr, unknown)) continue;
      if (makes_subject(d.instr))
        unknown.insert(subject(d.instr));
      else
        add_all_near(subject(d.instr));
    }
  }
}

// --- composition

using Vars = std::unordered_set<Var>;

bool is_simple(const Expr& e) { return std::holds_alternative<SimpleExpr>(e); }
bool is_variable(const Expr& e) {
  const auto* const simple = std::get_if<SimpleExpr>(&e);
  return simple != nullptr && std::holds_alternative<Var>(*simple);
}
bool stores(const std::vector<Deferred>& block) {
  return std::any_of(block.begin(), block.end(),
                     [](const Deferred& d) { return !makes_subject(d.instr); });
}

class Composer {
public:
  Composer(const Metadata& first, const Metadata& second, FreshNames& fresh)
      : first_(first), second_(second), fresh_(fresh) {
    for_each_origin_name(first, [&](Var x) { fresh_.use(x); });
    for (const Binding& b : first.frame.varmap) values_.insert_or_assign(b.name, b.value);
    find_unknown();
  }

  Metadata compose() {
    result_.with = first_.with;
    add_temporaries();
    add_block();
    result_.frame.target = second_.frame.target;
    result_.frame.unknown = second_.frame.unknown;
    put(second_.frame.varmap, result_.frame.varmap, result_.frame.unknown);
    for (const OuterFrame& outer : second_.outer) {
      OuterFrame& to = result_.outer.emplace_back();
      to.target = outer.target, to.result = outer.result, to.unknown = outer.unknown;
      put(outer.varmap, to.varmap, to.unknown);
    }
    result_.outer.insert(result_.outer.end(), first_.outer.begin(), first_.outer.end());
    add_end_comments();
    return std::move(result_);
  }

private:
  // Variables of the middle program that `first` cannot rebuild, and the names that depend on them.
  void find_unknown() {
    Vars made;
    for (const Deferred& d : second_.with)
      if (makes_subject(d.instr)) made.insert(subject(d.instr));
    for_each_origin_name(second_, [&](Var x) {
      if (!made.contains(x) && !values_.contains(x)) unknown_.insert(x);
    });
    spread_unknown(second_.with, unknown_);
  }

  bool known(const Expr& e) const {
    bool all = true;
    for_each_variable(e, [&](Var x) { all &= !unknown_.contains(x); });
    return all;
  }

  template <class Visit>
  void for_each_known_expr(Visit&& visit) const {
    const auto varmap = [&](const std::vector<Binding>& bindings) {
      for (const Binding& b : bindings)
        if (known(b.value)) visit(b.value);
    };
    for (const Deferred& d : second_.with)
      if (!unknown_.contains(subject(d.instr))) for_each_expr(d.instr, visit);
    varmap(second_.frame.varmap);
    for (const OuterFrame& outer : second_.outer) varmap(outer.varmap);
  }

  // Variables of the middle program whose values do not fit where they are needed, or would be read
  // too late there: the block of `second` runs before its varmap is evaluated.
  Vars needing_temporaries() const {
    const bool late = stores(second_.with);
    Vars needed;
    const auto look = [&](Var x, bool fits) {
      if (!fits) needed.insert(x);
    };
    for_each_known_expr([&](const Expr& e) {
      const bool whole = is_variable(e);
      for_each_variable(e, [&](Var x) {
        const auto value = values_.find(x);
        if (value == values_.end()) return;
        const bool too_late = late && std::holds_alternative<Index>(value->second);
        look(x, (whole && !too_late) || is_simple(value->second));
      });
      if (const auto* index = std::get_if<Index>(&e))
        if (const auto value = values_.find(index->array); value != values_.end())
          look(index->array, is_variable(value->second));
    });
    for (const Deferred& d : second_.with)
      if (const auto value = values_.find(subject(d.instr));
          value != values_.end() && !makes_subject(d.instr))
        look(value->first, is_variable(value->second));
    return needed;
  }

  void add_temporaries() {
    Vars needed = needing_temporaries();
    for (const Binding& b : first_.frame.varmap) {
      if (needed.erase(b.name) == 0) continue;
      const Var temporary = fresh_.fresh<Var>(fresh_.names().text(b.name));
      result_.with.push_back({Decl{temporary, values_.at(b.name)}, {}});
      values_.insert_or_assign(b.name, SimpleExpr(temporary));
    }
  }

  void add_block() {
    for (const Deferred& d : second_.with) {
      const Var name = subject(d.instr);
      if (unknown_.contains(name)) continue;
      Var to = name;
      if (makes_subject(d.instr))
        to = fresh_.fresh<Var>(fresh_.names().text(name));
      else if (const auto found = values_.find(name); found != values_.end())
        to = std::get<Var>(std::get<SimpleExpr>(found->second));
      result_.with.push_back({substitute(d.instr, to, values_), d.comments});
      values_.insert_or_assign(name, SimpleExpr(to));
    }
  }

  void put(const std::vector<Binding>& varmap, std::vector<Binding>& to,
           std::vector<Var>& unknown) {
    for (const Binding& b : varmap) {
      const auto value = known(b.value) ? substitute(b.value, values_) : std::nullopt;
      if (value)
        to.push_back({b.name, *value});
      else if (std::find(unknown.begin(), unknown.end(), b.name) == unknown.end())
        unknown.push_back(b.name);
    }
  }

  void add_end_comments() {
    if (result_.with.size() > first_.with.size()) {
      std::vector<Comment>& next = result_.with[first_.with.size()].comments;
      next.insert(next.begin(), first_.with_end.begin(), first_.with_end.end());
      result_.with_end = second_.with_end;
    } else {
      result_.with_end = first_.with_end;
      result_.with_end.insert(result_.with_end.end(), second_.with_end.begin(),
                              second_.with_end.end());
    }
  }

  const Metadata& first_;
  const Metadata& second_;
  FreshNames& fresh_;
  Substitution values_; // names of the second's origin and its block, in terms of the result
  Vars unknown_;
  Metadata result_;
};

} // namespace

std::string print(const Place& place, const Names& names) {
  std::string out = fmt::format("{}.{}", names.text(place.function), names.text(place.version));
  if (place.label) out.append(".").append(names.text(*place.label));
  if (place.offset != 0 || !place.label) out += fmt::format("+{}", place.offset);
  return out;
}

Var subject(const DeferredInstr& line) { return name_of(line); }

bool makes_subject(const DeferredInstr& line) { return !std::holds_alternative<ArrayUpdate>(line); }

Metadata compose(const Metadata& first, const Metadata& second, FreshNames& fresh) {
  return Composer(first, second, fresh).compose();
}

Metadata rename(const Metadata& metadata, const std::unordered_map<Var, Var>& to,
                FreshNames& fresh) {
  Substitution values;
  std::unordered_set<Var> made;
  for (const Deferred& d : metadata.with)
    if (makes_subject(d.instr)) made.insert(subject(d.instr));
  for_each_origin_name(metadata, [&](Var x) {
    if (made.contains(x)) return;
    const auto found = to.find(x);
    const Var name = found == to.end() ? x : found->second;
    fresh.use(name);
    values.insert_or_assign(x, SimpleExpr(name));
  });
  Metadata result = metadata;
  for (Deferred& d : result.with) {
    const Var name = subject(d.instr);
    Var renamed = name;
    if (!makes_subject(d.instr)) {
      if (const auto found = values.find(name); found != values.end())
        renamed = std::get<Var>(std::get<SimpleExpr>(found->second));
    } else if (const auto found = to.find(name); found != to.end()) {
      renamed = found->second;
    } else {
      renamed = fresh.fresh<Var>(fresh.names().text(name));
    }
    d.instr = substitute(d.instr, renamed, values);
    values.insert_or_assign(name, SimpleExpr(renamed));
  }
  const auto varmap = [&](std::vector<Binding>& bindings) {
    for (Binding& b : bindings) b.value = substitute(b.value, values).value();
  };
  varmap(result.frame.varmap);
  for (OuterFrame& outer : result.outer) varmap(outer.varmap);
  return result;
}

namespace {

constexpr std::uint64_t kMaxLength = 0xFFFFFFFF;

// The value of a literal that can be an array's length or index.
std::optional<std::uint64_t> known_length(const Expr& expr) {
  const auto* simple = std::get_if<SimpleExpr>(&expr);
  const auto* value = simple ? std::get_if<std::int64_t>(simple) : nullptr;
  if (!value || *value < 0 || static_cast<std::uint64_t>(*value) > kMaxLength) return {};
  return static_cast<std::uint64_t>(*value);
}

bool is_bool(const SimpleExpr& e) { return std::holds_alternative<bool>(e); }

std::optional<std::string> requires_operands(bool has, std::string_view op, std::string_view what) {
  return has ? std::nullopt : std::optional(fmt::format("`{}` needs {}", op, what));
}

std::optional<std::string> may_fail(const Binary& e) {
  const auto both = [&](auto is) { return is(e.left) && is(e.right); };
  switch (e.op) {
  case BinaryOp::Eq:
  case BinaryOp::Ne: return {};
  case BinaryOp::And:
  case BinaryOp::Or: return requires_operands(both(is_bool), spelling(e.op), "two booleans");
  case BinaryOp::Div:
  case BinaryOp::Mod: {
    const auto* divisor = std::get_if<std::int64_t>(&e.right);
    const bool by_zero = divisor && *divisor == 0 && is_int(e.left);
    return requires_operands(both(is_number) && !by_zero, spelling(e.op),
                             "two numbers and no division by 0");
  }
  case BinaryOp::Lt:
  case BinaryOp::Le:
  case BinaryOp::Gt:
  case BinaryOp::Ge:
  case BinaryOp::Add:
  case BinaryOp::Sub:
  case BinaryOp::Mul: break;
  }
  return requires_operands(both(is_number), spelling(e.op), "two numbers");
}

std::optional<std::string> may_fail(const ArrayUpdate& store, const WithBlock& block) {
  if (auto reason = may_fail(store.value)) return reason;
  const WithBlock::Made* made = block.find(store.array);
  if (!made || !made->array) // reported as an error of its own
    return {};
  const auto index = known_length(store.index);
  const bool inside = index && made->length && *index < *made->length;
  return requires_operands(inside, "[...] <-",
                           "a literal index inside of an array whose length is a literal");
}

} // namespace

WithBlock::WithBlock(const std::vector<Deferred>& block) {
  for (std::size_t by = 0; by < block.size(); ++by)
    match(
        block[by].instr, [&](const Decl& i) { made_.emplace(i.name, Made{by, false, {}}); },
        [&](const ArrayDecl& i) { made_.emplace(i.name, Made{by, true, known_length(i.length)}); },
        [&](const ArrayDef& i) { made_.emplace(i.name, Made{by, true, i.elements.size()}); },
        [](const ArrayUpdate&) {});
}

const WithBlock::Made* WithBlock::find(Var name) const {
  const auto found = made_.find(name);
  return found == made_.end() ? nullptr : &found->second;
}

std::optional<std::string> may_fail(const Expr& expr) {
  using Reason = std::optional<std::string>;
  return match(
      expr, [](const SimpleExpr&) { return Reason(); },
      [](const Unary& e) {
        return e.op == UnaryOp::Neg
                   ? requires_operands(is_number(e.operand), spelling(e.op), "a number")
                   : requires_operands(is_bool(e.operand), spelling(e.op), "a boolean");
      },
      [](const Binary& e) { return may_fail(e); },
      [](const Index&) {
        return requires_operands(false, "x[i]", "an array and an index inside of it");
      },
      [](const Length&) { return requires_operands(false, "length", "an array"); },
      [](const KindTest&) { return Reason(); }, [](const ElementsTest&) { return Reason(); });
}

std::optional<std::string> may_fail(const DeferredInstr& instr, const WithBlock& block) {
  using Reason = std::optional<std::string>;
  return match(
      instr, [](const Decl& i) { return i.value ? may_fail(*i.value) : Reason(); },
      [](const ArrayDecl& i) {
        return requires_operands(known_length(i.length).has_value(), "array",
                                 "a literal as its length");
      },
      [](const ArrayDef& i) {
        Reason reason;
        for (std::size_t k = 0; k < i.elements.size() && !reason; ++k)
          reason = may_fail(i.elements[k]);
        return reason;
      },
      [&](const ArrayUpdate& i) { return may_fail(i, block); });
}

} // namespace sourir
