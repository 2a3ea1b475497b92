#include "sourir/bisim/reduce/reduce_edits.h"

#include "sourir/syntax/exits.h"
#include "sourir/syntax/expr.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace sourir::reduce {

namespace {

struct VersionAt {
  std::size_t function, version;
};

// The last one first.
std::vector<VersionAt> all_versions(const Program& program) {
  std::vector<VersionAt> all;
  for (std::size_t f = program.functions.size(); f-- > 0;)
    for (std::size_t v = program.functions[f].versions.size(); v-- > 0;) all.push_back({f, v});
  return all;
}

template <class T>
void erase_at(std::vector<T>& list, std::size_t at) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
}

template <class Mark, class Visit>
void for_each_marked(Program& program, Mark&& mark, Visit&& visit) {
  for (Function& f : program.functions)
    for (Version& v : f.versions) {
      for (Stmt& stmt : v.body) mark(stmt.leading), visit(stmt.instr);
      mark(v.end);
    }
}

bool names_label(NameRole role) {
  return role == NameRole::BranchTarget || role == NameRole::GotoTarget ||
         role == NameRole::ExitLabel;
}

bool without_trivia(Program& program) {
  const Program before = program;
  std::unordered_set<std::uint32_t> used;
  for_each_marked(
      program, [](LeadingTrivia&) {},
      [&](const Instruction& instr) {
        for_each_name(instr, [&](NameUse use) {
          if (names_label(use.role)) used.insert(use.id);
        });
      });
  for_each_marked(
      program,
      [&](LeadingTrivia& leading) {
        leading.comments.clear();
        leading.scopes.clear();
        std::erase_if(leading.labels, [&](Label label) { return !used.contains(label.id); });
      },
      [](const Instruction&) {});
  for (Function& f : program.functions) {
    f.comments.clear();
    for (Version& v : f.versions) v.comments.clear();
  }
  return program != before;
}

struct Lines {
  std::size_t function, version, begin, end;
};

std::vector<Lines> chunks(const Program& program, std::size_t size) {
  std::vector<Lines> all;
  for (const VersionAt at : all_versions(program)) {
    const std::size_t n = program.functions[at.function].versions[at.version].body.size();
    for (std::size_t end = n; end > 0; end = end > size ? end - size : 0)
      all.push_back({at.function, at.version, end > size ? end - size : 0, end});
  }
  return all;
}

} // namespace

void erase_lines(Version& version, std::size_t begin, std::size_t end) {
  LeadingTrivia& after = end < version.body.size() ? version.body[end].leading : version.end;
  std::vector<Label> labels;
  for (std::size_t at = begin; at < end; ++at)
    labels.insert(labels.end(), version.body[at].leading.labels.begin(),
                  version.body[at].leading.labels.end());
  after.labels.insert(after.labels.begin(), labels.begin(), labels.end());
  version.body.erase(version.body.begin() + static_cast<std::ptrdiff_t>(begin),
                     version.body.begin() + static_cast<std::ptrdiff_t>(end));
}

std::size_t uses_of(const Program& program, const Function& function, const Version& version,
                    Label label) {
  std::size_t uses = version.cont && version.cont->entry == label ? 1 : 0;
  for (const Function& f : program.functions)
    for (const Version& v : f.versions)
      for (const Stmt& stmt : v.body) {
        bool in_place = false; // the exit's label is one of this version
        std::uint32_t target = 0;
        for_each_name(stmt.instr, [&](NameUse use) {
          if (use.role == NameRole::ExitFunction) target = use.id;
          if (use.role == NameRole::ExitVersion)
            in_place = target == function.name.id && use.id == version.name.id;
          if (!names_label(use.role) || use.id != label.id) return;
          uses += use.role == NameRole::ExitLabel ? in_place : &v == &version;
        });
      }
  return uses;
}

// --- variables and parameters, everywhere in a function at once

