#include "sourir/bisim/generate/tree_builder.h"

#include <algorithm>

namespace sourir::random {

VarIndex TreeBuilder::declare(const Type& type) {
  const auto k = static_cast<VarIndex>(tree_.vars.size());
  Variable& v = tree_.vars.emplace_back();
  v.type = type;
  if (!free_names_.empty() && choices_.chance(1, 2)) {
    v.name = free_names_.back();
    free_names_.pop_back();
  } else {
    v.name = next_name_++;
  }
  scope_.push_back(k);
  return k;
}

void TreeBuilder::leave_scope(VarIndex k) {
  scope_.erase(std::ranges::find(scope_, k));
  if (policy_.has(Feature::NotNormal) && k >= tree_.params())
    free_names_.push_back(tree_.vars[k].name);
}

std::optional<VarIndex> TreeBuilder::pick(const Type& want) {
  return pick_if([&](VarIndex k) { return fits(tree_.vars[k].type, want); });
}

NodeId TreeBuilder::append(Instruction instr, Shape shape) {
  const auto id = static_cast<NodeId>(tree_.nodes.size());
  tree_.nodes.push_back({shape, std::move(instr), kNone, owner_, {}, {}});
  if (current_.last == kNone)
    current_.first = id;
  else
    tree_.nodes[current_.last].next = id;
  current_.last = id;
  cost_.add(1, 0);
  return id;
}

TreeBuilder::Mark TreeBuilder::open(NodeId owner) {
  const Mark mark{std::exchange(current_, Block{}), std::exchange(owner_, owner), scope_.size(),
                  std::exchange(own_, scope_.size())};
  ++depth_;
  return mark;
}

Block TreeBuilder::close(const Mark& mark) {
  while (scope_.size() > mark.begin) // a block that returns or stops drops nothing
    leave_scope(scope_.back());
  --depth_;
  own_ = mark.first_own;
  owner_ = mark.owner;
  return std::exchange(current_, mark.block);
}

void TreeBuilder::drop_own(const Mark& mark) {
  const bool oldest_first = choices_.chance(1, 2);
  while (scope_.size() > mark.begin) {
    const VarIndex k = oldest_first ? scope_[mark.begin] : scope_.back();
    leave_scope(k);
    append(Drop{as_var(k)});
  }
}

} // namespace sourir::random
