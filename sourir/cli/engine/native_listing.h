// Native code of one version as people and programs read it: `sourir jit`.
#pragma once

#include "native/runtime/native_code.h"
#include "sourir/semantics/text/value_json.h"

#include <string>

namespace sourir {

enum class Dump : std::uint8_t { Sourir, Llvm, Optimized, Assembly, Exits };

struct Listing {
  std::string version; // F.V
  bool calls = true;   // calls enter it; otherwise running frames, with all their variables
  Pc start = 0;        // where
  std::string text;    // with the end of its last line
  Json exits;          // of Dump::Exits: an array of docs/schemas/jit.schema.json
};

Listing make_listing(native::NativeCompiler& compiler, const native::CompileRequest& request,
                     const native::CompileOptions& options, Dump dump, const Names& names);
// Of a version that stays in the baseline.
Listing without_code(const ResolvedVersion& code, std::string why, const Names& names);

// With a line above that says what it is of.
std::string listing_text(const Listing& listing, Dump dump);
Json listing_json(const Listing& listing, Dump dump); // docs/schemas/jit.schema.json

} // namespace sourir
