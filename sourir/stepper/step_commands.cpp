#include "sourir/stepper/step_commands.h"

#include "sourir/semantics/eval.h"
#include "sourir/syntax/suggest.h"
#include "sourir/syntax/text/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace sourir {

namespace {

constexpr CommandRow kRows[] = {
    {"step", "s", "[N]", "does the next N steps (1)", "", command_step, true},
    {"back", "b", "[N]", "undoes the last N steps (1)", "", command_back, true},
    {"next", "n", "", "does a step, over all of a call",
     "Ends early at a breakpoint inside the call.", command_next, true},
    {"reverse-next", "N rn", "", "undoes a step, over all of a call", "", command_reverse_next,
     true},
    {"finish", "f", "", "goes on until the current frame has returned",
     "The frame may be replaced by others meanwhile: a deoptimization does not return.",
     command_finish, true},
    {"reverse-finish", "F rf", "", "goes back to before the current frame was made", "",
     command_reverse_finish, true},
    {"continue", "c", "", "goes on to the next breakpoint or the end", "", command_continue, true},
    {"reverse-continue", "r rc", "", "goes back to the previous breakpoint or the start", "",
     command_reverse_continue, true},
    {"deopt", "d", "", "goes on to just before the next deoptimization, or to the end",
     "Stops where AssumeDeopt, AssumeForce, AnchorDeopt, AssumeInvalidate or AnchorInvalidate is "
     "the "
     "rule that fires next: `rule` shows what it will build, `step` takes it.",
     command_deopt, true},
    {"reverse-deopt", "D rd", "", "goes back to just before the previous deoptimization", "",
     command_reverse_deopt, true},
    {"goto", "g", "N|end", "goes to the configuration after N steps from the start",
     "Forward or back; `goto end` goes on over all breakpoints.", command_goto, false},
    {"restart", "", "", "goes back to the start; breakpoints stay", "", command_restart, false},
    {"break", "br B", "PLACE|LINE", "sets a breakpoint",
     "A place is F.V.L, F.V.L+n or F.V+n; F.V means its start, F the start of each of its "
     "versions. "
     "A line without an instruction means the next one that has some. Walks stop before the "
     "instruction there is done.",
     command_break, false},
    {"delete", "", "N|all", "removes a breakpoint", "", command_delete, false},
    {"breakpoints", "", "", "lists the breakpoints", "", command_breakpoints, false},
    {"show", "", "", "where we are, with the source, the environment and the rule", "",
     command_show, false},
    {"where", "w", "", "the position and the rule that fires next", "", command_where, false},
    {"rule", "", "", "the rule that fires next: premises, effect, frames that it builds",
     "Premises are shown as `e -> v`: expression e has value v in this environment and heap. For "
     "an "
     "exit, the frames are those of its metadata, innermost first, with their environments.",
     command_rule, false},
    {"env", "e", "[FRAME]", "the environment of a frame (0, the current one)", "", command_env,
     false},
    {"stack", "", "[N]", "the frames: the current one and the continuations that wait",
     "`x = $` is the variable that receives the result.", command_stack, false},
    {"heap", "", "[ADDRESS]", "the arrays that can be reached from here, or one of them", "",
     command_heap, false},
    {"list", "l", "[PLACE|LINE]", "the source around the position",
     "`=>` marks the position, `*1` a line with breakpoint 1.", command_list, false},
    {"output", "o", "[N]", "the last N lines that the program printed (50)", "", command_output,
     false},
    {"print", "p", "EXPR", "the value of an expression in the current environment", "",
     command_print, false},
    {"state", "", "[whole]", "the whole configuration as one text",
     "The same text means the same configuration, however one came there. Long parts are left out "
     "and stand in a digest; `state whole` leaves nothing out.",
     command_state, false},
    {"history", "", "[N]", "the last N steps that led here (10)", "", command_history, false},
    {"help", "h ?", "[COMMAND]", "this list, or more about a command", "", command_help, false},
    {"quit", "q", "", "ends the session", "", command_quit, false},
};

bool is_shortcut(const CommandRow& row, std::string_view word) {
  for (std::string_view rest = row.shortcut; !rest.empty();) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, blank) == word) return true;
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  return false;
}

