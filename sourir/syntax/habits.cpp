#include "sourir/syntax/habits.h"

#include "sourir/syntax/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <span>

namespace sourir {
namespace {

struct Habit {
  std::initializer_list<std::string_view> words;
  std::string_view help;
};

constexpr std::string_view kNoBlocks =
    "there are no blocks: labels say where code begins, `goto` and `branch` go there";
constexpr std::string_view kBranchInstead =
    "`branch (x == 1) $then $else` chooses between two labels";
constexpr std::string_view kOperators = "the operators are + - * / % == != < <= > >= && || !";
constexpr std::string_view kComment = "comments begin with `#`";

const Habit kStarts[] = {
    {{"while", "for", "loop", "do", "repeat", "until", "foreach"},
     "a loop is a label, a branch and a jump back: `L:`, `branch (i < n) $body $done`, `$body:`, "
     "the body, `goto L`, `$done:`"},
    {{"if", "unless", "switch", "match", "case", "elif", "elsif", "cond"}, kBranchInstead},
    {{"else", "end", "endif", "fi", "done", "then", "begin", "{", "}"}, kNoBlocks},
    {{"let", "const", "val", "auto", "local", "int", "float", "double", "bool", "string", "mut"},
     "`var x = 1` declares a variable; variables have no types"},
    {{"def", "fn", "func", "fun", "sub", "proc", "define", "void", "lambda"},
     "a line `function f(var x, var y)` begins a function"},
    {{"break", "continue"}, "`goto L` jumps out of a loop, or to its head"},
    {{"pass", "nop", "skip", "noop"},
     "an instruction that does nothing is not needed: leave it out"},
    {{"exit", "halt", "quit", "abort"}, "`stop` ends the program, `stop x` with a result"},
    {{"echo", "printf", "println", "puts", "log", "write", "display", "output"},
     "`print x` prints a value"},
    {{"input", "scan", "scanf", "gets", "readline"}, "`read x` reads a value into a variable"},
    {{"delete", "free", "del", "unset"}, "`drop x` ends the scope of a variable"},
    {{"try", "throw", "raise", "catch", "except", "finally"},
     "there are no exceptions: an error ends the run"},
    {{"import", "include", "use", "require", "from", "package", "module"},
     "a program is one file; its functions stand in it"},
    {{"deopt", "deoptimize", "guard", "speculate", "osr", "bailout"},
     "`assume [(x is int)] else (f, base, L) [var x = x]` continues at L of f.base unless x is an "
     "int"},
    {{"jump", "jmp", "br"}, "`goto L` jumps to a label"},
    {{"//", "/*", "--", ";", "%", "REM"}, kComment},
};

const Habit kEnds[] = {
    {{"and"}, "the operator is `&&`"},
    {{"or"}, "the operator is `||`"},
    {{"not"}, "the operator is `!`"},
    {{"{", "}"}, kNoBlocks},
    {{"//", "/*"}, kComment},
    {{","}, "only one value may stand here; an array holds several"},
    {{":"}, "variables have no types; a guard may test one: `assume [(x is int)] else ...`"},
    {{"*", "/", "%", "<", ">", "=", "==", "+"}, kOperators},
    {{"'"}, "strings have double quotes; `'f` is the function f"},
    {{"."}, "values have no members; the length of an array is `length(a)`"},
};

const Habit kValues[] = {
    {{"["}, "an array has a declaration of its own: `array t = [1, 2]`, then `t`"},
    {{"{"}, "there are no maps and no records: an array holds values by number"},
    {{"."}, "numbers begin with a digit: `0.5`"},
    {{":"}, "there are no slices: a loop copies the elements"},
};

const Habit kCharacters[] = {
    {{";"}, "an instruction ends with its line: leave the `;` out"},
    {{"?"}, kBranchInstead},
    {{"^", "~", "@", "`", "\\"}, kOperators},
    {{"&", "|"}, "`&&` and `||` join bools; integers have no operations on bits"},
    {{"“", "”", "„", "«", "»"}, "strings have straight double quotes: `\"text\"`"},
    {{"‘", "’", "´"}, "quotes are straight: `\"text\"` is a string, `'f` the function f"},
    {{"\u00A0", "\u202F", "\u2007", "\u3000", "\u200B", "\uFEFF"},
     "it looks like a blank or like nothing; type a blank instead"},
    {{"–", "—", "−"}, "the operator is `-`"},
    {{"×", "·"}, "the operator is `*`"},
    {{"÷"}, "the operator is `/`"},
};

const Habit kNames[] = {
    {{"null", "NULL", "None", "undefined", "Nil", "NIL", "void", "nullptr"},
     "the literal is `nil`"},
    {{"True", "TRUE"}, "the literal is `true`"},
    {{"False", "FALSE"}, "the literal is `false`"},
};

const Habit kCalls[] = {
    {{"len", "size", "count", "sizeof"}, "the length of an array is `length(a)`"},
    {{"input", "readline", "scan", "scanf", "gets", "prompt"},
     "`read x` reads a value into a variable, which is declared before"},
    {{"type", "typeof", "isinstance", "is_a", "instanceof"},
     "a type test is an expression: `(x is int)`"},
    {{"int", "float", "str", "string", "bool", "double", "to_string", "toString", "parseInt",
      "parseFloat", "atoi", "round", "floor", "trunc", "chr", "ord"},
     "values are not converted: `print x` and `read x` take any, `(x * 1.0)` is a float, and "
     "nothing makes an int of it"},
    {{"append", "push", "pop", "insert"},
     "an array keeps its length: make a longer one with `array b[n]` and copy the elements"},
    {{"not"}, "the operator is `!`"},
};

std::string_view help_for(std::span<const Habit> habits, std::string_view word) {
  for (const Habit& habit : habits)
    if (std::ranges::count(habit.words, word) > 0) return habit.help;
  return {};
}

bool is_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// `f(1)`, `x += 2`, `x++`, `x := 1`, `a.size`.
std::string help_for_rest(std::string_view word, std::string_view rest) {
  constexpr std::string_view kSigns = "+-*/%";
  const bool sign = rest.size() > 1 && kSigns.find(rest[0]) != std::string_view::npos;
  if (rest.starts_with('('))
    return fmt::format("a call names its result: `call y = '{}{}`", word, rest);
  if (sign && rest[1] == rest[0]) return fmt::format("write `{0} <- ({0} {1} 1)`", word, rest[0]);
  if (sign && rest[1] == '=')
    return fmt::format("write `{0} <- ({0} {1} {2})`", word, rest[0], trimmed(rest.substr(2)));
  if (rest.starts_with("==")) return "a comparison is an expression: `var t = (x == 1)`";
  if (rest.starts_with('.')) return habit_at_end(".");
  return {};
}

} // namespace

std::string habit_at_start(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with('=')) return "`<-` assigns: `x <- 1`";
  std::size_t end = 0;
  while (end < line.size() && is_word(line[end])) ++end;
  const std::string_view word = line.substr(0, end);
  const std::string_view rest = trimmed(line.substr(end));
  // `exit(1)` is a call of a function, unless the word means something else anywhere.
  if (const std::string_view help = help_for(kStarts, word); !word.empty() && !help.empty())
    return std::string(help);
  if (word.empty()) {
    for (const std::size_t size : {2, 1})
      if (const std::string_view help = help_for(kStarts, line.substr(0, size)); !help.empty())
        return std::string(help);
    return {};
  }
  return help_for_rest(word, rest);
}

