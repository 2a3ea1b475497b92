#include "sourir/semantics/materialize.h"

#include "sourir/semantics/eval.h"

#include <algorithm>

namespace sourir {

Result array_length(Result n) {
  if (!n)
    return n;
  if (!n.value.is(Tag::Int))
    return StuckReason::WrongKind;
  if (n.value.as_int() < 0 || n.value.as_int() > kMaxLength)
    return StuckReason::BadLength;
  return n;
}

namespace {

struct Failure {
  StuckReason why = StuckReason::None;
  Limit limit = Limit::None;
};

// Runs a `with` block on a copy of E and on new blocks that extend M: E' and M'.
class Block {
public:
  Block(const Heap &heap, std::span<const Value> env, const Limits &limits, Slot made)
      : heap_(heap), limits_(limits), env_(env.begin(), env.end()) {
    env_.resize(env.size() + made, Value::unbound());
  }

  Failure run(const code::Deferred &line) {
    return match(
        line,
        [&](const code::Decl &i) {
          const Result v = i.e ? evaluate(*i.e) : Result(Value());
          env_[i.x] = v.value;
          return Failure{v.why};
        },
        [&](const code::ArrayDecl &i) {
          const Result n = array_length(evaluate(i.length));
          return n ? allocate(i.x, static_cast<std::uint64_t>(n.value.as_int())) : Failure{n.why};
        },
        [&](const code::ArrayDef &i) { return define(i); },
        [&](const code::ArrayUpdate &i) { return update(i); });
  }

  Result evaluate(const code::Expr &e) const {
    const Value a = eval(env_.data(), e.a);
    const bool made_here = (e.shape == code::Shape::Index || e.shape == code::Shape::Length) &&
                           a.is(Tag::Array) && a.as_array().index >= heap_.blocks.size();
    if (!made_here)
      return eval(heap_, env_.data(), e);
    code::Expr local = e; // the same expression over the heap of the block
    local.a = {Value(Address{a.as_array().index - first()}), code::kLiteral};
    return eval(made_, env_.data(), local);
  }

  std::vector<std::vector<Value>> take_blocks() { return std::move(made_.blocks); }

private:
  std::uint32_t first() const { return static_cast<std::uint32_t>(heap_.blocks.size()); }

  Failure allocate(Slot x, std::uint64_t length) {
    if (length > limits_.array)
      return {.limit = Limit::Array};
    if (heap_.bytes + made_.bytes + Heap::size_of(length) > limits_.heap)
      return {.limit = Limit::Heap};
    const Address a = made_.allocate(std::vector<Value>(length));
    env_[x] = Value(Address{a.index + first()});
    return {};
  }

  Failure define(const code::ArrayDef &i) {
    std::vector<Value> elements;
    for (const code::Expr &e : i.elements) {
      const Result v = evaluate(e);
      if (!v)
        return {v.why};
      elements.push_back(v.value);
    }
    if (const Failure full = allocate(i.x, elements.size()); full.limit != Limit::None)
      return full;
    made_.blocks.back() = std::move(elements);
    return {};
  }

  Failure update(const code::ArrayUpdate &i) {
    const Result index = evaluate(i.index);
    if (!index)
      return {index.why};
    const Result v = evaluate(i.value);
    if (!v)
      return {v.why};
    const Value a = env_[i.x];
    if (!a.is(Tag::Array) || a.as_array().index < first() || !index.value.is(Tag::Int))
      return {StuckReason::WrongKind};
    std::vector<Value> &block = made_.blocks[a.as_array().index - first()];
    const auto at = static_cast<std::uint64_t>(index.value.as_int());
    if (at >= block.size())
      return {StuckReason::OutOfBounds};
    block[at] = v.value;
    return {};
  }

  const Heap &heap_;
  const Limits &limits_;
  std::vector<Value> env_;
  Heap made_;
};

StuckReason fill(NewFrame &to, const code::Frame &frame, const Block &block) {
  to.code = frame.code;
  to.pc = frame.pc;
  to.env.assign(frame.code->slots.size(), Value::unbound());
  for (const code::Entry &entry : frame.varmap) {
    const Result v = block.evaluate(entry.value);
    if (!v)
      return v.why;
    to.env[entry.name] = v.value;
  }
  return StuckReason::None;
}

} // namespace

std::variant<NewFrames, StuckReason, Limit> materialize(const Config &c, const code::Exit &exit) {
  return materialize(c.heap, {c.env(), c.code->slots.size()}, *c.limits, exit);
}

std::variant<NewFrames, StuckReason, Limit> materialize(const Heap &heap,
                                                        std::span<const Value> env,
                                                        const Limits &limits,
                                                        const code::Exit &exit) {
  Block block(heap, env, limits, exit.made);
  for (const code::Deferred &line : exit.with)
    if (const Failure f = block.run(line); f.why != StuckReason::None)
      return f.why;
    else if (f.limit != Limit::None)
      return f.limit;
  NewFrames to;
  to.frames.resize(exit.outer.size() + 1);
  if (const StuckReason why = fill(to.frames.back(), exit.frame, block); why != StuckReason::None)
    return why;
  for (std::size_t i = 0; i < exit.outer.size(); ++i) { // innermost first in the exit
    NewFrame &frame = to.frames[exit.outer.size() - 1 - i];
    frame.result = exit.outer[i].result;
    if (const StuckReason why = fill(frame, exit.outer[i].frame, block); why != StuckReason::None)
      return why;
  }
  to.blocks = block.take_blocks();
  return to;
}

} // namespace sourir
