// Writing a version with some of its code cloned. Internal to split.
#pragma once

#include "sourir/passes/core/renaming.h"
#include "sourir/passes/inline/split_sites.h"

namespace sourir {

class SplitWriter {
public:
  SplitWriter(VersionTask& task, std::vector<SplitSite> sites);

  // Sites that declare a name again are left out.
  std::uint64_t rewrites() const { return rewrites_; }
  VersionDraft::Done write() &&;

private:
  // One clone, the last arm included.
  struct Arm {
    const SplitSite& site;
    const Expr* test; // null: the last one
    Renaming names;   // of variables that do not live on behind the site, and labels
    std::uint32_t context = 0;
    Label join;
  };

  bool can_split(const SplitSite& site) const;
  bool carried(const SplitSite& site, Var x) const;
  void write_site(const SplitSite& site);
  void write_arm(Arm arm);
  // Returns the position behind what was written.
  Position write_carried(const Arm& arm, Position at, Var x);
  void write_plain(const Arm& arm, Position at);
  Stmt clone(const Arm& arm, Position at, const Renaming& names);
  void write_old(Position at);
  void join_arms(const SplitSite& site);
  Label fresh(std::string_view base) { return fresh_.fresh<Label>(base); }

  VersionTask& task_;
  const Cfg& cfg_;
  FreshNames fresh_;
  VersionDraft draft_;
  std::vector<SplitSite> sites_;
  std::unordered_map<std::uint32_t, Label> joins_; // blocks that branches of clones come to, too
  std::uint64_t rewrites_ = 0;
};

} // namespace sourir
