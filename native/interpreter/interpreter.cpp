#include "native/interpreter/interpreter.h"

#include "native/deopt/materialize.h"
#include "native/interpreter/handlers.h"

#include <algorithm>
#include <new>
#include <utility>

namespace sourir::native {

namespace {

constexpr std::int64_t kSlice = 1024; // calls and back edges between two polls
constexpr std::uint64_t kExitFrameBytes = 64
                                          << 20; // bytes above the stack limit, for frames of exits

std::uint64_t saturated(std::uint64_t n) {
  return std::min<std::uint64_t>(n, std::numeric_limits<std::int64_t>::max());
}

// Halves `bytes` until the range can be reserved.
ScannedStack reserve(std::uint64_t bytes) {
  for (;; bytes /= 2) try {
      return ScannedStack(bytes);
    } catch (const std::bad_alloc&) {
      if (bytes < 2 * kExitFrameBytes) throw;
    }
}

std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return a > ~b ? ~std::uint64_t{0} : a + b; }

Insn internal_insn(Handler run, const void* what, SiteFeedback* site) {
  Insn insn;
  insn.run = run;
  insn.site = site;
  insn.literal = reinterpret_cast<std::uint64_t>(what);
  return insn;
}

// Whether rendering the value may read names.
bool has_names(Value v) { return v.is(Tag::Fun) || v.is(Tag::String) || v.is(Tag::Array); }

} // namespace

Interpreter::Interpreter(const LinkedProgram& program, Input& input, const Limits& limits,
                         SharedNames& names, FeedbackStore& feedback, InterpreterOptions options,
                         InterpreterHost& above)
    : heap(limits),
      values(reserve(plus(std::min(limits.stack, std::uint64_t{1} << 44), kExitFrameBytes))),
      host(above), program_(program), input_(input), limits_(limits), names_(names),
      feedback_(feedback), options_(std::move(options)),
      cells_(std::make_unique<FunctionCell[]>(program.names().size())),
      return_frames_(reserve(plus(std::min(limits.depth, std::uint64_t{1} << 34) * 2, 4096) *
                             sizeof(ReturnFrame))) {
  registers.frames = reinterpret_cast<ReturnFrame*>(return_frames_.begin());
  registers.stack_limit = reinterpret_cast<char*>(values.end()) - kExitFrameBytes;
  registers.fuel = static_cast<std::int64_t>(saturated(limits.fuel));
  native_boundary_ = {internal_insn(nullptr, nullptr, &spare_),
                      internal_insn(ops::exit_interpreter, nullptr, &spare_)};
  main_boundary_ = {internal_insn(nullptr, nullptr, &spare_),
                    internal_insn(ops::end_main, nullptr, &spare_)};
  feedback_.on_reset([this](const ResolvedVersion& version) { reset_instructions(version); });
  begin_functions();
}

void Interpreter::begin_functions() {
  for (const Function& source : program_.source().functions) {
    FunctionCell& f = cells_[source.name.id];
    f.fun = program_.function(source.name);
    f.name = source.name;
    f.arity = f.fun->arity;
    const bool one =
        f.fun->dispatch.size() == 1 && !options_.dispatches && !options_.reports_entries;
    f.frame_bytes = f.arity * static_cast<std::uint32_t>(sizeof(Value)); // until translated
    if (f.fun->dispatch.size() > 1) make_table(f);
    f.baseline = &internal_insns_.emplace_back(
        internal_insn(one ? ops::not_translated : ops::dispatch_version, &f, &spare_));
  }
}

void Interpreter::make_table(FunctionCell& f) const {
  f.dispatch = std::make_unique<DispatchTable>();
  for (const ResolvedVersion* version : f.fun->dispatch) f.dispatch->append(version->when);
  f.dispatch->in_native_code =
      !options_.dispatches && !options_.reports_entries &&
      std::ranges::all_of(f.fun->dispatch, [](const ResolvedVersion* version) {
        return std::ranges::all_of(version->when, is_tested_natively);
      });
}

// --- Bytecode ---

std::unique_ptr<Bytecode> Interpreter::translated(const ResolvedVersion& version) {
  TranslationOptions options = options_.translation;
  if (options_.events) options.events = options_.events(version);
  return translate(version, feedback_.recording(version), cells_.get(), options);
}

void Interpreter::count(const Insn* ip, std::int64_t times) {
  if (ip->counted)
    bytecode_of(ip).events[std::size_t{2} * ip->pc] += static_cast<std::uint64_t>(times);
}

