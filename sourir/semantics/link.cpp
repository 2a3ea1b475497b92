#include "sourir/semantics/link.h"

#include "sourir/semantics/resolved.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/scopes.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <map>

namespace sourir {

namespace {

void declare_slot(ResolvedVersion& code, Var name) {
  if (code.slot_index.emplace(name, static_cast<Slot>(code.slots.size())).second)
    code.slots.push_back(name);
}

// Slots in order of first mention, parameters first. Names of targets belong to their own code.
void declare_slots(ResolvedVersion& code, const std::vector<Var>& parameters,
                   const Version& version) {
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
void declare(ResolvedVersion& code, const Function& function, const Version& version) {
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
    for (Label l : pc < version.body.size() ? version.body[pc].leading.labels : version.end.labels)
      label(l, pc);
}

using Streams = std::map<std::pair<FunName, VerName>, ResolvedVersion*>;

// The names that an exit binds have slots in its targets, even if a target never uses them.
void declare_bound_slots(const Instruction& instr, const Streams& streams) {
  const auto bind = [&](const Place& target, const std::vector<Binding>& varmap) {
    ResolvedVersion& stream = *streams.at({target.function, target.version});
    for (const Binding& b : varmap) declare_slot(stream, b.name);
  };
  const Metadata* const exit = exit_of(instr);
  if (exit == nullptr) return;
  bind(exit->frame.target, exit->frame.varmap);
  for (const OuterFrame& o : exit->outer) {
    bind(o.target, o.varmap);
    declare_slot(*streams.at({o.target.function, o.target.version}), o.result);
  }
}

} // namespace

// Translates one version. Precondition: all versions are declared, since exits refer to their
// slots.
class Linker {
public:
  // A null program: no exits.
  Linker(const LinkedProgram* program, const ResolvedVersion& code)
      : program_(program), code_(code) {}

  static void translate(const LinkedProgram& program, ResolvedVersion& code, bool is_main) {
    Linker linker(&program, code);
    for (const Expr& e : code.source->when) code.when.push_back(linker.expr(e));
    const auto& body = code.source->body;
    code.instrs.reserve(body.size() + 1);
    for (Pc pc = 0; pc < body.size(); ++pc) code.instrs.push_back(linker.instr(body[pc].instr, pc));
    if (is_main) code.instrs.emplace_back(resolved::Stop{literal(Value(std::int64_t{0}))});
  }

  resolved::Exit exit(const Metadata& m) {
    resolved::Exit out;
    for (const Deferred& d : m.with)
      out.with.push_back(
          match(d.instr, [&](const auto& i) { return resolved::Deferred(decl(i)); }));
    out.frame = frame(m.frame.target, m.frame.varmap);
    for (const OuterFrame& o : m.outer) {
      resolved::Frame f = frame(o.target, o.varmap);
      const Slot result = f.code->slot_index.at(o.result);
      out.outer.push_back({std::move(f), result});
    }
    out.made = static_cast<Slot>(made_.size());
    return out;
  }
  // A slot after those of the version for a name that the `with` block of the exit makes.
  void declare_made(Var name) {
    if (!knows(name)) made_.emplace(name, static_cast<Slot>(code_.slots.size() + made_.size()));
  }
  bool knows(Var name) const { return code_.slot_index.contains(name) || made_.contains(name); }

  resolved::Expr expr(const Expr& e) {
    using enum resolved::Shape;
    const auto op = [](auto o) { return static_cast<std::uint8_t>(o); };
    return match(
        e, [&](const SimpleExpr& se) { return resolved::Expr{Simple, 0, operand(se), {}}; },
        [&](const sourir::Unary& u) {
          return resolved::Expr{Unary, op(u.op), operand(u.operand), {}};
        },
        [&](const sourir::Binary& b) {
          return resolved::Expr{Binary, op(b.op), operand(b.left), operand(b.right)};
        },
        [&](const sourir::Index& i) {
          return resolved::Expr{Index, 0, operand(i.array), operand(i.index)};
        },
        [&](const sourir::Length& l) { return resolved::Expr{Length, 0, operand(l.array), {}}; },
        [&](const sourir::KindTest& k) {
          return resolved::Expr{KindTest, op(k.kind), operand(k.operand), {}};
        },
        [&](const sourir::ElementsTest& t) {
          return resolved::Expr{ElementsTest, op(t.kind), operand(t.operand), {}};
        });
  }

private:
  static resolved::Expr literal(Value value) { return {.a = {.literal = value}, .b = {}}; }

