#include "sourir/cli/engine/perf_map.h"

#include "sourir/semantics/text/version_text.h"

#include <fmt/format.h>
#include <unistd.h>

namespace sourir {

std::string PerfMap::open() {
  const std::string path = fmt::format("/tmp/perf-{}.map", getpid());
  auto opened = open_to_write(path);
  if (const auto* problem = std::get_if<FileProblem>(&opened)) return problem->message;
  file_ = std::get<OpenFile>(std::move(opened));
  out_.emplace(file_.fd(), "'" + path + "'");
  return {};
}

void PerfMap::add(const native::MadeCode& made, const Names& names) {
  for (std::size_t i = 0; i < made.codes.size(); ++i) {
    const native::NativeCode& code = *made.codes[i];
    const std::string at = made.requests[i].entry ? "" : fmt::format("@{}", code.start);
    out_->write_line(
        fmt::format("{:x} {:x} {}{}", code.begin, code.size, version_name(*code.code, names), at));
  }
  out_->flush();
}

} // namespace sourir
