#include "sourir/passes/inline/inline_body.h"

#include "sourir/analysis/mutant.h"
#include "sourir/passes/core/renaming.h"
#include "sourir/syntax/successors.h"

#include <algorithm>
#include <unordered_set>

namespace sourir {

struct InlineWriter::Copy {
  const InlineSite& site;
  const InlineBody& body;
  const Scopes& scopes;
  Renaming names;
  std::unordered_set<Label> jumped_to;
  std::uint32_t first_context = 0; // of the callee itself; those of its copies follow
  std::optional<Label> join;
  std::unordered_set<Var> by_name; // seeded bug 46: arguments that stand for their parameters
};

namespace {

std::vector<Var> variables_of(const InlineBody& body) {
  std::vector<Var> all = body.function->params;
  std::unordered_set<Var> seen(all.begin(), all.end());
  for (const Stmt& stmt : body.version->body)
    if (const Var* const x = scope_effect(stmt.instr).declares)
      if (seen.insert(*x).second) all.push_back(*x);
  return all;
}

Metadata* exit_of(Instruction& instr) {
  if (auto* const assume = std::get_if<Assume>(&instr)) return &assume->exit;
  auto* const anchor = std::get_if<Anchor>(&instr);
  return anchor != nullptr ? &anchor->exit : nullptr;
}

} // namespace

// Seeded bug 46.
void InlineWriter::substitute_arguments(Copy& copy) {
  for (std::size_t k = 0; k < copy.body.function->params.size(); ++k) {
    const auto* const simple = std::get_if<SimpleExpr>(&copy.site.call->arguments[k]);
    const Var* const x = simple != nullptr ? std::get_if<Var>(simple) : nullptr;
    if (x == nullptr || !copy.by_name.insert(*x).second) continue;
    copy.names.variables.insert_or_assign(copy.body.function->params[k], *x);
  }
}

// The contexts of the callee's code, seen from the caller.
void InlineWriter::add_contexts(Copy& copy) {
  const VersionOrigin* const origin = copy.body.origin;
  OriginContext callee;
  callee.from = {copy.body.function->name, copy.body.version->name, {}, 0};
  callee.names = copy.names.variables;
  callee.call = copy.site.at;
  copy.first_context = draft_.add_context(std::move(callee));
  if (origin == nullptr) return;
  for (const OriginContext& inner : origin->contexts) {
    OriginContext context = inner;
    context.caller = copy.first_context + inner.caller;
    for (auto& [name, here] : context.names) here = copy.names.variable(here);
    draft_.add_context(std::move(context));
  }
}

void InlineWriter::bind_parameters(const Copy& copy, const Marks& marks) {
  draft_.add_marks(marks);
  const std::vector<Var>& params = copy.body.function->params;
  for (std::size_t k = 0; k < params.size(); ++k)
    if (!copy.by_name.contains(copy.names.variable(params[k])))
      draft_.add({{}, Decl{copy.names.variable(params[k]), copy.site.call->arguments[k]}},
                 copy.site.at);
  draft_.add({{}, Decl{copy.site.call->result, SimpleExpr(Nil{})}}, copy.site.at);
}

Instruction InlineWriter::with_frames(const Copy& copy, Instruction instr) {
  Metadata* const exit = exit_of(instr);
  if (exit != nullptr && mutant(39))
    for (Binding& b : exit->frame.varmap) b.name = copy.names.variable(b.name);
  if (exit == nullptr || !copy.site.frames || mutant(44)) return instr;
  // Names that the caller's block makes may be made once for each exit.
  Metadata caller{{}, copy.site.frames->frames, copy.site.frames->with, {}};
  if (mutant(43) && !caller.outer[0].varmap.empty())
    std::swap(caller.outer[0].result, caller.outer[0].varmap[0].name);
  if (!caller.with.empty() && !mutant(67)) caller = rename(caller, {}, fresh_);
  exit->outer.insert(exit->outer.end(), caller.outer.begin(), caller.outer.end());
  if (mutant(41)) std::ranges::reverse(exit->outer);
  exit->with.insert(exit->with.end(), caller.with.begin(), caller.with.end());
  return instr;
}

// return e: the result is set, what was in scope in the callee goes, and the caller goes on.
void InlineWriter::add_return(Copy& copy, Position q, const Return& instr) {
  const auto origin = copy.body.origin != nullptr ? copy.body.origin->positions[q] : q;
  const auto& contexts = copy.body.origin;
  const std::uint32_t inner =
      contexts != nullptr && q < contexts->context_of.size() ? contexts->context_of[q] : 0;
  draft_.add({{}, Assign{copy.site.call->result, rename(instr.value, copy.names)}}, origin,
             copy.first_context + inner);
  const Position behind = copy.site.at + 1;
  if (copy.scopes[q])
    for (auto x = copy.scopes[q]->rbegin(); x != copy.scopes[q]->rend(); ++x)
      if (!copy.by_name.contains(copy.names.variable(*x)))
        draft_.add({{}, Drop{copy.names.variable(*x)}}, behind);
  if (q + 1 == copy.body.version->body.size() && !copy.join) return;
  if (!copy.join)
    copy.join =
        fresh_.fresh<Label>(std::string(fresh_.names().text(copy.body.function->name)) + "_done");
  draft_.add({{}, Goto{*copy.join}}, behind);
}

void InlineWriter::add_statement(Copy& copy, Position q) {
  const Stmt& stmt = copy.body.version->body[q];
  for (const Label label : stmt.marks.labels)
    if (copy.jumped_to.contains(label)) draft_.label_next(copy.names.label(label));
  if (const auto* const leave = std::get_if<Return>(&stmt.instr))
    return add_return(copy, q, *leave);
  const VersionOrigin* const origin = copy.body.origin;
  const std::uint32_t inner =
      origin != nullptr && q < origin->context_of.size() ? origin->context_of[q] : 0;
  const auto renamed = [&] {
    if (!mutant(67)) return rename(stmt.instr, copy.names, fresh_);
    FreshNames none(fresh_.names());
    return rename(stmt.instr, copy.names, none);
  };
  draft_.add({{}, with_frames(copy, renamed())},
             origin != nullptr ? origin->positions[q] : q, copy.first_context + inner);
}

void InlineWriter::write(const InlineSite& site, const Marks& marks, const InlineBody& body,
                         const Scopes& scopes) {
  Copy copy{site, body, scopes, {}, {}, 0, {}, {}};
  for (const Var x : variables_of(body))
    copy.names.variables.emplace(x, mutant(38) ? x : fresh_.fresh<Var>(fresh_.names().text(x)));
  if (mutant(46)) substitute_arguments(copy);
  for (const Stmt& stmt : body.version->body) {
    const Successors next = successors(stmt.instr);
    for (const Label* const label : {next.first, next.second})
      if (label != nullptr && copy.jumped_to.insert(*label).second)
        copy.names.labels.emplace(
            *label, mutant(40) ? *label : fresh_.fresh<Label>(fresh_.names().text(*label)));
  }
  add_contexts(copy);
  bind_parameters(copy, marks);
  for (Position q = 0; q < body.version->body.size(); ++q) add_statement(copy, q);
  if (copy.join) draft_.label_next(*copy.join);
}

} // namespace sourir
