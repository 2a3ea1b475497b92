#include "sourir/cli/campaign/campaign_progress.h"

#include "sourir/cli/load_file.h"
#include "sourir/fuzz/campaign_report.h"
#include "sourir/os/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace sourir {

namespace {

constexpr std::uint64_t kBar = 24;

std::string duration(double seconds) {
  const auto s = static_cast<std::uint64_t>(seconds);
  if (s >= 36'000'000) return "years";
  if (s >= 3'600) return fmt::format("{}:{:02}:{:02}", s / 3'600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

} // namespace

CampaignProgress::CampaignProgress(std::uint64_t total, std::uint64_t there)
    : total_(total), there_(there), shown_at_(begin_), terminal_(isatty(STDERR_FILENO) != 0) {}

void CampaignProgress::show(std::uint64_t programs, std::uint64_t findings) {
  using std::chrono::milliseconds;
  const auto now = Clock::now();
  if (now - shown_at_ < (terminal_ ? milliseconds(200) : milliseconds(60'000))) return;
  shown_at_ = now;
  const std::chrono::duration<double> took = now - begin_;
  const double rate = static_cast<double>(programs - std::min(programs, there_)) / took.count();
  std::string text = fmt::format(
      "{} of {} programs, {:.0f} a second, {} left, {}", grouped(programs), grouped(total_), rate,
      rate > 0 ? duration(static_cast<double>(total_ - programs) / rate) : "?",
      counted(findings, "counterexample"));
  if (!terminal_) return say(text + "\n");
  const std::uint64_t full = total_ == 0 ? kBar : programs * kBar / total_;
  say(fmt::format("\r[{:<{}}] {}\033[K", std::string(full, '#'), kBar, text));
  shown_ = true;
}

void CampaignProgress::clear() {
  if (shown_) say("\r\033[K");
  shown_ = false;
}

} // namespace sourir
