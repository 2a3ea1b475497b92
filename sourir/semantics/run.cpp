#include "sourir/semantics/run.h"

#include "sourir/semantics/wrong_operand.h"

#include "sourir/semantics/eval.h"
#include "sourir/semantics/growth.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>

namespace sourir {

namespace {

constexpr std::uint64_t kInterruptMask = 4095;

void count(Statistics& s, const Config& c, const StepResult& r) {
  if (is_growth(*r.rule)) {
    s.deoptimizations += r.rule->deoptimizes();
    return;
  }
  ++s.rules[index_of(*r.rule)];
  s.prints += r.action.kind == ActionKind::Print;
  s.reads += r.action.kind == ActionKind::Read;
  s.max_depth = std::max<std::uint64_t>(s.max_depth, c.frames.size() + 1);
}

void total(Statistics& s, const Config& c) {
  s.steps = c.steps;
  s.opportunities = c.opportunities;
  s.blocks = c.heap.blocks.size();
  s.heap_bytes = c.heap.bytes;
  for (const RuleRow& row : all_rules()) {
    const std::uint64_t n = s.rules[index_of(row)];
    if (row.rule == rules::Call) s.calls += n;
    if (row.forced()) s.forced += n;
    if (row.deoptimizes()) s.deoptimizations += n;
  }
}

} // namespace

const char* name_of(OutcomeKind kind) {
  static constexpr const char* kNames[] = {"stop", "stuck", "limit", "interrupted"};
  return kNames[static_cast<std::size_t>(kind)];
}

Outcome run(Config& c, const RunHooks& hooks) {
  std::string line;
  StepResult r;
  do {
    const ResolvedVersion* code = c.code;
    const Pc pc = c.pc;
    r = step(c, line);
    if (!r.rule) break;
    if (hooks.statistics) count(*hooks.statistics, c, r);
    if (r.action.kind == ActionKind::Print) {
      if (hooks.print) hooks.print(line);
      line.clear();
    }
    if (hooks.trace) hooks.trace(c, r, code, pc);
    if (hooks.interrupt && (c.steps & kInterruptMask) == 0 && *hooks.interrupt) break;
  } while (r.status == StepStatus::Stepped);
  if (hooks.statistics) total(*hooks.statistics, c);
  return describe(c, r);
}

int exit_code(Value result) {
  if (result.is(Tag::Int))
    return static_cast<int>(static_cast<std::uint64_t>(result.as_int()) & 0xFF);
  return result.is_true() ? 1 : 0;
}

namespace {

template <class E, class Visit>
void visit_expr(const E& e, Visit& visit) {
  if constexpr (requires { *e; })
    e ? visit(*e) : void();
  else
    visit(e);
}

} // namespace

std::vector<const Expr*> expressions(const Instruction& instruction) {
  std::vector<const Expr*> out;
  const auto add = [&](const Expr& e) { out.push_back(&e); };
  const auto all = [&](const std::vector<Expr>& es) { std::ranges::for_each(es, add); };
  match(
      instruction, [&](const Decl& i) { visit_expr(i.value, add); }, [](const Drop&) {},
      [&](const Assign& i) { add(i.value); }, [&](const ArrayDecl& i) { add(i.length); },
      [&](const ArrayDef& i) { all(i.elements); },
      [&](const ArrayUpdate& i) { add(i.index), add(i.value); },
      [&](const Branch& i) { add(i.condition); }, [](const Goto&) {},
      [&](const Print& i) { add(i.value); }, [](const Read&) {},
      [&](const Assert& i) { add(i.condition); },
      [&](const Call& i) { add(i.callee), all(i.arguments); },
      [&](const Return& i) { add(i.value); }, [&](const Stop& i) { visit_expr(i.value, add); },
      [&](const Assume& i) { all(i.guards); }, [](const Anchor&) {}, [](const GuardHint&) {});
  return out;
}

std::vector<const resolved::Expr*> expressions(const resolved::Instr& instruction) {
  std::vector<const resolved::Expr*> out;
  const auto add = [&](const resolved::Expr& e) { out.push_back(&e); };
  const auto all = [&](const std::vector<resolved::Expr>& es) { std::ranges::for_each(es, add); };
  match(
      instruction, [&](const resolved::Decl& i) { visit_expr(i.e, add); },
      [](const resolved::Drop&) {}, [&](const resolved::Assign& i) { add(i.e); },
      [&](const resolved::ArrayDecl& i) { add(i.length); },
      [&](const resolved::ArrayDef& i) { all(i.elements); },
      [&](const resolved::ArrayUpdate& i) { add(i.index), add(i.value); },
      [&](const resolved::Branch& i) { add(i.e); }, [](const resolved::Goto&) {},
      [&](const resolved::Print& i) { add(i.e); }, [](const resolved::Read&) {},
      [&](const resolved::Assert& i) { add(i.e); },
      [&](const resolved::Call& i) { add(i.callee), all(i.arguments); },
      [&](const resolved::Return& i) { add(i.e); }, [&](const resolved::Stop& i) { add(i.e); },
      [&](const resolved::Assume& i) { all(i.guards); }, [](const resolved::Anchor&) {},
      [](const resolved::GuardHint&) {});
  return out;
}

namespace {

const char* sentence(StuckReason why) {
  static constexpr const char* kSentences[] = {
      "",
      "wrong type of operand",
      "index out of bounds",
      "an array cannot have this length",
      "division by zero",
      "only a function can be called",
      "wrong number of arguments",
      "the assertion does not hold",
      "the input has ended",
      "this line of the input is not a literal of the language"};
  return kSentences[static_cast<std::size_t>(why)];
}

const char* sentence(Limit limit) {
  static constexpr const char* kSentences[] = {"",
                                               "no fuel is left (--fuel)",
                                               "the heap limit is reached (--max-heap)",
                                               "too many calls are waiting (--max-depth)",
                                               "the array is too long (--max-array)",
                                               "the output limit is reached (--max-output)"};
  return kSentences[static_cast<std::size_t>(limit)];
}

// " with x = 1, y = true" for the first eight variables in scope that the instruction mentions.
std::string variables(const Config& c) {
  std::string out;
  if (c.pc >= c.code->source->body.size()) return out;
  std::vector<Slot> seen;
  for_each_name(c.code->source->body[c.pc].instr, [&](NameUse use) {
    using enum NameRole;
    if (use.role != Use && use.role != Update && use.role != ExitUse && use.role != WithUse) return;
    const Slot slot = *c.code->slot_of(Var{use.id});
    if (c.env()[slot].is(Tag::Unbound) || std::ranges::count(seen, slot) > 0 || seen.size() == 8)
      return;
    out += seen.empty() ? " with " : ", ";
    seen.push_back(slot);
    out += c.program->names().text(Var{use.id});
    out += " = " + show(c.env()[slot], c.heap, c.program->names(), 60);
  });
  return out;
}

// " in `return (x + 1)` with x = nil"
std::string context(const Config& c) {
  if (c.pc >= c.code->source->body.size()) return variables(c);
  return " in `" + print_line(c.code->source->body[c.pc].instr, c.program->names()) + "`" +
         variables(c);
}

std::string explain(const Config& c, StuckReason why) {
  std::string out = sentence(why);
  if (why == StuckReason::BadInput) return out + ": '" + c.input->line(c.input_position) + "'";
  if (why == StuckReason::InputExhausted) return out;
  return out + context(c);
}

FrameReport report(const Config& c, const ResolvedVersion* code, Pc pc, std::size_t base) {
  FrameReport f{code->place(pc), code, pc, {}};
  for (Slot slot = 0; slot < code->slots.size(); ++slot)
    if (const Value v = c.stack[base + slot]; !v.is(Tag::Unbound))
      f.values.emplace_back(code->slots[slot], show(v, c.heap, c.program->names(), 80));
  return f;
}

} // namespace

std::vector<Premise> premises(const Config& c) {
  std::vector<Premise> out;
  if (c.stopped() || c.pc >= c.code->source->body.size()) return out;
  const auto texts = expressions(c.code->source->body[c.pc].instr);
  const auto codes = expressions(c.instr());
  for (std::size_t i = 0; i < std::min(texts.size(), codes.size()); ++i)
    out.push_back({print(*texts[i], c.program->names()), eval(c, *codes[i])});
  return out;
}

std::string guard_text(const Config& c, Pc pc, std::uint32_t guard) {
  const auto& body = c.code->source->body;
  const auto* const assume = pc < body.size() ? std::get_if<Assume>(&body[pc].instr) : nullptr;
  return assume != nullptr && guard < assume->guards.size()
             ? print(assume->guards[guard], c.program->names())
             : std::string();
}

std::vector<FrameReport> frames_of(const Config& c, std::size_t most) {
  std::vector<FrameReport> out;
  if (c.stopped()) return out;
  out.push_back(report(c, c.code, c.pc, c.base));
  for (std::size_t i = c.frames.size(); i > 0 && out.size() < most; --i) {
    const Continuation& k = c.frames[i - 1];
    out.push_back(report(c, k.code, k.pc, k.base));
  }
  return out;
}

Outcome describe(const Config& c, const StepResult& last) {
  Outcome out;
  out.frames = frames_of(c);
  out.depth = c.stopped() ? 0 : c.frames.size() + 1;
  switch (last.status) {
  case StepStatus::Stopped: out.result = c.result; break;
  case StepStatus::Stuck:
    out.kind = OutcomeKind::Stuck;
    out.reason = last.why;
    if (last.why == StuckReason::WrongType || last.why == StuckReason::OutOfBounds)
      if (const auto operand = wrong_operand(c)) {
        out.operand = operand->name;
        out.message = operand->message + context(c);
        break;
      }
    out.message = explain(c, last.why);
    break;
  case StepStatus::AtLimit:
    out.kind = OutcomeKind::Limit;
    out.limit = last.limit;
    out.message = sentence(last.limit);
    break;
  case StepStatus::Stepped: out.kind = OutcomeKind::Interrupted; break;
  }
  return out;
}

} // namespace sourir
