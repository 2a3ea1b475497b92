// The deoptimizer from an exit to frames and their resume point, without an interpreter and native
// code: instructions are numbers, OSR code is a function of this file.
#include "native/deopt/deoptimizer.h"
#include "tests/unit/running.h"

#include <gtest/gtest.h>

namespace sourir::native {
namespace {

struct Ended { // instead of a run that ends
  StuckReason why = StuckReason::None;
  Limit limit = Limit::None;
};

Value number(std::int64_t n) { return Value(n); }

// An instruction is the address of a number: its position; return instructions come after 100.
class FakeVersions final : public BaselineVersions {
public:
  BaselineCode& baseline_code(const ResolvedVersion& version) override {
    BaselineCode& code = codes_[&version];
    code.code = &version;
    code.frame_bytes = static_cast<std::uint32_t>(version.slots.size() * sizeof(Value));
    return code;
  }
  BaselineCode& baseline_code_at(const Insn* ip) const override { return *owners_.at(ip); }
  Insn* resume_insn(BaselineCode& code, Pc pc) override { return insn(code, pc); }
  Insn* return_insn(BaselineCode& code, Pc pc, Slot) override { return insn(code, pc + 100); }
  Pc pc_of(const Insn* ip) const override { return *reinterpret_cast<const Pc*>(ip); }

private:
  Insn* insn(BaselineCode& code, Pc pc) {
    auto& made = numbers_[{&code, pc}];
    if (!made) made = std::make_unique<Pc>(pc);
    auto* const ip = reinterpret_cast<Insn*>(made.get());
    owners_[ip] = &code;
    return ip;
  }
  std::map<const ResolvedVersion*, BaselineCode> codes_;
  std::map<std::pair<BaselineCode*, Pc>, std::unique_ptr<Pc>> numbers_;
  std::map<const Insn*, BaselineCode*> owners_;
};

struct FakeHost final : DeoptHost {
  const resolved::Exit* deopt_map(const ResolvedVersion&, Pc) override { return map; }
  const DeoptTarget* dispatch_target(const resolved::Exit&) override { return target; }
  OsrCode dispatch(const DeoptEvent&, ExitDispatch&, DeoptCause cause,
                   const Value* values) override {
    causes.push_back(cause);
    dispatched.assign(values, values + target->variables.size());
    return continuation;
  }
  void exit_dispatched(const DeoptEvent&, const DeoptTarget&, const Value*,
                       const OsrCode&) override {
    ++exits_dispatched;
  }
  void osr_entered(const ResolvedVersion&, Pc, const OsrCode&) override { ++osr_entries; }
  OsrCode deoptimized(const DeoptEvent& event) override {
    events.push_back(event);
    return codes.empty() ? OsrCode() : take();
  }
  OsrCode take() {
    const OsrCode first = codes.front();
    codes.erase(codes.begin());
    return first;
  }
  void resumed(const ResolvedVersion& version, Pc pc, const Value*) override {
    resumptions.emplace_back(&version, pc);
  }
  void exited(const resolved::Exit&, const ResolvedVersion&, Pc, const char*) override { ++exits; }
  void bailed_out(const ResolvedVersion&, Pc, const char*) override { ++bailouts; }
  BaselinePosition bind_result(Value value) override {
    result = value;
    return {};
  }
  void poll(BaselinePosition) override { ++polls; }
  void stuck(StuckReason why, BaselinePosition) override { throw Ended{why, Limit::None}; }
  void limit(Limit limit, BaselinePosition) override { throw Ended{StuckReason::None, limit}; }

  const resolved::Exit* map = nullptr;
  const DeoptTarget* target = nullptr;
  OsrCode continuation;
  std::vector<DeoptCause> causes;
  std::vector<Value> dispatched;
  std::vector<OsrCode> codes; // what is entered after each event
  std::vector<DeoptEvent> events;
  std::vector<std::pair<const ResolvedVersion*, Pc>> resumptions;
  Value result;
  int exits = 0, bailouts = 0, polls = 0, exits_dispatched = 0, osr_entries = 0;
};

class DeoptimizerTest : public ::testing::Test {
protected:
  DeoptimizerTest() {
    registers_.frames = frames_;
    registers_.frames_limit = frames_ + 16;
    registers_.stack_limit = reinterpret_cast<char*>(values_.begin() + 1000);
    registers_.fuel = 1000;
    values_.top = values_.begin();
  }
  const ResolvedVersion& version(const char* function, const char* name) {
    Names& names = running_.names();
    return *running_.program().version(names.intern<FunName>(function),
                                       names.intern<VerName>(name));
  }
  const resolved::Exit& exit_of(const ResolvedVersion& v) {
    return std::get<resolved::Assume>(v.instrs[0]).exit;
  }
  char* base() { return reinterpret_cast<char*>(values_.begin()); }
  const Value& slot(std::size_t n) { return values_.begin()[n]; }
  DeoptEvent event(const ResolvedVersion& v) { return {DeoptReason::Exit, &v, 0, &exit_of(v)}; }

