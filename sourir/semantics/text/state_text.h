// States as short texts that can be compared across engines and processes: addresses are numbered
// in the order in which they are met.
#pragma once

#include "sourir/semantics/config.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace sourir {

// Words and texts added up; the same in every process.
class Digest {
public:
  void add(std::uint64_t word);
  void add(std::string_view text);
  std::string hex() const;

private:
  std::uint64_t hash_ = 0xCBF2'9CE4'8422'2325;
};

// The innermost `count` frames: [{"at": "F.V+n", "values": {"x": "[1, 2]"}}], the innermost first,
// long values cut.
nlohmann::ordered_json frames_json(const Config& c, std::size_t count, const Names& names);
// Of all that they hold and reach, arrays by what they hold and which are the same one; the first
// kDigestedCells elements of them. NaNs are all the same.
std::string frames_digest(const Config& c, std::size_t count, const Names& names);
std::string value_digest(Value value, const Heap& heap, const Names& names);
inline constexpr std::uint64_t kDigestedCells = 20'000;

} // namespace sourir
