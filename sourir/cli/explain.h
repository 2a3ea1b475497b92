// The topics of `sourir explain [NAME]`: diagnostics, stuck reasons, limits, rules and terms.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sourir {

// Something that can be explained.
struct Topic {
  std::string_view kind;           // "error", "warning", "stuck", "limit", "rule", "term"
  std::string_view name;           // unique together with the kind
  std::string_view title;          // one line
  std::string_view inference = {}; // rules: premises, a bar, the conclusion
  std::string_view explanation;    // lines
  std::string_view example = {};   // a program that shows it (terms: none) ...
  std::string_view command = {};   // ... under `sourir COMMAND FILE`
  std::string_view input = {};     // what the example reads
};

// Diagnostics, stuck reasons, limits, rules, terms.
std::vector<Topic> all_topics();

// Stuck reasons, limits and rules, from explain_topics.txt. Rules have neither title nor inference
// rule there: those are in all_rules().
std::span<const Topic> written_topics();

// Terms, from docs/glossary.md.
std::span<const Topic> glossary_topics();

} // namespace sourir
