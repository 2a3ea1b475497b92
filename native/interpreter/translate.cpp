// The translation of a resolved version into register bytecode, in one pass over its instructions.
#include "native/interpreter/arithmetic.h"
#include "native/interpreter/bytecode.h"
#include "native/interpreter/handlers.h"
#include "sourir/semantics/resolved.h"
#include "sourir/syntax/match.h"

#include <algorithm>

namespace sourir::native {

namespace {

constexpr std::uint32_t kSlotBytes = sizeof(Value);

bool is_slot(const resolved::Operand& o) { return o.slot != resolved::kLiteral; }

bool is_comparison(const resolved::Expr& e) {
  return e.shape == resolved::Shape::Binary && compares(static_cast<BinaryOp>(e.op)) &&
         (is_slot(e.a) || is_slot(e.b));
}

bool is_type_test(const resolved::Expr& e) {
  return (e.shape == resolved::Shape::KindTest || e.shape == resolved::Shape::ElementsTest) &&
         is_slot(e.a);
}

Form form_of(const resolved::Expr& e) {
  return !is_slot(e.a) ? Form::LeftLiteral : !is_slot(e.b) ? Form::RightLiteral : Form::Slots;
}

class Translator {
public:
  Translator(const ResolvedVersion& code, std::span<SiteFeedback> sites, FunctionCell* cells,
             const TranslationOptions& options)
      : code_(code), sites_(sites), cells_(cells), options_(options),
        out_(std::make_unique<Bytecode>()) {}

  std::unique_ptr<Bytecode> translated() {
    const auto count = static_cast<Pc>(code_.instrs.size());
    out_->code = &code_;
    out_->sites = sites_;
    out_->events = options_.events;
    for (pc_ = 0; pc_ < count; ++pc_) {
      out_->entries.push_back(here());
      temps_ = 0;
      std::visit([&](const auto& i) { emit(i); }, code_.instrs[pc_]);
      if (is_done_here(code_.instrs[pc_])) count_event();
    }
    out_->entries.push_back(here());
    add(ops::unreachable_end);
    for (const auto& [pc, exit] : exits_) {
      pc_ = pc;
      exit_insns_.push_back(here());
      literal_insn(ops::take_exit, exit);
    }
    for (const Edge& e : edges_) resolve(e);
    out_->frame_bytes = offset(0) + (slot_count() + most_temps_) * kSlotBytes;
    return std::move(out_);
  }

private:
  struct Edge { // a field of an instruction and its target
    std::uint32_t insn;
    std::uint32_t Insn::* field;
    Pc to = 0;
    bool to_exit = false; // `to` is an index of exits_
  };

  std::uint32_t slot_count() const { return static_cast<std::uint32_t>(code_.slots.size()); }
  std::uint32_t here() const { return static_cast<std::uint32_t>(out_->insns.size()); }
  static std::uint32_t offset(Slot slot) { return slot * kSlotBytes; }
  SiteFeedback* site(Pc pc) { return &out_->sites[pc]; }
  SiteFeedback* spare() { return &out_->spare; }

  // The reference is valid until the next instruction is added.
  Insn& add(Handler run, SiteFeedback* site = nullptr) {
    Insn insn;
    insn.run = run;
    insn.site = site ? site : spare();
    insn.pc = pc_;
    return out_->insns.emplace_back(insn);
  }
  // Events: what only binds or has an effect is counted when it is done; all others are counted
  // just before the last instruction for them.
  static bool is_done_here(const resolved::Instr& i) {
    return !std::holds_alternative<resolved::Branch>(i) &&
           !std::holds_alternative<resolved::Goto>(i) &&
           !std::holds_alternative<resolved::Call>(i) &&
           !std::holds_alternative<resolved::Return>(i) &&
           !std::holds_alternative<resolved::Stop>(i);
  }
  void count_event() {
    if (options_.events != nullptr)
      literal_insn(ops::count, options_.events + std::size_t{2} * pc_);
  }
  // The instruction is counted before it is executed.
  Insn& add_counted(Handler run, SiteFeedback* site = nullptr) {
    count_event();
    Insn& i = add(run, site);
    i.counted = options_.events != nullptr;
    return i;
  }
  template <class T>
  Insn& literal_insn(Handler run, const T* what) {
    Insn& i = add(run);
    i.literal = reinterpret_cast<std::uint64_t>(what);
    return i;
  }

