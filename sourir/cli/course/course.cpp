// `sourir course`: the lessons, the programs to begin exercises with, and the judgement of what
// somebody made of them.
#include "sourir/analysis/warnings.h"
#include "sourir/cli/commands.h"
#include "sourir/cli/counterexample_json.h"
#include "sourir/cli/course/exercise_check.h"
#include "sourir/cli/course/lessons.h"
#include "sourir/cli/load_file.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/files.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"
#include "sourir/os/terminal.h"
#include "sourir/semantics/text/state_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

namespace sourir {

namespace {

struct CourseOptions {
  bool json = false;
  bool solution = false; // write solutions instead
};

using Arguments = std::vector<std::string>;

const Lesson* lesson_of(std::string_view number) {
  const auto all = lessons();
  const auto found = std::ranges::find(all, number.substr(0, number.find('.')), &Lesson::number);
  return found == all.end() ? nullptr : &*found;
}

// Of "3" all exercises, of "3.1" one; empty: there is no such lesson or exercise.
std::vector<const Exercise*> exercises_of(std::string_view number) {
  std::vector<const Exercise*> out;
  if (const Lesson* const lesson = lesson_of(number))
    for (const Exercise& one : lesson->exercises)
      if (number.find('.') == number.npos || one.number == number) out.push_back(&one);
  return out;
}

int unknown(const std::string& command, const std::string& number) {
  return usage_error(command, fmt::format("there is no lesson or exercise '{}': `sourir course` "
                                          "lists them",
                                          printable(number)));
}

// --- course

Json listing() {
  Json out = Json::array();
  for (const Lesson& lesson : lessons()) {
    Json exercises = Json::array();
    for (const Exercise& one : lesson.exercises)
      exercises.push_back({{"number", one.number},
                           {"title", one.title},
                           {"file", one.file},
                           {"requirements", requirements_of(one.given)}});
    out.push_back(
        {{"number", lesson.number}, {"title", lesson.title}, {"exercises", std::move(exercises)}});
  }
  return {{"format", "course"}, {"version", 1}, {"lessons", std::move(out)}};
}

int show(const CourseOptions& options, const Arguments& numbers) {
  if (options.json) {
    standard_output().write(json_text(listing()));
    return exit_status::kFine;
  }
  if (!numbers.empty()) {
    const Lesson* const lesson = lesson_of(numbers[0]);
    if (lesson == nullptr) return unknown("course", numbers[0]);
    standard_output().write(lesson->text);
    return exit_status::kFine;
  }
  std::string out;
  for (const Lesson& lesson : lessons()) {
    out += fmt::format("{:<5}{}\n", lesson.number, lesson.title);
    for (const Exercise& one : lesson.exercises)
      out += fmt::format("  {:<6}{}\n", one.number, one.title);
  }
  out += "\nsourir course 1               the lesson\n"
         "sourir course start 1         write the programs of its exercises into this folder\n"
         "sourir course check 1 FILE    is it a solution?\n";
  standard_output().write(out);
  return exit_status::kFine;
}

// --- course start

int start(const CourseOptions& options, const Arguments& words) {
  const auto exercises = exercises_of(words[0]);
  if (exercises.empty()) return unknown("course start", words[0]);
  const std::string folder = words.size() > 1 ? words[1] + "/" : "";
  if (!folder.empty())
    if (const std::string problem = make_folders(folder); !problem.empty()) {
      say_error(printable(problem));
      return exit_status::kUnwritable;
    }
  int status = exit_status::kFine;
  for (const Exercise* const one : exercises) {
    const std::string path = folder + std::string(one->file);
    if (access(path.c_str(), F_OK) == 0) {
      say_error(fmt::format("'{}' exists, and is left as it is", printable(path)));
      status = exit_status::kUnwritable;
      continue;
    }
    const std::string problem = replace_file(path, options.solution ? one->solution : one->given);
    if (!problem.empty()) {
      say_error(printable(problem));
      return exit_status::kUnwritable;
    }
    standard_output().write(fmt::format("{}  {}  {}\n", one->number, printable(path), one->title));
  }
  return status;
}

// --- course check

bool has_function(const Program& program, const std::string& name, Names& names) {
  return std::ranges::count(program.functions, names.intern<FunName>(name), &Function::name) > 0;
}

// The exercises that the program may be for: all functions are there by which they are recognized.
std::vector<const Exercise*> candidates(const std::vector<const Exercise*>& all,
                                        const Program& program, Names& names) {
  std::vector<const Exercise*> out;
  for (const Exercise* const one : all)
    if (std::ranges::all_of(kept_functions(one->given), [&](const std::string& name) {
          return has_function(program, name, names);
        }))
      out.push_back(one);
  return out;
}

std::string indented(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += "        " + printable(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out;
}

const char* mark_of(Met met) { return met == Met::Yes ? "yes" : met == Met::No ? "NO" : "?"; }

// The command that repeats a comparison; empty: it is none.
std::string again(const Requirement& one, const Exercise& exercise, const std::string& file) {
  if (one.flags.empty()) return {};
  if (!one.with_given) return fmt::format("sourir bisim {} {}", shell_word(file), one.flags);
  return fmt::format("sourir course start {} given; sourir bisim given/{} {} {}", exercise.number,
                     exercise.file, shell_word(file), one.flags);
}

int report(const CourseOptions& options, const Exercise& exercise,
           const std::vector<Requirement>& all, const std::string& file) {
  const auto count = [&](Met met) { return std::ranges::count(all, met, &Requirement::met); };
  const bool solved = count(Met::Yes) == static_cast<std::ptrdiff_t>(all.size());
  const char* const outcome = solved ? "solved" : count(Met::No) > 0 ? "not solved" : "undecided";
  const int status = solved               ? exit_status::kFine
                     : count(Met::No) > 0 ? exit_status::kFound
                                          : exit_status::kInconclusive;
  if (options.json) {
    Json rows = Json::array();
    for (const Requirement& one : all) {
      const char* const met = one.met == Met::Yes ? "yes" : one.met == Met::No ? "no" : "undecided";
      rows.push_back({{"requires", one.text}, {"met", met}, {"why", one.why}});
      if (const std::string command = again(one, exercise, file); !command.empty())
        rows.back()["again"] = command;
    }
    standard_output().write(json_text(Json{{"format", "course-check"},
                                           {"version", 1},
                                           {"exercise", exercise.number},
                                           {"outcome", outcome},
                                           {"exit_code", status},
                                           {"requirements", std::move(rows)}}));
    return status;
  }
  std::string out = fmt::format("exercise {}: {}\n", exercise.number, exercise.title);
  for (const Requirement& one : all) {
    out += fmt::format("  {:<4}  {}\n", mark_of(one.met), one.text);
    out += indented(one.why);
    const std::string command = one.met == Met::Yes ? "" : again(one, exercise, file);
    if (!command.empty()) out += indented("again: " + command);
  }
  standard_output().write(out + outcome + "\n");
  return status;
}

int check(const CourseOptions& options, const Arguments& words) {
  auto exercises = exercises_of(words[0]);
  if (exercises.empty()) return unknown("course check", words[0]);
  Names names;
  std::optional<Loaded> mine = load_file(words[1], names);
  if (!mine) return exit_status::kUnreadable;
  if (mine->problems.has_errors()) {
    show_problems(*mine);
    return exit_status::kRejected;
  }
  if (exercises.size() > 1) {
    const auto fitting = candidates(exercises, mine->program, names);
    if (fitting.size() != 1) {
      std::vector<std::string> shown;
      for (const Exercise* const one : exercises)
        shown.push_back(fmt::format("{} ({})", one->number, one->file));
      return usage_error("course check",
                         fmt::format("which exercise is '{}' for? Lesson {} has {}",
                                     printable(words[1]), words[0], fmt::join(shown, ", ")));
    }
    exercises = fitting;
  }
  const Exercise& exercise = *exercises.front();
  const Loaded given = load(std::string(exercise.file), std::string(exercise.given), names);
  watch_interrupts();
  const auto all = judge(exercise.given, given.program, mine->program, names, &stop_requested());
  if (stop_requested()) return exit_status::kInterrupted;
  const int status = report(options, exercise, all, words[1]);
  if (status != exit_status::kFine) { // a warning may say why
    add_warnings(mine->program, mine->spans, names, mine->problems);
    show_problems(*mine);
  }
  return status;
}

constexpr const char* kCheckDetails =
    "Exit status: 0 solved, 1 not solved, 2 undecided (a limit, or nothing to compare), 64 usage,\n"
    "65 the program is rejected, 66 the file cannot be read, 130 Ctrl-C.\n\n"
    "Examples:\n"
    "  sourir course start 1.1 && sourir course check 1.1 double.sou\n";

} // namespace

std::vector<Command> course_commands() {
  const auto o = std::make_shared<CourseOptions>();
  std::vector<std::string> numbers;
  for (const Lesson& lesson : lessons()) numbers.emplace_back(lesson.number);
  std::vector<std::string> all = numbers;
  for (const Lesson& lesson : lessons())
    for (const Exercise& one : lesson.exercises) all.emplace_back(one.number);

  Command list{.name = "course",
               .summary = "Learn deoptimization in ten lessons with exercises.",
               .details = "Without LESSON all are listed.\n\nExamples:\n  sourir course 1 | less\n",
               .operands = {.name = "LESSON", .least = 0, .choices = numbers}};
  list.flags = {switch_flag("--json", o->json, "lessons, exercises and what they require as JSON")};
  list.run = [o](const Arguments& words) { return show(*o, words); };

  Command begin{.name = "course start",
                .summary = "Write the programs with which exercises begin.",
                .details =
                    "A file that exists is left as it is.\n\nExit status: 0, 64 usage, 74 a file "
                    "exists or cannot be written.\n\n"
                    "Examples:\n  sourir course start 1\n  sourir course start 2.1 exercises\n",
                .operands = {.name = "EXERCISE FOLDER", .least = 1, .most = 2, .choices = all}};
  begin.flags = {switch_flag("--solution", o->solution, "solutions instead")};
  begin.run = [o](const Arguments& words) { return start(*o, words); };

  Command judged{.name = "course check",
                 .summary = "Does a program solve an exercise?",
                 .details = kCheckDetails,
                 .operands = {.name = "EXERCISE FILE", .least = 2, .most = 2, .choices = all}};
  judged.flags = {switch_flag("--json", o->json, "the answer as JSON")};
  judged.run = [o](const Arguments& words) { return check(*o, words); };
  return {std::move(list), std::move(begin), std::move(judged)};
}

} // namespace sourir
