// BodyBuilder: what is in scope, and the nodes that are added.
#include "sourir/bisim/generate/random_body.h"

#include <algorithm>

namespace sourir::random {

namespace {

using Weight = std::uint16_t;

} // namespace

BodyBuilder::BodyBuilder(Context& context, Tree& tree, std::uint32_t size, std::uint64_t most_steps)
    : context_(context), policy_(context.policy), tree_(tree), size_(size),
      most_steps_(most_steps) {
  const auto weigh = [&](Statement s, Weight weight, bool on = true) {
    weights_[static_cast<std::size_t>(s)] = on ? weight : Weight{0};
  };
  const bool arrays = has(Feature::Arrays);
  tree_.nodes.reserve(size + 8);
  weigh(Statement::Print, 12);
  weigh(Statement::Declare, 16);
  weigh(Statement::Assign, 16);
  weigh(Statement::Alias, 3);
  weigh(Statement::Array, 5, arrays);
  weigh(Statement::Store, 8, arrays);
  weigh(Statement::Branch, 7, has(Feature::Branches));
  weigh(Statement::KindBranch, 4, has(Feature::Branches));
  weigh(Statement::Loop, 7, has(Feature::Loops));
  weigh(Statement::Call, 18, has(Feature::Calls));
  weigh(Statement::CallThrough, 9, has(Feature::Indirect));
  weigh(Statement::Read, 3, has(Feature::Reads));
  weigh(Statement::Assert, 2, has(Feature::Asserts));
  weigh(Statement::Hint, 2, has(Feature::Hints));
  weigh(Statement::Drop, 4, has(Feature::Drops));
  weigh(Statement::Cycle, 1, arrays && has(Feature::Nested) && has(Feature::Cycles));
  for (const Weight w : weights_) weight_sum_ += w;
  kinds_ = {Kind::Nil, Kind::Bool, Kind::Int};
  if (has(Feature::Strings)) kinds_ |= Kind::String;
  if (has(Feature::Floats)) kinds_ |= Kind::Float;
  if (has(Feature::FunValues)) kinds_ |= Kind::Fun;
}

VarIndex BodyBuilder::declare(const Type& type) {
  const auto k = static_cast<VarIndex>(tree_.vars.size());
  Variable& v = tree_.vars.emplace_back();
  v.type = type;
  if (!free_names_.empty() && tape().chance(1, 2)) {
    v.name = free_names_.back();
    free_names_.pop_back();
  } else {
    v.name = next_name_++;
  }
  scope_.push_back(k);
  return k;
}

void BodyBuilder::leave_scope(VarIndex k) {
  scope_.erase(std::ranges::find(scope_, k));
  if (has(Feature::NotNormal) && k >= tree_.params()) free_names_.push_back(tree_.vars[k].name);
}

std::optional<VarIndex> BodyBuilder::pick(const Type& want) {
  return pick_if([&](VarIndex k) { return fits(tree_.vars[k].type, want); });
}

NodeId BodyBuilder::append(Instruction instr, Shape shape) {
  const auto id = static_cast<NodeId>(tree_.nodes.size());
  tree_.nodes.push_back({shape, std::move(instr), kNone, owner_, {}, {}});
  if (current_.last == kNone)
    current_.first = id;
  else
    tree_.nodes[current_.last].next = id;
  current_.last = id;
  steps_ += times_;
  return id;
}

} // namespace sourir::random