Bytecode& Interpreter::bytecode(const ResolvedVersion& version) {
  std::unique_ptr<Bytecode>& made = bytecodes_[&version];
  if (!made) {
    made = translated(version);
    const Insn* const begin = made->insns.data();
    ranges_[begin] = {begin + made->insns.size(), made.get()};
    if (options_.made_bytecode) options_.made_bytecode(version, begin, begin + made->insns.size());
  }
  return *made;
}

void Interpreter::reset_instructions(const ResolvedVersion& version) {
  const auto at = bytecodes_.find(&version);
  if (at == bytecodes_.end()) return;
  Bytecode& old = *at->second;
  const auto fresh = translated(version);
  for (std::size_t i = 0; i < old.insns.size(); ++i) {
    SiteFeedback* site = old.insns[i].site;
    old.insns[i] = fresh->insns[i];
    old.insns[i].site = site;
  }
}

Bytecode& Interpreter::bytecode_of(const Insn* ip) const {
  return *std::prev(ranges_.upper_bound(ip))->second.code;
}

void Interpreter::drop(const ResolvedVersion& version) {
  const auto at = bytecodes_.find(&version);
  if (at == bytecodes_.end()) return;
  ranges_.erase(at->second->insns.data());
  if (options_.drops_bytecode) options_.drops_bytecode(at->second->insns.data());
  for (const auto& [place, insns] : at->second->return_insns) ranges_.erase(insns->data());
  bytecodes_.erase(at);
}

BaselineCode& Interpreter::baseline_code(const ResolvedVersion& version) {
  return bytecode(version);
}
BaselineCode& Interpreter::baseline_code_at(const Insn* ip) const { return bytecode_of(ip); }
Pc Interpreter::pc_of(const Insn* ip) const { return ip->pc; }

Insn* Interpreter::resume_insn(BaselineCode& code, Pc pc) {
  return static_cast<Bytecode&>(code).entry(pc);
}

// A continuation <I L x E> needs an instruction with the fields of a call before L.
Insn* Interpreter::return_insn(BaselineCode& of, Pc pc, Slot result) {
  auto& code = static_cast<Bytecode&>(of);
  auto& made = code.return_insns[{pc, result}];
  if (!made) {
    made = std::make_unique<std::array<Insn, 2>>();
    auto& [call, continue_at] = *made;
    call.site = pc == 0 ? &spare_ : &code.sites[pc - 1];
    continue_at.site = &spare_;
    call.pc = pc - 1;
    call.x = result * static_cast<std::uint32_t>(sizeof(Value));
    continue_at.pc = pc;
    continue_at.run = options_.translation.tiers ? ops::go_on_tiered : ops::continue_at;
    continue_at.literal = reinterpret_cast<std::uint64_t>(code.entry(pc));
    ranges_[made->data()] = {made->data() + made->size(), &code};
  }
  return made->data();
}

// --- Running ---

void Interpreter::run(BaselinePosition at) {
  if constexpr (kTailCalls) {
    at.ip->run(at.ip, at.base, this);
  } else {
    Registers& r = registers;
    for (r.next_insn = at.ip, r.parked_base = at.base; r.next_insn != nullptr;)
      r.next_insn->run(r.next_insn, r.parked_base, this);
  }
}

void Interpreter::run_main(const ResolvedVersion& version, void* entry) {
  Registers& r = registers;
  *r.frames++ = {main_boundary_.data(), reinterpret_cast<char*>(&r.result)};
  const auto room =
      static_cast<std::uint64_t>(reinterpret_cast<ReturnFrame*>(return_frames_.end()) - r.frames);
  r.frames_limit = r.frames + std::min(room, limits_.depth);
  depth_at_start_ = r.frames_limit - r.frames;
  values.top = values.begin();
  char* const base = reinterpret_cast<char*>(values.top);
  if (entry != nullptr)
    run(host.call_native(entry, base, 0));
  else
    run({bytecode(version).entry(0), base});
}

BaselinePosition Interpreter::bind_result(Value v) {
  const ReturnFrame k = *--registers.frames;
  registers.returned = true;
  record(k.call, v.tag());
  put(k.base, k.call->x, v);
  return {k.call + 1, k.base};
}

// --- Calls ---

void Interpreter::enter(const ResolvedVersion& version, char* base) {
  if (options_.reports_entries) host.entered(version);
  Bytecode& code = bytecode(version);
  if (base + code.frame_bytes > registers.stack_limit) {
    const ReturnFrame k = *--registers.frames;
    limit(Limit::Depth, k.call, k.base);
  }
  values.top = reinterpret_cast<Value*>(base + code.frame_bytes);
  return next(code.entry(0), base, this);
}

