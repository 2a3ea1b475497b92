#include "sourir/cli/tui/step_line.h"

#include "sourir/cli/load_file.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/input_lines.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"
#include "sourir/stepper/step_columns.h"
#include "sourir/stepper/step_text.h"

#include <editline/readline.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sourir {
namespace {

// Lines from the terminal with editing, history and completion (libedit).
class LineEditor {
public:
  // All completions of the last word of a line.
  using Complete = std::function<std::vector<std::string>(std::string_view line)>;
  // At most one editor can exist at a time.
  explicit LineEditor(Complete complete);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // The next line; nothing at the end of the input (Ctrl-D) and after a signal.
  std::optional<std::string> read(const std::string& prompt);
};

// A global, as libedit's callbacks have no context.
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
  rl_attempted_completion_over = 1; // no file names
  return rl_completion_matches(text, next_word);
}

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

void write(const StepSession& session, const StepReply& reply, bool json) {
  standard_output().write(json ? to_json(reply, session.program().names()) : reply.text());
}

std::string prompt(const StepSession& session) {
  const Config& c = session.walker().config();
  const std::string place =
      c.stopped() ? "end" : session.program().place(session.walker().position());
  return fmt::format("({} {}) ", c.steps, visible(place));
}

// Executes the commands of a line; false after `quit`.
bool do_line(StepSession& session, std::string_view line, bool json) {
  std::vector<std::string_view> commands = commands_in(line);
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) commands = {""};
  for (const std::string_view command : commands) {
    const StepReply reply = session.execute(command);
    write(session, reply, json);
    if (reply.quit) return false;
    if (!reply.ok() || SignalWatch::interrupt()) break;
  }
  return true;
}

int edit_lines(StepSession& session) {
  Output& out = standard_output();
  out.write(fmt::format("{}: `help` lists the commands\n{}\n",
                        visible(session.program().source().name()),
                        visible(here_line(view_here(session.view_context())))));
  LineEditor editor([&](std::string_view line) { return session.complete(line); });
  for (;;) {
    out.flush();
    SignalWatch::interrupt() = false;
    const auto line = editor.read(prompt(session));
    if (SignalWatch::ending() != 0) return exit_status::kFine;
    const bool interrupted = SignalWatch::interrupt().exchange(false);
    if (!line) out.write("\n");
    if (!line && !interrupted) return exit_status::kFine;
    if (!line || interrupted) continue;
    if (!do_line(session, *line, false)) return exit_status::kFine;
  }
}

} // namespace

int run_lines(StepSession& session, bool json) {
  if (!json && isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0) return edit_lines(session);
  Output& out = standard_output();
  auto opened = open_to_read("-");
  if (const auto* problem = std::get_if<FileProblem>(&opened)) {
    say_error(problem->message);
    return exit_status::kUnreadable;
  }
  InputLines lines(std::get<OpenFile>(std::move(opened)), "standard input", [&] { out.flush(); });
  while (const auto line = lines.next()) {
    if (!do_line(session, *line, json) || out.failed() || SignalWatch::interrupt()) break;
  }
  return SignalWatch::interrupt() ? exit_status::kInterrupted : exit_status::kFine;
}

int run_script(StepSession& session, const ScriptOptions& options) {
  Output& out = standard_output();
  std::string_view rest = options.text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    for (const std::string_view command : commands_in(rest.substr(0, end))) {
      if (!options.json) out.write(fmt::format("> {}\n", visible(command)));
      const StepReply reply = session.execute(command);
      write(session, reply, options.json);
      if (SignalWatch::interrupt()) return exit_status::kInterrupted;
      if (!reply.ok() && !options.keep_going) {
        say_error(
            fmt::format("{}:{}: this command failed; --keep-going goes on", options.name, number));
        return exit_status::kUsage;
      }
      if (reply.quit || out.failed()) return exit_status::kFine;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return exit_status::kFine;
}

} // namespace sourir
