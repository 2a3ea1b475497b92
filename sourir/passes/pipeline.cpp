#include "sourir/passes/pipeline.h"

#include "sourir/passes/core/options.h"
#include "sourir/passes/registry.h"
#include "sourir/syntax/contains.h"
#include "sourir/syntax/match.h"
#include "sourir/syntax/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace sourir {
namespace {

// --- Presets -------------------------------------------------------------------------------------

using Passes = std::vector<std::string_view>;

// Those of the names that passes have, separated by commas.
std::string joined(const Passes& names) {
  std::string text;
  for (const std::string_view name : names)
    if (find_pass(name) != nullptr) text.append(text.empty() ? "" : ",").append(name);
  return text;
}

const Passes& classical() {
  static const Passes passes = {
      "constprop",         "types",    "copyprop",   "gvn",
      "load-elimination",  "licm",     "dce",        "deferred-materialization",
      "late-declarations", "simplify", "unreachable"};
  return passes;
}

Passes with(const Passes& first, const Passes& second) {
  Passes all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

// `first`: passes that come once, before those that are repeated.
std::string speculative(const std::string& first = {}) {
  // O2 applied to its own result changes nothing: its output begins with no anchor, so it gets no
  // new ones, and `after` does what remains to be done without anchors.
  const std::string before = "fresh-version:anchor,checkpoints:fresh,speculate";
  const std::string repeated =
      joined(classical()) + ",split:dispatched=true," +
      joined({"hoist-predicates", "compose-assumes", "inline", "drop-assumes"});
  // Anchors are of no use once calls are inlined; what they kept alive is removed after them. Hints
  // that read other values by now may be tested by the remaining exits.
  const std::string after = joined(with(
      classical(), {"speculate", "hoist-predicates", "compose-assumes", "inline", "drop-assumes"}));
  return fmt::format("{},{}fix({}),lower-anchors,fix({}),lower-anchors", before, first, repeated,
                     after);
}

// `inline` runs once: repeated, it would inline recursive calls again and again.
std::string for_tiers() {
  return speculative("fix(" + joined(classical()) + "),inline:max-depth=2:max-size=40,");
}

// Passes that make work for others come first.
std::string every_pass() {
  const Passes first = {"fresh-version", "checkpoints",     "speculate", "insert-from-anchor",
                        "move-assumes",  "compose-assumes", "inline",    "split",
                        "unroll",        "constprop",       "copyprop",  "hoist-predicates"};
  const Passes last = {"dce", "simplify", "unreachable", "drop-assumes", "lower-anchors"};
  Passes names = first;
  for (const PassRow& row : all_passes())
    if (!contains(first, row.name) && !contains(last, row.name)) names.push_back(row.name);
  return joined(with(names, last));
}

} // namespace

const std::vector<Preset>& all_presets() {
  static const std::vector<Preset> presets = {
      {"O1", "The classical passes, until nothing changes.", "fix(" + joined(classical()) + ")"},
      {"O2", "Speculation, then everything until nothing changes.", speculative()},
      {"jit", "O2, and a little inlining of recursion: the tiers without guards for results.",
       for_tiers()},
      {"jit-guards", "What the tiers of a running program use: jit, and guards for results.",
       for_tiers() +
           ",guard-results,fix(types,constprop,simplify,unreachable),drop-assumes,clear-dead,dce"},
      {"trace", "Loops twice, along the branches as they are expected to go (dissertation 2.7).",
       "fresh-version,checkpoints,unroll:times=2,speculate:branches=true,fix(" +
           joined(with(classical(), {"hoist-predicates", "drop-assumes"})) +
           "),lower-anchors,drop-assumes"},
      {"all", "Every pass once.", every_pass()},
  };
  return presets;
}

const Preset* find_preset(std::string_view name) {
  for (const Preset& preset : all_presets())
    if (preset.name == name) return &preset;
  return nullptr;
}

namespace {

// --- The parser of pipelines ---------------------------------------------------------------------

constexpr int kDeepest = 16; // nesting of fix(...) and presets

constexpr OptionRow kFunctions = {"functions", "f+g", "only these functions"};

// With "did you mean".
std::string unknown(std::string message, std::string_view word,
                    const std::vector<std::string_view>& known) {
  if (const auto meant = closest(word, known))
    message += "; did you mean " + std::string(*meant) + "?";
  return message;
}

class PipelineParser {
public:
  PipelineParser(std::string_view text, int depth, const LoadPlugin& plugins)
      : text_(text), depth_(depth), plugins_(plugins) {}

  std::variant<Pipeline, PipelineError> all() {
    Pipeline pipeline = steps();
    if (at_ < text_.size()) fail(at_, 1, "this bracket closes nothing");
    if (error_) return std::move(*error_);
    return pipeline;
  }

private:
  // Only the first error is kept; the rest of the text is skipped.
  void fail(std::size_t at, std::size_t length, std::string message) {
    if (!error_) error_ = {at, length, std::move(message)};
    at_ = text_.size();
  }

  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() {
    while (next() == ' ' || next() == '\t' || next() == '\n') ++at_;
  }

