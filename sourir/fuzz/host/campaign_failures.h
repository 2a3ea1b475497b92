// A folder of replay files, one for each of the first counterexamples of each kind. What a campaign
// knows is in its database; the folder is for people.
#pragma once

#include "sourir/fuzz/host/campaign_store.h"

#include <functional>
#include <map>

namespace sourir {

class FailureFolder {
public:
  // `path` empty: there is no folder. It is made when there is something to put into it. `problem`
  // is called once, with the first file that cannot be written; no more are tried then.
  FailureFolder(std::string path, std::function<void(const std::string&)> problem)
      : path_(std::move(path)), problem_(std::move(problem)) {}

  // Some of these, as they come.
  void add(const std::vector<CampaignFinding>& findings);
  // The first of each kind are there then, whoever was there when they came.
  void bring_up_to_date(CampaignStore& store);

private:
  void write(std::uint64_t index, const ReplayCase& replay);

  std::string path_;
  std::function<void(const std::string&)> problem_;
  std::map<std::string, std::uint64_t> written_; // of each kind
};

} // namespace sourir
