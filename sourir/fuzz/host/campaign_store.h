// The database of a campaign: its plan, and the results of each batch, stored in one transaction:
// as a whole or not at all.
#pragma once

#include "sourir/fuzz/campaign_case.h"
#include "sourir/fuzz/campaign_report.h"
#include "sourir/fuzz/host/database.h"

#include <optional>
#include <vector>

namespace sourir {

// The database is of another plan, or of no campaign at all.
struct WrongDatabase : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Everything throws DatabaseError and WrongDatabase.
class CampaignStore {
public:
  // Opens the database, or begins it if it is empty. One of another plan or shard is an error.
  CampaignStore(const std::string& path, const CampaignPlan& plan, Shard shard);
  // Opens an existing database.
  explicit CampaignStore(const std::string& path);

  const CampaignPlan& plan() const { return plan_; }
  Shard shard() const { return shard_; }

  // By number: whether the results of a batch are stored.
  std::vector<bool> done();
  // No effect if the batch is stored already.
  void add(const BatchResult& result);
  // Adds the batches that `other` has and this one does not; those that both have must be equal.
  void add_all(const std::string& other);

  CampaignSummary summary();
  // Empty: no such finding, or only its number is known.
  std::optional<ReplayCase> replay(std::uint64_t index);
  std::optional<CampaignFinding> finding(std::uint64_t index);
  // The numbers of the first findings of each kind of which everything is kept.
  std::vector<std::uint64_t> first_of_each_kind(std::uint64_t most);
  void keep_shrunk(std::uint64_t index, std::uint64_t instructions, const std::string& replay);

private:
  void begin();
  void open_existing();
  void check_tables();
  void refuse_impossible_counts();
  void compare_with_attached(const std::string& path);

  Database db_;
  CampaignPlan plan_;
  Shard shard_;
};

} // namespace sourir
