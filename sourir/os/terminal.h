// Colour and escaping for terminals, and the state of the three standard files.
#pragma once

#include <string>
#include <string_view>

namespace sourir {

// "auto": on a terminal, without NO_COLOR and TERM=dumb; "always"; "never".
void set_colour(std::string_view mode);
bool colour_on(int fd);

// "error:" for standard error, coloured where colour_on().
std::string error_word();

// The text with control characters escaped, so that no file can steer the terminal.
std::string printable(std::string_view text);

// At most `most` bytes of the text and then "...", not inside a UTF-8 sequence.
std::string cut(std::string text, std::size_t most);

// Makes closed standard files fail instead of naming the next file that is opened, and a write into
// a pipe without a reader an error instead of the end of the process.
void secure_standard_files();

} // namespace sourir
