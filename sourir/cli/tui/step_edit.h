// A line from the terminal with editing, history and completion (libedit).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sourir {

class LineEditor {
public:
  // Everything that the last word of a line could become.
  using Complete = std::function<std::vector<std::string>(std::string_view line)>;
  // At most one editor can exist at a time.
  explicit LineEditor(Complete complete);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // Nothing at the end of the input (Ctrl-D), and when a signal came.
  std::optional<std::string> read(const std::string& prompt);
};

} // namespace sourir
