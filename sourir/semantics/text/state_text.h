// States, values and versions as text: digests that can be compared across engines and processes
// (addresses are numbered in the order of the traversal), values and frames as tagged JSON, names
// and listings of resolved versions.
#pragma once

#include "sourir/semantics/config.h"
#include "sourir/semantics/resolved.h"
#include "sourir/semantics/step.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace sourir {

// A hash (FNV-1a) of words and texts; the same in every process.
class Digest {
public:
  void add(std::uint64_t word);
  void add(std::string_view text);
  std::string hex() const;

private:
  std::uint64_t hash_ = 0xCBF2'9CE4'8422'2325;
};

// The innermost `count` frames (at most kReportedFrames), innermost first, long values cut:
// [{"at": "F.V+n", "values": {"x": "[1, 2]"}}].
nlohmann::ordered_json frames_json(const Config& c, std::size_t count, const Names& names);
// The digest of their variables and of all arrays that these reach, by contents and identity; only
// the first kDigestedCells elements count. All NaNs are equal.
std::string frames_digest(const Config& c, std::size_t count, const Names& names);
std::string value_digest(Value value, const Heap& heap, const Names& names);
inline constexpr std::uint64_t kDigestedCells = 20'000;

// --- Values as tagged JSON: {"int": "42"}, {"array": "[1, [2]]"} --------------------------------

using Json = nlohmann::ordered_json;

// Arrays are given as `print` shows them, cut after `limit` bytes.
Json value_json(Value value, const Heap& heap, const Names& names, std::size_t limit = 200);
// {"x": VALUE, ...}: the bound variables of an environment.
Json environment_json(const ResolvedVersion& code, Env env, const Heap& heap, const Names& names);

// On one line, or indented by two, with a newline at the end. Bytes that are not UTF-8 are
// replaced.
std::string json_line(const Json& json);
std::string json_text(const Json& json);

// --- A single version as text, for listings and logs ---------------------------------------------

// "F.V"
std::string version_name(const ResolvedVersion& code, const Names& names);
// "F.V+n", without labels, also where the version has some.
std::string position_name(const ResolvedVersion& code, Pc pc, const Names& names);
// The version as it is printed in a program, below the header of its function.
std::string version_text(const ResolvedVersion& code, const Names& names);
// The instruction at pc on one line; a `with` block is shortened to "...".
std::string instruction_text(const ResolvedVersion& code, Pc pc, const Names& names);
// The places of the frames that an exit materializes, innermost first.
std::vector<std::string> exit_targets(const resolved::Exit& exit, const Names& names);

} // namespace sourir