  // Slots after those of the version, for temporaries.
  std::uint32_t temp() { return temp_at(temps_++); }
  std::uint32_t temp_at(std::uint32_t n) {
    most_temps_ = std::max(most_temps_, n + 1);
    return offset(slot_count() + n);
  }

  void set(std::uint32_t x, Value v, SiteFeedback* at) {
    Insn& i = add(ops::set, at);
    i.x = x, i.literal = v.bits(), i.tag = v.tag();
  }
  // The offset of the operand.
  std::uint32_t place(const resolved::Operand& o) {
    if (is_slot(o)) return offset(o.slot);
    const std::uint32_t x = temp();
    set(x, o.literal, nullptr);
    return x;
  }
  // The offset of the expression's value.
  std::uint32_t place(const resolved::Expr& e, SiteFeedback* at) {
    if (e.shape == resolved::Shape::Simple && is_slot(e.a)) return offset(e.a.slot);
    const std::uint32_t x = temp();
    value(e, x, at);
    return x;
  }

  void operands(Insn& i, const resolved::Expr& e) {
    i.a = is_slot(e.a) ? offset(e.a.slot) : 0;
    i.b = is_slot(e.b) ? offset(e.b.slot) : 0;
    if (!is_slot(e.a) || !is_slot(e.b)) literal(i, is_slot(e.a) ? e.b : e.a);
  }
  static void literal(Insn& i, const resolved::Operand& o) {
    i.literal = o.literal.bits(), i.tag = o.literal.tag();
  }

  void simple(const resolved::Operand& o, std::uint32_t x, SiteFeedback* at) {
    if (!is_slot(o)) return set(x, o.literal, at);
    Insn& i = add(ops::move, at);
    i.x = x, i.a = offset(o.slot);
  }
  void binary(const resolved::Expr& e, std::uint32_t x, SiteFeedback* at) {
    const bool literals = !is_slot(e.a) && !is_slot(e.b);
    const std::uint32_t a = literals ? place(e.a) : 0;
    Insn& i =
        add(binary_handler(static_cast<BinaryOp>(e.op), literals ? Form::RightLiteral : form_of(e)),
            at);
    operands(i, e);
    i.x = x;
    if (literals) i.a = a, literal(i, e.b);
  }
  void load(const resolved::Expr& e, std::uint32_t x, SiteFeedback* at) {
    const std::uint32_t a = place(e.a);
    Insn& i = add(is_slot(e.b) ? ops::load : ops::load_at, at);
    i.x = x, i.a = a;
    is_slot(e.b) ? void(i.b = offset(e.b.slot)) : literal(i, e.b);
  }
  void one_operand(Handler run, const resolved::Expr& e, std::uint32_t x, SiteFeedback* at) {
    const std::uint32_t a = place(e.a);
    Insn& i = add(run, at);
    i.x = x, i.a = a, i.tag = static_cast<Tag>(e.op); // of a type test
  }
  // x := e
  void value(const resolved::Expr& e, std::uint32_t x, SiteFeedback* at) {
    switch (e.shape) {
    case resolved::Shape::Simple: return simple(e.a, x, at);
    case resolved::Shape::Unary:
      return one_operand(unary_handler(static_cast<UnaryOp>(e.op)), e, x, at);
    case resolved::Shape::Binary: return binary(e, x, at);
    case resolved::Shape::Index: return load(e, x, at);
    case resolved::Shape::Length: return one_operand(ops::length, e, x, at);
    case resolved::Shape::KindTest: return one_operand(ops::type_test, e, x, at);
    case resolved::Shape::ElementsTest: break; // guards only
    }
  }

  // The test instruction, after those for its operands; the caller sets x and c.
  std::uint32_t test(const resolved::Expr& e, Test test, SiteFeedback* at) {
    const bool branches = test == Test::Branch || test == Test::Back;
    const auto add_test = [&](Handler run) -> Insn& {
      return branches ? add_counted(run, at) : add(run, at);
    };
    if (is_comparison(e)) {
      operands(add_test(compare_handler(static_cast<BinaryOp>(e.op), form_of(e), test)), e);
    } else if (is_type_test(e)) {
      const bool elements = e.shape == resolved::Shape::ElementsTest;
      Insn& i = add_test(elements ? elements_handler(test) : type_handler(test));
      i.a = offset(e.a.slot), i.tag = static_cast<Tag>(e.op);
    } else {
      const std::uint32_t a = place(e, nullptr);
      add_test(truth_handler(test)).a = a;
    }
    return here() - 1;
  }
  // One instruction for each guard: an error in it fails the guard.
  std::uint32_t guard(const resolved::Expr& e, Test how) {
    const bool one =
        is_comparison(e) || is_type_test(e) || (e.shape == resolved::Shape::Simple && is_slot(e.a));
    if (one) return test(e, how, site(pc_));
    literal_insn(expression_handler(how), &e).site = site(pc_);
    return here() - 1;
  }

