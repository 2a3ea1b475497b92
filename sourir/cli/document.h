// Reading JSON documents that the tool has written before: parts by their names and types, with
// messages that name the place ("programs/0/name is no text"). Threads: any.
#pragma once

#include "sourir/syntax/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sourir {

using Document = nlohmann::ordered_json;

// What is wrong with a document.
struct BadDocument : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The part `key` of an object. `place`: where the object stands, "" or "programs/0/". They throw
// BadDocument where the part is missing or of another type.
const Document& member_at(const Document& of, const std::string& key, const std::string& place);
const Document& array_at(const Document& of, const std::string& key, const std::string& place);
const Document& object_at(const Document& of, const std::string& key, const std::string& place);
std::string string_at(const Document& of, const std::string& key, const std::string& place);
std::uint64_t number_at(const Document& of, const std::string& key, const std::string& place);
// Seconds, 0 or more.
std::vector<double> times_at(const Document& of, const std::string& key, const std::string& place);
// It must have `"format": format` and the version. `writer`: the command that writes such
// documents.
void check_format(const Document& document, const char* format, int version, const char* writer);

// The problem with the document of that name, as it is shown.
Error document_error(const std::string& name, std::string_view problem);

// Parses the text and reads the document by `read`, which may throw BadDocument.
template <class F>
auto read_document(std::string_view text, const std::string& name, F&& read)
    -> Result<decltype(read(std::declval<const Document&>()))> {
  try {
    return read(Document::parse(text));
  } catch (const Document::parse_error& error) {
    return failure(document_error(name, error.what()));
  } catch (const BadDocument& error) {
    return failure(document_error(name, error.what()));
  }
}

} // namespace sourir
