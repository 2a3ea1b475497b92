#include "sourir/semantics/code.h"

#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <map>

namespace sourir {

namespace {

void declare_slot(InstrStream& code, Var name) {
  if (code.slot_index.emplace(name, static_cast<Slot>(code.slots.size())).second)
    code.slots.push_back(name);
}

// Slots in order of first mention, parameters first. Names of targets belong to their own code.
void declare_slots(InstrStream& code, const std::vector<Var>& parameters, const Version& version) {
  for (Var x : parameters) declare_slot(code, x);
  code.parameters = static_cast<std::uint32_t>(code.slots.size());
  for (const Stmt& s : version.body)
    for_each_name(s.instr, [&](NameUse use) {
      using enum NameRole;
      switch (use.role) {
      case Declare:
      case Assign:
      case Update:
      case NameRole::Drop:
      case Use:
      case ExitUse:
      case WithDeclare:
      case WithUpdate:
      case WithUse: declare_slot(code, Var{use.id}); break;
      default: break;
      }
    });
}

// The slots and labels of a version, before its instructions are translated.
void declare(InstrStream& code, const Function& function, const Version& version) {
  code.function = function.name;
  code.version = version.name;
  code.source = &version;
  declare_slots(code, version.cont ? version.cont->names : function.params, version);
  const auto label = [&](Label l, std::size_t pc) {
    if (code.positions.emplace(l, static_cast<Pc>(pc)).second)
      code.labels.emplace_back(static_cast<Pc>(pc), l);
  };
  if (version.cont) label(version.cont->entry, 0);
  for (std::size_t pc = 0; pc <= version.body.size(); ++pc)
    for (Label l : pc < version.body.size() ? version.body[pc].marks.labels : version.end.labels)
      label(l, pc);
}

using Streams = std::map<std::pair<FunName, VerName>, InstrStream*>;

// The names that an exit binds have slots in its targets, also where a target never uses them.
void declare_bound_slots(const Instruction& instr, const Streams& streams) {
  const auto bind = [&](const Place& target, const std::vector<Binding>& varmap) {
    InstrStream& stream = *streams.at({target.function, target.version});
    for (const Binding& b : varmap) declare_slot(stream, b.name);
  };
  const auto* assume = std::get_if<Assume>(&instr);
  const auto* anchor = std::get_if<Anchor>(&instr);
  if (!assume && !anchor) return;
  const Metadata& exit = assume ? assume->exit : anchor->exit;
  bind(exit.frame.target, exit.frame.varmap);
  for (const OuterFrame& o : exit.outer) {
    bind(o.target, o.varmap);
    declare_slot(*streams.at({o.target.function, o.target.version}), o.result);
  }
}

} // namespace

// Translates one version; targets of exits are the other versions, which are declared already.
class Linker {
public:
  Linker(const LinkedProgram& program, const InstrStream& code) : program_(program), code_(code) {}

  static void translate(const LinkedProgram& program, InstrStream& code, bool is_main) {
    Linker linker(program, code);
    for (const Expr& e : code.source->when) code.when.push_back(linker.expr(e));
    const auto& body = code.source->body;
    code.instrs.reserve(body.size() + 1);
    for (Pc pc = 0; pc < body.size(); ++pc) code.instrs.push_back(linker.instr(body[pc].instr, pc));
    if (is_main) code.instrs.emplace_back(code::Stop{literal(Value(std::int64_t{0}))});
  }

  code::Exit exit(const Metadata& m) {
    code::Exit out;
    for (const Deferred& d : m.with)
      out.with.push_back(match(d.instr, [&](const auto& i) { return code::Deferred(decl(i)); }));
    out.frame = frame(m.frame.target, m.frame.varmap);
    for (const OuterFrame& o : m.outer) {
      code::Frame f = frame(o.target, o.varmap);
      const Slot result = f.code->slot_index.at(o.result);
      out.outer.push_back({std::move(f), result});
    }
    out.made = static_cast<Slot>(made_.size());
    return out;
  }
  // A name that the block of an exit from elsewhere makes: as good as a slot.
  void declare_made(Var name) {
    if (!knows(name)) made_.emplace(name, static_cast<Slot>(code_.slots.size() + made_.size()));
  }
  bool knows(Var name) const { return code_.slot_index.contains(name) || made_.contains(name); }

private:
  static code::Expr literal(Value value) { return {.a = {.literal = value}, .b = {}}; }

  Slot slot(Var name) const {
    const auto at = code_.slot_index.find(name);
    return at != code_.slot_index.end() ? at->second : made_.at(name);
  }

