#include "tests/native/compiled.h"

#include "sourir/semantics/primop.h"

#include <csetjmp>

namespace sourir::testing {

using namespace sourir::native;

namespace {

thread_local std::jmp_buf out;

Compiled& of(Machine* machine) { return *reinterpret_cast<Compiled*>(machine); }

Value value(std::uint64_t bits, std::uint64_t tag) {
  return Value::of_bits(bits, static_cast<Tag>(tag));
}

NativeResult result(Value v) { return {v.bits(), static_cast<std::uint64_t>(v.tag())}; }

NativeResult result(const EvalResult& r) { return r ? result(r.value) : NativeResult{0, kNoValue}; }

NativeResult binary(Machine* m, std::uint64_t op, std::uint64_t bits_a, std::uint64_t tag_a,
                    std::uint64_t bits_b, std::uint64_t tag_b) {
  of(m).calls.push_back("rt_binary");
  return result(
      apply_binary(static_cast<BinaryOp>(op), value(bits_a, tag_a), value(bits_b, tag_b)));
}

NativeResult load(std::uint64_t array, std::uint64_t, std::uint64_t index, std::uint64_t) {
  ++Compiled::loads;
  const auto* a = reinterpret_cast<const Array*>(array);
  return index < a->length ? result(native::Heap::load(a, index)) : NativeResult{0, kNoValue};
}

NativeResult store(Machine* m, std::uint64_t array, std::uint64_t, const Value* index,
                   const Value* v) {
  of(m).calls.push_back("rt_store");
  auto* a = reinterpret_cast<Array*>(array);
  const auto i = static_cast<std::uint64_t>(index->as_int());
  if (i >= a->length) return {0, kNoValue};
  of(m).heap.store(a, i, *v);
  return {0, 0};
}

NativeResult allocate(Machine* m, std::uint64_t length, std::uint64_t tag) {
  if (tag != static_cast<std::uint64_t>(Tag::Int)) return {0, kNoValue};
  Array* a = of(m).heap.allocate(length);
  return a == nullptr ? NativeResult{0, kNoValue} : result(value_of(a));
}

NativeResult allocate_of(Machine* m, const Value* elements, std::uint64_t count) {
  return result(value_of(of(m).heap.allocate(std::span(elements, count))));
}

NativeResult print(Machine* m, std::uint64_t bits, std::uint64_t tag) {
  of(m).calls.push_back("rt_print");
  of(m).running().lines.push_back(std::to_string(tag) + ":" + std::to_string(bits));
  return {0, 0};
}

NativeResult call_value(Machine* m, std::int64_t, const Value* callee, const Value*,
                        std::uint64_t count) {
  of(m).calls.push_back("rt_call");
  of(m).return_address = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
  return result(Value(static_cast<std::int64_t>(callee->as_fun().id + count)));
}

void record_exit(Machine* m, const char* by, const ResolvedVersion* code, std::uint64_t pc,
                 const Value* slots) {
  Compiled::Exited exited{by, static_cast<Pc>(pc), {}};
  for (std::size_t i = 0; i < code->slots.size(); ++i)
    exited.slots.push_back(Value::of_bits(slots[i].bits(), slots[i].tag()));
  of(m).exits.push_back(std::move(exited));
}

NativeResult deoptimize(Machine* m, std::int64_t, const ResolvedVersion* code, std::uint64_t pc,
                        const Value* slots) {
  record_exit(m, "deopt", code, pc, slots);
  return result(of(m).instead);
}

NativeResult bailout(Machine* m, std::int64_t, const ResolvedVersion* code, std::uint64_t pc,
                     const Value* slots) {
  record_exit(m, "bailout", code, pc, slots);
  of(m).return_address = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
  return result(of(m).instead);
}

void out_of_fuel(Machine* m, const ResolvedVersion* code, std::uint64_t pc, const Value* slots) {
  record_exit(m, "fuel", code, pc, slots);
  std::longjmp(out, 1);
}

void stop(Machine* m, std::uint64_t bits, std::uint64_t tag) {
  of(m).exits.push_back({"stop", 0, {value(bits, tag)}});
  std::longjmp(out, 1);
}

std::uint64_t opportunity(Machine* m, const ResolvedVersion*, std::uint64_t) {
  Compiled& c = of(m);
  const bool taken = ++c.asked == c.exit_at;
  return static_cast<std::uint64_t>(c.ask_every) * 2 + (taken ? 1 : 0);
}

std::uint64_t poll_sample(Machine* m, profiler::SampledCode*, std::uint64_t bits) {
  if ((bits & profiler::kRequestedAtReturn) != 0)
    return static_cast<std::uint64_t>(of(m).answer_at_return);
  ++of(m).polls;
  return static_cast<std::uint64_t>(of(m).answer);
}

std::uint64_t poll_loop(Machine* m, profiler::SampledCode* code, std::uint64_t bits) {
  EXPECT_EQ(bits, profiler::kLeaveLoop);
  return poll_sample(m, code, bits);
}

std::uint64_t poll_entry(Machine* m, profiler::SampledCode*) {
  ++of(m).polls;
  return reinterpret_cast<std::uint64_t>(of(m).entered_instead);
}

void begin_instrumented(Machine*, profiler::SampledCode* code) { ++code->hits; }

void report_sample(Machine* m, profiler::SampledCode* code, const std::uint64_t* words) {
  of(m).reports.emplace_back(words, words + code->slots.size());
}

template <class F>
RuntimeCall row(const char* name, F* function, const char* type) {
  return {name, reinterpret_cast<void*>(function), type, false};
}

const RuntimeCall kCalls[] = {row("rt_binary", binary, "Rpwwwww"),
                              row("rt_load", load, "Rwwww"),
                              row("rt_store", store, "Rpwwpp"),
                              row("rt_allocate", allocate, "Rpww"),
                              row("rt_print", print, "Rpww"),
                              row("rt_allocate_of", allocate_of, "Rppw"),
                              row("rt_call", call_value, "Rpwppw"),
                              row("rt_deoptimize", deoptimize, "Rpwpwp"),
                              row("rt_bailout", bailout, "Rpwpwp"),
                              row("rt_deoptimize_osr", deoptimize, "Rpwpwp"),
                              row("rt_bailout_osr", bailout, "Rpwpwp"),
                              row("rt_tier_up_osr", bailout, "Rpwpwp"),
                              row("rt_out_of_fuel", out_of_fuel, "vppwp"),
                              row("rt_stop", stop, "vpww"),
                              row("rt_poll_sample", poll_sample, "wppw"),
                              row("rt_poll_loop", poll_loop, "wppw"),
                              row("rt_poll_entry", poll_entry, "wpp"),
                              row("rt_begin_instrumented", begin_instrumented, "vpp"),
                              row("rt_report_sample", report_sample, "vppp"),
                              row("rt_opportunity", opportunity, "wppw")};

template <std::size_t... I>
NativeResult apply(void* entry, std::int64_t depth, const std::vector<std::uint64_t>& words,
                   std::index_sequence<I...>) {
  using Word = std::uint64_t;
  return reinterpret_cast<NativeResult (*)(std::int64_t, decltype((void)I, Word())...)>(entry)(
      depth, words[I]...);
}

NativeResult apply(void* entry, std::int64_t depth, const std::vector<std::uint64_t>& words) {
  switch (words.size()) {
  case 0: return apply(entry, depth, words, std::make_index_sequence<0>());
  case 2: return apply(entry, depth, words, std::make_index_sequence<2>());
  case 4: return apply(entry, depth, words, std::make_index_sequence<4>());
  case 6: return apply(entry, depth, words, std::make_index_sequence<6>());
  default: throw std::runtime_error("too many arguments for this test");
  }
}

} // namespace

Compiled::Compiled(const std::string& text, const CompileOptions& options,
                   std::vector<Value> inputs)
    : running_(text, std::move(inputs)), options_(options), cells_(running_.names().size()) {
  native::Heap::begin();
  options_.verify = true;
  host_.machine = reinterpret_cast<Machine*>(this);
  host_.cells = cells_.data();
  host_.fuel = &fuel;
  host_.until_asked = &until_asked;
  host_.names = &running_.names();
  host_.calls = kCalls;
  compiler_ = load_compiler(host_, compiler_places());
  for (const auto& f : running_.program().source().functions) {
    const LinkedProgram::Fun* fun = running_.program().function(f.name);
    cells_[f.name.id].arity = fun->arity;
    cells_[f.name.id].name = f.name;
    cells_[f.name.id].fun = fun;
  }
}

const ResolvedVersion& Compiled::active(const std::string& function) {
  const auto name = running_.names().intern<FunName>(function);
  return *running_.program().function(name)->dispatch.front();
}

NativeCode& Compiled::code(const std::string& function) {
  if (!codes_.contains(function)) compile(function);
  return *codes_.at(function);
}

void Compiled::compile(const std::string& function) {
  const ResolvedVersion& version = active(function);
  CompileRequest request{.code = &version,
                         .calls_itself = calls_itself,
                         .sampled = sampled,
                         .instrumented = instrumented,
                         .leave_soon = leave_soon};
  codes_[function] = std::move(compiler_->compile({&request, 1}, options_).front());
  cells_[version.function.id].entry = codes_[function]->entry;
  if (sampled != nullptr) sampled->slots.resize(codes_[function]->sample_slots.size());
}

std::string Compiled::show(const std::string& function, NativeCompiler::Form form) {
  const CompileRequest request{.code = &active(function)};
  return compiler_->show({&request, 1}, options_, form);
}

Value Compiled::call(const std::string& function, std::vector<Value> arguments,
                     std::int64_t depth) {
  std::vector<std::uint64_t> words;
  for (const Value v : arguments) {
    words.push_back(v.bits());
    words.push_back(static_cast<std::uint64_t>(v.tag()));
  }
  void* entry = code(function).entry;
  if (setjmp(out) != 0) return instead;
  const NativeResult r = apply(entry, depth, words);
  return value(r.bits, r.tag);
}

Value Compiled::enter(const std::string& function, Pc start, std::vector<Value> slots) {
  CompileRequest request{.code = &active(function), .start = start, .entry = false};
  const auto made = compiler_->compile({&request, 1}, options_);
  auto* entry = reinterpret_cast<NativeResult (*)(std::int64_t, const Value*)>(made.front()->entry);
  const NativeResult r = entry(1000, slots.data());
  return value(r.bits, r.tag);
}

Value Compiled::array(std::vector<Value> elements) { return value_of(heap.allocate(elements)); }

} // namespace sourir::testing
