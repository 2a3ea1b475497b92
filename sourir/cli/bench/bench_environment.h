// Where times come from: the machine and this build of sourir, as JSON for results
// (docs/schemas/bench.schema.json). Errors: what cannot be found out is missing. Threads: any.
#pragma once

#include <nlohmann/json.hpp>

namespace sourir {

nlohmann::ordered_json bench_machine();
nlohmann::ordered_json bench_build();

} // namespace sourir