CommandError unknown(std::string_view word) {
  std::vector<std::string_view> names;
  for (const CommandRow& row : kRows) names.push_back(row.name);
  const auto best = closest(word, names);
  return {fmt::format("there is no command {}; {}", word,
                      best ? fmt::format("did you mean {}?", *best)
                           : std::string("`help` lists the commands"))};
}

} // namespace

std::span<const CommandRow> command_rows() { return kRows; }

std::variant<const CommandRow*, CommandError> find_command(std::string_view word) {
  std::vector<const CommandRow*> candidates;
  for (const CommandRow& row : kRows) {
    if (row.name == word || is_shortcut(row, word)) return &row;
    if (row.name.starts_with(word)) candidates.push_back(&row);
  }
  if (candidates.empty()) return unknown(word);
  const CommandRow* shortest = *std::ranges::min_element(
      candidates, {}, [](const CommandRow* row) { return row->name.size(); });
  if (std::ranges::all_of(
          candidates, [&](const CommandRow* row) { return row->name.starts_with(shortest->name); }))
    return shortest;
  std::string list;
  for (const CommandRow* row : candidates)
    list += fmt::format("{}{}", list.empty() ? "" : ", ", row->name);
  return CommandError{fmt::format("{} could be {}", word, list)};
}

std::variant<std::uint64_t, CommandError>
number_argument(std::string_view argument, std::uint64_t fallback, std::string_view what) {
  std::uint64_t number = fallback;
  const char* end = argument.data() + argument.size();
  if (!argument.empty()) {
    const auto [rest, error] = std::from_chars(argument.data(), end, number);
    if (error == std::errc::result_out_of_range && rest == end) return ~std::uint64_t{0};
    if (error != std::errc{} || rest != end)
      return CommandError{fmt::format("{} is not {}", argument, what)};
  }
  return number;
}

std::optional<CommandError> no_argument(std::string_view command, std::string_view argument) {
  if (argument.empty()) return std::nullopt;
  return CommandError{
      fmt::format("{} takes nothing after it; this is too much: {}", command, argument)};
}

// --- Queries: commands that change nothing -------------------------------------------------------

namespace {

std::string value_at(Value value, const ViewContext& v) { return value_text(value, v); }

// The line that source views are centred on by default.
std::uint32_t current_line(const StepSession& session) {
  const Walker& walker = session.walker();
  return walker.config().stopped() ? 1 : session.program().line(walker.position());
}

// An expression over the names of the current environment, its variables replaced by values.
class Question {
public:
  explicit Question(const StepSession& session) : v_(session.view_context()) {}

  resolved::Operand operand(const SimpleExpr& se) {
    return match(
        se, [&](Var x) { return resolved::Operand{variable(x)}; },
        [](Nil) { return resolved::Operand{}; }, [](bool b) { return resolved::Operand{Value(b)}; },
        [](std::int64_t n) { return resolved::Operand{Value(n)}; },
        [](Float f) { return resolved::Operand{Value(f.value)}; },
        [](Str s) { return resolved::Operand{Value(s)}; },
        [&](FunName f) { return resolved::Operand{function(f)}; });
  }

  resolved::Expr expr(const Expr& e) {
    using resolved::Shape;
    const auto op = [](auto o) { return static_cast<std::uint8_t>(o); };
    return match(
        e, [&](const SimpleExpr& se) { return resolved::Expr{Shape::Simple, 0, operand(se), {}}; },
        [&](const Unary& u) {
          return resolved::Expr{Shape::Unary, op(u.op), operand(u.operand), {}};
        },
        [&](const Binary& b) {
          return resolved::Expr{Shape::Binary, op(b.op), operand(b.left), operand(b.right)};
        },
        [&](const Index& i) {
          return resolved::Expr{Shape::Index, 0, operand(i.array), operand(i.index)};
        },
        [&](const Length& l) { return resolved::Expr{Shape::Length, 0, operand(l.array), {}}; },
        [&](const KindTest& k) {
          return resolved::Expr{Shape::KindTest, op(k.kind), operand(k.operand), {}};
        },
        [&](const ElementsTest& t) {
          return resolved::Expr{Shape::ElementsTest, op(t.kind), operand(t.operand), {}};
        });
  }

