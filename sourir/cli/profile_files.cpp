#include "sourir/cli/profile_files.h"

#include "profiler/stacks.h"
#include "sourir/cli/profile_report.h"
#include "sourir/os/output.h"

namespace sourir {

std::string ProfileFiles::open(const ProfileOptions& o) {
  to_stderr_ = o.report == "-";
  json_ = o.json;
  const std::pair<SideFile*, std::string> files[] = {{&report_, to_stderr_ ? "" : o.report},
                                                     {&samples_, o.record},
                                                     {&folded_, o.folded},
                                                     {&speedscope_, o.speedscope},
                                                     {&html_, o.html}};
  for (const auto& [file, path] : files)
    if (std::string problem = file->open(path); !problem.empty()) return problem;
  return {};
}

void ProfileFiles::write(const native::SamplingReport& report, const std::string& program) {
  const std::string text = json_ ? profile_json(report) : profile_text(report);
  if (to_stderr_) say(text);
  if (report_.out()) report_.out()->write(text);
  const auto stacks = profiler::stacks_of(report.recorded, report.baseline, report.elsewhere);
  if (samples_.out())
    samples_.out()->write(
        profiler::samples_text(report.recorded, report.trigger ? name_of(*report.trigger) : ""));
  if (folded_.out()) folded_.out()->write(profiler::folded(stacks));
  if (speedscope_.out()) speedscope_.out()->write(profiler::speedscope(stacks, program));
  if (html_.out()) html_.out()->write(profiler::flame_graph(stacks, program));
}

std::string ProfileFiles::close() {
  for (SideFile* file : {&report_, &samples_, &folded_, &speedscope_, &html_})
    if (std::string problem = file->close(); !problem.empty()) return problem;
  return {};
}

} // namespace sourir
