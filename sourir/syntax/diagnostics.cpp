#include "sourir/syntax/diagnostics.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

namespace sourir {
namespace {

constexpr std::size_t kColumns = 160;        // of a shown source line
constexpr std::size_t kBeforeCaret = 60;     // columns of a cut line that stay before the caret
constexpr std::uint32_t kInvalid = 0x110000; // represents a byte that is not UTF-8

// One character of the text as it is shown.
struct Cell {
  std::string shown;
  std::size_t width; // columns on the screen
  std::size_t bytes; // of the text
};

std::size_t length_from_lead(unsigned char lead) {
  return lead < 0x80   ? 1
         : lead < 0xC2 ? 0
         : lead < 0xE0 ? 2
         : lead < 0xF0 ? 3
         : lead < 0xF5 ? 4
                       : 0;
}

// The code point at the start of a text that is not empty, and its length in bytes.
std::pair<std::uint32_t, std::size_t> decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = length_from_lead(lead);
  if (length == 0 || length > text.size()) return {kInvalid, 1};
  if (length == 1) return {lead, 1};
  std::uint32_t point = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0u) != 0x80u) return {kInvalid, 1};
    point = point << 6 | (next & 0x3Fu);
  }
  const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  if (overlong || (point >= 0xD800 && point < 0xE000) || point > 0x10FFFF) return {kInvalid, 1};
  return {point, length};
}

struct Range {
  std::uint32_t first, last;
};
template <std::size_t N>
bool in_ranges(std::uint32_t point, const Range (&ranges)[N]) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [=](Range r) { return r.first <= point && point <= r.last; });
}

// Controls, and the marks that reorder text so that it reads as another than it is.
bool is_unprintable(std::uint32_t point) {
  static constexpr Range kRanges[] = {{0, 0x1F},        {0x7F, 0x9F},        {0x2028, 0x2029},
                                      {0x202A, 0x202E}, {0x2066, 0x2069},    {0xFEFF, 0xFEFF},
                                      {0xFFF9, 0xFFFB}, {kInvalid, kInvalid}};
  return in_ranges(point, kRanges);
}
std::size_t width_of(std::uint32_t point) {
  static constexpr Range kCombining[] = {{0x300, 0x36F}, {0x200B, 0x200F}, {0xFE00, 0xFE0F}};
  static constexpr Range kWide[] = {{0x1100, 0x115F},  {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
                                    {0xF900, 0xFAFF},  {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                                    {0xFFE0, 0xFFE6},  {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF},
                                    {0x20000, 0x3FFFD}};
  return in_ranges(point, kCombining) ? 0 : in_ranges(point, kWide) ? 2 : 1;
}

Cell cell_at(std::string_view text) {
  const auto [point, bytes] = decode(text);
  if (point == '\t') return {" ", 1, 1};
  if (is_unprintable(point)) {
    std::string shown = point == kInvalid || point < 0x80
                            ? fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]))
                            : fmt::format("\\u{{{:x}}}", point);
    const std::size_t width = shown.size();
    return {std::move(shown), width, bytes};
  }
  return {std::string(text.substr(0, bytes)), width_of(point), bytes};
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const Cell cell = cell_at(text);
    shown += cell.shown;
    text.remove_prefix(cell.bytes);
  }
  return shown;
}

// The start of the window: at most `columns` characters before `caret`.
std::size_t window_start(std::string_view line, std::size_t caret, std::size_t columns) {
  std::size_t start = caret;
  for (std::size_t n = 0; n < columns && start > 0; ++n) {
    --start;
    while (start > 0 && (static_cast<unsigned char>(line[start]) & 0xC0u) == 0x80u &&
           caret - start < 4 * columns)
      --start;
  }
  return start;
}

// A line of the source as shown, and the columns [caret, caret + length) to underline.
struct Excerpt {
  std::string text;
  std::size_t caret = 0, length = 0;
};

bool fits(std::string_view line) {
  if (line.size() > 4 * kColumns) return false;
  std::size_t columns = 0;
  for (; !line.empty(); line.remove_prefix(cell_at(line).bytes)) columns += cell_at(line).width;
  return columns <= kColumns;
}