  Slot slot(Var name) const {
    const auto at = code_.slot_index.find(name);
    return at != code_.slot_index.end() ? at->second : made_.at(name);
  }

  resolved::Operand operand(const SimpleExpr& se) {
    return match(
        se, [&](Var x) { return resolved::Operand{Value(), slot(x)}; },
        [](Nil) { return resolved::Operand{}; }, [](bool b) { return resolved::Operand{Value(b)}; },
        [](std::int64_t n) { return resolved::Operand{Value(n)}; },
        [](Float f) { return resolved::Operand{Value(f.value)}; },
        [](Str s) { return resolved::Operand{Value(s)}; },
        [](FunName f) { return resolved::Operand{Value(f)}; });
  }

  std::vector<resolved::Expr> exprs(const std::vector<Expr>& es) {
    std::vector<resolved::Expr> out;
    out.reserve(es.size());
    for (const Expr& e : es) out.push_back(expr(e));
    return out;
  }

  resolved::Decl decl(const Decl& i) {
    return {slot(i.name), i.value ? std::optional(expr(*i.value)) : std::nullopt};
  }
  resolved::ArrayDecl decl(const ArrayDecl& i) { return {slot(i.name), expr(i.length)}; }
  resolved::ArrayDef decl(const ArrayDef& i) { return {slot(i.name), exprs(i.elements)}; }
  resolved::ArrayUpdate decl(const ArrayUpdate& i) {
    return {slot(i.array), expr(i.index), expr(i.value)};
  }

  resolved::Frame frame(const Place& target, const std::vector<Binding>& varmap) {
    const auto [code, pc] = *program_->find(target);
    resolved::Frame out{code, pc, {}};
    for (const Binding& b : varmap)
      out.varmap.push_back({code->slot_index.at(b.name), expr(b.value)});
    return out;
  }

  resolved::Exit exit(const Metadata& m, Pc at) {
    resolved::Exit out = exit(m);
    out.stays = out.frame.code == &code_ && out.frame.pc == at && m.outer.empty() &&
                std::ranges::all_of(m.frame.varmap, [](const Binding& b) {
                  return b.value == Expr(SimpleExpr(b.name));
                });
    return out;
  }

  resolved::Instr instr(const Instruction& i, Pc at);

  const LinkedProgram* program_;
  const ResolvedVersion& code_;
  std::unordered_map<Var, Slot> made_;
};

resolved::Instr Linker::instr(const Instruction& instruction, Pc at) {
  const auto pc = [&](Label l) { return code_.positions.at(l); };
  return match(
      instruction, [&](const Decl& i) { return resolved::Instr(decl(i)); },
      [&](const Drop& i) { return resolved::Instr(resolved::Drop{slot(i.name)}); },
      [&](const Assign& i) {
        return resolved::Instr(resolved::Assign{slot(i.name), expr(i.value)});
      },
      [&](const ArrayDecl& i) { return resolved::Instr(decl(i)); },
      [&](const ArrayDef& i) { return resolved::Instr(decl(i)); },
      [&](const ArrayUpdate& i) { return resolved::Instr(decl(i)); },
      [&](const Branch& i) {
        return resolved::Instr(resolved::Branch{expr(i.condition), pc(i.if_true), pc(i.if_false)});
      },
      [&](const Goto& i) { return resolved::Instr(resolved::Goto{pc(i.target)}); },
      [&](const Print& i) { return resolved::Instr(resolved::Print{expr(i.value)}); },
      [&](const Read& i) { return resolved::Instr(resolved::Read{slot(i.name)}); },
      [&](const Assert& i) { return resolved::Instr(resolved::Assert{expr(i.condition)}); },
      [&](const Call& i) {
        return resolved::Instr(resolved::Call{slot(i.result), expr(i.callee), exprs(i.arguments)});
      },
      [&](const Return& i) { return resolved::Instr(resolved::Return{expr(i.value)}); },
      [&](const Stop& i) {
        return resolved::Instr(
            resolved::Stop{i.value ? expr(*i.value) : literal(Value(std::int64_t{0}))});
      },
      [&](const Assume& i) {
        return resolved::Instr(resolved::Assume{exprs(i.guards), exit(i.exit, at)});
      },
      [&](const Anchor& i) { return resolved::Instr(resolved::Anchor{exit(i.exit, at)}); },
      [&](const GuardHint&) { return resolved::Instr(resolved::GuardHint{}); });
}

Place ResolvedVersion::place(Pc pc) const {
  auto after = std::ranges::upper_bound(labels, pc, {}, &std::pair<Pc, Label>::first);
  if (after == labels.begin()) return {function, version, std::nullopt, pc};
  const auto at =
      std::ranges::lower_bound(labels, std::prev(after)->first, {}, &std::pair<Pc, Label>::first);
  return {function, version, at->second, pc - at->first};
}

std::optional<Slot> ResolvedVersion::slot_of(Var name) const {
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
      codes_.push_back(std::make_unique<ResolvedVersion>());
      declare(*codes_.back(), f, v);
      streams[{f.name, v.name}] = codes_.back().get();
      fun.versions.push_back(codes_.back().get());
    }
    for (const ResolvedVersion* code : fun.versions)
      if (!code->source->cont &&
          (fun.dispatch.empty() || !fun.dispatch.back()->source->when.empty()))
        fun.dispatch.push_back(code);
    if (names.text(f.name) == "main") main_ = &fun;
  }
  // An exit refers to slots and labels of its target: all are declared before any is translated.
  for (const Function& f : program.functions)
    for (const Version& v : f.versions)
      for (const Stmt& s : v.body) declare_bound_slots(s.instr, streams);
  for (const auto& code : codes_)
    Linker::translate(*this, *code, main_ != nullptr && code->function == main_->name);
}

