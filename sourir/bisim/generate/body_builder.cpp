#include "sourir/bisim/generate/body_builder.h"

#include <algorithm>

namespace sourir::random {
namespace {

using Weight = std::uint16_t;

constexpr std::uint32_t kMostCallsBack = 2; // in the body of a recursive function
constexpr std::uint32_t kDeepest = 4;       // blocks in blocks
constexpr std::uint32_t kArmMean = 3, kBodyMean = 4;
constexpr std::uint64_t kMostTimes = 64; // of a statement in loops, in one call
constexpr std::uint64_t kBodySteps = 12; // of the body of a loop, a guess
constexpr std::array<std::uint8_t, 6> kIterations = {1, 2, 3, 4, 5, 0};

SimpleExpr number(std::int64_t n) { return n; }

} // namespace

BodyBuilder::BodyBuilder(Generation& generation, Tree& tree, std::uint32_t size,
                         std::uint64_t most_steps)
    : generation_(generation), policy_(generation.policy), tree_(tree),
      nodes_(generation.choices, generation.policy, tree, most_steps),
      values_(generation, tree, nodes_), size_(size) {
  tree_.nodes.reserve(size + 8);
  const auto weigh = [&](Statement s, Weight weight, bool on = true) {
    weights_[static_cast<std::size_t>(s)] = on ? weight : Weight{0};
  };
  const bool arrays = has(Feature::Arrays);
  weigh(Statement::Print, 12);
  weigh(Statement::Declare, 16);
  weigh(Statement::Assign, 16);
  weigh(Statement::Alias, 3);
  weigh(Statement::Array, 5, arrays);
  weigh(Statement::Store, 8, arrays);
  weigh(Statement::Branch, 7, has(Feature::Branches));
  weigh(Statement::KindBranch, 4, has(Feature::Branches));
  weigh(Statement::Loop, 7, has(Feature::Loops));
  weigh(Statement::Call, 18, has(Feature::Calls));
  weigh(Statement::CallThrough, 9, has(Feature::Indirect));
  weigh(Statement::Read, 3, has(Feature::Reads));
  weigh(Statement::Assert, 2, has(Feature::Asserts));
  weigh(Statement::Hint, 2, has(Feature::Hints));
  weigh(Statement::Drop, 4, has(Feature::Drops));
  weigh(Statement::Cycle, 1, arrays && has(Feature::Nested) && has(Feature::Cycles));
  for (const Weight w : weights_) weight_sum_ += w;
}

void BodyBuilder::statement() {
  switch (static_cast<Statement>(choices().weighted(weights_, weight_sum_))) {
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

void BodyBuilder::print() { nodes_.append(Print{values_.expr(anything(kRank))}); }

void BodyBuilder::declare_scalar() {
  Type type;
  switch (choices().below(6)) {
  case 0:
  case 1: type = type_of(Kind::Int); break;
  case 2: type = type_of(Kind::Bool); break;
  case 3: type = type_of(values_.pick_kind(kScalars)); break;
  case 4: type = type_of(has(Feature::Floats) ? kNumbers : TypeSet(Kind::Int)); break;
  default: type = anything(0); break;
  }
  std::optional<Expr> value;
  if (type.may_be(Kind::Nil) ? choices().chance(3, 4) : true) value = values_.expr(type);
  if (choices().chance(1, 6)) type = anything(static_cast<std::uint8_t>(choices().below(kRank)));
  const VarIndex k = nodes_.declare(type);
  Variable& v = tree_.vars[k];
  if (!value)
    v.known = Nil{};
  else if (const auto* e = std::get_if<SimpleExpr>(&*value); e && !std::holds_alternative<Var>(*e))
    v.known =
        match(*e, [](Var) { return Literal(); }, [](auto literal) { return Literal(literal); });
  nodes_.append(Decl{as_var(k), value});
}

void BodyBuilder::assign() {
  const bool params = choices().chance(1, 4); // mostly unchanged: versions speculate on them
  const auto k = nodes_.pick_if(
      [&](VarIndex i) { return !tree_.vars[i].pinned && (params || i >= tree_.params()); });
  if (!k) return print();
  const Type type = tree_.vars[*k].type;
  Expr value = type.kinds == kArray ? Expr(values_.simple(type)) : values_.expr(type);
  tree_.vars[*k].assigned = true;
  nodes_.append(Assign{as_var(*k), value});
}

// Another name for something, most of all for an array.
void BodyBuilder::alias() {
  const auto k = nodes_.pick_if([&](VarIndex i) { return tree_.vars[i].type.may_be(Kind::Array); });
  const SimpleExpr value = k ? SimpleExpr(as_var(*k)) : values_.simple(anything(0));
  const Type type = k ? tree_.vars[*k].type : anything(0);
  nodes_.append(Decl{as_var(nodes_.declare(type)), value});
}

void BodyBuilder::make_some_array() {
  const auto length = static_cast<std::uint8_t>(choices().below(3));
  const auto& families = generation_.library.families;
  switch (choices().below(4)) {
  case 0: values_.make_array(array_of(Holds::Integers, 1, length)); return;
  case 1:
    if (!families.empty() && has(Feature::Indirect)) {
      const std::uint32_t f = choices().below(static_cast<std::uint32_t>(families.size()));
      values_.make_array(array_of(Holds::Functions, 1, static_cast<std::uint8_t>(length + 1),
                                  static_cast<std::uint8_t>(f)));
      return;
    }
    break;
  default: break;
  }
  const std::uint32_t rank = has(Feature::Nested) ? 1 + choices().below(kRank) : 1;
  const VarIndex k =
      values_.make_array(array_of(Holds::Values, static_cast<std::uint8_t>(rank), length));
  const Type type = tree_.vars[k].type;
  while (type.length > 0 && choices().chance(2, 5)) {
    const auto index = static_cast<std::int64_t>(choices().below(type.length));
    nodes_.append(
        ArrayUpdate{as_var(k), SimpleExpr(index), SimpleExpr(values_.simple(element_of(type)))});
  }
}

void BodyBuilder::store() {
  const auto storable = [&](VarIndex k) {
    const Type& type = tree_.vars[k].type;
    return type.kinds == kArray && type.holds != Holds::Unknown;
  };
  std::optional<VarIndex> array;
  if (choices().chance(1, 2) && !nodes_.scope().empty() &&
      storable(nodes_.scope().back())) // just made
    array = nodes_.scope().back();
  if (!array) array = nodes_.pick_if(storable);
  if (!array) return assign();
  const auto index = values_.index_inside(*array);
  if (!index) return assign();
  Expr value = values_.expr(element_of(tree_.vars[*array].type));
  nodes_.append(ArrayUpdate{as_var(*array), *index, value});
}

// An array becomes an element of itself; it is printed as [...] there.
void BodyBuilder::cycle() {
  const auto array = nodes_.pick_if([&](VarIndex k) {
    const Type& type = tree_.vars[k].type;
    return type.kinds == kArray && type.holds == Holds::Values && type.length > 0;
  });
  if (!array) return assign();
  const auto length = static_cast<std::uint32_t>(tree_.vars[*array].type.length);
  const auto index = static_cast<std::int64_t>(choices().below(length));
  nodes_.append(ArrayUpdate{as_var(*array), SimpleExpr(index), SimpleExpr(as_var(*array))});
}

void BodyBuilder::read() {
  if (!cost().affordable(2, 1)) return print();
  auto k = nodes_.pick_if([&](VarIndex i) {
    return !tree_.vars[i].pinned && fits(type_of(kScalars), tree_.vars[i].type);
  });
  if (!k) {
    if (!room()) return print();
    k = nodes_.declare(type_of(kScalars));
    nodes_.append(Decl{as_var(*k), std::nullopt});
  }
  tree_.vars[*k].assigned = true;
  cost().add(0, 1);
  nodes_.append(Read{as_var(*k)});
}

// A condition that holds, unless errors are allowed.
void BodyBuilder::assertion() {
  if (values_.goes_wrong()) {
    nodes_.append(Assert{values_.bool_operation()});
    return;
  }
  const auto k = nodes_.pick_if([&](VarIndex i) { return !tree_.vars[i].type.kinds.several(); });
  if (!k) {
    nodes_.append(Assert{SimpleExpr(true)});
    return;
  }
  const Type& type = tree_.vars[*k].type;
  if (!type.may_be(Kind::Float) && choices().chance(1, 3)) {
    nodes_.append(Assert{Binary{BinaryOp::Eq, as_var(*k), as_var(*k)}});
    return;
  }
  unsigned kind = 0;
  while (!type.kinds.has(static_cast<Kind>(kind))) ++kind;
  nodes_.append(Assert{KindTest{as_var(*k), static_cast<Kind>(kind)}});
}

void BodyBuilder::hint() {
  GuardHint hint;
  do hint.guards.push_back(values_.bool_operation());
  while (choices().chance(1, 4));
  nodes_.append(std::move(hint));
}

void BodyBuilder::drop() {
  const std::size_t n = nodes_.scope().size() - nodes_.own();
  if (n == 0) return print();
  const VarIndex k = nodes_.scope()[nodes_.own() + choices().below(static_cast<std::uint32_t>(n))];
  if (tree_.vars[k].pinned) return print();
  nodes_.leave_scope(k);
  nodes_.append(Drop{as_var(k)});
}

void BodyBuilder::branch() {
  if (nodes_.depth() >= kDeepest) return assign();
  if (choices().chance(1, 4))
    if (const auto k = nodes_.pick_if([&](VarIndex i) {
          return i < tree_.params() && tree_.vars[i].type.may_be(Kind::Int);
        })) {
      const auto n = static_cast<std::int64_t>(choices().below(4));
      return two_arms(
          Binary{choices().chance(1, 2) ? BinaryOp::Ne : BinaryOp::Eq, as_var(*k), number(n)},
          std::nullopt, {});
    }
  const bool wrong = values_.goes_wrong();
  const auto flag = choices().chance(1, 3) || wrong
                        ? nodes_.pick(wrong ? anything(kRank) : type_of(Kind::Bool))
                        : std::nullopt;
  two_arms(flag ? Expr(SimpleExpr(as_var(*flag))) : values_.bool_operation(), std::nullopt, {});
}

// A branch on the type of a variable, which is narrower in each arm.
void BodyBuilder::kind_branch() {
  if (nodes_.depth() >= kDeepest) return assign();
  const auto k = nodes_.pick_if([&](VarIndex i) { return tree_.vars[i].type.kinds.several(); });
  if (!k) return branch();
  const Kind kind = values_.pick_kind(tree_.vars[*k].type.kinds);
  two_arms(KindTest{as_var(*k), kind}, k, kind);
}

void BodyBuilder::loop() {
  const std::uint32_t count = kIterations[choices().below(kIterations.size())];
  std::optional<VarIndex> array;
  if (choices().chance(1, 3))
    array = nodes_.pick_if([&](VarIndex k) { return tree_.vars[k].type.kinds == kArray; });
  const std::uint64_t iterations = array ? kLongest : std::max<std::uint32_t>(count, 1);
  if (nodes_.depth() >= kDeepest || cost().times() * iterations > kMostTimes ||
      !cost().affordable(iterations * kBodySteps, 0))
    return assign();
  const bool down = !array && choices().chance(1, 4);
  SimpleExpr bound = number(down ? 0 : count);
  std::optional<VarIndex> length;
  if (array) {
    tree_.vars[*array].pinned = true;
    length = nodes_.declare(type_of(Kind::Int));
    nodes_.append(Decl{as_var(*length), Expr(Length{as_var(*array)})});
    tree_.vars[*length].pinned = true;
    bound = as_var(*length);
  }
  const VarIndex i = nodes_.declare(type_of(Kind::Int));
  nodes_.append(Decl{as_var(i), Expr(number(down ? count : 0))});
  tree_.vars[i].pinned = tree_.vars[i].assigned = true;
  if (array) tree_.vars[i].inside = *array;
  const NodeId node = nodes_.append(
      Branch{Binary{down ? BinaryOp::Gt : BinaryOp::Lt, as_var(i), bound}, {}, {}}, Shape::While);
  const TreeBuilder::Mark mark = nodes_.open(node);
  cost().enter_loop(iterations);
  statements(kBodyMean);
  const bool early = choices().chance(1, 2);
  const auto count_on = [&] {
    nodes_.append(
        Assign{as_var(i), Binary{down ? BinaryOp::Sub : BinaryOp::Add, as_var(i), number(1)}});
  };
  if (early) count_on();
  nodes_.drop_own(mark);
  if (!early) count_on();
  cost().leave_loop(iterations);
  const Block body = nodes_.close(mark);
  tree_.nodes[node].first = body;
  tree_.vars[i].inside = kNone;
  tree_.vars[i].pinned = false;
  if (length) tree_.vars[*length].pinned = false;
}

void BodyBuilder::call() {
  Library& library = generation_.library;
  const bool back = !tree_.signature.params.empty() && tree_.signature.params[0].fuel &&
                    cost().times() == 1 && calls_back_ < kMostCallsBack && choices().chance(2, 3);
  const auto all = static_cast<std::uint32_t>(library.callees.size());
  if (back) {
    const std::uint32_t at = library.finished + choices().below(all - library.finished);
    ++calls_back_;
    const Callee callee = library.callees[at];
    return call_to(SimpleExpr(callee.name), callee.signature, true);
  }
  if (library.finished == 0) return print();
  // Mostly to the next one without a call.
  std::uint32_t at = choices().below(library.finished);
  if (choices().chance(2, 3))
    for (std::uint32_t i = 0; i < library.finished && library.callees[at].called; ++i)
      at = at == 0 ? library.finished - 1 : at - 1;
  Callee& callee = library.callees[at];
  if (!cost().affordable(callee.steps, callee.reads)) return print();
  callee.called = true;
  cost().add(callee.steps, callee.reads);
  call_to(SimpleExpr(callee.name), Signature(callee.signature), false);
}

void BodyBuilder::call_through() {
  const auto& families = generation_.library.families;
  if (families.empty()) return call();
  const std::uint32_t at = choices().below(static_cast<std::uint32_t>(families.size()));
  const Family& family = families[at];
  if (!cost().affordable(family.steps, family.reads)) return print();
  const Type type{.kinds = Kind::Fun, .family = static_cast<std::uint8_t>(at)};
  auto callee = choices().chance(1, 2) ? values_.element(type) : std::nullopt;
  if (values_.goes_wrong()) callee = values_.simple(type_of(kScalars - Kind::Fun));
  cost().add(family.steps, family.reads);
  call_to(callee ? *callee : Expr(values_.simple(type)), family.signature, false);
}

void BodyBuilder::call_to(Expr callee, const Signature& signature, bool back) {
  Call call{{}, callee, {}};
  for (const Type& param : signature.params)
    if (param.fuel && back)
      call.arguments.emplace_back(
          Binary{BinaryOp::Sub, as_var(VarIndex{0}), SimpleExpr(std::int64_t{1})});
    else
      call.arguments.push_back(values_.expr(param));
  const auto* constant = std::get_if<SimpleExpr>(&call.callee);
  if (!(constant && std::holds_alternative<FunName>(*constant)) && values_.goes_wrong())
    call.arguments.emplace_back(SimpleExpr(Nil{}));
  const bool keep = room();
  const VarIndex k = nodes_.declare(signature.result);
  call.result = as_var(k);
  nodes_.append(std::move(call));
  if (keep) return;
  nodes_.leave_scope(k);
  nodes_.append(Drop{as_var(k)});
}

// On average at most `mean` of them.
void BodyBuilder::statements(std::uint32_t mean) {
  while (tree_.nodes.size() < size_ && choices().chance(mean, mean + 1)) statement();
}

void BodyBuilder::two_arms(Expr condition, std::optional<VarIndex> narrowed, TypeSet if_true) {
  std::optional<VarIndex> drop;
  if (has(Feature::Drops) && nodes_.scope().size() > nodes_.own() && choices().chance(1, 6))
    if (const VarIndex k = nodes_.scope().back(); !tree_.vars[k].pinned) drop = k;
  const NodeId node = nodes_.append(Branch{condition, {}, {}}, Shape::If);
  const Type before = narrowed ? tree_.vars[*narrowed].type : Type{};
  const auto narrow = [&](TypeSet set) {
    if (narrowed) tree_.vars[*narrowed].type.kinds = set;
  };
  narrow(if_true);
  arm(node, false, true, drop);
  narrow(before.kinds - if_true);
  arm(node, true, !tree_.ends_body(tree_.nodes[node].first), drop);
  narrow(before.kinds);
  if (drop) nodes_.leave_scope(*drop);
}

void BodyBuilder::arm(NodeId owner, bool second, bool may_end, std::optional<VarIndex> drop) {
  const TreeBuilder::Mark mark = nodes_.open(owner);
  statements(kArmMean);
  if (may_end && has(Feature::Stops) && choices().chance(1, is_main_ ? 16 : 5)) {
    return_or_stop();
  } else {
    nodes_.drop_own(mark);
    if (drop) nodes_.append(Drop{as_var(*drop)});
  }
  const Block block = nodes_.close(mark);
  (second ? tree_.nodes[owner].second : tree_.nodes[owner].first) = block;
}

void BodyBuilder::return_or_stop() {
  if (is_main_ ? choices().chance(2, 3) : choices().chance(1, 16)) {
    nodes_.append(
        Stop{choices().chance(1, 2) ? std::optional(values_.expr(anything(kRank))) : std::nullopt});
    return;
  }
  Expr result = values_.expr(is_main_ ? anything(kRank) : tree_.signature.result);
  nodes_.append(Return{result});
  ++tree_.returns;
}

// The end of the recursion: the first parameter is at most 0.
void BodyBuilder::out_of_fuel() {
  const NodeId node = nodes_.append(
      Branch{Binary{BinaryOp::Lt, as_var(VarIndex{0}), number(1)}, {}, {}}, Shape::If);
  TreeBuilder::Mark mark = nodes_.open(node);
  Expr result = values_.expr(tree_.signature.result);
  nodes_.append(Return{result});
  ++tree_.returns;
  const Block then = nodes_.close(mark);
  tree_.nodes[node].first = then;
}

void BodyBuilder::function(const Signature& signature) {
  tree_.signature = signature;
  for (const Type& param : signature.params) {
    const VarIndex k = nodes_.declare(param);
    tree_.vars[k].type.fuel = false;
    tree_.vars[k].pinned = param.fuel;
  }
  if (!signature.params.empty() && signature.params[0].fuel) out_of_fuel();
  statements(4 * size_);
  Expr result = values_.expr(signature.result);
  nodes_.append(Return{result});
  ++tree_.returns;
  tree_.body = nodes_.block();
}

void BodyBuilder::main() {
  is_main_ = true;
  statements(4 * size_);
  if (choices().chance(1, 2) || tree_.nodes.empty()) return_or_stop();
  tree_.body = nodes_.block();
}

} // namespace sourir::random
