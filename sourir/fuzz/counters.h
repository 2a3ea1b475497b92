// Counts by name ("pass/inline/changed"), which add up: of cases, batches, shards. What a case
// counts, and a campaign's report shows:
//   size/N            programs of N to 2N - 1 instructions, N a power of two
//   pass/TEXT/tried, pass/TEXT/changed, pass/TEXT/rewrites    TEXT: Transform::text
//   rule/NAME         steps by a rule of the semantics, in programs and what became of them
//   forced/DEPTH      forced deoptimizations that made DEPTH frames
//   states            pairs of states compared
//   oracle/NAME       how often an oracle was asked
//   inconclusive/WHY  cases of which something could not be told
// Anything else is shown as it is.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace sourir {

class Counters {
public:
  void add(std::string_view name, std::uint64_t n = 1) {
    if (n == 0) return;
    const auto found = counts_.find(name);
    if (found == counts_.end())
      counts_.emplace(name, n);
    else
      found->second += n;
  }
  void add(const Counters& other) {
    for (const auto& [name, n] : other.counts_) add(name, n);
  }
  std::uint64_t of(std::string_view name) const {
    const auto found = counts_.find(name);
    return found == counts_.end() ? 0 : found->second;
  }
  const std::map<std::string, std::uint64_t, std::less<>>& all() const { return counts_; }
  friend bool operator==(const Counters&, const Counters&) = default;

private:
  std::map<std::string, std::uint64_t, std::less<>> counts_;
};

} // namespace sourir
