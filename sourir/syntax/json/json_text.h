// Writes JSON with control over the lines: one statement a line, so that differences are
// readable. Internal to the JSON forms.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sourir {

class JsonText {
public:
  // Commas are put in where they belong.
  JsonText& open(char bracket);
  JsonText& close(char bracket);
  JsonText& key(std::string_view name); // one of ours: nothing to escape
  JsonText& text(std::string_view value);
  JsonText& number(std::uint64_t value);
  JsonText& flag(bool value);
  JsonText& null();
  // What comes next starts a new line.
  JsonText& line(std::size_t indent);

  std::string take() { return std::move(out_); }

private:
  void separate();

  std::string out_;
  std::size_t indent_ = 0;
  bool comma_ = false, line_ = false;
};

} // namespace sourir
