#include "sourir/cli/explain.h"

#include "sourir/cli/commands.h"
#include "sourir/cli/load_file.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/output.h"
#include "sourir/semantics/rules.h"
#include "sourir/semantics/text/state_text.h"
#include "sourir/syntax/diagnostics.h"
#include "sourir/syntax/suggest.h"
#include "sourir/syntax/text/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

namespace sourir {

namespace {

struct ExplainOptions {
  std::string name; // empty: a list of all names
  bool json = false;
};

Topic topic_of(const CodeRow& row) {
  return {.kind = row.severity == Severity::Error ? "error" : "warning",
          .name = row.name,
          .title = row.title,
          .inference = "",
          .explanation = row.explanation,
          .example = row.example,
          .command = row.command};
}

// The name in the words of a pasted message: unknown-label in "error[unknown-label]".
std::string_view inside_brackets(std::string_view text) {
  const std::size_t open = text.find('['), close = text.rfind(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return text;
  return text.substr(open + 1, close - open - 1);
}

// But for case, and a blank or underscore for a hyphen: "OSR entry" is OSR-entry.
bool same_name(std::string_view a, std::string_view b) {
  const auto folded = [](char c) {
    return c == ' ' || c == '_' ? '-' : std::tolower(static_cast<unsigned char>(c));
  };
  return std::ranges::equal(a, b, [&](char x, char y) { return folded(x) == folded(y); });
}

std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += end == 0 ? "\n" : fmt::format("    {}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// An example with bytes that are not UTF-8 as escapes (\xef).
std::string readable(std::string_view example) {
  std::string out(example);
  std::uint32_t at = 0;
  while (const auto bad = find_bad_utf8(out, at)) {
    out.replace(*bad, 1, fmt::format("\\x{:02x}", static_cast<unsigned char>(out[*bad])));
    at = *bad;
  }
  return out;
}

std::string as_text(const Topic& t) {
  std::string out = fmt::format("{} ({})\n    {}\n\n", t.name, t.kind, t.title);
  if (!t.inference.empty()) out += indented(t.inference) + "\n";
  out += indented(t.explanation);
  if (t.example.empty()) return out;
  out += fmt::format("\nExample, for `sourir {} FILE`:\n\n{}", t.command,
                     indented(readable(t.example)));
  if (!t.input.empty()) out += "\nwith the input\n\n" + indented(t.input);
  return out;
}

Json as_json(const Topic& t) {
  return {{"kind", t.kind},
          {"name", t.name},
          {"title", t.title},
          {"inference", t.inference},
          {"explanation", t.explanation},
          {"example", readable(t.example)},
          {"command", t.command},
          {"input", t.input}};
}

std::string list_text(const std::vector<Topic>& topics) {
  static constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
      {"error", "Errors: why a program is rejected"},
      {"warning", "Warnings"},
      {"stuck", "Reasons to be stuck: what can go wrong while a program runs"},
      {"limit", "Limits of a run"},
      {"rule", "Rules of the semantics"},
      {"term", "Terms"}};
  std::size_t width = 0;
  for (const Topic& t : topics) width = std::max(width, t.name.size());
  std::string out = "`sourir explain NAME` says more about one of these.\n";
  for (const auto& [kind, heading] : kKinds) {
    out += fmt::format("\n{}\n", heading);
    for (const Topic& t : topics)
      if (t.kind == kind) out += fmt::format("  {:<{}}  {}\n", t.name, width, t.title);
  }
  return out;
}

// Names of one release ago.
constexpr std::pair<std::string_view, std::string_view> kFormerNames[] = {
    {"wrong-kind", "wrong-type"}, {"AssumeLeave", "AssumeForce"}};

std::vector<Topic> find(const std::vector<Topic>& all, std::string_view name) {
  for (const auto& [former, now] : kFormerNames)
    if (same_name(former, name)) name = now;
  std::vector<Topic> found;
  std::ranges::copy_if(all, std::back_inserter(found),
                       [&](const Topic& t) { return same_name(t.name, name); });
  return found;
}

int unknown(const std::vector<Topic>& all, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Topic& t : all) names.push_back(t.name);
  std::string message = fmt::format("there is nothing called '{}' to explain", name);
  if (const auto meant = closest(name, names)) message += fmt::format("; did you mean {}?", *meant);
  say_error(message);
  say("`sourir explain` lists all names\n");
  return exit_status::kUsage;
}

// The exit status: 0; 64 for an unknown name.
int run_explain(const ExplainOptions& options) {
  const std::vector<Topic> all = all_topics();
  std::vector<Topic> topics = all;
  if (!options.name.empty()) {
    const std::string_view name = inside_brackets(options.name);
    topics = find(all, name);
    if (topics.empty()) return unknown(all, name);
  }
  Output& out = standard_output();
  if (options.json) {
    Json json{{"format", "explain"}, {"version", 1}, {"topics", Json::array()}};
    for (const Topic& t : topics) json["topics"].push_back(as_json(t));
    out.write(json_text(json));
  } else if (options.name.empty()) {
    out.write(list_text(all));
  } else {
    for (const Topic& t : topics) out.write((&t == &topics.front() ? "" : "\n") + as_text(t));
  }
  return exit_status::kFine;
}

} // namespace

std::vector<Topic> all_topics() {
  std::vector<Topic> all;
  for (const CodeRow& row : code_rows()) all.push_back(topic_of(row));
  for (const Topic& t : written_topics())
    if (t.kind != "rule") all.push_back(t);
  for (const std::span<const RuleRow> rules : {all_rules(), growth_rules()})
    for (const RuleRow& row : rules)
      for (const Topic& t : written_topics())
        if (t.kind == "rule" && t.name == row.name) {
          all.emplace_back(t).title = row.conclusion;
          all.back().inference = inference_rule(row.name);
        }
  for (const Topic& t : glossary_topics()) all.push_back(t);
  return all;
}

Command explain_command() {
  const auto o = std::make_shared<ExplainOptions>();
  Command c{.name = "explain",
            .summary = "Say what an error, a limit, a rule or a term is.",
            .details = "Examples:\n"
                       "  sourir explain                       all names\n"
                       "  sourir explain varmap-missing        an error of `check`\n"
                       "  sourir explain division-by-zero      a reason to be stuck\n"
                       "  sourir explain AssumeDeopt           a rule, as the paper states it\n"
                       "  sourir explain varmap                a term, and its names elsewhere\n"};
  c.operands = {.name = "NAME", .least = 0, .most = 1};
  std::set<std::string> all;
  for (const Topic& topic : all_topics()) all.emplace(topic.name);
  c.operands.choices.assign(all.begin(), all.end());
  c.flags = {switch_flag("--json", o->json, "the same as JSON")};
  c.run = [o](const std::vector<std::string>& names) {
    if (!names.empty()) o->name = names[0];
    return run_explain(*o);
  };
  return c;
}

} // namespace sourir