namespace {

struct Candidate {
  std::size_t function;
  Var name;
  SimpleExpr value; // that replaces it
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
      [&](Length& l) { substitute(l.array, by); }, [&](KindTest& t) { substitute(t.operand, by); },
      [&](ElementsTest& t) { substitute(t.operand, by); });
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

// --- simpler instructions

namespace {

bool is_simplest(const SimpleExpr& e) {
  return e == SimpleExpr(Nil{}) || e == SimpleExpr(std::int64_t{0}) || e == SimpleExpr(true);
}

// Fewer operations, then smaller literals. Repetition ends: each is smaller in some measure.
std::vector<Expr> simpler_exprs(const Expr& e) {
  std::vector<Expr> all;
  const auto simple = [&](const SimpleExpr& s) {
    if (is_simplest(s)) return;
    if (const auto* n = std::get_if<std::int64_t>(&s)) {
      all.emplace_back(SimpleExpr(std::int64_t{0}));
      if (*n > 1 || *n < 0) all.emplace_back(SimpleExpr(std::int64_t{1}));
      if (*n > 3 || *n < -1) all.emplace_back(SimpleExpr(*n / 2));
      return;
    }
    all.emplace_back(SimpleExpr(std::int64_t{0}));
    all.emplace_back(SimpleExpr(true));
    all.emplace_back(SimpleExpr(Nil{}));
  };
  const auto literals = [&] {
    all.emplace_back(SimpleExpr(std::int64_t{0}));
    all.emplace_back(SimpleExpr(true));
    all.emplace_back(SimpleExpr(Nil{}));
  };
  const auto inside = [&](auto with, auto member) {
    std::vector<Expr> mine;
    std::swap(mine, all);
    simple(with.*member);
    std::swap(mine, all);
    for (const Expr& s : mine) {
      with.*member = std::get<SimpleExpr>(s);
      all.emplace_back(with);
    }
  };
  match(
      e, [&](const SimpleExpr& s) { simple(s); },
      [&](const Unary& u) { literals(), all.emplace_back(u.operand), inside(u, &Unary::operand); },
      [&](const Binary& b) {
        literals(), all.emplace_back(b.left), all.emplace_back(b.right);
        inside(b, &Binary::left), inside(b, &Binary::right);
      },
      [&](const Index& i) {
        literals(), all.emplace_back(SimpleExpr(i.array)), inside(i, &Index::index);
      },
      [&](const Length& l) { literals(), all.emplace_back(l.array); },
      [&](const KindTest& t) { literals(), all.emplace_back(t.operand); },
      [&](const ElementsTest& t) {
        literals(), all.emplace_back(t.operand), all.emplace_back(KindTest{t.operand, Kind::Array});
      });
  return all;
}

template <class T>
std::vector<std::vector<T>> fewer(const std::vector<T>& list) {
  std::vector<std::vector<T>> all;
  for (std::size_t i = 0; i < list.size(); ++i) {
    all.push_back(list);
    all.back().erase(all.back().begin() + static_cast<std::ptrdiff_t>(i));
  }
  return all;
}

template <class Exit>
void simpler_exits(const Exit& instr, std::vector<Instruction>& all) {
  const auto with = [&](auto member, auto&& lists) {
    for (auto& list : lists) {
      Exit changed = instr;
      changed.exit.*member = std::move(list);
      all.emplace_back(std::move(changed));
    }
  };
  with(&Metadata::outer, fewer(instr.exit.outer));
  with(&Metadata::with, fewer(instr.exit.with));
  for (auto& varmap : fewer(instr.exit.frame.varmap)) {
    Exit changed = instr;
    changed.exit.frame.varmap = std::move(varmap);
    all.emplace_back(std::move(changed));
  }
}

// Other instructions that do less.
void replacements(const Instruction& instr, std::vector<Instruction>& all) {
  if (const auto* branch = std::get_if<Branch>(&instr)) {
    all.emplace_back(Goto{branch->if_true});
    all.emplace_back(Goto{branch->if_false});
    all.emplace_back(Return{SimpleExpr(Nil{})});
  } else if (std::holds_alternative<Goto>(instr)) {
    all.emplace_back(Return{SimpleExpr(Nil{})});
  } else if (const auto* assume = std::get_if<Assume>(&instr)) {
    for (auto& guards : fewer(assume->guards)) {
      Assume changed = *assume;
      changed.guards = std::move(guards);
      all.emplace_back(std::move(changed));
    }
    simpler_exits(*assume, all);
  } else if (const auto* anchor = std::get_if<Anchor>(&instr)) {
    simpler_exits(*anchor, all);
  } else if (const auto* hint = std::get_if<GuardHint>(&instr)) {
    if (hint->guards.size() > 1)
      for (auto& guards : fewer(hint->guards)) all.emplace_back(GuardHint{std::move(guards)});
  } else if (const auto* call = std::get_if<Call>(&instr)) {
    all.emplace_back(Decl{call->result, SimpleExpr(std::int64_t{0})});
    all.emplace_back(Decl{call->result, SimpleExpr(true)});
  } else if (const auto* def = std::get_if<ArrayDef>(&instr)) {
    for (auto& elements : fewer(def->elements))
      all.emplace_back(ArrayDef{def->name, std::move(elements)});
  } else if (const auto* made = std::get_if<ArrayDecl>(&instr)) {
    all.emplace_back(ArrayDef{made->name, {SimpleExpr(Nil{})}});
  } else if (const auto* end = std::get_if<Return>(&instr); end != nullptr) {
    if (end->value != Expr(SimpleExpr(Nil{}))) all.emplace_back(Return{SimpleExpr(Nil{})});
  }
}

} // namespace

std::vector<Instruction> simpler(const Instruction& instr) {
  std::vector<Instruction> all;
  replacements(instr, all);
  std::size_t expressions = 0;
  for_each_expression(instr, [&](const Expr&) { ++expressions; });
  for (std::size_t n = 0; n < expressions; ++n) {
    std::size_t at = 0;
    std::vector<Expr> options;
    for_each_expression(instr, [&](const Expr& e) {
      if (at++ == n) options = simpler_exprs(e);
    });
    for (const Expr& option : options) {
      Instruction changed = instr;
      at = 0;
      map_expressions(changed, [&](Expr& e) {
        if (at++ == n) e = option;
      });
      all.push_back(std::move(changed));
    }
  }
  return all;
}

// --- fewer jumps: a block that only one goto leads to replaces the goto

namespace {

struct Jump {
  std::size_t function, version, at;
};

std::vector<Jump> jumps(const Program& program) {
  std::vector<Jump> all;
  for (std::size_t f = 0; f < program.functions.size(); ++f)
    for (std::size_t v = 0; v < program.functions[f].versions.size(); ++v) {
      const auto& body = program.functions[f].versions[v].body;
      for (std::size_t at = 0; at < body.size(); ++at)
        if (std::holds_alternative<Goto>(body[at].instr)) all.push_back({f, v, at});
    }
  return all;
}

std::optional<std::size_t> position_of(const Version& version, Label label) {
  for (std::size_t at = 0; at < version.body.size(); ++at)
    if (std::ranges::find(version.body[at].leading.labels, label) !=
        version.body[at].leading.labels.end())
      return at;
  return std::nullopt;
}

std::size_t end_of_block(const Version& version, std::size_t begin) {
  std::size_t end = begin;
  while (end < version.body.size() && successors(version.body[end].instr).next) ++end;
  return std::min(end + 1, version.body.size());
}

bool straighten(Program& program, const Jump& jump) {
  const Function& function = program.functions[jump.function];
  Version& version = program.functions[jump.function].versions[jump.version];
  const Label label = std::get<Goto>(version.body[jump.at].instr).target;
  const auto begin = position_of(version, label);
  if (!begin || uses_of(program, function, version, label) != 1) return false;
  const std::size_t end = end_of_block(version, *begin);
  if (*begin <= jump.at && jump.at < end) return false; // a loop
  if (end < version.body.size() + 1 && *begin > 0 &&
      successors(version.body[*begin - 1].instr).next)
    return false; // something falls into it
  std::vector<Stmt> block(version.body.begin() + static_cast<std::ptrdiff_t>(*begin),
                          version.body.begin() + static_cast<std::ptrdiff_t>(end));
  std::erase(block.front().leading.labels, label);
  auto& labels = version.body[jump.at].leading.labels;
  block.front().leading.labels.insert(block.front().leading.labels.begin(), labels.begin(),
                                      labels.end());
  std::vector<Stmt> body;
  for (std::size_t at = 0; at < version.body.size(); ++at)
    if (at == jump.at)
      body.insert(body.end(), block.begin(), block.end());
    else if (at < *begin || at >= end)
      body.push_back(std::move(version.body[at]));
  version.body = std::move(body);
  return true;
}

} // namespace

Edit straighten() {
  return {
      [](const Program& program) { return jumps(program).size(); },
      [](Program& program, std::size_t k) { return straighten(program, Jump(jumps(program)[k])); }};
}

Edit take_out_trivia() {
  return {[](const Program&) { return std::size_t{1}; },
          [](Program& program, std::size_t) { return without_trivia(program); }};
}

Edit take_out_functions() {
  return {[](const Program& program) { return program.functions.size(); },
          [](Program& program, std::size_t k) {
            erase_at(program.functions, program.functions.size() - 1 - k);
            return true;
          }};
}

Edit take_out_versions() {
  return {[](const Program& program) { return all_versions(program).size(); },
          [](Program& program, std::size_t k) {
            const VersionAt at = all_versions(program)[k];
            erase_at(program.functions[at.function].versions, at.version);
            return true;
          }};
}

Edit take_out_lines(std::size_t chunk) {
  return {[chunk](const Program& program) { return chunks(program, chunk).size(); },
          [chunk](Program& program, std::size_t k) {
            const Lines at = chunks(program, chunk)[k];
            erase_lines(program.functions[at.function].versions[at.version], at.begin, at.end);
            return true;
          }};
}

Edit simplify_lines() {
  const auto each = [](auto& program, auto&& visit) {
    for (auto& f : program.functions)
      for (auto& v : f.versions)
        for (auto& stmt : v.body)
          if (visit(stmt)) return;
  };
  return {[each](const Program& program) {
            std::size_t n = 0;
            each(program, [&](const Stmt& stmt) { return n += simpler(stmt.instr).size(), false; });
            return n;
          },
          [each](Program& program, std::size_t k) {
            each(program, [&](Stmt& stmt) {
              auto all = simpler(stmt.instr);
              if (k < all.size()) return stmt.instr = std::move(all[k]), true;
              return k -= all.size(), false;
            });
            return true;
          }};
}

std::vector<Edit> all_edits() {
  std::vector<Edit> edits = {take_out_functions(), take_out_versions(), take_out_trivia()};
  for (const std::size_t chunk : {256, 64, 16, 8, 4, 3, 2, 1})
    edits.push_back(take_out_lines(chunk));
  edits.push_back(take_out_variables());
  edits.push_back(take_out_parameters());
  edits.push_back(simplify_lines());
  edits.push_back(take_out_lines(1));
  edits.push_back(straighten());
  return edits;
}

} // namespace sourir::reduce
