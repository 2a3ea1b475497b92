#include "sourir/passes/core/version_edit.h"

#include "sourir/syntax/successors.h"

#include <algorithm>

namespace sourir {

LeadingTrivia keep_labels(const LeadingTrivia& leading, const std::function<bool(Label)>& keep) {
  LeadingTrivia result{{}, leading.scopes, {}};
  std::vector<std::uint32_t>
      slot; // position in the result, by label of the input and after all of them
  for (const Label label : leading.labels) {
    slot.push_back(static_cast<std::uint32_t>(result.labels.size()));
    if (keep(label)) result.labels.push_back(label);
  }
  slot.push_back(static_cast<std::uint32_t>(result.labels.size()));
  for (Comment c : leading.comments) {
    const bool stays = c.slot >= leading.labels.size() || slot[c.slot + 1] > slot[c.slot];
    if (!stays && c.text.empty()) continue;
    c.own_line |= !stays;
    c.slot = slot[c.slot];
    result.comments.push_back(std::move(c));
  }
  return result;
}

VersionDraft::VersionDraft(Place from, Version header) : version_(std::move(header)) {
  version_.body.clear();
  version_.end = {};
  origin_.from = from;
}

void VersionDraft::reserve(std::size_t statements) {
  version_.body.reserve(statements);
  origin_.positions.reserve(statements + 1);
}

std::uint32_t VersionDraft::add_context(OriginContext context) {
  origin_.contexts.push_back(std::move(context));
  return static_cast<std::uint32_t>(origin_.contexts.size());
}

Position VersionDraft::add(Stmt stmt, std::optional<Position> origin, std::uint32_t context) {
  if (context != 0) origin_.context_of.resize(version_.body.size() + 1);
  if (context != 0) origin_.context_of.back() = context;
  put_leading_before(stmt.leading);
  version_.body.push_back(std::move(stmt));
  origin_.positions.push_back(origin);
  return size() - 1;
}

Position VersionDraft::keep(const Stmt& stmt, Position origin) {
  version_.body.push_back(stmt);
  put_leading_before(version_.body.back().leading);
  origin_.positions.emplace_back(origin);
  return size() - 1;
}

void VersionDraft::put_leading_before(LeadingTrivia& leading) {
  if (pending_.labels.empty() && pending_.scopes.empty() && pending_.comments.empty()) return;
  const auto before = static_cast<std::uint32_t>(pending_.labels.size());
  for (Comment& c : leading.comments) c.slot += before;
  leading.labels.insert(leading.labels.begin(), pending_.labels.begin(), pending_.labels.end());
  leading.scopes.insert(leading.scopes.begin(), pending_.scopes.begin(), pending_.scopes.end());
  leading.comments.insert(leading.comments.begin(), pending_.comments.begin(),
                          pending_.comments.end());
  pending_ = {};
}

void VersionDraft::add_leading(const LeadingTrivia& leading) {
  const auto before = static_cast<std::uint32_t>(pending_.labels.size());
  pending_.labels.insert(pending_.labels.end(), leading.labels.begin(), leading.labels.end());
  pending_.scopes.insert(pending_.scopes.end(), leading.scopes.begin(), leading.scopes.end());
  for (Comment c : leading.comments) {
    if (c.slot >= leading.labels.size()) continue; // of the instruction itself
    c.slot += before;
    pending_.comments.push_back(std::move(c));
  }
}

void VersionDraft::label_next(Label label) { pending_.labels.push_back(label); }

void VersionDraft::map_state(Position at, std::optional<Metadata> state) {
  origin_.states.insert_or_assign(at, std::move(state));
}

void VersionDraft::map_call_site(Position at, std::optional<CallSiteFrames> site) {
  origin_.call_sites.insert_or_assign(at, std::move(site));
}

VersionDraft::Done VersionDraft::finish(FunName function, const LeadingTrivia& end,
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

VersionEdit::Change& VersionEdit::change(Position at) {
  if (changes_.empty()) changes_.resize(version_.body.size() + 1);
  return changes_[at];
}

VersionEdit::Around& VersionEdit::around(Position at) {
  Change& there = change(at);
  if (there.around == kNone) {
    there.around = static_cast<std::uint32_t>(around_.size());
    around_.emplace_back();
  }
  return around_[there.around];
}

void VersionEdit::replace(Position at, Instruction instr) {
  Change& there = change(at);
  if (there.instead == kNone) {
    there.instead = static_cast<std::uint32_t>(instead_.size());
    instead_.push_back(std::move(instr));
  } else {
    instead_[there.instead] = std::move(instr);
  }
  ++rewrites_;
}

void VersionEdit::remove(Position at) {
  change(at).removed = true;
  ++rewrites_;
}

void VersionEdit::erase(Position at) {
  remove(at);
  change(at).erased = true;
}

void VersionEdit::insert(Position at, Instruction instr, std::optional<Position> origin) {
  around(at).before.push_back({std::move(instr), origin, {}, {}});
  ++rewrites_;
}

void VersionEdit::append(Position at, Instruction instr) {
  around(at).after.push_back(std::move(instr));
  ++rewrites_;
}

void VersionEdit::insert_labelled(Position at, Label label, Instruction instr,
                                  std::optional<Position> origin) {
  around(at).before.push_back({std::move(instr), origin, label, {}});
  ++rewrites_;
}

void VersionEdit::insert_mapped(Position at, Instruction instr, std::optional<Metadata> state) {
  Inserted inserted{std::move(instr), {}, {}, {}};
  inserted.state.emplace(std::move(state));
  around(at).before.push_back(std::move(inserted));
  ++rewrites_;
}

const Instruction* VersionEdit::current(Position at) const {
  if (changes_.empty()) return &version_.body[at].instr;
  const Change& there = changes_[at];
  if (there.removed) return nullptr;
  return there.instead != kNone ? &instead_[there.instead] : &version_.body[at].instr;
}

namespace {

bool changes_scope(const Instruction& instr) {
  const ScopeEffect effect = scope_effect(instr);
  return effect.declares != nullptr || effect.drops != nullptr;
}

// Comments at the instruction itself stay with it when its labels go.
LeadingTrivia without_labels(const LeadingTrivia& leading) {
  LeadingTrivia rest;
  for (Comment c : leading.comments) {
    if (c.slot < leading.labels.size()) continue;
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
  draft.reserve(size + around_.size());
  bool scopes_changed = false, end_moved = false;
  for (Position at = 0; at <= size; ++at) {
    const Change there = changes_.empty() ? Change{} : changes_[at];
    Around* const around = there.around == kNone ? nullptr : &around_[there.around];
    if (around == nullptr && !there.removed && there.instead == kNone && !there.unmapped) {
      if (at < size) draft.keep(version_.body[at], at);
      continue;
    }
    const LeadingTrivia& leading = at < size ? version_.body[at].leading : version_.end;
    const bool moved = there.removed || (around != nullptr && !around->before.empty());
    const auto origin = there.unmapped ? std::nullopt : std::optional(at);
    if (around != nullptr)
      for (const Label label : around->labels) draft.label_next(label);
    // At the end, what begins with a label of its own is a block of its own.
    const bool in_front = at < size || (moved && !around->before.front().label);
    if (moved && in_front && !there.erased) draft.add_leading(leading);
    end_moved |= at == size && in_front;
    if (around != nullptr)
      for (Inserted& i : around->before) {
        scopes_changed |= changes_scope(i.instr);
        if (i.label) draft.label_next(*i.label);
        const Position added = draft.add({{}, std::move(i.instr)}, i.origin ? i.origin : origin);
        if (i.state) draft.map_state(added, std::move(*i.state));
      }
    if (there.removed) scopes_changed |= changes_scope(version_.body[at].instr);
    if (at == size || there.removed) continue;
    const Instruction& instr = version_.body[at].instr;
    const bool replaced = there.instead != kNone;
    if (replaced) scopes_changed |= changes_scope(instr) || changes_scope(instead_[there.instead]);
    const Position added = draft.add({moved ? without_labels(leading) : leading,
                                      replaced ? std::move(instead_[there.instead]) : instr},
                                     origin);
    if (around == nullptr) continue;
    if (around->state) draft.map_state(added, std::move(*around->state));
    for (Instruction& i : around->after) {
      scopes_changed |= changes_scope(i);
      draft.add({{}, std::move(i)}, at + 1);
    }
  }
  // Only main can run off its end, and it must have an instruction.
  if (draft.size() == 0) draft.add({{}, Stop{}}, size);
  const LeadingTrivia end = end_moved ? without_labels(version_.end) : version_.end;
  VersionDraft::Done done = std::move(draft).finish(function_, end, size);
  if (!optimized_out_.empty())
    for (Position at = 0; at < done.origin.positions.size(); ++at)
      if (const auto& from = done.origin.positions[at])
        if (const auto gone = optimized_out_.find(*from); gone != optimized_out_.end())
          done.origin.optimized_out.emplace(at, gone->second);
  if (scopes_changed) {
    for (Stmt& stmt : done.version.body) stmt.leading.scopes.clear();
    done.version.end.scopes.clear();
  }
  return done;
}

} // namespace sourir