const LinkedProgram::Fun* LinkedProgram::function(FunName name) const {
  const auto at = functions_.find(name);
  return at == functions_.end() ? nullptr : &at->second;
}

const ResolvedVersion* LinkedProgram::version(FunName function_name, VerName version) const {
  if (const Fun* fun = function(function_name))
    for (const ResolvedVersion* code : fun->versions)
      if (code->version == version) return code;
  return nullptr;
}

std::optional<std::pair<const ResolvedVersion*, Pc>> LinkedProgram::find(const Place& place) const {
  const ResolvedVersion* code = version(place.function, place.version);
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

Result<resolved::Exit> link_exit(const Metadata& exit, const ResolvedVersion& origin,
                                 const LinkedProgram& target) {
  Linker linker(&target, origin);
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
  if (!problem.empty()) return failure("{}", problem);
  return linker.exit(exit);
}

resolved::Expr link_guard(const Expr& guard, std::span<const Var> parameters) {
  ResolvedVersion code;
  for (const Var x : parameters) declare_slot(code, x);
  return Linker(nullptr, code).expr(guard);
}

bool takes_exit(const StepResult& r) { return r.rule != nullptr && r.rule->deoptimizes(); }

bool is_counted_event(const ResolvedVersion& code, Pc pc, const StepResult& r) {
  return is_back_edge(code.instrs[pc], pc) ||
         std::holds_alternative<resolved::Call>(code.instrs[pc]) || takes_exit(r);
}

Pc OutlinedFrom::origin(Pc pc) const {
  if (pc < start()) return head;
  const Pc n = pc - start();
  return n < copies.size() ? copies[n] : n - static_cast<Pc>(copies.size());
}

std::vector<Pc> OutlinedFrom::copies_of(Pc pc) const {
  std::vector<Pc> all{start() + static_cast<Pc>(copies.size()) + pc};
  for (auto at = std::ranges::lower_bound(copies, pc); at != copies.end() && *at == pc; ++at)
    all.push_back(start() + static_cast<Pc>(at - copies.begin()));
  return all;
}

namespace {

class ExitRelinking {
public:
  ExitRelinking(const LinkedProgram& target, const OutlinedFrom* outlined_from)
      : target_(target), outlined_from_(outlined_from) {}

  std::vector<std::unique_ptr<ResolvedVersion>> run(const ResolvedVersion& code) {
    add(code);
    for (std::size_t next = 0; next < made_.size(); ++next)
      for (resolved::Instr& instr : made_[next]->instrs) {
        if (resolved::Exit* const exit = exit_of(instr)) redirect(*exit);
      }
    return std::move(made_);
  }

  void redirect(resolved::Exit& exit) {
    expand(exit);
    redirect(exit.frame, nullptr);
    for (resolved::OuterFrame& outer : exit.outer) redirect(outer.frame, &outer.result);
  }

private:
  ResolvedVersion* add(const ResolvedVersion& code) {
    made_.push_back(std::make_unique<ResolvedVersion>(code));
    streams_.emplace(&code, made_.back().get());
    return made_.back().get();
  }

  // The version of the running program, or the copy, that replaces `code`.
  const ResolvedVersion* stream(const ResolvedVersion* code) {
    if (const auto known = streams_.find(code); known != streams_.end()) return known->second;
    if (const OutlinedFrom* const rest = outlined(*code))
      return streams_.emplace(code, rest->from).first->second;
    if (const ResolvedVersion* const there = target_.version(code->function, code->version))
      return streams_.emplace(code, there).first->second;
    return add(*code);
  }

  // The start of the rest of a stack of frames becomes these frames. Parameters are the first
  // slots.
  void expand(resolved::Exit& exit) {
    const OutlinedFrom* rest = outlined(*exit.frame.code);
    if (rest == nullptr || rest->callee == nullptr || exit.frame.pc != 0) return;
    std::vector<resolved::Entry> varmap = std::move(exit.frame.varmap);
    std::vector<resolved::OuterFrame> outer;
    for (; rest->callee != nullptr; rest = rest->callee.get()) {
      const std::size_t before = rest->callee->parameters;
      outer.push_back({frame_of(*rest, varmap, before), rest->result});
      std::erase_if(varmap, [&](const resolved::Entry& entry) { return entry.name >= before; });
    }
    exit.frame = frame_of(*rest, varmap, 0);
    exit.outer.insert(exit.outer.begin(), outer.rbegin(), outer.rend());
  }

  // Of `rest` at its head; its variables are the slots from `first` on, in the order of their
  // scope.
  resolved::Frame frame_of(const OutlinedFrom& rest, const std::vector<resolved::Entry>& varmap,
                           std::size_t first) {
    resolved::Frame frame{rest.from, rest.head, {}};
    const auto& scope = scopes(*rest.from)[rest.head];
    std::vector<Slot> variables;
    for (const Var x : *scope) {
      const Slot slot = rest.from->slot_index.at(x);
      if (rest.callee == nullptr || slot != rest.result) variables.push_back(slot);
    }
    for (const resolved::Entry& entry : varmap)
      if (entry.name >= first && entry.name - first < variables.size())
        frame.varmap.push_back({variables[entry.name - first], entry.value});
    return frame;
  }

  void redirect(resolved::Frame& frame, Slot* result) {
    const ResolvedVersion* const from = frame.code;
    if (target_.version(from->function, from->version) == from) return; // by expand()
    const OutlinedFrom* const rest = outlined(*from);
    frame.code = stream(from);
    if (rest != nullptr) frame.pc = rest->origin(frame.pc);
    if (rest != nullptr && rest->callee != nullptr) // the callee's variables, which stay in scope
      std::erase_if(frame.varmap, [&](const resolved::Entry& entry) {
        return entry.name < rest->callee->parameters;
      });
    for (resolved::Entry& entry : frame.varmap)
      entry.name = frame.code->slot_index.at(from->slots[entry.name]);
    if (result != nullptr) *result = frame.code->slot_index.at(from->slots[*result]);
    if (rest != nullptr) remove_dropped(frame);
  }

  // The parameters of an outlined loop stay in scope, with nil, where the version that it was
  // outlined from drops them: frames of that version do not have them.
  void remove_dropped(resolved::Frame& frame) {
    const auto& scope = scopes(*frame.code)[frame.pc];
    if (!scope) return; // only exits reach the position
    std::erase_if(frame.varmap, [&](const resolved::Entry& entry) {
      return std::ranges::find(*scope, frame.code->slots[entry.name]) == scope->end();
    });
  }

  // Of a version that a loop was outlined from.
  const Scopes& scopes(const ResolvedVersion& from) {
    Scopes& known = scopes_[&from];
    if (known.empty()) {
      const auto& functions = target_.source().functions;
      const auto function = std::ranges::find(functions, from.function, &Function::name);
      known = scopes_of(*function, *from.source, nullptr);
    }
    return known;
  }

  const OutlinedFrom* outlined(const ResolvedVersion& code) const {
    return outlined_from_ != nullptr ? outlined_from_->of(code) : nullptr;
  }

  const LinkedProgram& target_;
  const OutlinedFrom* outlined_from_;
  std::unordered_map<const ResolvedVersion*, Scopes> scopes_; // those requested
  std::unordered_map<const ResolvedVersion*, const ResolvedVersion*>
      streams_; // the replacement of each version
  std::vector<std::unique_ptr<ResolvedVersion>> made_;
};

} // namespace

std::vector<std::unique_ptr<ResolvedVersion>> relink_exits(const ResolvedVersion& code,
                                                           const LinkedProgram& target,
                                                           const OutlinedFrom* outlined_from) {
  return ExitRelinking(target, outlined_from).run(code);
}

void relink_exit(resolved::Exit& exit, const LinkedProgram& target,
                 const OutlinedFrom* outlined_from) {
  ExitRelinking(target, outlined_from).redirect(exit);
}

} // namespace sourir
