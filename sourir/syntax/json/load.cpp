#include "sourir/syntax/json/load.h"

#include "sourir/syntax/check_damaged.h"
#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/wellformed.h"

#include <algorithm>
#include <fmt/format.h>

namespace sourir {

namespace {

// The program of a JSON form is read again from its canonical text, so that every span lies in a
// text that people can read.
Loaded read(Source source, Names& names) {
  Diagnostics problems;
  if (looks_like_json(source.text())) {
    const Parsed form = from_json(source, names, problems);
    if (problems.has_errors())
      return {std::move(source), form.program, form.spans, std::move(problems)};
    source = Source(source.name(), print(form.program, names));
  }
  Parsed parsed = parse(source, names, problems);
  return {std::move(source), std::move(parsed.program), std::move(parsed.spans),
          std::move(problems)};
}

} // namespace

Loaded load(std::string name, std::string text, Names& names, const LoadOptions& options) {
  const std::size_t limit = std::min(options.max_bytes, kMaxSourceBytes);
  if (text.size() > limit) {
    Loaded refused{Source(std::move(name), {}), {}, {}, {}};
    refused.problems.add(Code::TooLarge, {},
                         fmt::format("{} bytes are more than the limit of {}", text.size(), limit));
    return refused;
  }
  Loaded loaded = read(Source(std::move(name), std::move(text)), names);
  if (options.strict) loaded.problems.promote(Code::PartialVarmap);
  if (!options.check) return loaded;
  if (!loaded.problems.has_errors())
    check_wellformed(loaded.program, loaded.spans, names, loaded.problems);
  else if (!looks_like_json(loaded.source.text()))
    check_damaged({loaded.program, loaded.spans}, loaded.source, names, loaded.problems);
  return loaded;
}

} // namespace sourir