  testing::Running running_{R"(function main()
  call r = 'f(7)
  stop r
function f(var x)
version fast
  assume [(x is float)] else (f, base, L) [var x = (x + 1)]
  return 0
version inlined
  assume [(x is float)] else (g, base, L) [var y = x], (f, base, K) [var r = $, var x = x]
  return 0
version wrong
  assume [(x is float)] else (f, base, L) [var x = (x / 0)]
  return 0
version base
>L:
  call r = 'g(x)
>K:
  return r
function g(var y)
version base
>L:
  return y
)"};
  Limits limits_;
  Heap heap_{limits_};
  ScannedStack values_{1 << 16};
  ReturnFrame frames_[16];
  Registers registers_;
  FakeVersions versions_;
  FakeHost host_;
  Deoptimizer deoptimizer_{registers_, heap_, values_, versions_, host_};
};

TEST_F(DeoptimizerTest, TheBaselineExitsToTheFrameOfTheExit) {
  const ResolvedVersion& fast = version("f", "fast");
  values_.begin()[0] = number(7);
  Insn* const ip = versions_.resume_insn(versions_.baseline_code(fast), 0);
  const BaselinePosition to = deoptimizer_.exit_baseline(exit_of(fast), ip, base());
  EXPECT_EQ(to.base, base());
  EXPECT_EQ(slot(0), number(8));
  EXPECT_EQ(&versions_.baseline_code_at(to.ip), &versions_.baseline_code(version("f", "base")));
  ASSERT_EQ(host_.resumptions.size(), 1U);
  EXPECT_EQ(host_.resumptions[0].first, &version("f", "base"));
  EXPECT_EQ(deoptimizer_.statistics().exits, 1U);
  EXPECT_EQ(host_.exits, 1);
}

TEST_F(DeoptimizerTest, OuterFramesWaitForTheirResult) {
  const ResolvedVersion& inlined = version("f", "inlined");
  const Value slots[] = {number(7)};
  const BaselinePosition to = deoptimizer_.resume_after(event(inlined), slots, base());
  ASSERT_EQ(registers_.frames, frames_ + 1);
  EXPECT_EQ(frames_[0].base, base());
  EXPECT_GE(versions_.pc_of(frames_[0].call), 100U);
  EXPECT_EQ(slot(0), number(7)); // x of f
  EXPECT_EQ(to.base, base() + versions_.baseline_code(version("f", "base")).frame_bytes);
  EXPECT_EQ(*reinterpret_cast<const Value*>(to.base), number(7)); // y of g
  EXPECT_EQ(registers_.fuel, 999);
}

TEST_F(DeoptimizerTest, TranslationsAreKept) {
  const ResolvedVersion& inlined = version("f", "inlined");
  BaselineCode& origin = versions_.baseline_code(inlined);
  FrameTranslation& first = frame_translation(versions_, origin, 0, exit_of(inlined));
  EXPECT_EQ(&frame_translation(versions_, origin, 0, exit_of(inlined)), &first);
  ASSERT_EQ(first.frames.size(), 2U);
  EXPECT_EQ(first.bytes, first.frames[0].code->frame_bytes + first.frames[1].code->frame_bytes);
}

TEST_F(DeoptimizerTest, AFailingVarmapEndsTheRun) {
  const Value slots[] = {number(7)};
  try {
    deoptimizer_.resume_after(event(version("f", "wrong")), slots, base());
    FAIL();
  } catch (const Ended& ended) {
    EXPECT_EQ(ended.why, StuckReason::DivisionByZero);
  }
}

TEST_F(DeoptimizerTest, TooManyFramesAreALimit) {
  registers_.frames_limit = registers_.frames;
  const Value slots[] = {number(7)};
  try {
    deoptimizer_.resume_after(event(version("f", "inlined")), slots, base());
    FAIL();
  } catch (const Ended& ended) {
    EXPECT_EQ(ended.limit, Limit::Depth);
  }
}

TEST_F(DeoptimizerTest, ABailoutResumesInTheSameVersion) {
  const ResolvedVersion& code = version("f", "base");
  const Value slots[] = {number(3), number(4)};
  const DeoptEvent bailout{DeoptReason::Bailout, &code, 0};
  const BaselinePosition to = deoptimizer_.resume_after(bailout, slots, base());
  EXPECT_EQ(to.ip, versions_.resume_insn(versions_.baseline_code(code), 0));
  EXPECT_EQ(slot(0), number(3));
  EXPECT_EQ(host_.bailouts, 1);
  EXPECT_EQ(deoptimizer_.statistics().exits, 0U);
}

TEST_F(DeoptimizerTest, ABailoutOfAnOptimizedVersionFollowsItsDeoptMap) {
  host_.map = &exit_of(version("f", "fast"));
  const Value slots[] = {number(7)};
  deoptimizer_.resume_after({DeoptReason::Bailout, &version("f", "fast"), 0}, slots, base());
  EXPECT_EQ(slot(0), number(8));
  EXPECT_EQ(host_.bailouts, 0);
  EXPECT_EQ(deoptimizer_.statistics().exits, 1U);
}

// --- OSR entries ---

struct OsrFunction final : NativeCode {
  OsrFunction(const ResolvedVersion& version, NativeResult (*f)(std::int64_t, const Value*)) {
    code = &version;
    entry = reinterpret_cast<void*>(f);
  }
  std::optional<Pc> call_at(std::uint64_t) const override { return {}; }
};

Deoptimizer* current = nullptr; // of the test that runs
DeoptEvent next_exit;

NativeResult returns_first_slot(std::int64_t, const Value* slots) {
  return {slots[0].bits(), static_cast<std::uint64_t>(slots[0].tag())};
}

NativeResult exits_at_once(std::int64_t, const Value* slots) {
  const Value own[] = {slots[0]}; // native code has its values on the C stack, not in the frame
  current->exit_osr_code(next_exit, own);
  return {0, kDeoptimized};
}

TEST_F(DeoptimizerTest, GoesOnInNativeCodeForTheTarget) {
  const OsrFunction code(version("f", "base"), returns_first_slot);
  host_.codes = {{&code, nullptr, nullptr}};
  const Value slots[] = {number(7)};
  deoptimizer_.resume_after(event(version("f", "fast")), slots, base());
  EXPECT_EQ(host_.result, number(8));
  EXPECT_EQ(deoptimizer_.statistics().exits_to_native, 1U);
  EXPECT_EQ(deoptimizer_.statistics().osr_entries, 1U);
  EXPECT_EQ(registers_.entries, nullptr);
}

TEST_F(DeoptimizerTest, ExitsInARowAreACascadeAndNeedNoMoreStack) {
  const OsrFunction exits(version("f", "fast"), exits_at_once);
  const OsrFunction returns(version("f", "base"), returns_first_slot);
  current = &deoptimizer_;
  next_exit = event(version("f", "fast"));
  host_.codes = {
      {&exits, nullptr, nullptr}, {&exits, nullptr, nullptr}, {&returns, nullptr, nullptr}};
  const Value slots[] = {number(7)};
  deoptimizer_.resume_after(event(version("f", "fast")), slots, base());
  EXPECT_EQ(host_.result, number(10)); // each exit adds one
  EXPECT_EQ(deoptimizer_.statistics().cascades, 1U);
  EXPECT_EQ(deoptimizer_.statistics().longest_cascade, 3U);
  ASSERT_EQ(host_.events.size(), 3U);
  EXPECT_EQ(host_.events[1].exited, &exits);
  EXPECT_EQ(registers_.frames, frames_);
}

TEST_F(DeoptimizerTest, PollsWhereFuelIsUsedUp) {
  const OsrFunction exits(version("f", "fast"), exits_at_once);
  current = &deoptimizer_;
  next_exit = event(version("f", "fast"));
  registers_.fuel = 2;
  host_.codes = {{&exits, nullptr, nullptr}};
  const Value slots[] = {number(7)};
  deoptimizer_.resume_after(event(version("f", "fast")), slots, base());
  EXPECT_EQ(host_.polls, 1);
}

TEST_F(DeoptimizerTest, OutlinedCodeTakesItsParametersOnly) {
  const ResolvedVersion& loop = version("g", "base"); // one slot
  const OsrFunction code(loop, returns_first_slot);
  const std::vector<Slot> parameters{1};
  values_.begin()[0] = number(3);
  values_.begin()[1] = number(4);
  BaselineCode& at = versions_.baseline_code(version("f", "base"));
  const OsrCode osr{&code, &parameters, nullptr};
  EXPECT_TRUE(deoptimizer_.has_room(osr, {&at, nullptr, base()}));
  deoptimizer_.enter(osr, {&at, versions_.resume_insn(at, 0), base()}, 0);
  EXPECT_EQ(host_.result, number(4));
  registers_.stack_limit = base() + at.frame_bytes;
  EXPECT_FALSE(deoptimizer_.has_room(osr, {&at, nullptr, base()}));
}

// --- Exits that continue by their context ---

TEST_F(DeoptimizerTest, AnExitContinuesByItsContextWithoutFrames) {
  const ResolvedVersion& to = version("f", "base");
  const DeoptTarget target{{{&to, 0, 0}}, {{0, 0, true}}};
  const OsrFunction code(to, returns_first_slot);
  OsrEntry entry;
  entry.number = 1;
  host_.target = &target;
  host_.continuation = {&code, nullptr, &entry};
  const Value slots[] = {number(7)};
  deoptimizer_.resume_after(event(version("f", "fast")), slots, base());
  EXPECT_EQ(host_.result, number(8));
  ASSERT_EQ(host_.dispatched.size(), 1U);
  EXPECT_EQ(host_.dispatched[0], number(8)); // by the varmap
  EXPECT_EQ(host_.causes[0], (DeoptCause{FailedGuard::Type, Kind::Int}));
  EXPECT_TRUE(host_.resumptions.empty()); // nothing was materialized
  EXPECT_EQ(host_.exits, 0);
  EXPECT_EQ(registers_.frames, frames_);
  EXPECT_EQ(deoptimizer_.statistics().dispatched, 1U);
}

TEST_F(DeoptimizerTest, AForcedExitHasNoFailedGuard) {
  const ResolvedVersion& to = version("f", "base");
  const DeoptTarget target{{{&to, 0, 0}}, {{0, 0, true}}};
  host_.target = &target;
  DeoptEvent forced = event(version("f", "fast"));
  forced.forced = true;
  const Value slots[] = {number(7)};
  deoptimizer_.resume_after(forced, slots, base());
  EXPECT_EQ(host_.causes[0], DeoptCause());
  EXPECT_EQ(host_.resumptions.size(), 1U); // there is no continuation
  EXPECT_EQ(deoptimizer_.statistics().dispatch_misses, 1U);
}

TEST_F(DeoptimizerTest, AnExitOfAContinuationIsNotDispatchedAgain) {
  const ResolvedVersion& fast = version("f", "fast");
  const DeoptTarget target{{{&version("f", "base"), 0, 0}}, {{0, 0, true}}};
  const OsrFunction exits(fast, exits_at_once);
  OsrEntry entry;
  entry.number = 1;
  host_.target = &target;
  host_.continuation = {&exits, nullptr, &entry};
  current = &deoptimizer_;
  next_exit = event(fast);
  const Value slots[] = {number(7)};
  const BaselinePosition to = deoptimizer_.resume_after(event(fast), slots, base());
  EXPECT_EQ(host_.causes.size(), 1U);
  EXPECT_EQ(slot(0), number(9)); // materialized: both exits add one
  EXPECT_EQ(to.base, base());
  EXPECT_EQ(host_.resumptions.size(), 1U);
}

TEST_F(DeoptimizerTest, AVariableWithoutAValueIsNeverDispatched) {
  const DeoptTarget target{{{&version("f", "base"), 0, 0}}, {{0, 0, true}, {0, 1, true}}};
  host_.target = &target; // r has no value in the varmap
  const Value slots[] = {number(7)};
  deoptimizer_.resume_after(event(version("f", "fast")), slots, base());
  EXPECT_TRUE(host_.causes.empty());
  EXPECT_EQ(slot(0), number(8));
}

} // namespace
} // namespace sourir::native
