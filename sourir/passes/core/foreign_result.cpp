#include "sourir/passes/core/foreign_result.h"

#include "sourir/syntax/wellformed.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {
namespace {

const Version* version_at(const Program& program, FunName function, VerName version) {
  const Function* const found = find_function(program, function);
  return found != nullptr ? find_version(*found, version) : nullptr;
}

std::string wellformed_problem(const Program& program, const Names& names) {
  Diagnostics found;
  check_wellformed(program, {}, names, found);
  if (!found.has_errors()) return {};
  for (const Diagnostic& d : found.sorted())
    if (d.severity == Severity::Error)
      return fmt::format("its output is not well-formed: {}: {}", row(d.code).name, d.message);
  return {};
}

std::string functions_problem(const Program& input, const Program& output, const Names& names) {
  for (std::size_t f = 0; f < input.functions.size(); ++f)
    if (f >= output.functions.size() || output.functions[f].name != input.functions[f].name)
      return fmt::format("its output has no function {} at the place {} where the input has it",
                         names.text(input.functions[f].name), f + 1);
  return {};
}

// Of one version; what it returns is said of the version.
class OriginCheck {
public:
  OriginCheck(const VersionOrigin& origin, const Program& input, const Program& output)
      : origin_(origin), input_(input), output_(output) {}

  std::string problem() const {
    const Version* const made = version_at(output_, origin_.function, origin_.version);
    if (made == nullptr) return "there is no such version in its output";
    if (origin_.positions.size() > made->body.size() + 1)
      return fmt::format("it has {} positions, the origins {}", made->body.size() + 1,
                         origin_.positions.size());
    if (version_at(input_, origin_.from.function, origin_.from.version) == nullptr)
      return "it comes from no version of the input";
    if (std::string text = contexts_problem(); !text.empty()) return text;
    return positions_problem();
  }

private:
  std::string contexts_problem() const {
    for (std::size_t c = 0; c < origin_.contexts.size(); ++c) {
      const OriginContext& context = origin_.contexts[c];
      if (version_at(input_, context.from.function, context.from.version) == nullptr)
        return fmt::format("context {} comes from no version of the input", c + 1);
      if (context.caller > c) return fmt::format("the caller of context {} comes after it", c + 1);
    }
    for (const std::uint32_t context : origin_.context_of)
      if (context > origin_.contexts.size()) return fmt::format("there is no context {}", context);
    return {};
  }

  std::string positions_problem() const {
    for (Position at = 0; at < origin_.positions.size(); ++at) {
      const std::uint32_t context = at < origin_.context_of.size() ? origin_.context_of[at] : 0;
      const Place& from = context == 0 ? origin_.from : origin_.contexts[context - 1].from;
      const Version& source = *version_at(input_, from.function, from.version);
      if (origin_.positions[at] && *origin_.positions[at] > source.body.size())
        return fmt::format("position {} comes from position {} of a version with {}", at,
                           *origin_.positions[at], source.body.size() + 1);
    }
    return {};
  }

  const VersionOrigin& origin_;
  const Program& input_;
  const Program& output_;
};

// Frames of its own, which a pass can get wrong.
bool has_states(const VersionOrigin& origin) {
  return !origin.states.empty() || !origin.call_sites.empty();
}

} // namespace

std::string foreign_result_problem(const PassResult& result, const Program& input,
                                   const Names& names) {
  if (std::string text = wellformed_problem(result.program, names); !text.empty()) return text;
  if (std::string text = functions_problem(input, result.program, names); !text.empty())
    return text;
  for (const VersionOrigin& origin : result.origins)
    if (const std::string text = OriginCheck(origin, input, result.program).problem();
        !text.empty())
      return fmt::format("its origins of {}.{}: {}", names.text(origin.function),
                         names.text(origin.version), text);
  if (std::ranges::none_of(result.origins, has_states)) return {};
  const StateMap map = state_map(result.origins, input, result.program);
  const std::string text = check_state_map(map, input, result.program, names);
  return text.empty() ? text : "its state map does not fit: " + text;
}

} // namespace sourir
