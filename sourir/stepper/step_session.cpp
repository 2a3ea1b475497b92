#include "sourir/stepper/step_session.h"

#include "sourir/stepper/step_columns.h"
#include "sourir/stepper/step_commands.h"
#include "sourir/stepper/step_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace sourir {

namespace {

std::pair<std::string_view, std::string_view> first_word(std::string_view line) {
  const std::size_t blank = std::min(line.find_first_of(" \t"), line.size());
  return {line.substr(0, blank), trimmed(line.substr(blank))};
}

BreakpointsView::Row view_breakpoint(const ViewContext& v, const Breakpoint& b) {
  BreakpointsView::Row row{b.number, b.asked, {}};
  for (const StepPosition at : b.at) row.at.push_back(view_place(v, at));
  return row;
}

std::string help_line(const CommandRow& row) {
  const std::string call = fmt::format("{} {}", row.name, row.arguments);
  return fmt::format("  {:<24} {:<5} {}\n", call, row.shortcut, row.summary);
}

// All places of a program as commands write them.
std::set<std::string> places(const StepProgram& program) {
  std::set<std::string> out;
  for (const ResolvedVersion* code : program.versions()) {
    const std::string function(program.names().text(code->function));
    const std::string version = function + "." + std::string(program.names().text(code->version));
    out.insert(function);
    out.insert(version);
    for (const auto& [pc, label] : code->labels)
      out.insert(version + "." + std::string(program.names().text(label)));
  }
  return out;
}

Config growing(Config c, const GrowthSchedule* growth) {
  c.growth = growth;
  return c;
}

std::set<std::string> variables(const ViewContext& v) {
  std::set<std::string> out;
  if (!v.config().stopped())
    for (const VariableView& x :
         view_environment(v, *v.config().code, v.config().env(), reference_text))
      out.insert(x.name);
  return out;
}

} // namespace

std::vector<std::string_view> commands_in(std::string_view line) {
  std::vector<std::string_view> commands;
  std::size_t begin = 0, i = 0;
  const auto end_command = [&] {
    if (const auto command = trimmed(line.substr(begin, i - begin)); !command.empty())
      commands.push_back(command);
    begin = i + 1;
  };
  for (bool in_string = false; i < line.size() && (in_string || line[i] != '#'); ++i) {
    if (in_string && line[i] == '\\')
      ++i;
    else if (line[i] == '"')
      in_string = !in_string;
    else if (line[i] == ';' && !in_string)
      end_command();
  }
  i = std::min(i, line.size());
  end_command();
  return commands;
}

std::string StepReply::text() const {
  if (const auto* wrong = std::get_if<CommandError>(&answer))
    return visible("error: " + wrong->message + "\n");
  return to_text(std::get<StepView>(answer));
}

StepSession::StepSession(const StepProgram& program, Input& input, const Schedule& schedule,
                         const Limits& limits, bool has_input, const std::atomic<bool>& interrupt,
                         const GrowthSchedule* growth)
    : program_(program),
      walker_(growing(start(program.linked(), input, schedule, limits), growth), interrupt),
      has_input_(has_input) {}

StepReply StepSession::execute(std::string_view line) {
  StepReply reply;
  reply.command = trimmed(line);
  if (reply.command.empty()) reply.command = last_;
  const auto [word, argument] = first_word(reply.command);
  if (!word.empty()) {
    const auto found = find_command(word);
    if (const auto* wrong = std::get_if<CommandError>(&found)) {
      reply.answer = *wrong;
    } else {
      const CommandRow& row = *std::get<const CommandRow*>(found);
      reply.answer = row.run(*this, argument);
      reply.quit = row.run == command_quit && reply.ok();
      if (row.repeats) last_ = reply.command;
    }
  }
  reply.here = view_here(view_context());
  return reply;
}

std::vector<std::string> StepSession::complete(std::string_view line) const {
  while (line.starts_with(' ')) line.remove_prefix(1);
  const std::size_t blank = line.find_last_of(" \t");
  const std::string_view last = blank == std::string_view::npos ? line : line.substr(blank + 1);
  std::set<std::string> known;
  const auto found = find_command(first_word(line).first);
  const auto* row = std::get_if<const CommandRow*>(&found);
  if (blank == std::string_view::npos || (row && (*row)->run == command_help)) {
    for (const CommandRow& r : command_rows()) known.emplace(r.name);
  } else if (row && ((*row)->run == command_break || (*row)->run == command_list)) {
    known = places(program_);
  } else if (row && (*row)->run == command_print) {
    known = variables(view_context());
  }
  std::vector<std::string> out;
  for (const std::string& word : known)
    if (word.starts_with(last)) out.push_back(word);
  return out;
}

Answer command_break(StepSession& session, std::string_view argument) {
  if (argument.empty())
    return CommandError{"break needs a place or a line, as in `break main.V1.loop` or `break 12`"};
  auto found = Breakpoints::resolve(session.program(), argument);
  if (!found) return CommandError{found.error().message};
  const Breakpoint& made =
      session.walker().breakpoints().add(std::string(argument), *std::move(found));
  return BreakpointsView{{view_breakpoint(session.view_context(), made)}};
}

Answer command_delete(StepSession& session, std::string_view argument) {
  Breakpoints& breakpoints = session.walker().breakpoints();
  if (argument == "all") {
    breakpoints.clear();
    return TextView{"all breakpoints removed\n"};
  }
  const std::string_view what = "the number of a breakpoint or `all`, as in `delete 1`";
  if (argument.empty()) return CommandError{fmt::format("delete needs {}", what)};
  const auto number = number_argument(argument, 0, what);
  if (const auto* wrong = std::get_if<CommandError>(&number)) return *wrong;
  const std::uint64_t n = std::get<std::uint64_t>(number);
  if (n > ~std::uint32_t{0} || !breakpoints.remove(static_cast<std::uint32_t>(n)))
    return CommandError{fmt::format("there is no breakpoint {}; `breakpoints` lists them", n)};
  return TextView{fmt::format("breakpoint {} removed\n", n)};
}

Answer command_breakpoints(StepSession& session, std::string_view argument) {
  if (const auto wrong = no_argument("breakpoints", argument)) return *wrong;
  BreakpointsView view;
  for (const Breakpoint& b : session.walker().breakpoints().all())
    view.rows.push_back(view_breakpoint(session.view_context(), b));
  return view;
}

Answer command_help(StepSession&, std::string_view argument) {
  std::string text;
  if (argument.empty()) {
    for (const CommandRow& row : command_rows()) text += help_line(row);
    return TextView{text + "Unambiguous beginnings of names do as well. An empty line repeats the "
                           "last move. `help COMMAND` says more.\n"};
  }
  const auto found = find_command(argument);
  if (const auto* wrong = std::get_if<CommandError>(&found)) return *wrong;
  const CommandRow& row = *std::get<const CommandRow*>(found);
  text = fmt::format("{}{}{}: {}\n", row.name, row.arguments.empty() ? "" : " ", row.arguments,
                     row.summary);
  if (!row.shortcut.empty()) text += fmt::format("short: {}\n", row.shortcut);
  if (!row.details.empty()) text += fmt::format("{}\n", row.details);
  return TextView{text};
}

Answer command_quit(StepSession&, std::string_view argument) {
  if (const auto wrong = no_argument("quit", argument)) return *wrong;
  return TextView{};
}

} // namespace sourir
