#include "sourir/cli/step_line.h"

#include "sourir/cli/exit_status.h"
#include "sourir/cli/input_lines.h"
#include "sourir/cli/load_file.h"
#include "sourir/cli/output.h"
#include "sourir/cli/step_columns.h"
#include "sourir/cli/step_edit.h"
#include "sourir/cli/step_json.h"
#include "sourir/cli/step_signals.h"
#include "sourir/cli/step_text.h"

#include <fmt/format.h>
#include <unistd.h>

namespace sourir {

namespace {

void write(const StepSession& session, const StepReply& reply, bool json) {
  standard_output().write(json ? to_json(reply, session.program().names()) : reply.text());
}

std::string prompt(const StepSession& session) {
  const Config& c = session.walker().config();
  const std::string place =
      c.stopped() ? "end" : session.program().place(session.walker().position());
  return fmt::format("({} {}) ", c.steps, visible(place));
}

int edit_lines(StepSession& session) {
  Output& out = standard_output();
  out.write(fmt::format("{}: `help` lists the commands\n{}\n",
                        visible(session.program().source().name()),
                        visible(here_line(view_here(session.viewed())))));
  LineEditor editor([&](std::string_view line) { return session.complete(line); });
  for (;;) {
    out.flush();
    const auto line = editor.read(prompt(session));
    if (SignalWatch::ending() != 0) return exit_status::kFine;
    const bool interrupted = SignalWatch::interrupt().exchange(false);
    if (!line) out.write("\n");
    if (!line && !interrupted) return exit_status::kFine;
    if (!line || interrupted) continue;
    const StepReply reply = session.execute(*line);
    write(session, reply, false);
    if (reply.quit) return exit_status::kFine;
  }
}

// Without what `#` outside of a string starts.
std::string_view without_comment(std::string_view line) {
  bool in_string = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && !(in_string && line[i - 1] == '\\')) in_string = !in_string;
    if (line[i] == '#' && !in_string) return line.substr(0, i);
  }
  return line;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
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
    const StepReply reply = session.execute(*line);
    write(session, reply, json);
    if (reply.quit || out.failed() || SignalWatch::interrupt()) break;
  }
  return SignalWatch::interrupt() ? exit_status::kInterrupted : exit_status::kFine;
}

int run_script(StepSession& session, const ScriptOptions& options) {
  Output& out = standard_output();
  std::string_view rest = options.text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = trimmed(without_comment(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty()) continue;
    if (!options.json) out.write(fmt::format("> {}\n", visible(line)));
    const StepReply reply = session.execute(line);
    write(session, reply, options.json);
    if (SignalWatch::interrupt()) return exit_status::kInterrupted;
    if (!reply.ok() && !options.keep_going) {
      say_error(
          fmt::format("{}:{}: this command failed; --keep-going goes on", options.name, number));
      return exit_status::kUsage;
    }
    if (reply.quit || out.failed()) break;
  }
  return exit_status::kFine;
}

} // namespace sourir