std::string_view called_in(std::string_view value) {
  value = trimmed(value);
  const std::string_view callee = value.substr(0, value.find('('));
  const bool call = !callee.empty() && callee.size() < value.size() && value.back() == ')' &&
                    std::all_of(callee.begin(), callee.end(), is_word);
  return call ? callee : std::string_view();
}

std::string habit_at_equals(std::string_view name, std::string_view value, bool own) {
  const std::string_view callee = called_in(value);
  if (callee.empty())
    return fmt::format("write `{0} <- ...` to assign, `var {0} = ...` to declare", name);
  const std::string habit = own ? "" : habit_of_call(callee);
  if (callee == "read" || habit.starts_with("`read x`"))
    return fmt::format("write `read {}`", name);
  return habit.empty() ? fmt::format("a call: `call {} = '{}`", name, trimmed(value))
                       : fmt::format("{}; `{} <- ...` assigns", habit, name);
}

std::string habit_of_call(std::string_view function) {
  return std::string(help_for(kCalls, function));
}

bool means_length(std::string_view function) {
  return std::ranges::count(kCalls[0].words, function) > 0;
}

std::string habit_at_end(std::string_view token) { return std::string(help_for(kEnds, token)); }

std::string habit_at_value(std::string_view token) {
  const std::string_view help = help_for(kValues, token);
  return help.empty() ? habit_at_end(token) : std::string(help);
}

std::string habit_of_token(std::string_view token) {
  if (!token.empty() && token[0] >= '0' && token[0] <= '9')
    return "numbers are decimal: `16`, `1.5`, `1e9`; names begin with a letter";
  return std::string(help_for(kCharacters, token));
}

std::string habit_of_name(std::string_view name) { return std::string(help_for(kNames, name)); }

} // namespace sourir