  const std::string& problem() const { return problem_; }

private:
  Value variable(Var x) {
    const Config& c = v_.config();
    const auto slot = c.code->slot_of(x);
    if (slot && !c.env()[*slot].is(Tag::Unbound)) return c.env()[*slot];
    std::vector<std::string_view> known;
    for (Slot s = 0; s < c.code->slots.size(); ++s)
      if (!c.env()[s].is(Tag::Unbound)) known.push_back(v_.names().text(c.code->slots[s]));
    const auto best = closest(v_.names().text(x), known);
    complain(fmt::format("there is no {} in scope here{}", v_.names().text(x),
                         best ? fmt::format("; did you mean {}?", *best) : ""));
    return Value();
  }

  Value function(FunName f) {
    if (!v_.program.linked().function(f))
      complain(fmt::format("there is no function {} in the program", v_.names().text(f)));
    return Value(f);
  }

  void complain(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }

  ViewContext v_;
  std::string problem_;
};

} // namespace

Answer command_show(StepSession& session, std::string_view argument) {
  if (const auto wrong = no_argument("show", argument)) return *wrong;
  const ViewContext v = session.view_context();
  if (v.config().stopped()) return ShowView{view_here(v), {}, {}, 0};
  return ShowView{view_here(v), view_source(v, current_line(session), 3, 3),
                  view_frame(v, 0, value_at).environment, v.config().frames.size()};
}

Answer command_where(StepSession& session, std::string_view argument) {
  if (const auto wrong = no_argument("where", argument)) return *wrong;
  return WhereView{view_here(session.view_context())};
}

Answer command_env(StepSession& session, std::string_view argument) {
  const auto number =
      number_argument(argument, 0, "the number of a frame as `stack` shows it, as in `env 1`");
  if (const auto* wrong = std::get_if<CommandError>(&number)) return *wrong;
  const std::uint64_t frame = std::get<std::uint64_t>(number);
  const Config& c = session.walker().config();
  if (frame > (c.stopped() ? 0 : c.frames.size()))
    return CommandError{fmt::format("there is no frame {}; `stack` lists the frames", frame)};
  return EnvView{view_frame(session.view_context(), frame, value_at)};
}

Answer command_stack(StepSession& session, std::string_view argument) {
  const auto most = number_argument(argument, 20, "how many frames to show, as in `stack 100`");
  if (const auto* wrong = std::get_if<CommandError>(&most)) return *wrong;
  return view_stack(session.view_context(), std::get<std::uint64_t>(most));
}

