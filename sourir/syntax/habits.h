// What people type by habit from other languages, and what sourir has instead: help texts of syntax
// errors. All are empty where nothing is known.
#pragma once

#include <string>
#include <string_view>

namespace sourir {

// For a line that begins like no instruction. `line`: its text from there to its end, without a
// comment.
std::string habit_at_start(std::string_view line);

// For `NAME = VALUE`.
std::string habit_at_equals(std::string_view name, std::string_view value);

// For a token where an instruction or an expression should have ended.
std::string habit_at_end(std::string_view token);

// For a token that is none: a character with which none begins, or a number of another form.
std::string habit_of_token(std::string_view token);

// For a name that is not in scope: a literal as other languages spell it.
std::string habit_of_name(std::string_view name);

} // namespace sourir
