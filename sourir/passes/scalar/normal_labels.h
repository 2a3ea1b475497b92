// What the jumps and labels of one version have to become to be normal: each label has one kind of
// use, the target of a branch has no other way to it, nothing falls into a position that is jumped
// to, and nothing jumps to the first position.
#pragma once

#include "sourir/passes/core/pass.h"

#include <span>
#include <unordered_map>

namespace sourir {

class NormalLabels {
public:
  // `entered`: the labels that exits enter at. `fresh` knows all names of the version.
  NormalLabels(const Version& version, std::span<const Label> entered, FreshNames& fresh);

  bool empty() const { return places_.empty(); }

  // What changes at a position that is jumped to.
  struct Place {
    std::optional<Label> through; // `goto through` in front of it: control falls in or starts here
    std::vector<std::pair<Label, Label>> pads; // `pad: goto label` behind that, for branches
    std::vector<Label> added, gone;            // labels of the position itself
  };
  const Place* at(Position at) const;
  // The labels that a jump goes to instead, in order of the text.
  void retarget(Position at, Instruction& jump) const;
  std::uint64_t changes() const { return changes_; }

private:
  std::unordered_map<Position, Place> places_;
  std::unordered_map<Position, std::pair<std::optional<Label>, std::optional<Label>>> jumps_;
  std::uint64_t changes_ = 0;
};

} // namespace sourir
