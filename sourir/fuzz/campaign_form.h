// Campaigns as JSON: replay files, and what a worker process tells the one that started it.
#pragma once

#include "sourir/fuzz/campaign_case.h"
#include "sourir/semantics/text/state_text.h"
#include "sourir/syntax/result.h"

namespace sourir {

// docs/schemas/replay.schema.json
Json replay_json(const ReplayCase& replay);
// Error: what is wrong with the text.
Result<ReplayCase> read_replay(const std::string& text);

// A part of a batch: the results of the cases before `next` that were not told before.
struct BatchPart {
  std::uint64_t next = 0;
  BatchResult result;
};
Json part_json(const BatchPart& part);
// Error: the text is none that part_json() gives.
Result<BatchPart> read_part(const std::string& line);

} // namespace sourir