void Interpreter::enter_first(FunctionCell& f, char* base) {
  const ResolvedVersion& version = *f.fun->dispatch.front();
  Bytecode& code = bytecode(version);
  f.baseline = code.entry(0);
  f.frame_bytes = code.frame_bytes;
  return enter(version, base);
}

void Interpreter::enter_version(FunctionCell& f, char* base) {
  const ResolvedVersion& version = host.version_for(f, reinterpret_cast<const Value*>(base));
  if (f.dispatch && !f.dispatch->by_tiers) {
    const auto chosen = std::ranges::find(f.fun->dispatch, &version) - f.fun->dispatch.begin();
    const auto number = static_cast<std::size_t>(chosen);
    if (number < f.dispatch->entries.size()) // a schedule may choose one that calls never enter
      ++f.dispatch->entries[number].tested_calls;
  }
  if (void* const entry = host.native_entry(version)) {
    const BaselinePosition to = host.call_native(entry, base, f.arity);
    return next(to.ip, to.base, this);
  }
  return enter(version, base);
}

void Interpreter::call_hot(FunctionCell& f, Insn* ip, char* base) {
  if (registers.frames == registers.frames_limit) limit(Limit::Depth, ip, base);
  if (--registers.poll < 0) return polled(ip, base);
  char* const frame = base + ip->a;
  void* const entry = host.at_call(f, reinterpret_cast<const Value*>(frame), ip);
  *registers.frames++ = {ip, base};
  ++f.calls;
  if (entry != nullptr) {
    const BaselinePosition to = host.call_native(entry, frame, f.arity);
    return next(to.ip, to.base, this);
  }
  if (frame + f.frame_bytes > registers.stack_limit) {
    --registers.frames;
    limit(Limit::Depth, ip, base);
  }
  return next(f.baseline, frame, this);
}

// --- Fuel, interruption, the end ---

void Interpreter::stuck(StuckReason why, Insn* ip, char* base) {
  count(ip, -1);
  host.end({.status = StepStatus::Stuck, .why = why}, ip, base);
  __builtin_unreachable(); // compilers ignore [[noreturn]] of virtual functions
}

void Interpreter::limit(Limit limit, Insn* ip, char* base) {
  count(ip, -1);
  host.end({.status = StepStatus::AtLimit, .limit = limit}, ip, base);
  __builtin_unreachable();
}

void Interpreter::poll(Insn* ip, char* base) {
  if (options_.interrupt && *options_.interrupt) {
    count(ip, -1);
    host.end({.status = StepStatus::Stepped}, ip, base);
  }
  if (registers.fuel <= 0) limit(Limit::Fuel, ip, base);
}

std::int64_t Interpreter::refill(Insn* ip, char* base) {
  poll(ip, base);
  const std::int64_t until = std::max<std::int64_t>(options_.iterations_until_native / 2, 1);
  // Slices of different length: otherwise the same call of a loop could always be the one to poll.
  jitter_ = (jitter_ * 5 + 3) % 64;
  registers.poll = std::min({kSlice - jitter_, registers.fuel, until});
  registers.fuel -= registers.poll;
  return std::exchange(slice_, registers.poll);
}

void Interpreter::polled(Insn* ip, char* base) {
  refill(ip, base);
  return next(ip, base, this);
}

void Interpreter::polled_loop(Insn* ip, Pc head, char* base) {
  const std::int64_t iterations = refill(ip, base);
  const BaselinePosition to = host.at_loop_header(ip, head, base, iterations);
  return next(to.ip, to.base, this);
}

std::uint64_t Interpreter::events() const {
  return saturated(limits_.fuel) - static_cast<std::uint64_t>(registers.fuel) -
         static_cast<std::uint64_t>(registers.poll);
}

// --- Input and output ---

bool Interpreter::print(Value v) {
  line_.clear();
  const std::uint64_t left = limits_.output - output_bytes_;
  std::unique_lock lock(names_.mutex, std::defer_lock);
  if (has_names(v)) lock.lock(); // printing a number does not wait for the optimizer
  if (left == 0 || !render(line_, v, program_.names(), left - 1)) return false;
  output_bytes_ += line_.size() + 1;
  ++statistics_.prints;
  if (options_.print) options_.print(line_);
  return true;
}

EvalResult Interpreter::read() {
  const EvalResult v = [&] {
    const std::lock_guard lock(names_.mutex);
    return input_.at(input_position_);
  }();
  if (!v) return v;
  if (v.value.is(Tag::Fun) && !program_.function(v.value.as_fun())) return StuckReason::BadInput;
  ++input_position_;
  ++statistics_.reads;
  return v;
}

} // namespace sourir::native
