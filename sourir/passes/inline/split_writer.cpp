#include "sourir/passes/inline/split_writer.h"

#include "sourir/passes/core/marks.h"
#include "sourir/syntax/contains.h"
#include "sourir/syntax/exit_frames.h"
#include "sourir/syntax/successors.h"

#include <algorithm>
#include <unordered_set>

namespace sourir {
namespace {

bool in_scope(const std::optional<std::vector<Var>>& scope, Var x) {
  return scope && contains(*scope, x);
}

// Where the values of the variables that live on behind a site are looked for: before the jump
// that ends it, or behind.
Position last_of(const VersionTask& task, const SplitSite& site) {
  return successors(task.version.body[site.end - 1].instr).next ? site.end : site.end - 1;
}

} // namespace

SplitWriter::SplitWriter(VersionTask& task, std::vector<SplitSite> sites)
    : task_(task), cfg_(task.facts.cfg()), fresh_(task.fresh_names()),
      draft_(task.place(), {task.version.name,
                                   task.version.cont,
                                   task.version.when,
                                   {},
                                   {},
                                   task.version.comments}) {
  for (SplitSite& site : sites) {
    if (!can_split(site)) continue;
    join_arms(site);
    sites_.push_back(std::move(site));
    ++rewrites_;
  }
}

bool SplitWriter::can_split(const SplitSite& site) const {
  std::unordered_set<Var> declared;
  for (Position at = site.begin; at < site.end; ++at)
    if (const Var* const x = scope_effect(task_.version.body[at].instr).declares)
      if (in_scope(task_.facts.scopes()[site.begin], *x) || !declared.insert(*x).second)
        return false;
  return true;
}

// The arms of a branch that is cloned get more predecessors: the old label goes to a `goto` there.
void SplitWriter::join_arms(const SplitSite& site) {
  const auto* const branch = std::get_if<Branch>(&task_.version.body[site.end - 1].instr);
  if (branch == nullptr) return;
  for (const Label label : {branch->if_true, branch->if_false})
    if (const BlockId b = cfg_.block_of(cfg_.position_of(label)); !joins_.contains(b.id))
      joins_.emplace(b.id, fresh(fresh_.names().text(label)));
}

bool SplitWriter::carried(const SplitSite& site, Var x) const {
  const Instruction& last = task_.version.body[site.end - 1].instr;
  if (std::holds_alternative<Return>(last) || std::holds_alternative<Stop>(last)) return false;
  return in_scope(task_.facts.scopes()[last_of(task_, site)], x);
}

VersionDraft::Done SplitWriter::write() && {
  draft_.reserve(task_.version.body.size());
  auto site = sites_.begin();
  const auto end = static_cast<Position>(task_.version.body.size());
  const auto lead_in = [&](Position at) {
    const BlockId b = cfg_.block_of(at);
    const auto join = joins_.find(b.id);
    if (cfg_[b].begin != at || join == joins_.end()) return;
    const Marks& marks = at < end ? task_.version.body[at].marks : task_.version.end;
    for (const Label label : marks.labels) draft_.label_next(label);
    draft_.add({{}, Goto{join->second}}, at);
    draft_.label_next(join->second);
  };
  for (Position at = 0; at < end;) {
    lead_in(at);
    if (site != sites_.end() && site->begin == at) {
      write_site(*site);
      at = site->end, ++site;
    } else {
      write_old(at++);
    }
  }
  lead_in(end);
  const bool moved = joins_.contains(cfg_.block_of(end).id);
  const Marks marks =
      moved ? keep_labels(task_.version.end, [](Label) { return false; }) : task_.version.end;
  return std::move(draft_).finish(task_.function.name, marks, end);
}

void SplitWriter::write_old(Position at) {
  Stmt stmt = task_.version.body[at];
  const BlockId b = cfg_.block_of(at);
  if (cfg_[b].begin == at && joins_.contains(b.id))
    stmt.marks = keep_labels(stmt.marks, [](Label) { return false; });
  draft_.add(std::move(stmt), at);
}

void SplitWriter::write_site(const SplitSite& site) {
  const auto& body = task_.version.body;
  const BlockId b = cfg_.block_of(site.begin);
  const bool moved = cfg_[b].begin == site.begin && joins_.contains(b.id);
  if (!moved) draft_.add_marks(body[site.begin].marks);
  for (Position at = site.begin; at < site.end; ++at)
    if (const Var* const x = scope_effect(body[at].instr).declares)
      if (carried(site, *x)) draft_.add({{}, Decl{*x, std::nullopt}}, site.begin);
  const Label join = fresh("joined");
  for (const Expr& test : site.tests) {
    const Label yes = fresh("likely"), no = fresh("other");
    draft_.add({{}, Branch{test, yes, no}}, site.begin);
    draft_.label_next(yes);
    write_arm({site, &test, {}, 0, join});
    draft_.label_next(no);
  }
  write_arm({site, nullptr, {}, 0, join});
  if (successors(body[site.end - 1].instr).next) draft_.label_next(join);
}

void SplitWriter::write_arm(Arm arm) {
  const auto& body = task_.version.body;
  const SplitSite& site = arm.site;
  for (Position at = site.begin; at < site.end; ++at) {
    const Var* const x = scope_effect(body[at].instr).declares;
    if (arm.test != nullptr && x != nullptr && !carried(site, *x))
      arm.names.variables.emplace(*x, fresh_.fresh<Var>(fresh_.names().text(*x)));
    if (at == site.begin) continue; // its labels stand before the test
    for (const Label label : body[at].marks.labels)
      if (arm.test != nullptr) arm.names.labels.emplace(label, fresh(fresh_.names().text(label)));
  }
  if (!arm.names.variables.empty())
    arm.context = draft_.add_context({task_.place(), arm.names.variables, std::nullopt, 0});
  for (Position at = site.begin; at < site.end;) {
    const Var* const x = scope_effect(body[at].instr).declares;
    if (x != nullptr && carried(site, *x))
      at = write_carried(arm, at, *x);
    else
      write_plain(arm, at++);
  }
  if (successors(body[site.end - 1].instr).next) draft_.add({{}, Goto{arm.join}}, site.end);
}

Stmt SplitWriter::clone(const Arm& arm, Position at, const Renaming& names) {
  const Stmt& stmt = task_.version.body[at];
  Stmt made{{}, rename(stmt.instr, {names.variables, {}}, fresh_)};
  if (at != arm.site.begin)
    for (const Label label : stmt.marks.labels) made.marks.labels.push_back(names.label(label));
  auto* const call = std::get_if<Call>(&made.instr);
  if (at == arm.site.begin && arm.site.call && arm.test != nullptr && call != nullptr)
    call->callee = SimpleExpr(std::get<FunName>(std::get<Binary>(*arm.test).right));
  return made;
}

// The variable is declared before the tests, once for all arms: here it only gets its value. What
// can only declare makes another one first, which the exits directly behind a call speak of.
Position SplitWriter::write_carried(const Arm& arm, Position at, Var x) {
  const auto& body = task_.version.body;
  Stmt stmt = clone(arm, at, arm.names);
  if (auto* const decl = std::get_if<Decl>(&stmt.instr)) {
    stmt.instr = Assign{x, decl->value ? std::move(*decl->value) : Expr(SimpleExpr(Nil{}))};
    draft_.add(std::move(stmt), at, arm.context);
    return at + 1;
  }
  Renaming inner = arm.names;
  const Var made = fresh_.fresh<Var>(fresh_.names().text(x));
  inner.variables.insert_or_assign(x, made);
  const bool call = std::holds_alternative<Call>(stmt.instr);
  draft_.add(clone(arm, at, inner), at, arm.context);
  Position next = at + 1;
  if (call && next < arm.site.end && exit_of(body[next].instr) != nullptr) {
    const std::uint32_t context =
        draft_.add_context({task_.place(), inner.variables, std::nullopt, 0});
    for (; next < arm.site.end && exit_of(body[next].instr) != nullptr; ++next)
      draft_.add(clone(arm, next, inner), next, context);
  }
  draft_.add({{}, Assign{x, SimpleExpr(made)}}, std::nullopt);
  draft_.add({{}, Drop{made}}, next, arm.context);
  return next;
}

void SplitWriter::write_plain(const Arm& arm, Position at) {
  Stmt stmt = clone(arm, at, arm.names);
  auto* const branch = std::get_if<Branch>(&stmt.instr);
  if (branch == nullptr || arm.test == nullptr) {
    draft_.add(std::move(stmt), at, arm.context);
    return;
  }
  const Label yes = branch->if_true, no = branch->if_false;
  branch->if_true = fresh(fresh_.names().text(yes));
  branch->if_false = fresh(fresh_.names().text(no));
  const Branch made = *branch;
  draft_.add(std::move(stmt), at, arm.context);
  for (const auto& [pad, old] : {std::pair(made.if_true, yes), std::pair(made.if_false, no)}) {
    const BlockId to = cfg_.block_of(cfg_.position_of(old));
    draft_.label_next(pad);
    draft_.add({{}, Goto{joins_.at(to.id)}}, cfg_[to].begin);
  }
}

} // namespace sourir
