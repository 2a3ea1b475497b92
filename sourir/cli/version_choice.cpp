#include "sourir/cli/version_choice.h"

#include "sourir/syntax/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace sourir {

bool names_version(const std::string& wanted, const std::string& version) {
  return wanted.empty() || version == wanted ||
         (version.starts_with(wanted) && version[wanted.size()] == '.');
}

std::string no_such_version(const std::string& wanted, const Program& program, const Names& names) {
  std::vector<std::string> all;
  for (const Function& f : program.functions) {
    all.emplace_back(names.text(f.name));
    for (const Version& v : f.versions)
      all.push_back(fmt::format("{}.{}", names.text(f.name), names.text(v.name)));
  }
  const auto named = [&](const std::string& name) { return names_version(wanted, name); };
  if (std::ranges::any_of(all, named)) return {};
  const std::vector<std::string_view> known(all.begin(), all.end());
  const auto close = closest(wanted, known);
  return fmt::format("there is no version '{}'{}", wanted,
                     close ? fmt::format("; did you mean {}?", *close) : "");
}

} // namespace sourir