// The bytes [begin, end) of the line are underlined, at least one column.
Excerpt excerpt(std::string_view line, std::size_t begin, std::size_t end) {
  std::size_t at = fits(line) ? 0 : window_start(line, begin, kBeforeCaret);
  Excerpt result;
  if (at > 0) result.text = "...";
  std::size_t column = result.text.size(), stop = 0;
  std::optional<std::size_t> caret;
  while (at < line.size() && column < kColumns) {
    const Cell cell = cell_at(line.substr(at));
    if (!caret && at >= begin) caret = column;
    result.text += cell.shown;
    column += cell.width;
    if (at < end) stop = column;
    at += cell.bytes;
  }
  if (at < line.size()) result.text += "...";
  result.caret = caret.value_or(column);
  result.length = stop > result.caret ? stop - result.caret : 1;
  return result;
}

// Escape sequences, or nothing at all.
struct Colours {
  std::string_view error, warning, note, frame, bold, off;
};
Colours colours(bool wanted) {
  if (!wanted) return {};
  return {.error = "\033[1;31m",
          .warning = "\033[1;33m",
          .note = "\033[1;36m",
          .frame = "\033[1;34m",
          .bold = "\033[1m",
          .off = "\033[0m"};
}

class Renderer {
public:
  Renderer(const Source& source, Colours c, std::size_t gutter)
      : source_(source), c_(c), gutter_(gutter) {}

  void head(std::string_view colour, std::string_view word, std::string_view message) {
    write("{}{}{}{}: {}{}\n", colour, word, c_.off, c_.bold, printable(message), c_.off);
  }

  // "--> file:line:column" and the line with the span underlined.
  void place(Span span, char mark, std::string_view colour) {
    const std::string_view text = source_.text();
    const auto begin = std::min<std::size_t>(span.begin, text.size());
    const LineColumn at = source_.position(static_cast<std::uint32_t>(begin));
    write("{:>{}}{}-->{} {}:{}:{}\n", "", gutter_ + 1, c_.frame, c_.off, printable(source_.name()),
          at.line, at.column);
    if (text.empty()) return;
    const std::string_view line = source_.line(at.line);
    const auto start = static_cast<std::size_t>(line.data() - text.data());
    const std::size_t from = std::min(begin - std::min(start, begin), line.size());
    const std::size_t to =
        std::clamp<std::size_t>(span.end > start ? span.end - start : 0, from, line.size());
    const Excerpt shown = excerpt(line, from, to);
    bar("", "");
    bar(std::to_string(at.line), shown.text);
    bar("", fmt::format("{:{}}{}{}{}", "", shown.caret, colour, std::string(shown.length, mark),
                        c_.off));
  }

