// A file that a run writes beside its output.
#pragma once

#include "sourir/os/files.h"
#include "sourir/os/output.h"

#include <optional>
#include <string>

namespace sourir {

class SideFile {
public:
  // The problem, or nothing. An empty path: there is none.
  std::string open(const std::string& path) {
    if (path.empty()) return {};
    auto opened = open_to_write(path);
    if (auto* problem = std::get_if<FileProblem>(&opened)) return problem->message;
    file_ = std::get<OpenFile>(std::move(opened));
    out_.emplace(file_.fd(), path == "-" ? "standard output" : "'" + path + "'");
    return {};
  }
  Output* out() { return out_ ? &*out_ : nullptr; }
  // What could not be written, or nothing.
  std::string close() { return out_ && !out_->flush() ? out_->problem() : std::string(); }

private:
  OpenFile file_;
  std::optional<Output> out_; // flushed before the file is closed
};

} // namespace sourir
