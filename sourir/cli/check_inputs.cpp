#include "sourir/cli/check_inputs.h"

#include "sourir/bisim/generate/generated_inputs.h"
#include "sourir/os/files.h"
#include "sourir/syntax/text/parser.h"

#include <fmt/format.h>

namespace sourir {

namespace {

constexpr std::size_t kLargestInput = std::size_t{1} << 28;

} // namespace

std::string check_inputs(const std::string& path, const Program& program, std::uint64_t seed,
                         Names& names, std::vector<std::vector<Value>>& inputs) {
  if (path.empty()) {
    inputs = many_inputs(program, seed, names);
    return {};
  }
  auto read = read_file(path, kLargestInput);
  if (const auto* problem = std::get_if<FileProblem>(&read)) return problem->message;
  std::string_view text = std::get<std::string>(read);
  if (text.size() > kLargestInput) return fmt::format("'{}' is too large", path);
  std::vector<Value> values;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto literal = parse_literal(line, names);
    if (!literal)
      return fmt::format("'{}': line {} is no literal: {}", path, values.size() + 1, line);
    values.push_back(to_value(*literal));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  inputs = {std::move(values)};
  return {};
}

} // namespace sourir