  // "= help: text" under an excerpt; may have several lines.
  void remark(std::string_view word, std::string_view text) {
    std::string lead = fmt::format("{}= {}:{} ", c_.frame, word, c_.off);
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      write("{:>{}}{}{}\n", "", gutter_ + 2, lead, printable(text.substr(0, end)));
      lead.assign(word.size() + 4, ' ');
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  std::string take() { return std::move(out_); }

private:
  template <class... Args>
  void write(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  void bar(std::string_view number, std::string_view text) {
    write("{}{:>{}} |{}{}{}\n", c_.frame, number, gutter_ + 1, c_.off, text.empty() ? "" : " ",
          text);
  }

  const Source& source_;
  Colours c_;
  std::size_t gutter_; // digits of the largest line number
  std::string out_;
};

std::size_t gutter_width(const Diagnostic& diagnostic, const Source& source) {
  const auto line_of = [&](Span span) {
    const auto size = static_cast<std::uint32_t>(source.text().size());
    return source.position(std::min(span.begin, size)).line;
  };
  std::uint32_t largest = line_of(diagnostic.span);
  for (const Note& note : diagnostic.notes) largest = std::max(largest, line_of(note.span));
  return std::to_string(largest).size();
}

} // namespace

std::string render(const Diagnostic& diagnostic, const Source& source, bool colour) {
  const Colours c = colours(colour);
  const bool error = diagnostic.severity == Severity::Error;
  const std::string_view strong = error ? c.error : c.warning;
  Renderer renderer(source, c, gutter_width(diagnostic, source));
  renderer.head(strong,
                fmt::format("{}[{}]", error ? "error" : "warning", row(diagnostic.code).name),
                diagnostic.message);
  renderer.place(diagnostic.span, '^', strong);
  const auto at_the_same_place = [&](const Note& note) { return note.span == diagnostic.span; };
  for (const Note& note : diagnostic.notes)
    if (at_the_same_place(note)) renderer.remark("note", note.text);
  for (const Note& note : diagnostic.notes) {
    if (at_the_same_place(note)) continue;
    renderer.head(c.note, "note", note.text);
    renderer.place(note.span, '-', c.note);
  }
  renderer.remark("help", diagnostic.help);
  return renderer.take();
}

std::string counted(std::size_t n, const std::string& what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

namespace {

using Json = nlohmann::ordered_json;

void put_place(Json& object, Span span, const Source& source) {
  const auto size = static_cast<std::uint32_t>(source.text().size());
  const LineColumn begin = source.position(std::min(span.begin, size));
  const LineColumn end = source.position(std::min(std::max(span.begin, span.end), size));
  object["line"] = begin.line;
  object["column"] = begin.column;
  object["end_line"] = end.line;
  object["end_column"] = end.column;
}

Json to_json(const Diagnostic& diagnostic, const Source& source) {
  Json object;
  object["code"] = row(diagnostic.code).name;
  object["severity"] = diagnostic.severity == Severity::Error ? "error" : "warning";
  object["message"] = diagnostic.message;
  put_place(object, diagnostic.span, source);
  object["notes"] = Json::array();
  for (const Note& note : diagnostic.notes) {
    Json& entry = object["notes"].emplace_back(Json::object());
    entry["text"] = note.text;
    put_place(entry, note.span, source);
  }
  object["help"] = diagnostic.help;
  return object;
}

} // namespace

std::string diagnostics_json(const std::vector<FileDiagnostics>& files) {
  Json all;
  all["format"] = "diagnostics";
  all["version"] = 1;
  all["files"] = Json::array();
  for (const FileDiagnostics& file : files) {
    Json& entry = all["files"].emplace_back(Json::object());
    entry["file"] = file.source->name();
    entry["diagnostics"] = Json::array();
    for (const Diagnostic& diagnostic : file.diagnostics)
      entry["diagnostics"].push_back(to_json(diagnostic, *file.source));
  }
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

auto place_of(const Diagnostic& d) { return std::tuple(d.span.begin, d.span.end); }

// Words of more bytes, as very long names, are cut in texts for people.
constexpr std::size_t kLongestShown = 200, kKeptOfWord = 60;

void cut_long_words(std::string& text) {
  if (text.size() <= kLongestShown) return;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t space = std::min(text.find_first_of(" \n", at), text.size());
    std::size_t kept = space - at;
    if (kept > kLongestShown) {
      kept = kKeptOfWord;
      while ((static_cast<unsigned char>(text[at + kept]) & 0xC0U) == 0x80U) ++kept; // in UTF-8
    }
    out.append(text, at, kept);
    if (at + kept < space) out += "...";
    if (space < text.size()) out += text[space];
    at = space + 1;
  }
  text = std::move(out);
}

} // namespace

const CodeRow& row(Code code) { return code_rows()[static_cast<std::size_t>(code)]; }

std::optional<Code> find_code(std::string_view name) {
  const auto found = std::ranges::find(code_rows(), name, &CodeRow::name);
  return found == code_rows().end() ? std::nullopt : std::optional(found->code);
}

Diagnostic& Diagnostics::add(Code code, Span span, std::string message) {
  Severity severity = row(code).severity;
  if (all_promoted_ || std::find(promoted_.begin(), promoted_.end(), code) != promoted_.end())
    severity = Severity::Error;
  errors_ += severity == Severity::Error ? 1 : 0;
  return all_.emplace_back(Diagnostic{code, severity, span, std::move(message)});
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<const Diagnostic*> order;
  std::set<std::tuple<std::uint32_t, std::uint32_t, Code, std::string_view>> seen;
  for (const Diagnostic& d : all_)
    if (seen.emplace(d.span.begin, d.span.end, d.code, d.message).second) order.push_back(&d);
  std::stable_sort(order.begin(), order.end(), [](const Diagnostic* a, const Diagnostic* b) {
    return place_of(*a) < place_of(*b);
  });
  std::vector<Diagnostic> result;
  result.reserve(order.size());
  for (const Diagnostic* d : order) {
    Diagnostic& shown = result.emplace_back(*d);
    cut_long_words(shown.message);
    cut_long_words(shown.help);
    for (Note& note : shown.notes) cut_long_words(note.text);
  }
  return result;
}

void Diagnostics::promote_warnings() {
  all_promoted_ = true;
  for (Diagnostic& d : all_) {
    if (d.severity == Severity::Error) continue;
    d.severity = Severity::Error;
    ++errors_;
  }
}

void Diagnostics::promote(Code code) {
  promoted_.push_back(code);
  for (Diagnostic& d : all_)
    if (d.code == code && d.severity != Severity::Error) {
      d.severity = Severity::Error;
      ++errors_;
    }
}

} // namespace sourir