Answer command_heap(StepSession& session, std::string_view argument) {
  const ViewContext v = session.view_context();
  if (argument.empty()) return view_heap(v, 100);
  argument.remove_prefix(argument.starts_with('@') ? 1 : 0);
  const auto address = number_argument(argument, 0, "an address, as in `heap @3`");
  if (const auto* wrong = std::get_if<CommandError>(&address)) return *wrong;
  const std::uint64_t a = std::get<std::uint64_t>(address);
  const Heap& heap = v.config().heap;
  if (argument.empty() || a >= heap.blocks.size())
    return CommandError{
        fmt::format("there is no array @{}; {} allocated so far", argument, heap.blocks.size())};
  HeapView view{{view_block(v, Address{static_cast<std::uint32_t>(a)}, 10'000)}, false, 0, 0};
  view.allocated = heap.blocks.size();
  view.bytes = heap.bytes;
  return view;
}

Answer command_rule(StepSession& session, std::string_view argument) {
  if (const auto wrong = no_argument("rule", argument)) return *wrong;
  return view_rule(session.view_context());
}

Answer command_list(StepSession& session, std::string_view argument) {
  std::uint32_t line = current_line(session);
  if (!argument.empty()) {
    const auto found = Breakpoints::resolve(session.program(), argument);
    if (!found) return CommandError{found.error().message};
    line = session.program().line(found->front());
  }
  return view_source(session.view_context(), line, 5, 5);
}

Answer command_output(StepSession& session, std::string_view argument) {
  const auto most = number_argument(argument, 50, "how many lines to show, as in `output 500`");
  if (const auto* wrong = std::get_if<CommandError>(&most)) return *wrong;
  return view_output(session.view_context(), 0, std::get<std::uint64_t>(most));
}

Answer command_state(StepSession& session, std::string_view argument) {
  if (!argument.empty() && argument != "whole")
    return CommandError{"state takes nothing, or `whole` to leave nothing out"};
  return view_state(session.view_context(), argument == "whole");
}

Answer command_print(StepSession& session, std::string_view argument) {
  if (argument.empty())
    return CommandError{"print needs an expression, as in `print x` or `print (x + 1)`"};
  if (session.walker().config().stopped())
    return CommandError{"the program has stopped: there is no environment; `back` goes back"};
  const auto parsed = parse_expr(argument, session.program().names());
  if (!parsed)
    return CommandError{fmt::format("{} is no expression of the language; they look like x, (x + "
                                    "1), v[i], length(v), (x is int)",
                                    argument)};
  Question question(session);
  const resolved::Expr e = question.expr(*parsed);
  if (!question.problem().empty()) return CommandError{question.problem()};
  const EvalResult value = eval(session.walker().config(), e);
  if (!value) return CommandError{fmt::format("{} has no value: {}", argument, name_of(value.why))};
  return ValueView{{std::string(argument), value.value,
                    value_text(value.value, session.view_context(), 10'000)}};
}

Answer command_history(StepSession& session, std::string_view argument) {
  const auto number = number_argument(argument, 10, "a number of steps, as in `history 20`");
  if (const auto* wrong = std::get_if<CommandError>(&number)) return *wrong;
  Walker& walker = session.walker();
  const std::uint64_t now = walker.config().steps;
  const std::uint64_t most = std::min<std::uint64_t>(std::get<std::uint64_t>(number), 1000);
  walker.to_step(now > most ? now - most : 0);
  HistoryView view;
  while (walker.config().steps < now) {
    view.steps.push_back(view_step(session.view_context()));
    walker.step(StepDirection::Forward);
  }
  view.here = view_here(session.view_context());
  return view;
}

// --- Moves: commands that go through the run -----------------------------------------------------

namespace {

constexpr std::uint64_t kListed = 10;     // steps that a move shows one by one
constexpr std::size_t kPrintedShown = 10; // lines

// The view of a move: made before it, complete with done() after it.
class StepMove {
public:
  explicit StepMove(StepSession& session)
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
    view_.here = view_here(session_.view_context());
    if (why == WalkEnd::Breakpoint) view_.breakpoint = walker.breakpoints().at(walker.position());
    if (forward && view_.steps.empty() && walker.output().size() > output_) {
      OutputView printed = view_output(session_.view_context(), output_, kPrintedShown);
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

WalkEnd few_forward(StepSession& session, std::uint64_t count, StepMove& move) {
  Walker& walker = session.walker();
  while (count-- > 0) {
    if (walker.config().stopped()) return WalkEnd::End;
    StepLine line = view_step(session.view_context());
    if (walker.step(StepDirection::Forward) != WalkEnd::Arrived) return WalkEnd::End;
    move.add(std::move(line));
  }
  return walker.config().stopped() ? WalkEnd::End : WalkEnd::Arrived;
}

WalkEnd few_back(StepSession& session, std::uint64_t count, StepMove& move) {
  while (count-- > 0) {
    if (session.walker().step(StepDirection::Back) != WalkEnd::Arrived) return WalkEnd::Start;
    move.add(view_step(session.view_context()));
  }
  return WalkEnd::Arrived;
}

Answer walk(StepSession& session, std::string_view command, std::string_view argument,
            WalkEnd (Walker::*go)(StepDirection), StepDirection direction) {
  if (const auto wrong = no_argument(command, argument)) return *wrong;
  StepMove move(session);
  return move.done((session.walker().*go)(direction));
}

} // namespace

Answer command_step(StepSession& session, std::string_view argument) {
  const auto count = number_argument(argument, 1, "a number of steps, as in `step 5`");
  if (const auto* wrong = std::get_if<CommandError>(&count)) return *wrong;
  StepMove move(session);
  const std::uint64_t n = std::get<std::uint64_t>(count), at = session.walker().config().steps;
  return move.done(n <= kListed ? few_forward(session, n, move)
                                : session.walker().to_step(n < ~at ? at + n : ~std::uint64_t{0}));
}

Answer command_back(StepSession& session, std::string_view argument) {
  const auto count = number_argument(argument, 1, "a number of steps, as in `back 5`");
  if (const auto* wrong = std::get_if<CommandError>(&count)) return *wrong;
  StepMove move(session);
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
  StepMove move(session);
  return move.done(session.walker().to_step(std::get<std::uint64_t>(number)));
}

Answer command_restart(StepSession& session, std::string_view argument) {
  if (const auto wrong = no_argument("restart", argument)) return *wrong;
  StepMove move(session);
  return move.done(session.walker().to_step(0));
}

} // namespace sourir
