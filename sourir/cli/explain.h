// `sourir explain [NAME]`: what a diagnostic, a stuck reason, a limit or a rule is.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sourir {

struct ExplainOptions {
  std::string name; // empty: a list of all names
  bool json = false;
};

// 0; 64 for a name that nothing has.
int run_explain(const ExplainOptions& options);

// Something that can be explained. `example` is a program; `command` runs it so that it shows
// what is explained: "check", "run --fuel 5".
struct Topic {
  std::string_view kind;        // "error", "warning", "stuck", "limit", "rule"
  std::string_view name;        // unique together with the kind
  std::string_view title;       // one line
  std::string_view inference;   // rules: premises, a bar, the conclusion
  std::string_view explanation; // lines
  std::string_view example;
  std::string_view command;
  std::string_view input = {}; // what the example reads
};

// Diagnostics, stuck reasons, limits, rules.
std::vector<Topic> all_topics();

// The last three parts of it. Rules: without title and inference rule (rule.h knows them), in order
// of all_rules().
std::span<const Topic> stuck_topics();
std::span<const Topic> limit_topics();
std::span<const Topic> rule_topics();      // but those about exits
std::span<const Topic> exit_rule_topics(); // assume, anchor

} // namespace sourir
