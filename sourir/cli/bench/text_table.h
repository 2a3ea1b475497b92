// A table as text: the first column on the left, all others on the right. Times and ratios in it.
// Errors: none. Threads: one.
#pragma once

#include <string>
#include <vector>

namespace sourir {

class TextTable {
public:
  // Precondition: no more cells than the first row.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // A line for each row. Precondition: there is one.
  std::string text() const;

private:
  std::vector<std::vector<std::string>> rows_;
};

std::string time_text(double seconds); // "312 ms"

} // namespace sourir
