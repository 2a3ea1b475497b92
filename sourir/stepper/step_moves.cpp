// The commands that move.
#include "sourir/stepper/step_commands.h"

#include <fmt/format.h>

namespace sourir {

namespace {

constexpr std::uint64_t kListed = 10;     // steps that a move shows one by one
constexpr std::size_t kPrintedShown = 10; // lines

// What a move was, put together around it.
class Move {
public:
  explicit Move(StepSession& session)
      : session_(session), from_(session.walker().config().steps),
        output_(session.walker().output().size()) {}

  void add(StepLine step) { view_.steps.push_back(std::move(step)); }

  StepView done(WalkEnd why) {
    const Walker& walker = session_.walker();
    const std::uint64_t now = walker.config().steps;
    const bool forward = now >= from_;
    view_.moved = forward ? now - from_ : from_ - now;
    view_.direction = forward ? StepDirection::Forward : StepDirection::Back;
    view_.why = why;
    view_.here = view_here(session_.viewed());
    if (why == WalkEnd::Breakpoint) view_.breakpoint = walker.breakpoints().at(walker.position());
    if (forward && view_.steps.empty() && walker.output().size() > output_) {
      OutputView printed = view_output(session_.viewed(), output_, kPrintedShown);
      view_.printed = std::move(printed.lines);
      view_.printed_lines = printed.total;
    }
    return std::move(view_);
  }

private:
  StepSession& session_;
  std::uint64_t from_;
  std::size_t output_;
  MoveView view_;
};

WalkEnd few_forward(StepSession& session, std::uint64_t count, Move& move) {
  Walker& walker = session.walker();
  while (count-- > 0) {
    if (walker.config().stopped()) return WalkEnd::End;
    StepLine line = view_step(session.viewed());
    if (walker.step(StepDirection::Forward) != WalkEnd::Arrived) return WalkEnd::End;
    move.add(std::move(line));
  }
  return walker.config().stopped() ? WalkEnd::End : WalkEnd::Arrived;
}

WalkEnd few_back(StepSession& session, std::uint64_t count, Move& move) {
  while (count-- > 0) {
    if (session.walker().step(StepDirection::Back) != WalkEnd::Arrived) return WalkEnd::Start;
    move.add(view_step(session.viewed()));
  }
  return WalkEnd::Arrived;
}

Answer walk(StepSession& session, std::string_view command, std::string_view argument,
            WalkEnd (Walker::*go)(StepDirection), StepDirection direction) {
  if (const auto wrong = no_argument(command, argument)) return *wrong;
  Move move(session);
  return move.done((session.walker().*go)(direction));
}

} // namespace

Answer command_step(StepSession& session, std::string_view argument) {
  const auto count = number_argument(argument, 1, "a number of steps, as in `step 5`");
  if (const auto* wrong = std::get_if<CommandError>(&count)) return *wrong;
  Move move(session);
  const std::uint64_t n = std::get<std::uint64_t>(count), at = session.walker().config().steps;
  return move.done(n <= kListed ? few_forward(session, n, move)
                                : session.walker().to_step(n < ~at ? at + n : ~std::uint64_t{0}));
}

Answer command_back(StepSession& session, std::string_view argument) {
  const auto count = number_argument(argument, 1, "a number of steps, as in `back 5`");
  if (const auto* wrong = std::get_if<CommandError>(&count)) return *wrong;
  Move move(session);
  const std::uint64_t n = std::get<std::uint64_t>(count), at = session.walker().config().steps;
  return move.done(n <= kListed ? few_back(session, n, move)
                                : session.walker().to_step(n < at ? at - n : 0));
}

Answer command_continue(StepSession& session, std::string_view argument) {
  return walk(session, "continue", argument, &Walker::to_breakpoint, StepDirection::Forward);
}
Answer command_reverse_continue(StepSession& session, std::string_view argument) {
  return walk(session, "reverse-continue", argument, &Walker::to_breakpoint, StepDirection::Back);
}
Answer command_deopt(StepSession& session, std::string_view argument) {
  return walk(session, "deopt", argument, &Walker::to_deopt, StepDirection::Forward);
}
Answer command_reverse_deopt(StepSession& session, std::string_view argument) {
  return walk(session, "reverse-deopt", argument, &Walker::to_deopt, StepDirection::Back);
}
Answer command_next(StepSession& session, std::string_view argument) {
  return walk(session, "next", argument, &Walker::over_call, StepDirection::Forward);
}
Answer command_reverse_next(StepSession& session, std::string_view argument) {
  return walk(session, "reverse-next", argument, &Walker::over_call, StepDirection::Back);
}
Answer command_finish(StepSession& session, std::string_view argument) {
  return walk(session, "finish", argument, &Walker::out_of_frame, StepDirection::Forward);
}
Answer command_reverse_finish(StepSession& session, std::string_view argument) {
  return walk(session, "reverse-finish", argument, &Walker::out_of_frame, StepDirection::Back);
}

Answer command_goto(StepSession& session, std::string_view argument) {
  constexpr std::uint64_t kEnd = ~std::uint64_t{0};
  const std::string_view what = "a number of steps from the start or `end`, as in `goto 100`";
  if (argument.empty()) return CommandError{fmt::format("goto needs {}", what)};
  const auto number = argument == "end" ? kEnd : number_argument(argument, 0, what);
  if (const auto* wrong = std::get_if<CommandError>(&number)) return *wrong;
  Move move(session);
  return move.done(session.walker().to_step(std::get<std::uint64_t>(number)));
}

Answer command_restart(StepSession& session, std::string_view argument) {
  if (const auto wrong = no_argument("restart", argument)) return *wrong;
  Move move(session);
  return move.done(session.walker().to_step(0));
}

} // namespace sourir
