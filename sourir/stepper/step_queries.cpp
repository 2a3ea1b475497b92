// The commands that look, and change nothing.
#include "sourir/stepper/step_commands.h"

#include "sourir/semantics/eval.h"
#include "sourir/syntax/suggest.h"
#include "sourir/syntax/text/parser.h"

#include <algorithm>
#include <fmt/format.h>

namespace sourir {

namespace {

std::string value_at(Value value, const Viewed& v) { return value_text(value, v); }

// What a source pane is centred on when nothing is asked for.
std::uint32_t current_line(const StepSession& session) {
  const Walker& walker = session.walker();
  return walker.config().stopped() ? 1 : session.program().line(walker.position());
}

// An expression over the names of the current environment, its variables replaced by values.
class Question {
public:
  explicit Question(const StepSession& session) : v_(session.viewed()) {}

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

  Viewed v_;
  std::string problem_;
};

} // namespace

Answer command_show(StepSession& session, std::string_view argument) {
  if (const auto wrong = no_argument("show", argument)) return *wrong;
  const Viewed v = session.viewed();
  if (v.config().stopped()) return ShowView{view_here(v), {}, {}, 0};
  return ShowView{view_here(v), view_source(v, current_line(session), 3, 3),
                  view_frame(v, 0, value_at).environment, v.config().frames.size()};
}

Answer command_where(StepSession& session, std::string_view argument) {
  if (const auto wrong = no_argument("where", argument)) return *wrong;
  return WhereView{view_here(session.viewed())};
}

Answer command_env(StepSession& session, std::string_view argument) {
  const auto number =
      number_argument(argument, 0, "the number of a frame as `stack` shows it, as in `env 1`");
  if (const auto* wrong = std::get_if<CommandError>(&number)) return *wrong;
  const std::uint64_t frame = std::get<std::uint64_t>(number);
  const Config& c = session.walker().config();
  if (frame > (c.stopped() ? 0 : c.frames.size()))
    return CommandError{fmt::format("there is no frame {}; `stack` lists the frames", frame)};
  return EnvView{view_frame(session.viewed(), frame, value_at)};
}

Answer command_stack(StepSession& session, std::string_view argument) {
  const auto most = number_argument(argument, 20, "how many frames to show, as in `stack 100`");
  if (const auto* wrong = std::get_if<CommandError>(&most)) return *wrong;
  return view_stack(session.viewed(), std::get<std::uint64_t>(most));
}

Answer command_heap(StepSession& session, std::string_view argument) {
  const Viewed v = session.viewed();
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
  return view_rule(session.viewed());
}

Answer command_list(StepSession& session, std::string_view argument) {
  std::uint32_t line = current_line(session);
  if (!argument.empty()) {
    const auto found = Breakpoints::resolve(session.program(), argument);
    if (const auto* wrong = std::get_if<std::string>(&found)) return CommandError{*wrong};
    line = session.program().line(std::get<std::vector<Position>>(found).front());
  }
  return view_source(session.viewed(), line, 5, 5);
}

Answer command_output(StepSession& session, std::string_view argument) {
  const auto most = number_argument(argument, 50, "how many lines to show, as in `output 500`");
  if (const auto* wrong = std::get_if<CommandError>(&most)) return *wrong;
  return view_output(session.viewed(), 0, std::get<std::uint64_t>(most));
}

Answer command_state(StepSession& session, std::string_view argument) {
  if (!argument.empty() && argument != "whole")
    return CommandError{"state takes nothing, or `whole` to leave nothing out"};
  return view_state(session.viewed(), argument == "whole");
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
  return ValueView{
      {std::string(argument), value.value, value_text(value.value, session.viewed(), 10'000)}};
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
    view.steps.push_back(view_step(session.viewed()));
    walker.step(StepDirection::Forward);
  }
  view.here = view_here(session.viewed());
  return view;
}

} // namespace sourir