  // The text up to one of `ends`, without the blanks around it.
  std::string_view word(std::string_view ends) {
    skip_blanks();
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of(ends, at_), text_.size());
    std::string_view found = text_.substr(begin, at_ - begin);
    while (found.ends_with(' ') || found.ends_with('\t') || found.ends_with('\n'))
      found.remove_suffix(1);
    return found;
  }
  std::size_t place(std::string_view part) const {
    return static_cast<std::size_t>(part.data() - text_.data());
  }

  Pipeline steps() {
    Pipeline pipeline;
    while (true) {
      step(pipeline);
      skip_blanks();
      if (next() != ',') return pipeline;
      ++at_;
    }
  }

  void step(Pipeline& pipeline) {
    skip_blanks();
    if (text_.substr(at_).starts_with("exec:")) {
      pipeline.push_back({RunCommand{command()}});
      return;
    }
    if (text_.substr(at_).starts_with(kPlugin)) {
      pipeline.push_back({plugin()});
      return;
    }
    const std::string_view name = word(":,()");
    if (name.empty()) {
      fail(at_, 1, "here a pass is missing");
    } else if (name == "fix") {
      pipeline.push_back({repeat(name)});
    } else if (const Preset* const preset = find_preset(name)) {
      if (next() == ':') fail(at_, 1, std::string(name) + " has no options");
      for (PipelineStep& s : expanded(*preset)) pipeline.push_back(std::move(s));
    } else {
      pipeline.push_back({pass(name)});
    }
  }

  Pipeline expanded(const Preset& preset) const {
    if (preset.pipeline.empty()) return {};
    return std::get<Pipeline>(PipelineParser(preset.pipeline, depth_ + 1, plugins_).all());
  }

  Repeat repeat(std::string_view name) {
    Repeat result{kIterations, {}};
    if (depth_ == kDeepest) {
      fail(place(name), name.size(), "fix(...) is nested too deeply");
      return result;
    }
    if (next() == ':') {
      ++at_;
      const std::string_view iterations = word(":,()");
      const auto n = whole_number(iterations);
      if (!n || *n == 0)
        fail(place(iterations), std::max<std::size_t>(iterations.size(), 1),
             "fix:N(...) takes a number of iterations, from 1 on");
      result.bound = n.value_or(0);
    }
    skip_blanks();
    const std::size_t open = at_;
    if (next() != '(') {
      fail(at_, 1, "fix needs passes in brackets: fix(a,b)");
      return result;
    }
    ++at_;
    ++depth_;
    result.body = steps();
    --depth_;
    if (next() == ')')
      ++at_;
    else
      fail(open, 1, "this bracket is not closed");
    return result;
  }

  RunPass pass(std::string_view name) {
    const PassRow* const row = find_pass(name);
    RunPass result{row, {}, {}};
    if (row == nullptr) {
      fail(place(name), name.size(), no_such_pass(name));
      return result;
    }
    options(place(name), result);
    return result;
  }

  // `begin`: of the pass.
  void options(std::size_t begin, RunPass& result) {
    while (next() == ':') {
      ++at_;
      option(*result.row, result.options);
    }
    if (next() == '(') fail(at_, 1, quoted(result.row->name) + " takes no brackets; fix(...) does");
    result.text = text_.substr(begin, at_ - begin);
    while (result.text.ends_with(' ')) result.text.pop_back();
  }

  RunPass plugin() {
    const std::size_t begin = at_;
    at_ += kPlugin.size();
    RunPass result{nullptr, {}, {}, true};
    const std::string_view file = file_name();
    if (file.empty()) fail(begin, at_ - begin, "plugin: needs a file");
    if (error_) return result;
    const auto passes =
        plugins_ ? plugins_(std::string(file)) : failure("this build of sourir loads no plugins");
    if (!passes)
      fail(place(file), file.size(), passes.error().message);
    else if ((result.row = pass_of(file, *passes)) != nullptr)
      options(begin, result);
    return result;
  }

  // In quotes it may have any characters.
  std::string_view file_name() {
    const char quote = next();
    if (quote != '\'' && quote != '"') return word(":,()");
    const std::size_t begin = at_ + 1, end = text_.find(quote, begin);
    if (end == std::string_view::npos) {
      fail(at_, text_.size() - at_, "a quote is not closed");
      return {};
    }
    at_ = end + 1;
    return text_.substr(begin, end - begin);
  }

