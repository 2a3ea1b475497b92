// Campaigns as JSON: replay files, and what a worker process tells the one that started it.
#pragma once

#include "sourir/fuzz/campaign_case.h"
#include "sourir/semantics/text/value_json.h"

namespace sourir {

// docs/schemas/replay.schema.json
Json replay_json(const ReplayCase& replay);
// The case, or what is wrong with the text.
std::variant<ReplayCase, std::string> read_replay(const std::string& text);

// A part of a batch: the results of the cases before `next` that were not told before.
struct BatchPart {
  std::uint64_t next = 0;
  BatchResult result;
};
Json part_json(const BatchPart& part);
// The text comes from our own process: anything odd is an exception.
BatchPart read_part(const std::string& line);

} // namespace sourir