  code::Operand operand(const SimpleExpr& se) {
    return match(
        se, [&](Var x) { return code::Operand{Value(), slot(x)}; },
        [](Nil) { return code::Operand{}; }, [](bool b) { return code::Operand{Value(b)}; },
        [](std::int64_t n) { return code::Operand{Value(n)}; },
        [](Float f) { return code::Operand{Value(f.value)}; },
        [](Str s) { return code::Operand{Value(s)}; },
        [](FunName f) { return code::Operand{Value(f)}; });
  }

  code::Expr expr(const Expr& e) {
    using enum code::Shape;
    const auto op = [](auto o) { return static_cast<std::uint8_t>(o); };
    return match(
        e, [&](const SimpleExpr& se) { return code::Expr{Simple, 0, operand(se), {}}; },
        [&](const sourir::Unary& u) { return code::Expr{Unary, op(u.op), operand(u.operand), {}}; },
        [&](const sourir::Binary& b) {
          return code::Expr{Binary, op(b.op), operand(b.left), operand(b.right)};
        },
        [&](const sourir::Index& i) {
          return code::Expr{Index, 0, operand(i.array), operand(i.index)};
        },
        [&](const sourir::Length& l) { return code::Expr{Length, 0, operand(l.array), {}}; },
        [&](const sourir::KindTest& k) {
          return code::Expr{KindTest, op(k.kind), operand(k.operand), {}};
        });
  }

  std::vector<code::Expr> exprs(const std::vector<Expr>& es) {
    std::vector<code::Expr> out;
    out.reserve(es.size());
    for (const Expr& e : es) out.push_back(expr(e));
    return out;
  }

  code::Decl decl(const Decl& i) {
    return {slot(i.name), i.value ? std::optional(expr(*i.value)) : std::nullopt};
  }
  code::ArrayDecl decl(const ArrayDecl& i) { return {slot(i.name), expr(i.length)}; }
  code::ArrayDef decl(const ArrayDef& i) { return {slot(i.name), exprs(i.elements)}; }
  code::ArrayUpdate decl(const ArrayUpdate& i) {
    return {slot(i.array), expr(i.index), expr(i.value)};
  }

  code::Frame frame(const Place& target, const std::vector<Binding>& varmap) {
    const auto [code, pc] = *program_.find(target);
    code::Frame out{code, pc, {}};
    for (const Binding& b : varmap)
      out.varmap.push_back({code->slot_index.at(b.name), expr(b.value)});
    return out;
  }

  code::Exit exit(const Metadata& m, Pc at) {
    code::Exit out = exit(m);
    out.stays = out.frame.code == &code_ && out.frame.pc == at && m.outer.empty() &&
                std::ranges::all_of(m.frame.varmap, [](const Binding& b) {
                  return b.value == Expr(SimpleExpr(b.name));
                });
    return out;
  }

  code::Instr instr(const Instruction& i, Pc at);

