#include "sourir/analysis/value_numbers.h"

#include "sourir/analysis/liveness.h"
#include "sourir/syntax/successors.h"

namespace sourir {

std::uint32_t ExprTable::number(const Expr& e, std::uint32_t fresh) {
  const std::size_t hash = ExprHash()(e), mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != kFree; slot = (slot + 1) & mask)
    if (const Entry& entry = entries_[slots_[slot]]; entry.hash == hash && entry.expr == e)
      return entry.number;
  slots_[slot] = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back({e, hash, fresh});
  if (2 * entries_.size() > slots_.size()) grow();
  return fresh;
}

void ExprTable::grow() {
  slots_.assign(2 * slots_.size(), kFree);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t n = 0; n < entries_.size(); ++n) {
    std::size_t slot = entries_[n].hash & mask;
    while (slots_[slot] != kFree) slot = (slot + 1) & mask;
    slots_[slot] = n;
  }
}

ValueNumbers::ValueNumbers(const Version& version, const Function& function, const Cfg& cfg,
                           const Loops& loops)
    : version_(version), function_(function), cfg_(cfg), loops_(loops),
      loop_of_header_(cfg.blocks().size()), begins_(cfg.blocks().size()),
      definitions_(version.body.size()) {
  find_changed();
  std::vector<State> ends(cfg.blocks().size());
  for (const BlockId b : cfg.reverse_postorder()) {
    begins_[b.id] = begin_of(b, ends);
    State state = begins_[b.id];
    for (Position at = cfg[b].begin; at < cfg[b].end; ++at) transfer(state, at);
    ends[b.id] = std::move(state);
  }
}

void ValueNumbers::find_changed() {
  changed_.resize(loops_.loops().size());
  for (const BlockId b : cfg_.reverse_postorder()) {
    const auto loop = loops_.innermost(b);
    for (Position at = cfg_[b].begin; loop && at < cfg_[b].end; ++at)
      if (const Var* const x = defined_by(version_.body[at].instr)) changed_[*loop].insert(*x);
  }
  for (std::size_t l = loops_.loops().size(); l-- > 0;) {
    loop_of_header_[loops_.loops()[l].header.id] = l;
    if (const auto parent = loops_.loops()[l].parent) changed_[*parent].join(changed_[l]);
  }
}

ValueNumbers::State ValueNumbers::begin_of(BlockId b, const std::vector<State>& ends) {
  State state;
  if (b == cfg_.roots().front() && cfg_[b].predecessors.empty()) {
    for (const Var x : function_.params) state.set(x, fresh());
    return state;
  }
  // Other roots, and back edges of no natural loop, bring unknown values.
  bool unknown = cfg_[b].root;
  std::vector<const State*> incoming;
  const auto loop = loop_of_header_[b.id];
  const auto latch = [&](BlockId p) {
    const auto& latches = loops_.loops()[*loop].latches;
    return std::binary_search(latches.begin(), latches.end(), p);
  };
  for (const BlockId p : cfg_[b].predecessors) {
    if (cfg_.order_number(p) < cfg_.order_number(b))
      incoming.push_back(&ends[p.id]);
    else
      unknown |= !loop || !latch(p);
  }
  if (incoming.empty() || unknown) return state; // no variable has a number
  state = *incoming.front();
  if (incoming.size() > 1) join(b, state, incoming);
  if (loop)
    for (const Var x : changed_[*loop])
      if (state.find(x) != nullptr) state.set(x, fresh());
  return state;
}

void ValueNumbers::join(BlockId b, State& state, const std::vector<const State*>& incoming) {
  State joined;
  std::vector<Number> numbers;
  for (const auto& [x, first] : state) {
    numbers.clear();
    for (const State* const from : incoming)
      if (const Number* const n = from->find(x)) numbers.push_back(*n);
    if (numbers.size() != incoming.size()) continue;
    if (std::all_of(numbers.begin(), numbers.end(), [&](Number n) { return n == first; })) {
      joined.set(x, first);
    } else {
      const auto [found, added] = joins_.try_emplace({b.id, numbers}, next_);
      if (added) ++next_;
      joined.set(x, found->second);
    }
  }
  state = std::move(joined);
}

