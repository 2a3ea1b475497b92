// BodyBuilder: statements with inner blocks, and whole functions.
#include "sourir/bisim/generate/random_body.h"

#include <algorithm>

namespace sourir::random {

namespace {

constexpr std::uint32_t kDeepest = 4; // blocks in blocks
constexpr std::uint32_t kArmMean = 3, kBodyMean = 4;
constexpr std::uint64_t kMostTimes = 64; // of a statement in loops, in one call
constexpr std::uint64_t kBodySteps = 12; // of the body of a loop, a guess
constexpr std::array<std::uint8_t, 6> kRounds = {1, 2, 3, 4, 5, 0};

SimpleExpr number(std::int64_t n) { return n; }

} // namespace

BodyBuilder::Mark BodyBuilder::open(NodeId owner) {
  const Mark mark{std::exchange(current_, Block{}), std::exchange(owner_, owner), scope_.size(),
                  std::exchange(own_, scope_.size())};
  ++depth_;
  return mark;
}

Block BodyBuilder::close(const Mark& mark) {
  while (scope_.size() > mark.begin) // a block that leaves drops nothing
    leave_scope(scope_.back());
  --depth_;
  own_ = mark.first_own;
  owner_ = mark.owner;
  return std::exchange(current_, mark.block);
}

void BodyBuilder::drop_own(const Mark& mark) {
  const bool oldest_first = tape().chance(1, 2);
  while (scope_.size() > mark.begin) {
    const VarIndex k = oldest_first ? scope_[mark.begin] : scope_.back();
    leave_scope(k);
    append(Drop{as_var(k)});
  }
}

// On average at most `mean` of them.
void BodyBuilder::statements(std::uint32_t mean) {
  while (tree_.nodes.size() < size_ && tape().chance(mean, mean + 1)) statement();
}

void BodyBuilder::leave() {
  if (is_main_ ? tape().chance(2, 3) : tape().chance(1, 16)) {
    append(Stop{tape().chance(1, 2) ? std::optional(expr(anything(kRank))) : std::nullopt});
    return;
  }
  Expr result = expr(is_main_ ? anything(kRank) : tree_.signature.result);
  append(Return{result});
  ++tree_.returns;
}

void BodyBuilder::arm(NodeId owner, bool second, bool may_leave, std::optional<VarIndex> drop) {
  const Mark mark = open(owner);
  statements(kArmMean);
  if (may_leave && has(Feature::Stops) && tape().chance(1, is_main_ ? 16 : 5)) {
    leave();
  } else {
    drop_own(mark);
    if (drop) append(Drop{as_var(*drop)});
  }
  const Block block = close(mark);
  (second ? tree_.nodes[owner].second : tree_.nodes[owner].first) = block;
}

void BodyBuilder::two_arms(Expr condition, std::optional<VarIndex> narrowed, TypeSet if_true) {
  std::optional<VarIndex> drop;
  if (has(Feature::Drops) && scope_.size() > own_ && tape().chance(1, 6))
    if (const VarIndex k = scope_.back(); !tree_.vars[k].pinned) drop = k;
  const NodeId node = append(Branch{condition, {}, {}}, Shape::If);
  const Type before = narrowed ? tree_.vars[*narrowed].type : Type{};
  const auto narrow = [&](TypeSet set) {
    if (narrowed) tree_.vars[*narrowed].type.kinds = set;
  };
  narrow(if_true);
  arm(node, false, true, drop);
  narrow(before.kinds - if_true);
  arm(node, true, !tree_.leaves(tree_.nodes[node].first), drop);
  narrow(before.kinds);
  if (drop) leave_scope(*drop);
}

void BodyBuilder::branch() {
  if (depth_ >= kDeepest) return assign();
  if (tape().chance(1, 4))
    if (const auto k = pick_if([&](VarIndex i) {
          return i < tree_.params() && tree_.vars[i].type.may_be(Kind::Int);
        })) {
      const auto n = static_cast<std::int64_t>(tape().below(4));
      return two_arms(
          Binary{tape().chance(1, 2) ? BinaryOp::Ne : BinaryOp::Eq, as_var(*k), number(n)},
          std::nullopt, {});
    }
  const bool wrong = goes_wrong();
  const auto flag = tape().chance(1, 3) || wrong
                        ? pick(wrong ? anything(kRank) : type_of(Kind::Bool))
                        : std::nullopt;
  two_arms(flag ? Expr(SimpleExpr(as_var(*flag))) : bool_operation(), std::nullopt, {});
}

// A branch on the kind of a variable; each arm knows more about it.
void BodyBuilder::kind_branch() {
  if (depth_ >= kDeepest) return assign();
  const auto k = pick_if([&](VarIndex i) { return tree_.vars[i].type.kinds.several(); });
  if (!k) return branch();
  const Kind kind = pick_kind(tree_.vars[*k].type.kinds);
  two_arms(KindTest{as_var(*k), kind}, k, kind);
}

void BodyBuilder::loop() {
  const std::uint32_t count = kRounds[tape().below(kRounds.size())];
  const auto array = tape().chance(1, 3)
                         ? pick_if([&](VarIndex k) { return tree_.vars[k].type.kinds == kArray; })
                         : std::nullopt;
  const std::uint64_t rounds = array ? kLongest : std::max<std::uint32_t>(count, 1);
  if (depth_ >= kDeepest || times_ * rounds > kMostTimes || !affordable(rounds * kBodySteps, 0))
    return assign();
  const bool down = !array && tape().chance(1, 4);
  SimpleExpr bound = number(down ? 0 : count);
  std::optional<VarIndex> length;
  if (array) {
    tree_.vars[*array].pinned = true;
    length = declare(type_of(Kind::Int));
    append(Decl{as_var(*length), Expr(Length{as_var(*array)})});
    tree_.vars[*length].pinned = true;
    bound = as_var(*length);
  }
  const VarIndex i = declare(type_of(Kind::Int));
  append(Decl{as_var(i), Expr(number(down ? count : 0))});
  tree_.vars[i].pinned = tree_.vars[i].assigned = true;
  if (array) tree_.vars[i].inside = *array;
  const NodeId node = append(
      Branch{Binary{down ? BinaryOp::Gt : BinaryOp::Lt, as_var(i), bound}, {}, {}}, Shape::While);
  const Mark mark = open(node);
  times_ *= rounds;
  statements(kBodyMean);
  const bool early = tape().chance(1, 2);
  const auto count_on = [&] {
    append(Assign{as_var(i), Binary{down ? BinaryOp::Sub : BinaryOp::Add, as_var(i), number(1)}});
  };
  if (early) count_on();
  drop_own(mark);
  if (!early) count_on();
  times_ /= rounds;
  const Block body = close(mark);
  tree_.nodes[node].first = body;
  tree_.vars[i].inside = kNone;
  tree_.vars[i].pinned = false;
  if (length) tree_.vars[*length].pinned = false;
}

// The end of the recursion: the first parameter is at most 0.
void BodyBuilder::out_of_fuel() {
  const NodeId node =
      append(Branch{Binary{BinaryOp::Lt, as_var(VarIndex{0}), number(1)}, {}, {}}, Shape::If);
  Mark mark = open(node);
  Expr result = expr(tree_.signature.result);
  append(Return{result});
  ++tree_.returns;
  const Block then = close(mark);
  tree_.nodes[node].first = then;
}

void BodyBuilder::function(const Signature& signature) {
  tree_.signature = signature;
  for (const Type& param : signature.params) {
    const VarIndex k = declare(param);
    tree_.vars[k].type.fuel = false;
    tree_.vars[k].pinned = param.fuel;
  }
  own_ = 0;
  if (!signature.params.empty() && signature.params[0].fuel) out_of_fuel();
  statements(4 * size_);
  Expr result = expr(signature.result);
  append(Return{result});
  ++tree_.returns;
  tree_.body = current_;
}

void BodyBuilder::main() {
  is_main_ = true;
  statements(4 * size_);
  if (tape().chance(1, 2) || tree_.nodes.empty()) leave();
  tree_.body = current_;
}

} // namespace sourir::random