  const LinkedProgram& program_;
  const InstrStream& code_;
  std::unordered_map<Var, Slot> made_;
};

code::Instr Linker::instr(const Instruction& instruction, Pc at) {
  const auto pc = [&](Label l) { return code_.positions.at(l); };
  return match(
      instruction, [&](const Decl& i) { return code::Instr(decl(i)); },
      [&](const Drop& i) { return code::Instr(code::Drop{slot(i.name)}); },
      [&](const Assign& i) { return code::Instr(code::Assign{slot(i.name), expr(i.value)}); },
      [&](const ArrayDecl& i) { return code::Instr(decl(i)); },
      [&](const ArrayDef& i) { return code::Instr(decl(i)); },
      [&](const ArrayUpdate& i) { return code::Instr(decl(i)); },
      [&](const Branch& i) {
        return code::Instr(code::Branch{expr(i.condition), pc(i.if_true), pc(i.if_false)});
      },
      [&](const Goto& i) { return code::Instr(code::Goto{pc(i.target)}); },
      [&](const Print& i) { return code::Instr(code::Print{expr(i.value)}); },
      [&](const Read& i) { return code::Instr(code::Read{slot(i.name)}); },
      [&](const Assert& i) { return code::Instr(code::Assert{expr(i.condition)}); },
      [&](const Call& i) {
        return code::Instr(code::Call{slot(i.result), expr(i.callee), exprs(i.arguments)});
      },
      [&](const Return& i) { return code::Instr(code::Return{expr(i.value)}); },
      [&](const Stop& i) {
        return code::Instr(code::Stop{i.value ? expr(*i.value) : literal(Value(std::int64_t{0}))});
      },
      [&](const Assume& i) { return code::Instr(code::Assume{exprs(i.guards), exit(i.exit, at)}); },
      [&](const Anchor& i) { return code::Instr(code::Anchor{exit(i.exit, at)}); },
      [&](const GuardHint&) { return code::Instr(code::GuardHint{}); });
}

Place InstrStream::place(Pc pc) const {
  auto after = std::ranges::upper_bound(labels, pc, {}, &std::pair<Pc, Label>::first);
  if (after == labels.begin()) return {function, version, std::nullopt, pc};
  const auto at =
      std::ranges::lower_bound(labels, std::prev(after)->first, {}, &std::pair<Pc, Label>::first);
  return {function, version, at->second, pc - at->first};
}

std::optional<Slot> InstrStream::slot_of(Var name) const {
  const auto at = slot_index.find(name);
  return at == slot_index.end() ? std::nullopt : std::optional(at->second);
}

LinkedProgram::LinkedProgram(const Program& program, const Names& names)
    : program_(program), names_(names) {
  Streams streams;
  for (const Function& f : program.functions) {
    Fun& fun = functions_[f.name];
    fun.name = f.name;
    fun.arity = static_cast<std::uint32_t>(f.params.size());
    for (const Version& v : f.versions) {
      codes_.push_back(std::make_unique<InstrStream>());
      declare(*codes_.back(), f, v);
      streams[{f.name, v.name}] = codes_.back().get();
      fun.versions.push_back(codes_.back().get());
    }
    for (const InstrStream* code : fun.versions)
      if (!code->source->cont &&
          (fun.dispatch.empty() || !fun.dispatch.back()->source->when.empty()))
        fun.dispatch.push_back(code);
    if (names.text(f.name) == "main") main_ = &fun;
  }
  // An exit refers to slots and labels of its target: all are declared before any is translated.
  for (const Function& f : program.functions)
    for (const Version& v : f.versions)
      for (const Stmt& s : v.body) declare_bound_slots(s.instr, streams);
  for (const auto& code : codes_) Linker::translate(*this, *code, main_ != nullptr && code->function == main_->name);
}

const LinkedProgram::Fun* LinkedProgram::function(FunName name) const {
  const auto at = functions_.find(name);
  return at == functions_.end() ? nullptr : &at->second;
}

const InstrStream* LinkedProgram::version(FunName function_name, VerName version) const {
  if (const Fun* fun = function(function_name))
    for (const InstrStream* code : fun->versions)
      if (code->version == version) return code;
  return nullptr;
}

std::optional<std::pair<const InstrStream*, Pc>> LinkedProgram::find(const Place& place) const {
  const InstrStream* code = version(place.function, place.version);
  if (!code) return std::nullopt;
  Pc pc = place.offset;
  if (place.label) {
    const auto at = code->positions.find(*place.label);
    if (at == code->positions.end()) return std::nullopt;
    pc += at->second;
  }
  if (pc > code->source->body.size()) return std::nullopt;
  return std::pair(code, pc);
}

namespace {

std::string unknown_variable(Var name, const Names& names) {
  return "there is no variable " + std::string(names.text(name));
}

// The first name that the target of a frame lacks; empty: none.
std::string missing_in(const Place& place, const std::vector<Binding>& varmap, const Var* result,
                       const LinkedProgram& target) {
  const auto found = target.find(place);
  if (!found) return "there is no place " + print(place, target.names());
  const auto lacks = [&](Var x) { return !found->first->slot_of(x); };
  const auto at = std::ranges::find_if(varmap, lacks, &Binding::name);
  const Var* const missing = at != varmap.end()         ? &at->name
                             : result && lacks(*result) ? result
                                                        : nullptr;
  return missing
             ? unknown_variable(*missing, target.names()) + " in " + print(place, target.names())
             : "";
}

} // namespace

std::variant<code::Exit, std::string> link_exit(const Metadata& exit, const InstrStream& origin,
                                                const LinkedProgram& target) {
  Linker linker(target, origin);
  std::string problem;
  for_each_name(exit, [&](NameUse use) {
    if (use.role == NameRole::WithDeclare) linker.declare_made(Var{use.id});
  });
  for_each_name(exit, [&](NameUse use) {
    using enum NameRole;
    const bool used = use.role == ExitUse || use.role == WithUse || use.role == WithUpdate;
    if (problem.empty() && used && !linker.knows(Var{use.id}))
      problem = unknown_variable(Var{use.id}, target.names()) + " here";
  });
  if (problem.empty()) problem = missing_in(exit.frame.target, exit.frame.varmap, nullptr, target);
  for (const OuterFrame& o : exit.outer)
    if (problem.empty()) problem = missing_in(o.target, o.varmap, &o.result, target);
  if (!problem.empty()) return problem;
  return linker.exit(exit);
}

} // namespace sourir
