// The commands of the stepper: a table with one row each, its look-up, and the handlers.
#pragma once

#include "sourir/stepper/step_session.h"

#include <span>

namespace sourir {

// `argument` is the text after the command's name, without blanks around it.
using CommandHandler = Answer (*)(StepSession& session, std::string_view argument);

struct CommandRow {
  std::string_view name;
  std::string_view shortcut;  // short forms with a blank between; may be empty
  std::string_view arguments; // as shown in the help; may be empty
  std::string_view summary;   // one line
  std::string_view details;   // more for `help COMMAND`; may be empty
  CommandHandler run;
  bool repeats; // a move, which an empty command repeats
};

std::span<const CommandRow> command_rows();

// The command of that name, short form or unambiguous prefix; or the error.
std::variant<const CommandRow*, CommandError> find_command(std::string_view word);

// Handlers: moves.
Answer command_step(StepSession& session, std::string_view argument);
Answer command_back(StepSession& session, std::string_view argument);
Answer command_continue(StepSession& session, std::string_view argument);
Answer command_reverse_continue(StepSession& session, std::string_view argument);
Answer command_deopt(StepSession& session, std::string_view argument);
Answer command_reverse_deopt(StepSession& session, std::string_view argument);
Answer command_next(StepSession& session, std::string_view argument);
Answer command_reverse_next(StepSession& session, std::string_view argument);
Answer command_finish(StepSession& session, std::string_view argument);
Answer command_reverse_finish(StepSession& session, std::string_view argument);
Answer command_goto(StepSession& session, std::string_view argument);
Answer command_restart(StepSession& session, std::string_view argument);

// Handlers: queries, which change nothing.
Answer command_show(StepSession& session, std::string_view argument);
Answer command_where(StepSession& session, std::string_view argument);
Answer command_env(StepSession& session, std::string_view argument);
Answer command_stack(StepSession& session, std::string_view argument);
Answer command_heap(StepSession& session, std::string_view argument);
Answer command_rule(StepSession& session, std::string_view argument);
Answer command_list(StepSession& session, std::string_view argument);
Answer command_output(StepSession& session, std::string_view argument);
Answer command_state(StepSession& session, std::string_view argument);
Answer command_print(StepSession& session, std::string_view argument);
Answer command_history(StepSession& session, std::string_view argument);

// Handlers: breakpoints and the session (in step_session.cpp).
Answer command_break(StepSession& session, std::string_view argument);
Answer command_delete(StepSession& session, std::string_view argument);
Answer command_breakpoints(StepSession& session, std::string_view argument);
Answer command_help(StepSession& session, std::string_view argument);
Answer command_quit(StepSession& session, std::string_view argument);

// The number that is all of `argument`; `fallback` if it is empty; or an error that names what the
// command takes.
std::variant<std::uint64_t, CommandError>
number_argument(std::string_view argument, std::uint64_t fallback, std::string_view what);
// The error if there is an argument; otherwise nothing.
std::optional<CommandError> no_argument(std::string_view command, std::string_view argument);

} // namespace sourir
