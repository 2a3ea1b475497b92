// BodyBuilder: statements without inner blocks.
#include "sourir/bisim/generate/random_body.h"

namespace sourir::random {

void BodyBuilder::statement() {
  switch (static_cast<Statement>(tape().weighted(weights_, weight_sum_))) {
  case Statement::Print: return print();
  case Statement::Declare: return room() ? declare_scalar() : assign();
  case Statement::Assign: return assign();
  case Statement::Alias: return room() ? alias() : print();
  case Statement::Array: return room() ? make_some_array() : store();
  case Statement::Store: return store();
  case Statement::Branch: return branch();
  case Statement::KindBranch: return kind_branch();
  case Statement::Loop: return loop();
  case Statement::Call: return call();
  case Statement::CallThrough: return call_through();
  case Statement::Read: return read();
  case Statement::Assert: return assertion();
  case Statement::Hint: return hint();
  case Statement::Drop: return drop();
  case Statement::Cycle: return cycle();
  case Statement::kCount: break;
  }
}

void BodyBuilder::print() { append(Print{expr(anything(kRank))}); }

void BodyBuilder::declare_scalar() {
  Type type;
  switch (tape().below(6)) {
  case 0:
  case 1: type = type_of(Kind::Int); break;
  case 2: type = type_of(Kind::Bool); break;
  case 3: type = type_of(pick_kind(kScalars)); break;
  case 4: type = type_of(has(Feature::Floats) ? kNumbers : TypeSet(Kind::Int)); break;
  default: type = anything(0); break;
  }
  std::optional<Expr> value;
  if (type.may_be(Kind::Nil) ? tape().chance(3, 4) : true) value = expr(type);
  if (tape().chance(1, 6)) type = anything(static_cast<std::uint8_t>(tape().below(kRank)));
  const VarIndex k = declare(type);
  Variable& v = tree_.vars[k];
  if (!value)
    v.known = Nil{};
  else if (const auto* e = std::get_if<SimpleExpr>(&*value); e && !std::holds_alternative<Var>(*e))
    v.known =
        match(*e, [](Var) { return Literal(); }, [](auto literal) { return Literal(literal); });
  append(Decl{as_var(k), value});
}

void BodyBuilder::assign() {
  const bool params = tape().chance(1, 4); // mostly they stay: versions speculate on them
  const auto k =
      pick_if([&](VarIndex i) { return !tree_.vars[i].pinned && (params || i >= tree_.params()); });
  if (!k) return print();
  const Type type = tree_.vars[*k].type;
  Expr value = type.kinds == kArray ? Expr(simple(type)) : expr(type);
  tree_.vars[*k].assigned = true;
  append(Assign{as_var(*k), value});
}

// Another name for something, most of all for an array.
void BodyBuilder::alias() {
  const auto k = pick_if([&](VarIndex i) { return tree_.vars[i].type.may_be(Kind::Array); });
  const SimpleExpr value = k ? SimpleExpr(as_var(*k)) : simple(anything(0));
  const Type type = k ? tree_.vars[*k].type : anything(0);
  append(Decl{as_var(declare(type)), value});
}

void BodyBuilder::make_some_array() {
  const auto length = static_cast<std::uint8_t>(tape().below(3));
  const auto& families = context_.library.families;
  switch (tape().below(4)) {
  case 0: make_array(array_of(Holds::Integers, 1, length)); return;
  case 1:
    if (!families.empty() && has(Feature::Indirect)) {
      const std::uint32_t f = tape().below(static_cast<std::uint32_t>(families.size()));
      make_array(array_of(Holds::Functions, 1, static_cast<std::uint8_t>(length + 1),
                          static_cast<std::uint8_t>(f)));
      return;
    }
    break;
  default: break;
  }
  const std::uint32_t rank = has(Feature::Nested) ? 1 + tape().below(kRank) : 1;
  const VarIndex k = make_array(array_of(Holds::Values, static_cast<std::uint8_t>(rank), length));
  const Type type = tree_.vars[k].type;
  while (type.length > 0 && tape().chance(2, 5)) {
    const auto index = static_cast<std::int64_t>(tape().below(type.length));
    append(ArrayUpdate{as_var(k), SimpleExpr(index), SimpleExpr(simple(element_of(type)))});
  }
}

void BodyBuilder::store() {
  const auto storable = [&](VarIndex k) {
    const Type& type = tree_.vars[k].type;
    return type.kinds == kArray && type.holds != Holds::Unknown;
  };
  std::optional<VarIndex> array;
  if (tape().chance(1, 2) && !scope_.empty() && storable(scope_.back())) // just made
    array = scope_.back();
  if (!array) array = pick_if(storable);
  if (!array) return assign();
  const auto index = index_inside(*array);
  if (!index) return assign();
  Expr value = expr(element_of(tree_.vars[*array].type));
  append(ArrayUpdate{as_var(*array), *index, value});
}

// An array becomes an element of itself; it is printed as [...] there.
void BodyBuilder::cycle() {
  const auto array = pick_if([&](VarIndex k) {
    const Type& type = tree_.vars[k].type;
    return type.kinds == kArray && type.holds == Holds::Values && type.length > 0;
  });
  if (!array) return assign();
  const auto length = static_cast<std::uint32_t>(tree_.vars[*array].type.length);
  const auto index = static_cast<std::int64_t>(tape().below(length));
  append(ArrayUpdate{as_var(*array), SimpleExpr(index), SimpleExpr(as_var(*array))});
}

bool BodyBuilder::affordable(std::uint64_t steps, std::uint64_t reads) const {
  return steps_ + times_ * steps <= most_steps_ && reads_ + times_ * reads <= kMostReads;
}

void BodyBuilder::read() {
  if (!affordable(2, 1)) return print();
  auto k = pick_if([&](VarIndex i) {
    return !tree_.vars[i].pinned && fits(type_of(kScalars), tree_.vars[i].type);
  });
  if (!k) {
    if (!room()) return print();
    k = declare(type_of(kScalars));
    append(Decl{as_var(*k), std::nullopt});
  }
  tree_.vars[*k].assigned = true;
  reads_ += times_;
  append(Read{as_var(*k)});
}

// One that holds, unless something may go wrong.
void BodyBuilder::assertion() {
  if (goes_wrong()) {
    append(Assert{bool_operation()});
    return;
  }
  const auto k = pick_if([&](VarIndex i) { return !tree_.vars[i].type.kinds.several(); });
  if (!k) {
    append(Assert{SimpleExpr(true)});
    return;
  }
  const Type& type = tree_.vars[*k].type;
  if (!type.may_be(Kind::Float) && tape().chance(1, 3)) {
    append(Assert{Binary{BinaryOp::Eq, as_var(*k), as_var(*k)}});
    return;
  }
  unsigned kind = 0;
  while (!type.kinds.has(static_cast<Kind>(kind))) ++kind;
  append(Assert{KindTest{as_var(*k), static_cast<Kind>(kind)}});
}

void BodyBuilder::hint() {
  GuardHint hint;
  do hint.guards.push_back(bool_operation());
  while (tape().chance(1, 4));
  append(std::move(hint));
}

void BodyBuilder::drop() {
  const std::size_t n = scope_.size() - own_;
  if (n == 0) return print();
  const VarIndex k = scope_[own_ + tape().below(static_cast<std::uint32_t>(n))];
  if (tree_.vars[k].pinned) return print();
  leave_scope(k);
  append(Drop{as_var(k)});
}

void BodyBuilder::call() {
  Library& library = context_.library;
  const bool back = !tree_.signature.params.empty() && tree_.signature.params[0].fuel &&
                    times_ == 1 && calls_back_ < kMostCallsBack && tape().chance(2, 3);
  const auto all = static_cast<std::uint32_t>(library.callees.size());
  if (back) {
    const std::uint32_t at = library.finished + tape().below(all - library.finished);
    ++calls_back_;
    const Callee callee = library.callees[at];
    return call_to(SimpleExpr(callee.name), callee.signature, true);
  }
  if (library.finished == 0) return print();
  // Mostly to the next one that nobody calls yet.
  std::uint32_t at = tape().below(library.finished);
  if (tape().chance(2, 3))
    for (std::uint32_t i = 0; i < library.finished && library.callees[at].called; ++i)
      at = at == 0 ? library.finished - 1 : at - 1;
  Callee& callee = library.callees[at];
  if (!affordable(callee.steps, callee.reads)) return print();
  callee.called = true;
  steps_ += times_ * callee.steps;
  reads_ += times_ * callee.reads;
  call_to(SimpleExpr(callee.name), Signature(callee.signature), false);
}

void BodyBuilder::call_through() {
  const auto& families = context_.library.families;
  if (families.empty()) return call();
  const std::uint32_t at = tape().below(static_cast<std::uint32_t>(families.size()));
  const Family& family = families[at];
  if (!affordable(family.steps, family.reads)) return print();
  const Type type{.kinds = Kind::Fun, .family = static_cast<std::uint8_t>(at)};
  auto callee = tape().chance(1, 2) ? element(type) : std::nullopt;
  if (goes_wrong()) callee = simple(type_of(kScalars - Kind::Fun));
  steps_ += times_ * family.steps;
  reads_ += times_ * family.reads;
  call_to(callee ? *callee : Expr(simple(type)), family.signature, false);
}

void BodyBuilder::call_to(Expr callee, const Signature& signature, bool back) {
  Call call{{}, callee, {}};
  for (const Type& param : signature.params)
    if (param.fuel && back)
      call.arguments.emplace_back(
          Binary{BinaryOp::Sub, as_var(VarIndex{0}), SimpleExpr(std::int64_t{1})});
    else
      call.arguments.push_back(expr(param));
  const auto* constant = std::get_if<SimpleExpr>(&call.callee);
  if (!(constant && std::holds_alternative<FunName>(*constant)) && goes_wrong())
    call.arguments.emplace_back(SimpleExpr(Nil{}));
  const bool keep = room();
  const VarIndex k = declare(signature.result);
  call.result = as_var(k);
  append(std::move(call));
  if (keep) return;
  leave_scope(k);
  append(Drop{as_var(k)});
}

} // namespace sourir::random
