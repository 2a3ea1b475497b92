#include "native/interpreter/dispatch.h"
#include "native/interpreter/handlers.h"

namespace sourir::native::ops {

void print(Insn* ip, char* base, Interpreter* m) {
  const Value v = value_at(base, ip->a);
  note(ip, v.tag());
  if (!m->print(v)) return m->limit(Limit::Output, ip, base);
  return next(ip + 1, base, m);
}

void read(Insn* ip, char* base, Interpreter* m) {
  const EvalResult r = m->read();
  if (!r) return m->stuck(r.why, ip, base);
  note(ip, r.value.tag());
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

// Counted like the end of a loop: exits may go round in circles.
void leave(Insn* ip, char* base, Interpreter* m) {
  if (--m->registers.poll < 0) return m->polled(ip, base);
  const BaselinePosition to = m->host.take_exit(exit_of(ip), ip, base);
  return next(to.ip, to.base, m);
}

void off_the_end(Insn* ip, char* base, Interpreter* m) {
  return m->stuck(StuckReason::None, ip, base); // no well-formed program has such a path
}

} // namespace sourir::native::ops
