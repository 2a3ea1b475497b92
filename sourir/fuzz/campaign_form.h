// JSON forms of campaigns: replay files, and the messages of a worker process to its parent.
#pragma once

#include "sourir/fuzz/campaign_case.h"
#include "sourir/semantics/text/state_text.h"
#include "sourir/syntax/result.h"

namespace sourir {

// docs/schemas/replay.schema.json
Json replay_json(const ReplayCase& replay);
// Error: what is wrong with the text.
Result<ReplayCase> read_replay(const std::string& text);

// A part of a batch: the results of the cases before `next` that were not reported before.
struct BatchPart {
  std::uint64_t next = 0;
  BatchResult result;
};
Json part_json(const BatchPart& part);
// Error: the text is not one of part_json().
Result<BatchPart> read_part(const std::string& line);

} // namespace sourir
