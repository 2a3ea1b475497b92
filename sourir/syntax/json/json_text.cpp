#include "sourir/syntax/json/json_text.h"

#include <nlohmann/json.hpp>

namespace sourir {

void JsonText::separate() {
  if (comma_) out_ += line_ ? "," : ", ";
  if (line_) out_.append("\n").append(indent_, ' ');
  comma_ = line_ = false;
}

JsonText& JsonText::open(char bracket) {
  separate();
  out_ += bracket;
  return *this;
}

JsonText& JsonText::close(char bracket) {
  comma_ = false;
  separate();
  out_ += bracket;
  comma_ = true;
  return *this;
}

JsonText& JsonText::key(std::string_view name) {
  separate();
  out_.append("\"").append(name).append("\": ");
  return *this;
}

JsonText& JsonText::text(std::string_view value) {
  separate();
  const auto plain = [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; };
  if (std::all_of(value.begin(), value.end(), plain))
    out_.append("\"").append(value).append("\"");
  else // never throws: bytes that are not UTF-8 are replaced
    out_ += nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  comma_ = true;
  return *this;
}

JsonText& JsonText::number(std::uint64_t value) {
  separate();
  out_ += std::to_string(value);
  comma_ = true;
  return *this;
}

JsonText& JsonText::flag(bool value) {
  separate();
  out_ += value ? "true" : "false";
  comma_ = true;
  return *this;
}

JsonText& JsonText::null() {
  separate();
  out_ += "null";
  comma_ = true;
  return *this;
}

JsonText& JsonText::line(std::size_t indent) {
  line_ = true;
  indent_ = indent;
  return *this;
}

} // namespace sourir