  // The pass that is named after the file, or the only one of the file. Null: an error.
  const PassRow* pass_of(std::string_view file, std::span<const PassRow> passes) {
    std::vector<std::string_view> known;
    for (const PassRow& row : passes) known.push_back(row.name);
    if (next() == ':') {
      const std::size_t start = at_++;
      const std::string_view name = word(":,()");
      const auto named = std::ranges::find(passes, name, &PassRow::name);
      if (named != passes.end()) return &*named;
      if (passes.size() > 1 || !may_be_option(passes.front(), name)) {
        fail(start + 1, std::max<std::size_t>(name.size(), 1),
             unknown(fmt::format("{} has no pass {}", file, quoted(name)), name, known) +
                 fmt::format(" (it has {})", fmt::join(known, ", ")));
        return nullptr;
      }
      at_ = start;
    }
    if (passes.size() == 1) return &passes.front();
    fail(place(file), file.size(),
         fmt::format("{0} has several passes: {1}; plugin:{0}:{2} is one of them", file,
                     fmt::join(known, ", "), known.front()));
    return nullptr;
  }

  static bool may_be_option(const PassRow& pass, std::string_view text) {
    return text.find('=') != std::string_view::npos ||
           std::ranges::find(pass.options, text, &OptionRow::name) != pass.options.end();
  }

  static std::string no_such_pass(std::string_view name) {
    std::vector<std::string_view> known = {"fix", "exec", "plugin"};
    for (const PassRow& row : all_passes()) known.push_back(row.name);
    for (const Preset& preset : all_presets()) known.push_back(preset.name);
    return unknown("there is no pass " + quoted(name), name, known);
  }

  static void option(const PassRow& pass, std::string_view name, const OptionRow*& found) {
    if (name == kFunctions.name) found = &kFunctions;
    for (const OptionRow& row : pass.options)
      if (row.name == name) found = &row;
  }

  void option(const PassRow& pass, PassOptions& options) {
    const std::string_view given = word(":,()");
    const std::size_t equals = given.find('=');
    const std::string_view name = given.substr(0, equals);
    const auto value =
        equals == std::string_view::npos ? std::nullopt : std::optional(given.substr(equals + 1));
    const OptionRow* row = nullptr;
    option(pass, name, row);
    const std::size_t at = given.empty() ? at_ : place(given);
    if (row == nullptr)
      return fail(at, std::max<std::size_t>(name.size(), 1), no_such_option(pass, name));
    if (std::string problem = value_problem(*row, value); !problem.empty())
      fail(at, given.size(), std::move(problem));
    options.set(std::string(name), std::string(value.value_or("")));
  }

  static std::string no_such_option(const PassRow& pass, std::string_view name) {
    std::vector<std::string_view> known = {kFunctions.name};
    for (const OptionRow& row : pass.options) known.push_back(row.name);
    std::string message = std::string(pass.name) + " has no option " + quoted(name);
    return unknown(std::move(message), name, known);
  }

  // Commas and brackets end the command only outside of quotes and brackets.
  std::string command() {
    const std::size_t start = at_;
    at_ += std::string_view("exec:").size();
    const std::size_t begin = at_;
    char quote = '\0';
    for (int open = 0; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quote != '\0') {
        if (c == quote) quote = '\0';
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '(') {
        ++open;
      } else if (open == 0 && (c == ',' || c == ')')) {
        break;
      } else if (c == ')') {
        --open;
      }
    }
    const std::string command(text_.substr(begin, at_ - begin));
    if (quote != '\0') fail(start, at_ - start, "a quote is not closed");
    if (command.find_first_not_of(" \t\n") == std::string::npos)
      fail(start, at_ - start, "exec: needs a command");
    return command;
  }

  static constexpr std::string_view kPlugin = "plugin:";

  std::string_view text_;
  int depth_;
  const LoadPlugin& plugins_;
  std::size_t at_ = 0;
  std::optional<PipelineError> error_;
};

void add_unknown(const PassOptions& options, const Program& program, const Names& names,
                 std::vector<std::string>& found) {
  for (const std::string_view name : options.list(kFunctions.name)) {
    const auto bears = [&](const Function& f) { return names.text(f.name) == name; };
    if (std::ranges::none_of(program.functions, bears) &&
        std::ranges::find(found, name) == found.end())
      found.emplace_back(name);
  }
}

} // namespace

std::variant<Pipeline, PipelineError> parse_pipeline(std::string_view text,
                                                     const LoadPlugin& plugins) {
  return PipelineParser(text, 0, plugins).all();
}

std::vector<std::string> unknown_functions(const Pipeline& pipeline, const Program& program,
                                           const Names& names) {
  std::vector<std::string> found;
  for (const PipelineStep& step : pipeline)
    match(
        step.step, [&](const RunPass& pass) { add_unknown(pass.options, program, names, found); },
        [](const RunCommand&) {},
        [&](const Repeat& repeat) {
          for (std::string& name : unknown_functions(repeat.body, program, names))
            if (std::ranges::find(found, name) == found.end()) found.push_back(std::move(name));
        });
  return found;
}

} // namespace sourir