std::optional<SimpleExpr> ValueNumbers::operand(const State& state, const SimpleExpr& e) const {
  const Var* const x = std::get_if<Var>(&e);
  if (x == nullptr) return e;
  const Number* const n = state.find(*x);
  return n != nullptr ? std::optional<SimpleExpr>(Var{*n}) : std::nullopt;
}

namespace {

// `a > b` becomes `b < a`; the operands of commutative operators are ordered.
Binary in_order(Binary e) {
  const auto swap = [&] { std::swap(e.left, e.right); };
  switch (e.op) {
  case BinaryOp::Gt: e.op = BinaryOp::Lt, swap(); break;
  case BinaryOp::Ge: e.op = BinaryOp::Le, swap(); break;
  case BinaryOp::Eq:
  case BinaryOp::Ne:
  case BinaryOp::Add:
  case BinaryOp::Mul:
  case BinaryOp::And:
  case BinaryOp::Or: {
    const Var* const a = std::get_if<Var>(&e.left);
    const Var* const b = std::get_if<Var>(&e.right);
    if (b != nullptr && (a == nullptr || *b < *a)) swap();
    break;
  }
  default: break;
  }
  return e;
}

} // namespace

std::optional<Expr> ValueNumbers::key(const State& state, const Expr& e) const {
  const auto with = [&](const SimpleExpr& se, auto make) -> std::optional<Expr> {
    const auto known = operand(state, se);
    return known ? std::optional<Expr>(make(*known)) : std::nullopt;
  };
  return match(
      e, [&](const SimpleExpr& se) { return with(se, [](SimpleExpr s) { return s; }); },
      [&](const Unary& u) { return with(u.operand, [&](SimpleExpr s) { return Unary{u.op, s}; }); },
      [&](const Binary& b) -> std::optional<Expr> {
        const auto left = operand(state, b.left), right = operand(state, b.right);
        if (!left || !right) return std::nullopt;
        return in_order({b.op, *left, *right});
      },
      [](const Index&) -> std::optional<Expr> { return std::nullopt; },
      [&](const Length& l) { return with(l.array, [](SimpleExpr s) { return Length{s}; }); },
      [&](const KindTest& t) {
        return with(t.operand, [&](SimpleExpr s) { return KindTest{s, t.kind}; });
      },
      [](const ElementsTest&) -> std::optional<Expr> { return std::nullopt; });
}

std::optional<ValueNumbers::Number> ValueNumbers::number(const State& state, const Expr& e) {
  const auto known = key(state, e);
  if (!known) return std::nullopt;
  if (const auto* const simple = std::get_if<SimpleExpr>(&*known))
    if (const Var* const n = std::get_if<Var>(simple)) return n->id;
  const Number n = expressions_.number(*known, next_);
  if (n == next_) ++next_;
  return n;
}

void ValueNumbers::transfer(State& state, Position at) {
  const Instruction& instr = version_.body[at].instr;
  if (const Var* const x = scope_effect(instr).drops) return state.erase(*x);
  const Var* const x = defined_by(instr);
  if (x == nullptr) return;
  // Numbers are kept, so that replay() gives those of the first walk.
  if (!definitions_[at]) definitions_[at] = new_value(state, instr);
  state.set(*x, *definitions_[at]);
}

ValueNumbers::Number ValueNumbers::new_value(const State& state, const Instruction& instr) {
  std::optional<Number> n;
  if (const auto* const decl = std::get_if<Decl>(&instr))
    n = number(state, decl->value ? *decl->value : Expr(SimpleExpr(Nil{})));
  else if (const auto* const assign = std::get_if<Assign>(&instr))
    n = number(state, assign->value);
  return n ? *n : fresh();
}

} // namespace sourir
