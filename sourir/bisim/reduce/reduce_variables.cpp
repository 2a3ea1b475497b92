// Taking out variables and parameters, everywhere in a function at once.
#include "sourir/bisim/reduce/reduce_edits.h"

#include "sourir/syntax/exits.h"
#include "sourir/syntax/substitution.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>

namespace sourir::reduce {
namespace {

struct Candidate {
  std::size_t function;
  Var name;
  SimpleExpr value; // that stands for it
};

std::vector<Candidate> variables(const Program& program) {
  std::vector<Candidate> all;
  for (std::size_t f = program.functions.size(); f-- > 0;) {
    const std::size_t first = all.size();
    for (const Version& v : program.functions[f].versions)
      for (const Stmt& stmt : v.body) {
        const Var* const name = scope_effect(stmt.instr).declares;
        const auto same = [&](const Candidate& c) { return name != nullptr && c.name == *name; };
        if (name == nullptr || std::holds_alternative<Call>(stmt.instr)) continue;
        if (std::any_of(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(), same))
          continue;
        const auto* decl = std::get_if<Decl>(&stmt.instr);
        const auto* simple =
            decl != nullptr && decl->value ? std::get_if<SimpleExpr>(&*decl->value) : nullptr;
        if (simple != nullptr && *simple != SimpleExpr(*name)) all.push_back({f, *name, *simple});
        all.push_back({f, *name, std::int64_t{1}});
        all.push_back({f, *name, Nil{}});
      }
  }
  return all;
}

void substitute(SimpleExpr& e, const Candidate& by) {
  if (e == SimpleExpr(by.name)) e = by.value;
}

void substitute(Expr& e, const Candidate& by) {
  bool indexed = false;
  match(
      e, [&](SimpleExpr& s) { substitute(s, by); }, [&](Unary& u) { substitute(u.operand, by); },
      [&](Binary& b) { substitute(b.left, by), substitute(b.right, by); },
      [&](Index& i) {
        substitute(i.index, by);
        if (i.array != by.name) return;
        if (const auto* other = std::get_if<Var>(&by.value))
          i.array = *other;
        else
          indexed = true;
      },
      [&](Length& l) { substitute(l.array, by); }, [&](KindTest& t) { substitute(t.operand, by); });
  if (indexed) e = by.value;
}

bool only_about(const Instruction& instr, Var name) {
  const auto is = [&](const Var* x) { return x != nullptr && *x == name; };
  const ScopeEffect effect = scope_effect(instr);
  if (std::holds_alternative<Call>(instr)) return false;
  if (is(effect.declares) || is(effect.drops)) return true;
  if (const auto* i = std::get_if<Assign>(&instr)) return i->name == name;
  if (const auto* i = std::get_if<Read>(&instr)) return i->name == name;
  if (const auto* i = std::get_if<ArrayUpdate>(&instr)) return i->array == name;
  return false;
}

// Exits into the function no longer bind it.
void unbind(Program& program, FunName function, Var name) {
  const auto from = [&](const Place& target, std::vector<Binding>& varmap) {
    if (target.function == function)
      std::erase_if(varmap, [&](const Binding& b) { return b.name == name; });
  };
  const auto exit = [&](Metadata& m) {
    from(m.frame.target, m.frame.varmap);
    for (OuterFrame& outer : m.outer) from(outer.target, outer.varmap);
  };
  for (Function& f : program.functions)
    for (Version& v : f.versions)
      for (Stmt& stmt : v.body) {
        if (Metadata* const found = exit_of(stmt.instr)) exit(*found);
      }
}

void take_out(Program& program, const Candidate& c) {
  Function& f = program.functions[c.function];
  unbind(program, f.name, c.name);
  for (Version& v : f.versions) {
    for (std::size_t at = v.body.size(); at-- > 0;)
      if (only_about(v.body[at].instr, c.name))
        erase_lines(v, at, at + 1);
      else
        map_expressions(v.body[at].instr, [&](Expr& e) { substitute(e, c); });
    for (Expr& e : v.when) substitute(e, c);
    if (v.cont) std::erase(v.cont->names, c.name);
  }
}

struct Parameter {
  std::size_t function, index;
};

std::vector<Parameter> parameters(const Program& program) {
  std::vector<Parameter> all;
  for (std::size_t f = program.functions.size(); f-- > 0;)
    for (std::size_t p = program.functions[f].params.size(); p-- > 0;) all.push_back({f, p});
  return all;
}

void take_out(Program& program, const Parameter& p) {
  Function& function = program.functions[p.function];
  const Var name = function.params[p.index];
  function.params.erase(function.params.begin() + static_cast<std::ptrdiff_t>(p.index));
  take_out(program, Candidate{p.function, name, std::int64_t{1}});
  for (Function& f : program.functions)
    for (Version& v : f.versions)
      for (Stmt& stmt : v.body)
        if (auto* call = std::get_if<Call>(&stmt.instr))
          if (call->callee == Expr(SimpleExpr(function.name)) && p.index < call->arguments.size())
            call->arguments.erase(call->arguments.begin() + static_cast<std::ptrdiff_t>(p.index));
}

} // namespace

Edit take_out_variables() {
  return {[](const Program& program) { return variables(program).size(); },
          [](Program& program, std::size_t k) {
            take_out(program, Candidate(variables(program)[k]));
            return true;
          }};
}

Edit take_out_parameters() {
  return {[](const Program& program) { return parameters(program).size(); },
          [](Program& program, std::size_t k) {
            take_out(program, Parameter(parameters(program)[k]));
            return true;
          }};
}

} // namespace sourir::reduce
