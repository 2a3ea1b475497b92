// What people type by habit from other languages, and what sourir has instead: help texts of syntax
// errors. All are empty where nothing is known.
#pragma once

#include <string>
#include <string_view>

namespace sourir {

// For a line that begins like no instruction. `line`: its text from there to its end, without a
// comment.
std::string habit_at_start(std::string_view line);

// The function of a value that is a call `f(...)`; empty where it is none.
std::string_view called_in(std::string_view value);

// For `NAME = VALUE`. `own`: the program has the function that the value calls.
std::string habit_at_equals(std::string_view name, std::string_view value, bool own);

// For a call of a function that the program does not have.
std::string habit_of_call(std::string_view function);

// Whether a function of this name gives the length of an array elsewhere.
bool means_length(std::string_view function);

// For a token where an instruction or an expression should have ended.
std::string habit_at_end(std::string_view token);

// For a token where a value should begin.
std::string habit_at_value(std::string_view token);

// For a token that is none: a character with which none begins, or a number of another form.
std::string habit_of_token(std::string_view token);

// For a name that is not in scope: a literal as other languages spell it.
std::string habit_of_name(std::string_view name);

} // namespace sourir
