// The native tier against the reference in configurations that random programs reach, copied into a
// heap of that tier: evaluation, materialized frames, texts of values.
#include "native/deopt/materialize.h"
#include "native/deopt/reference_state.h"
#include "sourir/semantics/materialize.h"
#include "tests/property/properties.h"
#include "tests/property/runs.h"

#include <algorithm>

namespace sourir::testing {

namespace {

using namespace sourir::native;

// A configuration with its arrays in a native heap.
class Mirror {
public:
  explicit Mirror(const Config& c, const Limits& limits) : c_(c), heap(limits), stack(1 << 24) {
    for (const std::vector<Value>& block : c.heap.blocks)
      *stack.top++ = value_of(heap.allocate(block.size()));
    for (std::size_t i = 0; i < c.heap.blocks.size(); ++i)
      for (std::size_t at = 0; at < c.heap.blocks[i].size(); ++at)
        RC_ASSERT(heap.store(array_of(stack.begin()[i]), at, native(c.heap.blocks[i][at])));
    frames_.resize(c.frames.size() + 1);
    for (std::size_t i = 0; i <= c.frames.size(); ++i) copy_frame(i);
  }

  Value native(Value v) const { return v.is(Tag::Array) ? stack.begin()[v.as_array().index] : v; }
  Env env() const { return frames_.front().slots; }
  std::span<const FrameState> frames() const { return frames_; }

private:
  // Number i from the innermost.
  void copy_frame(std::size_t i) {
    const Continuation* k = i == 0 ? nullptr : &c_.frames[c_.frames.size() - i];
    FrameState& to = frames_[i];
    to = {k ? k->code : c_.code, k ? k->pc : c_.pc, stack.top, k ? k->result : 0};
    const Value* slots = c_.stack.data() + (k ? k->base : c_.base);
    for (std::size_t slot = 0; slot < to.code->slots.size(); ++slot)
      *stack.top++ = native(slots[slot]);
  }

  const Config& c_;
  std::vector<FrameState> frames_;

public:
  native::Heap heap;
  ScannedStack stack;
};

std::string shown(Value v, const Names& names) {
  std::string out;
  (void)native::render(out, v, names, 1000);
  return out;
}

void same_result(const EvalResult& expected, const EvalResult& got, const Mirror& mirror) {
  RC_ASSERT(expected.why == got.why);
  if (expected) RC_ASSERT(mirror.native(expected.value) == got.value);
}

// The frames that an exit leads to, as texts; or why there are none.
std::string text(const std::variant<NewFrames, StuckReason, Limit>& made, const Config& c) {
  if (const auto* why = std::get_if<StuckReason>(&made)) return sourir::name_of(*why);
  if (const auto* limit = std::get_if<Limit>(&made)) return sourir::name_of(*limit);
  NewFrames frames = std::get<NewFrames>(made);
  sourir::Heap heap = c.heap;
  for (auto& block : frames.blocks) heap.allocate(block);
  std::string out;
  for (const NewFrame& frame : frames.frames)
    for (const Value v : frame.env) {
      (void)render(out, v, heap, c.program->names(), 1000);
      out += '\n';
    }
  return out;
}

std::string text(Mirror& mirror, const resolved::Exit& exit, const Config& c) {
  const Value* at = mirror.stack.top;
  const std::span<const Value> env(mirror.env(), c.code->slots.size());
  const RebuildFailure failure = native::materialize(mirror.heap, env, exit, mirror.stack);
  if (failure.why != StuckReason::None) return sourir::name_of(failure.why);
  if (failure.limit != Limit::None) return sourir::name_of(failure.limit);
  std::string out;
  for (; at != mirror.stack.top; ++at) out += shown(*at, c.program->names()) + '\n';
  return out;
}

void compare_exit(const Config& c, const resolved::Exit& exit, Mirror& mirror) {
  RC_ASSERT(text(sourir::materialize(c, exit), c) == text(mirror, exit, c));
}

void compare_reports(const Config& c, const Mirror& mirror) {
  const StepResult stuck{StepStatus::Stuck, nullptr, {}, StuckReason::WrongType};
  const Outcome expected = sourir::describe(c, stuck);
  EndState end;
  end.frames = mirror.frames();
  const Config state = reference_state(*c.program, *c.input, *c.schedule, *c.limits, end);
  const Outcome got = native::describe(state, stuck, mirror.frames().size());
  RC_ASSERT(expected.message == got.message);
  RC_ASSERT(expected.depth == got.depth);
  RC_ASSERT(expected.frames.size() == got.frames.size());
  for (std::size_t i = 0; i < got.frames.size(); ++i) {
    RC_ASSERT(expected.frames[i].place == got.frames[i].place);
    RC_ASSERT(expected.frames[i].values == got.frames[i].values);
  }
}

// The expressions of the current instruction that say most.
std::vector<resolved::Expr> expressions_at(const Config& c) {
  const resolved::Instr& i = c.instr();
  if (const auto* decl = std::get_if<resolved::Decl>(&i); decl && decl->e) return {*decl->e};
  if (const auto* assign = std::get_if<resolved::Assign>(&i)) return {assign->e};
  if (const auto* branch = std::get_if<resolved::Branch>(&i)) return {branch->e};
  if (const auto* print = std::get_if<resolved::Print>(&i)) return {print->e};
  if (const auto* update = std::get_if<resolved::ArrayUpdate>(&i))
    return {update->index, update->value};
  if (const auto* def = std::get_if<resolved::ArrayDef>(&i)) return def->elements;
  if (const auto* assume = std::get_if<resolved::Assume>(&i)) return assume->guards;
  return {};
}

void compare(const Config& c, const Limits& limits) {
  Mirror mirror(c, limits);
  for (const resolved::Expr& e : expressions_at(c))
    same_result(eval(c, e), native::eval(mirror.env(), e), mirror);
  if (const auto* assume = std::get_if<resolved::Assume>(&c.instr())) {
    RC_ASSERT(first_failing(c.heap, c.env(), assume->guards) ==
              native::first_failing(mirror.env(), assume->guards));
    compare_exit(c, assume->exit, mirror);
  } else if (const auto* anchor = std::get_if<resolved::Anchor>(&c.instr())) {
    compare_exit(c, anchor->exit, mirror);
  }
  compare_reports(c, mirror);
}

} // namespace

void native_agrees(Case& c) {
  native::Heap::begin();
  Setting setting(c, c.random.program, c.random.deopt);
  Config config = setting.start();
  std::string printed;
  std::uint64_t random = c.number;
  for (int compared = 0; compared < 20 && config.steps < 20'000;) {
    const bool exit = std::holds_alternative<resolved::Assume>(config.instr()) ||
                      std::holds_alternative<resolved::Anchor>(config.instr());
    if (next_random(random) % (exit ? 2 : 50) == 0) {
      compare(config, setting.limits());
      ++compared;
    }
    printed.clear();
    if (step(config, printed).status != StepStatus::Stepped) break;
  }
  if (!config.stopped()) compare(config, setting.limits());
}

} // namespace sourir::testing
