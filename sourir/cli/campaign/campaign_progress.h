// How far a campaign is, on standard error: a bar on a terminal, a line now and then elsewhere.
#pragma once

#include <chrono>
#include <cstdint>

namespace sourir {

class CampaignProgress {
public:
  // `there`: programs whose results were there before.
  CampaignProgress(std::uint64_t total, std::uint64_t there);
  ~CampaignProgress() { clear(); }
  CampaignProgress(const CampaignProgress&) = delete;
  CampaignProgress& operator=(const CampaignProgress&) = delete;

  void show(std::uint64_t programs, std::uint64_t findings);
  // Takes the bar away, so that something else can be said.
  void clear();

private:
  using Clock = std::chrono::steady_clock;

  std::uint64_t total_, there_;
  Clock::time_point begin_ = Clock::now(), shown_at_;
  bool terminal_, shown_ = false;
};

} // namespace sourir
