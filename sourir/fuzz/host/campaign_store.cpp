#include "sourir/fuzz/host/campaign_store.h"

#include "sourir/fuzz/campaign_form.h"

#include <fmt/format.h>

#include <map>

namespace sourir {

namespace {

constexpr std::uint64_t kApplication = 0x736F7572; // "sour", in the header of the file
constexpr std::uint64_t kFormat = 1;
constexpr std::size_t kShownCases = 5;

constexpr const char* kTables[] = {
    "CREATE TABLE plan(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE batches(batch INTEGER PRIMARY KEY, programs INTEGER NOT NULL)",
    "CREATE TABLE counters(batch INTEGER NOT NULL, name TEXT NOT NULL, n INTEGER NOT NULL, "
    "PRIMARY KEY(batch, name)) WITHOUT ROWID",
    "CREATE TABLE findings(number INTEGER PRIMARY KEY, batch INTEGER NOT NULL, "
    "oracle TEXT NOT NULL, pass TEXT NOT NULL, kind TEXT NOT NULL, choices TEXT, replay TEXT)",
    "CREATE TABLE shrunk(number INTEGER PRIMARY KEY, instructions INTEGER NOT NULL, "
    "replay TEXT NOT NULL)"};

[[noreturn]] void damaged(const Database& db, const std::string& why) {
  throw DatabaseError(fmt::format("'{}' is damaged ({})", db.path(), why), false);
}

std::uint64_t pragma(Database& db, const char* name) {
  Statement statement = db.prepare(fmt::format("PRAGMA {}", name));
  return statement.step() ? statement.number(0) : 0;
}

bool empty(Database& db) {
  Statement statement = db.prepare("SELECT count(*) FROM sqlite_master");
  return statement.step() && statement.number(0) == 0;
}

void put(Statement& statement, const std::string& name, const std::string& value) {
  statement.bind(1, name).bind(2, value).run();
}

} // namespace

CampaignStore::CampaignStore(const std::string& path, const CampaignPlan& plan, Shard shard)
    : db_(path, true), plan_(plan), shard_(shard) {
  if (empty(db_)) {
    begin();
    return;
  }
  open_existing();
  if (const std::string difference = plan_difference(plan_, plan); !difference.empty())
    throw WrongDatabase(fmt::format("'{}' is of another campaign: {}", path, difference));
  if (shard_ != shard)
    throw WrongDatabase(fmt::format("'{}' is of shard {}/{} and not of {}/{}", path, shard_.number,
                                    shard_.of, shard.number, shard.of));
}

CampaignStore::CampaignStore(const std::string& path) : db_(path, false) {
  if (empty(db_)) throw WrongDatabase(fmt::format("'{}' is empty: no campaign has begun", path));
  open_existing();
}

void CampaignStore::begin() {
  Database::Transaction all(db_);
  db_.run(fmt::format("PRAGMA application_id = {}", kApplication));
  db_.run(fmt::format("PRAGMA user_version = {}", kFormat));
  for (const char* const table : kTables) db_.run(table);
  Statement insert = db_.prepare("INSERT INTO plan VALUES(?1, ?2)");
  for (const auto& [name, value] : plan_texts(plan_)) put(insert, name, value);
  put(insert, "shard", fmt::format("{}/{}", shard_.number, shard_.of));
  all.commit();
}

void CampaignStore::check_tables() {
  if (pragma(db_, "application_id") != kApplication)
    throw WrongDatabase(fmt::format("'{}' is a database of something else", db_.path()));
  if (pragma(db_, "user_version") != kFormat)
    throw WrongDatabase(fmt::format(
        "'{}' was written by a version of sourir that this one cannot read", db_.path()));
  Statement check = db_.prepare("PRAGMA quick_check(1)");
  if (!check.step() || check.text(0) != "ok") damaged(db_, check.text(0));
}

void CampaignStore::open_existing() {
  check_tables();
  PlanTexts texts;
  Statement select = db_.prepare("SELECT name, value FROM plan");
  while (select.step()) texts[select.text(0)] = select.text(1);
  const auto shard = parse_shard(texts["shard"]);
  if (!shard) damaged(db_, shard.error().message);
  shard_ = *shard;
  texts.erase("shard");
  auto plan = read_plan(texts);
  if (!plan) damaged(db_, plan.error().message);
  plan_ = *plan;
}

std::vector<bool> CampaignStore::done() {
  std::vector<bool> done(plan_.batches());
  Statement select = db_.prepare("SELECT batch FROM batches");
  while (select.step()) {
    const std::uint64_t batch = select.number(0);
    if (batch >= done.size()) damaged(db_, fmt::format("there is no batch {}", batch));
    done[batch] = true;
  }
  return done;
}

void CampaignStore::add(const BatchResult& result) {
  Database::Transaction all(db_);
  Statement there = db_.prepare("SELECT 1 FROM batches WHERE batch = ?1");
  if (there.bind(1, result.batch).step()) return;
  db_.prepare("INSERT INTO batches VALUES(?1, ?2)")
      .bind(1, result.batch)
      .bind(2, result.programs)
      .run();
  Statement count = db_.prepare("INSERT INTO counters VALUES(?1, ?2, ?3)");
  for (const auto& [name, n] : result.counters.all())
    count.bind(1, result.batch).bind(2, name).bind(3, n).run();
  for (const CampaignFinding& f : result.findings) {
    Statement insert = db_.prepare("INSERT INTO findings VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)");
    insert.bind(1, f.index).bind(2, result.batch);
    insert.bind(3, f.oracle).bind(4, f.transform).bind(5, f.kind);
    if (f.kept) insert.bind(6, f.kept->choices).bind(7, json_line(replay_json(*f.kept)));
    insert.run();
  }
  all.commit();
}

void CampaignStore::compare_with_attached(const std::string& path) {
  Statement differs = db_.prepare(
      "SELECT batch FROM (SELECT batch, name, n FROM other.counters WHERE batch IN (SELECT batch "
      "FROM main.batches) EXCEPT SELECT batch, name, n FROM main.counters) LIMIT 1");
  if (differs.step())
    throw WrongDatabase(fmt::format("batch {} of '{}' is not what another file says: one of them "
                                    "is damaged, or results depend on more than the plan",
                                    differs.number(0), path));
}

void CampaignStore::add_all(const std::string& other) {
  db_.prepare("ATTACH ?1 AS other").bind(1, other).run();
  compare_with_attached(other);
  Database::Transaction all(db_);
  for (const char* const table : {"counters", "findings"})
    db_.run(fmt::format("INSERT INTO main.{0} SELECT * FROM other.{0} WHERE batch NOT IN "
                        "(SELECT batch FROM main.batches)",
                        table));
  for (const char* const table : {"batches", "shrunk"})
    db_.run(fmt::format("INSERT OR IGNORE INTO main.{0} SELECT * FROM other.{0}", table));
  all.commit();
  db_.run("DETACH other");
}

// Counts that no campaign writes: the file is damaged.
void CampaignStore::refuse_impossible_counts() {
  Statement wrong = db_.prepare(
      "SELECT batch FROM batches WHERE programs NOT BETWEEN 1 AND ?1 UNION ALL SELECT batch FROM "
      "counters WHERE n < 0 OR batch NOT IN (SELECT batch FROM batches) LIMIT 1");
  if (wrong.bind(1, plan_.batch).step())
    damaged(db_, fmt::format("the counts of batch {} are impossible", wrong.number(0)));
}

CampaignSummary CampaignStore::summary() {
  refuse_impossible_counts();
  CampaignSummary summary{.plan = plan_, .shard = shard_};
  for (std::uint64_t b = 0; b < plan_.batches(); ++b) summary.expected += shard_.has(b) ? 1 : 0;
  Statement batches = db_.prepare("SELECT count(*) FROM batches");
  if (batches.step()) summary.batches = batches.number(0);
  Statement sums = db_.prepare("SELECT name, sum(n) FROM counters GROUP BY name");
  while (sums.step()) summary.counters.add(sums.text(0), sums.number(1));
  Statement groups =
      db_.prepare("SELECT oracle, pass, kind, f.number, instructions FROM findings f "
                  "LEFT JOIN shrunk USING(number) ORDER BY 1, 2, 3, 4");
  while (groups.step()) {
    const FindingGroup key{groups.text(0), groups.text(1), groups.text(2)};
    auto& all = summary.findings;
    if (all.empty() || all.back().oracle != key.oracle || all.back().transform != key.transform ||
        all.back().kind != key.kind)
      all.push_back(key);
    FindingGroup& group = all.back();
    ++group.count;
    if (group.first.size() < kShownCases) group.first.push_back(groups.number(3));
    if (!groups.is_null(4) && (group.shrunk == 0 || groups.number(4) < group.shrunk))
      group.shrunk = groups.number(4);
  }
  return summary;
}

std::optional<ReplayCase> CampaignStore::replay(std::uint64_t index) {
  Statement select = db_.prepare("SELECT replay FROM findings WHERE number = ?1");
  if (!select.bind(1, index).step() || select.is_null(0)) return {};
  auto read = read_replay(select.text(0));
  if (!read) damaged(db_, read.error().message);
  return std::move(*read);
}

std::optional<CampaignFinding> CampaignStore::finding(std::uint64_t index) {
  Statement select = db_.prepare("SELECT oracle, pass, kind FROM findings WHERE number = ?1");
  if (!select.bind(1, index).step()) return {};
  return CampaignFinding{index, select.text(0), select.text(1), select.text(2), replay(index)};
}

std::vector<std::uint64_t> CampaignStore::first_of_each_kind(std::uint64_t most) {
  std::vector<std::uint64_t> numbers;
  std::map<std::string, std::uint64_t> taken;
  Statement select = db_.prepare("SELECT number, oracle, pass, kind FROM findings WHERE replay IS "
                                 "NOT NULL ORDER BY number");
  while (select.step())
    if (taken[select.text(1) + "\n" + select.text(2) + "\n" + select.text(3)]++ < most)
      numbers.push_back(select.number(0));
  return numbers;
}

void CampaignStore::keep_shrunk(std::uint64_t index, std::uint64_t instructions,
                                const std::string& replay) {
  db_.prepare("INSERT OR REPLACE INTO shrunk VALUES(?1, ?2, ?3)")
      .bind(1, index)
      .bind(2, instructions)
      .bind(3, replay)
      .run();
}

} // namespace sourir
