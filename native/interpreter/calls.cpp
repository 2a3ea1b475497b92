// Handlers for calls, returns and continuations, for input and output, and for exits.
#include "native/interpreter/handlers.h"

#include <algorithm>

namespace sourir::native {

namespace {

void record_target(Insn* ip, FunName callee) {
  SiteFeedback& site = *ip->site;
  constexpr std::uint8_t kTooMany = 255;
  const auto known = std::span(site.callees).first(std::min<std::size_t>(site.targets, 3));
  if (site.targets == kTooMany || std::ranges::count(known, callee) > 0) return;
  if (site.targets == site.callees.size())
    site.targets = kTooMany;
  else
    site.callees[site.targets++] = callee;
}

FunctionCell* callee_of(const Insn* ip, const char* base, Interpreter* m) {
  return m->cells() + bits_at(base, ip->b);
}

// Pushes the continuation and enters the callee, whose frame holds the arguments.
[[gnu::always_inline]] inline void enter(FunctionCell& f, Insn* ip, char* base, Interpreter* m) {
  Registers& r = m->registers;
  char* const frame = base + ip->a;
  if (r.frames == r.frames_limit || frame + f.frame_bytes > r.stack_limit) [[unlikely]]
    return m->limit(Limit::Depth, ip, base);
  if (--r.poll < 0) [[unlikely]]
    return m->polled(ip, base);
  *r.frames++ = {ip, base};
  ++f.calls;
  m->values.top = reinterpret_cast<Value*>(frame + f.frame_bytes); // other threads may collect
  return next(f.baseline, frame, m);
}

[[gnu::always_inline]] inline void enter_tiered(FunctionCell& f, Insn* ip, char* base,
                                                Interpreter* m) {
  if (f.entry.load(std::memory_order_acquire) == nullptr && f.calls < f.hot_at) [[likely]]
    return enter(f, ip, base, m);
  return m->call_hot(f, ip, base);
}

[[gnu::noinline]] void return_record_type(Insn* ip, char* base, Interpreter* m) {
  const Tag tag = tag_at(base, ip->a);
  record(ip, tag);
  record((m->registers.frames - 1)->call, tag);
  return ops::return_value(ip, base, m);
}

[[gnu::noinline]] void call_record_target(Insn* ip, char* base, Interpreter* m) {
  FunctionCell* f = callee_of(ip, base, m);
  record_target(ip, f->name);
  ip->literal = reinterpret_cast<std::uint64_t>(f);
  return ip->run(ip, base, m);
}

} // namespace

namespace ops {

void check_callee(Insn* ip, char* base, Interpreter* m) {
  if (tag_at(base, ip->a) != Tag::Fun) return m->stuck(StuckReason::NotAFunction, ip, base);
  if (m->cells()[bits_at(base, ip->a)].arity != ip->c)
    return m->stuck(StuckReason::WrongArity, ip, base);
  return next(ip + 1, base, m);
}

void call_function(Insn* ip, char* base, Interpreter* m) {
  return enter(*reinterpret_cast<FunctionCell*>(ip->literal), ip, base, m);
}

void call_tiered(Insn* ip, char* base, Interpreter* m) {
  return enter_tiered(*reinterpret_cast<FunctionCell*>(ip->literal), ip, base, m);
}

void call_value(Insn* ip, char* base, Interpreter* m) {
  FunctionCell* f = callee_of(ip, base, m);
  if (reinterpret_cast<std::uint64_t>(f) != ip->literal) [[unlikely]]
    return call_record_target(ip, base, m);
  return enter(*f, ip, base, m);
}

void call_value_tiered(Insn* ip, char* base, Interpreter* m) {
  FunctionCell* f = callee_of(ip, base, m);
  if (reinterpret_cast<std::uint64_t>(f) != ip->literal) [[unlikely]]
    return call_record_target(ip, base, m);
  return enter_tiered(*f, ip, base, m);
}

void return_value(Insn* ip, char* base, Interpreter* m) {
  const ReturnFrame& k = *(m->registers.frames - 1);
  Insn* const call = k.call;
  const Tag tag = tag_at(base, ip->a);
  const auto now = static_cast<std::uint8_t>(tag);
  if (now != call->recorded || now != ip->recorded) [[unlikely]]
    return return_record_type(ip, base, m);
  char* const to = k.base;
  --m->registers.frames;
  m->registers.returned = true;
  put(to, call->x, bits_at(base, ip->a), tag);
  return next(call + 1, to, m);
}

void continue_at(Insn* ip, char* base, Interpreter* m) {
  return next(reinterpret_cast<Insn*>(ip->literal), base, m);
}

void go_on_tiered(Insn* ip, char* base, Interpreter* m) {
  const BaselinePosition to =
      m->host.at_continuation(reinterpret_cast<Insn*>(ip->literal), ip->pc, base);
  return next(to.ip, to.base, m);
}

void exit_interpreter(Insn*, char*, Interpreter* m) { m->registers.next_insn = nullptr; }

void end_main(Insn*, char*, Interpreter* m) { return m->host.stop(m->registers.result); }

void not_translated(Insn* ip, char* base, Interpreter* m) {
  return m->enter_first(*reinterpret_cast<FunctionCell*>(ip->literal), base);
}

void dispatch_version(Insn* ip, char* base, Interpreter* m) {
  return m->enter_version(*reinterpret_cast<FunctionCell*>(ip->literal), base);
}

} // namespace ops

} // namespace sourir::native

namespace sourir::native::ops {

// --- Input, output and exits ---

void print(Insn* ip, char* base, Interpreter* m) {
  const Value v = value_at(base, ip->a);
  record(ip, v.tag());
  if (!m->print(v)) return m->limit(Limit::Output, ip, base);
  return next(ip + 1, base, m);
}

void read(Insn* ip, char* base, Interpreter* m) {
  const EvalResult r = m->read();
  if (!r) return m->stuck(r.why, ip, base);
  record(ip, r.value.tag());
  put(base, ip->x, r.value);
  return next(ip + 1, base, m);
}

void stop(Insn* ip, char* base, Interpreter* m) { return m->host.stop(value_at(base, ip->a)); }

namespace {

const resolved::Exit& exit_of(const Insn* ip) {
  return *reinterpret_cast<const resolved::Exit*>(ip->literal);
}

} // namespace

void opportunity(Insn* ip, char* base, Interpreter* m) {
  if (!m->host.wants_exit(m->bytecode_of(ip).code, ip->pc)) return next(ip + 1, base, m);
  --m->registers.fuel;
  const BaselinePosition to = m->host.take_exit(exit_of(ip), ip, base);
  return next(to.ip, to.base, m);
}

// Counted like a back edge: exits may form a cycle.
void take_exit(Insn* ip, char* base, Interpreter* m) {
  if (--m->registers.poll < 0) return m->polled(ip, base);
  const BaselinePosition to = m->host.take_exit(exit_of(ip), ip, base);
  return next(to.ip, to.base, m);
}

void unreachable_end(Insn* ip, char* base, Interpreter* m) {
  return m->stuck(StuckReason::None, ip, base); // no well-formed program has such a path
}

} // namespace sourir::native::ops