  // Without counting of events the first position from `pc` on that has bytecode. There running
  // frames enter native code, whether events are counted or not.
  Pc first_bytecode(Pc pc) const {
    const auto has_none = [this](Pc at) {
      const resolved::Instr& i = code_.instrs[at];
      const auto* const jump = std::get_if<resolved::Goto>(&i);
      const auto* const anchor = std::get_if<resolved::Anchor>(&i);
      return (anchor != nullptr && !is_opportunity(anchor->exit)) ||
             std::holds_alternative<resolved::Drop>(i) ||
             std::holds_alternative<resolved::GuardHint>(i) ||
             (jump != nullptr && jump->target == at + 1);
    };
    while (has_none(pc)) ++pc;
    return pc;
  }

  // Threads forward jumps, unless they are events; back edges are counted, so they stay.
  void edge(std::uint32_t insn, std::uint32_t Insn::* field, Pc to) {
    for (const resolved::Goto* g; options_.events == nullptr &&
                                  (g = std::get_if<resolved::Goto>(&code_.instrs[to])) &&
                                  g->target > to;)
      to = g->target;
    edges_.push_back({insn, field, to});
  }
  void resolve(const Edge& e) {
    const std::uint32_t target = e.to_exit ? exit_insns_[e.to] : out_->entries[e.to];
    out_->insns[e.insn].*e.field = (target - e.insn) * static_cast<std::uint32_t>(sizeof(Insn));
  }
  void branch(const resolved::Branch& i, Test how, Pc at) {
    const std::uint32_t insn = test(i.e, how, site(at));
    edge(insn, &Insn::x, i.if_true);
    edge(insn, &Insn::c, i.if_false);
  }

  void emit(const resolved::Decl& i) {
    const resolved::Expr nil;
    value(i.e ? *i.e : nil, offset(i.x), site(pc_));
  }
  void emit(const resolved::Drop&) {}
  void emit(const resolved::GuardHint&) {}
  void emit(const resolved::Assign& i) { value(i.e, offset(i.x), site(pc_)); }
  void emit(const resolved::ArrayDecl& i) {
    const std::uint32_t a = place(i.length, nullptr), end = temp_at(temps_);
    Insn& insn = add(ops::new_nils, site(pc_));
    insn.x = offset(i.x), insn.a = a, insn.b = end;
  }
  void emit(const resolved::ArrayDef& i) {
    const auto count = static_cast<std::uint32_t>(i.elements.size());
    temps_ = count;
    for (std::uint32_t n = 0; n < count; ++n) value(i.elements[n], temp_at(n), nullptr);
    const std::uint32_t end = temp_at(temps_);
    Insn& insn = add(ops::new_of, site(pc_));
    insn.x = offset(i.x), insn.a = temp_at(0), insn.b = end, insn.c = count;
  }
  void emit(const resolved::ArrayUpdate& i) {
    const bool index = i.index.shape == resolved::Shape::Simple && !is_slot(i.index.a);
    const bool literal_value = i.value.shape == resolved::Shape::Simple && !is_slot(i.value.a);
    const std::uint32_t a = index ? 0 : place(i.index, nullptr);
    const std::uint32_t b = literal_value && !index ? 0 : place(i.value, site(pc_));
    Insn& insn = add(index           ? ops::store_at
                     : literal_value ? ops::store_literal
                                     : ops::store,
                     site(pc_));
    insn.x = offset(i.x), insn.a = a, insn.b = b;
    if (index || literal_value) literal(insn, index ? i.index.a : i.value.a);
  }
  void emit(const resolved::Branch& i) {
    branch(i, is_back_edge(i, pc_) ? Test::Back : Test::Branch, pc_);
  }
  void emit(const resolved::Goto& i) {
    const auto* head = std::get_if<resolved::Branch>(&code_.instrs[i.target]);
    if (i.target > pc_) {
      count_event();
      if (i.target != pc_ + 1) edge(here(), &Insn::x, i.target), add(ops::jump_to);
    } else if (options_.events == nullptr && head && is_comparison(head->e) &&
               !is_back_edge(*head, i.target)) {
      // loop inversion: the header's test in place of the back edge
      const Pc at = std::exchange(pc_, i.target);
      branch(*head, Test::Back, i.target);
      pc_ = at;
    } else {
      Insn& insn = add_counted(ops::jump_back);
      insn.b = first_bytecode(i.target);
      edges_.push_back(
          {static_cast<std::uint32_t>(&insn - out_->insns.data()), &Insn::x, i.target});
    }
  }
  void emit(const resolved::Print& i) { one(ops::print, i.e, site(pc_)); }
  void emit(const resolved::Read& i) { add(ops::read, site(pc_)).x = offset(i.x); }
  void emit(const resolved::Assert& i) { one(ops::assert_true, i.e, nullptr); }
  void emit(const resolved::Return& i) { last(ops::return_value, i.e); }
  void emit(const resolved::Stop& i) { last(ops::stop, i.e); }
  void last(Handler run, const resolved::Expr& e) {
    const std::uint32_t a = place(e, site(pc_));
    add_counted(run, site(pc_)).a = a;
  }
  void one(Handler run, const resolved::Expr& e, SiteFeedback* at) {
    const std::uint32_t a = place(e, at);
    add(run, at).a = a;
  }

