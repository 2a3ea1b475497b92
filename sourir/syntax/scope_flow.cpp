#include "sourir/syntax/scope_flow.h"

#include "sourir/syntax/successors.h"

#include <algorithm>

namespace sourir {
namespace {

void apply(const Stmt& stmt, std::uint32_t position, ScopeSet& scope) {
  const ScopeEffect effect = scope_effect(stmt.instr);
  if (effect.declares) scope.declare(*effect.declares, Declaration::at(position));
  if (effect.drops) scope.drop(*effect.drops);
}

} // namespace

ScopeFlow::ScopeFlow(const Version& version, const LabelPositions& labels)
    : version_(version), labels_(labels), node_at_(version.body.size() + 1, kNone) {
  nodes_.reserve(labels.size() + 2);
}

void ScopeFlow::run(std::uint32_t position, const std::vector<Var>& names, Declaration origin,
                    ScopeSet& scope, ScopeObserver& observer) {
  roots_.push_back({names, origin});
  enter(roots_.back(), scope);
  const auto root = static_cast<std::uint32_t>(nodes_.size());
  node_at_[position] = root;
  nodes_.push_back(
      {position, root, kNone, static_cast<std::uint32_t>(roots_.size() - 1), scope.hash()});
  straight_on(root, scope, observer);
  while (!pending_.empty()) {
    const Pending next = pending_.back();
    pending_.pop_back();
    scope.undo_to(next.mark); // restores the scope at the edge
    straight_on(next.node, scope, observer);
  }
  scope.clear();
}

void ScopeFlow::straight_on(std::uint32_t node, ScopeSet& scope, ScopeObserver& observer) {
  const auto end = static_cast<std::uint32_t>(version_.body.size());
  for (std::uint32_t position = nodes_[node].position;; ++position) {
    if (joins(position) && position != nodes_[node].position) {
      node = arrive(position, node, position - 1, scope, observer);
      if (node == kNone) return;
    }
    observer.at(position, scope);
    if (position == end) return;
    const Stmt& stmt = version_.body[position];
    apply(stmt, position, scope);
    const Successors next = successors(stmt.instr);
    if (next.second) // is pushed first, so that the first is walked first
      jump(*next.second, node, position, scope, observer);
    if (next.first) jump(*next.first, node, position, scope, observer);
    if (!next.next) return;
  }
}

void ScopeFlow::jump(const Label& label, std::uint32_t node, std::uint32_t source, ScopeSet& scope,
                     ScopeObserver& observer) {
  const auto found = labels_.find(label);
  if (found == labels_.end()) return;
  const std::uint32_t target = arrive(found->second, node, source, scope, observer);
  if (target != kNone) pending_.push_back({target, scope.mark()});
}

std::uint32_t ScopeFlow::arrive(std::uint32_t position, std::uint32_t parent, std::uint32_t source,
                                ScopeSet& scope, ScopeObserver& observer) {
  if (reached(position)) {
    if (hash(position) != scope.hash()) observer.differs(source, position, scope);
    return kNone;
  }
  const auto node = static_cast<std::uint32_t>(nodes_.size());
  node_at_[position] = node;
  nodes_.push_back({position, parent, source, nodes_[parent].root, scope.hash()});
  return node;
}

bool ScopeFlow::joins(std::uint32_t position) const {
  return position == 0 || position == version_.body.size() ||
         !version_.body[position].leading.labels.empty();
}

void ScopeFlow::enter(const Root& root, ScopeSet& scope) const {
  scope.clear();
  for (const Var name : root.names) scope.declare(name, root.origin);
}

void ScopeFlow::rebuild(std::uint32_t position, RebuiltScope& into) const {
  if (into.flow != this) into.way.clear();
  into.flow = this;
  const auto stop_at = [&](std::uint32_t node) {
    // The nodes of a path have ascending numbers.
    const auto stop = std::lower_bound(
        into.way.begin(), into.way.end(), node,
        [](const RebuiltScope::Stop& s, std::uint32_t number) { return s.node < number; });
    return stop != into.way.end() && stop->node == node ? stop : into.way.end();
  };
  std::vector<std::uint32_t> ahead;
  std::uint32_t node = node_at_[position];
  auto stop = stop_at(node);
  for (; stop == into.way.end() && nodes_[node].source != kNone; stop = stop_at(node)) {
    ahead.push_back(node);
    node = nodes_[node].parent;
  }
  if (stop == into.way.end()) {
    ahead.push_back(node);
    into.way.clear();
  } else {
    into.scope.undo_to(stop->mark);
    into.way.erase(stop + 1, into.way.end());
  }
  for (auto next = ahead.rbegin(); next != ahead.rend(); ++next) continue_at(*next, into);
}

void ScopeFlow::continue_at(std::uint32_t node, RebuiltScope& into) const {
  const Node& to = nodes_[node];
  if (to.source == kNone) {
    enter(roots_[to.root], into.scope);
  } else {
    for (std::uint32_t at = nodes_[to.parent].position; at <= to.source; ++at, ++into.steps)
      apply(version_.body[at], at, into.scope);
  }
  into.way.push_back({node, into.scope.mark()});
}

std::uint64_t ScopeHash::mix(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15u;
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
  value = (value ^ value >> 27) * 0x94D049BB133111EBu;
  return value ^ value >> 31;
}

std::uint32_t ScopeSet::slot_for(Var name) {
  std::size_t at = place(name);
  if (table_[at] != 0) return table_[at];
  slots_.push_back({.name = name});
  if (2 * slots_.size() > table_.size()) {
    table_.assign(2 * table_.size(), 0);
    for (std::uint32_t slot = 1; slot + 1 < slots_.size(); ++slot)
      table_[place(slots_[slot].name)] = slot;
    at = place(name);
  }
  return table_[at] = static_cast<std::uint32_t>(slots_.size() - 1);
}

void ScopeSet::declare(Var name, Declaration declaration) {
  if (contains(name)) return;
  const std::uint32_t slot = slot_for(name);
  log_.push_back({slot, Slot()});
  link(slot, {slots_[0].previous, 0, declaration, name});
}

void ScopeSet::drop(Var name) {
  const std::uint32_t slot = find(name);
  if (slots_[slot].declaration == Declaration()) return;
  log_.push_back({slot, slots_[slot]});
  unlink(slot);
}

void ScopeSet::undo_to(Mark mark) {
  for (; log_.size() > mark; log_.pop_back()) {
    const Change& change = log_.back();
    if (change.before.declaration == Declaration())
      unlink(change.slot);
    else // its former neighbours are in place again
      link(change.slot, change.before);
  }
}

std::vector<Var> ScopeSet::names(std::size_t at_most) const {
  std::vector<Var> result;
  result.reserve(std::min<std::size_t>(hash_.size, at_most));
  for (std::uint32_t slot = slots_[0].next; slot != 0 && result.size() < at_most;
       slot = slots_[slot].next)
    result.push_back(slots_[slot].name);
  return result;
}

void ScopeSet::link(std::uint32_t slot, const Slot& as) {
  slots_[slot] = as;
  slots_[as.previous].next = slot;
  slots_[as.next].previous = slot;
  count(slot, 1);
}

void ScopeSet::unlink(std::uint32_t slot) {
  count(slot, ~std::uint64_t{0}); // -1
  const Slot was = slots_[slot];
  slots_[was.previous].next = was.next;
  slots_[was.next].previous = was.previous;
  slots_[slot].declaration = Declaration();
}

void ScopeSet::count(std::uint32_t slot, std::uint64_t sign) {
  const Var name = slots_[slot].name;
  const Declaration declaration = slots_[slot].declaration;
  hash_.names += sign * ScopeHash::of(name);
  hash_.declarations += sign * ScopeHash::of(name, declaration);
  hash_.size += static_cast<std::uint32_t>(sign);
  if (declaration == Declaration::exit()) hash_.from_exits += static_cast<std::uint32_t>(sign);
}

} // namespace sourir
