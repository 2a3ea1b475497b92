#include "sourir/syntax/diagnostics.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace sourir {
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

} // namespace sourir
