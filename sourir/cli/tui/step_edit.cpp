#include "sourir/cli/tui/step_edit.h"

#include <editline/readline.h>

#include <cstdlib>
#include <cstring>
#include <memory>

namespace sourir {

namespace {

// libedit calls back without a context.
LineEditor::Complete& complete_words() {
  static LineEditor::Complete complete;
  return complete;
}

char* next_word(const char*, int state) {
  static std::vector<std::string> words;
  static std::size_t next = 0;
  if (state == 0) {
    words = complete_words()(std::string_view(rl_line_buffer, static_cast<std::size_t>(rl_point)));
    next = 0;
  }
  return next < words.size() ? strdup(words[next++].c_str()) : nullptr;
}

char** complete(const char* text, int, int) {
  rl_attempted_completion_over = 1; // no names of files
  return rl_completion_matches(text, next_word);
}

} // namespace

LineEditor::LineEditor(Complete words) {
  complete_words() = std::move(words);
  static char name[] = "sourir"; // libedit takes a char*
  rl_readline_name = name;
  rl_attempted_completion_function = complete;
  static char breaks[] = " \t";
  rl_completer_word_break_characters = breaks;
  using_history();
}

LineEditor::~LineEditor() { complete_words() = nullptr; }

std::optional<std::string> LineEditor::read(const std::string& prompt) {
  const std::unique_ptr<char, decltype(&std::free)> line(readline(prompt.c_str()), std::free);
  if (!line) return {};
  std::string text(line.get());
  if (text.find_first_not_of(" \t") != std::string::npos) add_history(text.c_str());
  return text;
}

} // namespace sourir
