// After definitions were removed: which variables of the input have no right value in the output,
// and how to rebuild them. Internal to dce, for its state map.
#pragma once

#include "sourir/analysis/dataflow.h"
#include "sourir/analysis/var_map.h"
#include "sourir/passes/core/version_edit.h"

namespace sourir {

// By variable: its value in terms of variables as they are in the output; empty: it is lost.
struct LostValues {
  VarMap<std::optional<Expr>> lost;

  bool join(const LostValues& other);
  friend bool operator==(const LostValues&, const LostValues&) = default;
};

class LostAnalysis {
public:
  using State = LostValues;
  static constexpr Direction kDirection = Direction::Forward;

  explicit LostAnalysis(const VersionEdit& edit) : edit_(edit) {}
  LostValues boundary(BlockId) const { return {}; }
  void transfer(LostValues& state, Position at) const;

private:
  const VersionEdit& edit_;
};

// Tells the edit what is lost where.
void record_lost_values(const Cfg& cfg, VersionEdit& edit);

} // namespace sourir
