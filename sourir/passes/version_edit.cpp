#include "sourir/passes/version_edit.h"

#include "sourir/syntax/successors.h"

#include <algorithm>

namespace sourir {

VersionDraft::VersionDraft(Place from, Version header) : version_(std::move(header)) {
  version_.body.clear();
  version_.end = {};
  origin_.from = from;
}

std::uint32_t VersionDraft::add_context(OriginContext context) {
  origin_.contexts.push_back(std::move(context));
  return static_cast<std::uint32_t>(origin_.contexts.size());
}

Position VersionDraft::add(Stmt stmt, std::optional<Position> origin, std::uint32_t context) {
  if (context != 0) origin_.context_of.resize(version_.body.size() + 1);
  if (context != 0) origin_.context_of.back() = context;
  const auto before = static_cast<std::uint32_t>(pending_.labels.size());
  for (Comment& c : stmt.marks.comments) c.slot += before;
  Marks& marks = stmt.marks;
  marks.labels.insert(marks.labels.begin(), pending_.labels.begin(), pending_.labels.end());
  marks.scopes.insert(marks.scopes.begin(), pending_.scopes.begin(), pending_.scopes.end());
  marks.comments.insert(marks.comments.begin(), pending_.comments.begin(), pending_.comments.end());
  pending_ = {};
  version_.body.push_back(std::move(stmt));
  origin_.positions.push_back(origin);
  return size() - 1;
}

void VersionDraft::add_marks(const Marks& marks) {
  const auto before = static_cast<std::uint32_t>(pending_.labels.size());
  pending_.labels.insert(pending_.labels.end(), marks.labels.begin(), marks.labels.end());
  pending_.scopes.insert(pending_.scopes.end(), marks.scopes.begin(), marks.scopes.end());
  for (Comment c : marks.comments) {
    if (c.slot >= marks.labels.size()) continue; // it was the instruction's
    c.slot += before;
    pending_.comments.push_back(std::move(c));
  }
}

void VersionDraft::label_next(Label label) { pending_.labels.push_back(label); }

void VersionDraft::map_state(Position at, std::optional<Metadata> state) {
  origin_.states.insert_or_assign(at, std::move(state));
}

void VersionDraft::map_pending(Position at, std::optional<Pending> pending) {
  origin_.pending.insert_or_assign(at, std::move(pending));
}

VersionDraft::Done VersionDraft::finish(FunName function, const Marks& end,
                                        std::optional<Position> end_origin) && {
  const auto before = static_cast<std::uint32_t>(pending_.labels.size());
  version_.end = pending_;
  version_.end.labels.insert(version_.end.labels.end(), end.labels.begin(), end.labels.end());
  version_.end.scopes.insert(version_.end.scopes.end(), end.scopes.begin(), end.scopes.end());
  for (Comment c : end.comments) {
    c.slot += before;
    version_.end.comments.push_back(std::move(c));
  }
  origin_.positions.push_back(end_origin);
  origin_.function = function;
  origin_.version = version_.name;
  return {std::move(version_), std::move(origin_)};
}

void VersionEdit::replace(Position at, Instruction instr) {
  changes_[at].instead = std::move(instr);
  ++rewrites_;
}

void VersionEdit::remove(Position at) {
  changes_[at].removed = true;
  ++rewrites_;
}

void VersionEdit::erase(Position at) {
  remove(at);
  changes_[at].erased = true;
}

void VersionEdit::insert(Position at, Instruction instr, std::optional<Position> origin) {
  changes_[at].before.push_back({std::move(instr), origin, {}, {}});
  ++rewrites_;
}

void VersionEdit::append(Position at, Instruction instr) {
  changes_[at].behind.push_back(std::move(instr));
  ++rewrites_;
}

void VersionEdit::insert_labelled(Position at, Label label, Instruction instr,
                                  std::optional<Position> origin) {
  changes_[at].before.push_back({std::move(instr), origin, label, {}});
  ++rewrites_;
}

void VersionEdit::insert_mapped(Position at, Instruction instr, std::optional<Metadata> state) {
  Inserted inserted{std::move(instr), {}, {}, {}};
  inserted.state.emplace(std::move(state));
  changes_[at].before.push_back(std::move(inserted));
  ++rewrites_;
}

const Instruction* VersionEdit::current(Position at) const {
  const auto found = changes_.find(at);
  if (found == changes_.end()) return &version_.body[at].instr;
  if (found->second.removed) return nullptr;
  return found->second.instead ? &*found->second.instead : &version_.body[at].instr;
}

namespace {

bool changes_scope(const Instruction& instr) {
  const ScopeEffect effect = scope_effect(instr);
  return effect.declares != nullptr || effect.drops != nullptr;
}

// Comments at the instruction itself stay with it when its labels go.
Marks without_labels(const Marks& marks) {
  Marks rest;
  for (Comment c : marks.comments) {
    if (c.slot < marks.labels.size()) continue;
    c.slot = 0;
    rest.comments.push_back(std::move(c));
  }
  return rest;
}

} // namespace

VersionDraft::Done VersionEdit::finish() && {
  const auto size = static_cast<Position>(version_.body.size());
  Version header = {version_.name, version_.cont, version_.when, {}, {}, version_.comments};
  VersionDraft draft({function_, version_.name, {}, 0}, std::move(header));
  draft.reserve(size + changes_.size());
  bool scopes_changed = !absent_.empty();
  for (Binding& b : absent_) draft.absent(b.name, std::move(b.value));
  for (Position at = 0; at <= size; ++at) {
    const auto found = changes_.find(at);
    Change* const change = found == changes_.end() ? nullptr : &found->second;
    const Marks& marks = at < size ? version_.body[at].marks : version_.end;
    const bool moved = change != nullptr && (!change->before.empty() || change->removed);
    const std::optional<Position> origin =
        change != nullptr && change->unmapped ? std::nullopt : std::optional(at);
    if (change != nullptr) {
      for (const Label label : change->labels) draft.label_next(label);
      if (moved && at < size && !change->erased) draft.add_marks(marks);
      for (Inserted& i : change->before) {
        scopes_changed |= changes_scope(i.instr);
        if (i.label) draft.label_next(*i.label);
        const Position added = draft.add({{}, std::move(i.instr)}, i.origin ? i.origin : origin);
        if (i.state) draft.map_state(added, std::move(*i.state));
      }
      if (change->removed) scopes_changed |= changes_scope(version_.body[at].instr);
    }
    if (at == size) break;
    if (change != nullptr && change->removed) continue;
    const Stmt& stmt = version_.body[at];
    const bool replaced = change != nullptr && change->instead;
    if (replaced) scopes_changed |= changes_scope(stmt.instr) || changes_scope(*change->instead);
    const Position added = draft.add({moved ? without_labels(marks) : marks,
                                      replaced ? std::move(*change->instead) : stmt.instr},
                                     origin);
    if (change == nullptr) continue;
    if (change->state) draft.map_state(added, std::move(*change->state));
    for (Instruction& i : change->behind) {
      scopes_changed |= changes_scope(i);
      draft.add({{}, std::move(i)}, at + 1);
    }
  }
  // Only main can run off its end, and it must have an instruction.
  if (draft.size() == 0) draft.add({{}, Stop{}}, size);
  VersionDraft::Done done = std::move(draft).finish(function_, version_.end, size);
  done.origin.lost = std::move(lost_);
  if (scopes_changed) {
    for (Stmt& stmt : done.version.body) stmt.marks.scopes.clear();
    done.version.end.scopes.clear();
  }
  return done;
}

} // namespace sourir
