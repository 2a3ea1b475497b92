#include "sourir/cli/line_diff.h"

#include "sourir/os/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sourir {

namespace {

constexpr std::size_t kContext = 2;
constexpr std::size_t kLargestTable = std::size_t{1} << 22; // cells of the comparison

struct Line {
  char mark; // ' ', '-' or '+'
  std::string_view text;
};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

using Lines = std::vector<std::string_view>;

// Appends the comparison of two texts without a common start or end: by a longest common
// subsequence, or all of `a`, then all of `b`, where the table would be too large.
void compare(const Lines& a, const Lines& b, std::vector<Line>& out) {
  const std::size_t n = a.size(), m = b.size();
  std::vector<std::uint32_t> common;
  const bool tabled = (n + 1) * (m + 1) <= kLargestTable;
  if (tabled) common.assign((n + 1) * (m + 1), 0);
  const auto cell = [&](std::size_t i, std::size_t j) -> std::uint32_t& {
    return common[i * (m + 1) + j];
  };
  for (std::size_t i = n; tabled && i-- > 0;)
    for (std::size_t j = m; j-- > 0;)
      cell(i, j) = a[i] == b[j] ? cell(i + 1, j + 1) + 1 : std::max(cell(i + 1, j), cell(i, j + 1));
  std::size_t i = 0, j = 0;
  while (i < n || j < m) {
    if (tabled && i < n && j < m && a[i] == b[j])
      out.push_back({' ', a[i]}), ++i, ++j;
    else if (i < n && (j == m || !tabled || cell(i + 1, j) >= cell(i, j + 1)))
      out.push_back({'-', a[i++]});
    else
      out.push_back({'+', b[j++]});
  }
}

std::vector<Line> all_lines(const Lines& a, const Lines& b) {
  const auto [x, y] = std::ranges::mismatch(a, b);
  const auto head = static_cast<std::size_t>(x - a.begin());
  std::size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head &&
         a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  std::vector<Line> out;
  for (std::size_t i = 0; i < head; ++i) out.push_back({' ', a[i]});
  const auto middle = [&](const Lines& lines) {
    return Lines(lines.begin() + static_cast<std::ptrdiff_t>(head),
                 lines.end() - static_cast<std::ptrdiff_t>(tail));
  };
  compare(middle(a), middle(b), out);
  for (std::size_t i = a.size() - tail; i < a.size(); ++i) out.push_back({' ', a[i]});
  return out;
}

// For each line, whether it belongs to a hunk: changed lines and their neighbours.
std::vector<bool> near_changes(const std::vector<Line>& lines) {
  std::vector<bool> near(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].mark != ' ')
      for (std::size_t k = i - std::min(i, kContext); k <= i + kContext && k < lines.size(); ++k)
        near[k] = true;
  return near;
}

} // namespace

std::string line_diff(std::string_view before, std::string_view after, std::size_t most) {
  if (before == after) return {};
  const std::vector<Line> lines = all_lines(split(before), split(after));
  const std::vector<bool> near = near_changes(lines);
  std::string out;
  std::size_t old_line = 1, new_line = 1, written = 0, left_out = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (near[i] && written < most) {
      if (i == 0 || !near[i - 1]) out += fmt::format("@@ -{} +{} @@\n", old_line, new_line);
      out += fmt::format("{}{}\n", lines[i].mark, printable(lines[i].text));
      ++written;
    } else {
      left_out += near[i];
    }
    old_line += lines[i].mark != '+';
    new_line += lines[i].mark != '-';
  }
  if (left_out > 0) out += fmt::format("... {} more lines\n", left_out);
  if (out.empty()) out = "only the ends of lines differ\n";
  return out;
}

} // namespace sourir