  void emit(const resolved::Call& i);
  void emit(const resolved::Assume& i);
  void emit(const resolved::Anchor& i) { opportunity(i.exit); }
  bool is_opportunity(const resolved::Exit& exit) const {
    return options_.forced_exits && !exit.stays;
  }
  void opportunity(const resolved::Exit& exit) {
    if (is_opportunity(exit)) literal_insn(ops::opportunity, &exit);
  }

  const ResolvedVersion& code_;
  const std::span<SiteFeedback> sites_;
  FunctionCell* const cells_;
  TranslationOptions options_;
  std::unique_ptr<Bytecode> out_;
  Pc pc_ = 0;
  std::uint32_t temps_ = 0, most_temps_ = 0; // of the instruction, of the version
  std::vector<Edge> edges_;
  std::vector<std::pair<Pc, const resolved::Exit*>> exits_;
  std::vector<std::uint32_t> exit_insns_;
};

// Callee and arity are checked before the arguments are evaluated. These lie where the callee's
// frame will be: after the slots.
void Translator::emit(const resolved::Call& i) {
  const auto count = static_cast<std::uint32_t>(i.arguments.size());
  temps_ = count;
  const bool literal_callee = i.callee.shape == resolved::Shape::Simple && !is_slot(i.callee.a) &&
                              i.callee.a.literal.is(Tag::Fun);
  FunctionCell* f = literal_callee ? &cells_[i.callee.a.literal.as_fun().id] : nullptr;
  const bool known = f != nullptr && f->arity == count;
  std::uint32_t callee = 0;
  if (!known) {
    callee = place(i.callee, nullptr);
    Insn& check = add(ops::check_callee);
    check.a = callee, check.c = count;
  }
  for (std::uint32_t n = 0; n < count; ++n) value(i.arguments[n], temp_at(n), nullptr);
  const std::uint32_t frame = offset(slot_count());
  count_event();
  Insn& insn = known ? literal_insn(options_.tiers ? ops::call_tiered : ops::call_function, f)
                     : add(options_.tiers ? ops::call_value_tiered : ops::call_value);
  insn.site = site(pc_), insn.x = offset(i.x), insn.a = frame, insn.b = callee;
  insn.counted = options_.events != nullptr;
}

void Translator::emit(const resolved::Assume& i) {
  for (const resolved::Expr& e : i.guards) {
    const std::uint32_t insn = guard(e, &e == &i.guards.back() ? Test::LastGuard : Test::Guard);
    out_->insns[insn].x = sizeof(Insn);
    edges_.push_back({insn, &Insn::c, static_cast<Pc>(exits_.size()), true});
  }
  if (!i.guards.empty()) exits_.emplace_back(pc_, &i.exit);
  opportunity(i.exit);
}

} // namespace

std::unique_ptr<Bytecode> translate(const ResolvedVersion& code, std::span<SiteFeedback> sites,
                                    FunctionCell* cells, const TranslationOptions& options) {
  return Translator(code, sites, cells, options).translated();
}

} // namespace sourir::native
