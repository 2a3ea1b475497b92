#include "sourir/replay/schedule_read.h"

#include "sourir/bisim/structure_check.h"
#include "sourir/replay/schedule_log.h"
#include "sourir/semantics/growth.h"
#include "sourir/semantics/link.h"
#include "sourir/semantics/text/state_text.h"
#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/json/load.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace sourir {

namespace {

// The error of a line, without its number.
struct BadLine {
  std::string what;
};

Json parse(const std::string& line) {
  Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) throw BadLine{"this is no JSON object"};
  return json;
}

// Names that version 1 of the format has for events and fields.
constexpr std::pair<std::string_view, std::string_view> kFormerEvents[] = {
    {"moved", "osr-entry"}, {"left", "deopt"}, {"mapped", "mapped-deopt"}, {"resumed", "bailout"}};
constexpr std::pair<std::string_view, std::string_view> kFormerFields[] = {
    {"clock", "events"}, {"leave", "deopt"}, {"cut_out", "outlined"}};

// A line of version 1 with the names of version 2.
Json renamed(const Json& line) {
  Json out = Json::object();
  for (const auto& [key, value] : line.items()) {
    std::string name = key;
    for (const auto& [former, now] : kFormerFields)
      if (name == former) name = now;
    out[name] = value;
  }
  for (const auto& [former, now] : kFormerEvents)
    if (out.value("event", "") == former) out["event"] = now;
  if (out.contains("reason") && out["reason"] == "wrong-kind") out["reason"] = "wrong-type";
  return out;
}

const Json& field(const Json& line, const char* key) {
  const auto at = line.find(key);
  if (at == line.end()) throw BadLine{fmt::format("\"{}\" is missing", key)};
  return *at;
}

std::string text_field(const Json& line, const char* key) {
  const Json& value = field(line, key);
  if (!value.is_string()) throw BadLine{fmt::format("\"{}\" is no text", key)};
  return value.get<std::string>();
}

std::uint64_t number_field(const Json& line, const char* key) {
  const Json& value = field(line, key);
  if (!value.is_number_unsigned()) throw BadLine{fmt::format("\"{}\" is no number", key)};
  return value.get<std::uint64_t>();
}

Function* find_function(Program& program, FunName name) {
  const auto at = std::ranges::find(program.functions, name, &Function::name);
  return at == program.functions.end() ? nullptr : &*at;
}

// Whether two versions have the same instructions: labels, comments and scopes may differ.
bool same_instructions(const Version& a, const Version& b) {
  return a.when == b.when && a.cont.has_value() == b.cont.has_value() &&
         std::ranges::equal(a.body, b.body,
                            [](const Stmt& x, const Stmt& y) { return x.instr == y.instr; });
}

// A log may add versions, nothing else.
void check_unchanged(const Function& logged, const Function& known, const Names& names) {
  if (logged.params != known.params)
    throw BadLine{fmt::format("'{}' has other parameters", names.text(known.name))};
  for (const Version& v : known.versions) {
    const auto there = std::ranges::find(logged.versions, v.name, &Version::name);
    if (there == logged.versions.end() || !same_instructions(*there, v))
      throw BadLine{fmt::format("'{}.{}' is not as the program has it", names.text(known.name),
                                names.text(v.name))};
  }
}

std::vector<std::string> errors_of(const Diagnostics& problems) {
  std::vector<std::string> errors;
  for (const Diagnostic& problem : problems.sorted())
    if (problem.severity == Severity::Error) errors.push_back(problem.message);
  return errors;
}

void refuse(std::string_view what, const std::vector<std::string>& problems) {
  if (!problems.empty()) throw BadLine{std::string(what) + problems.front()};
}

class Reader {
public:
  Reader(const LinkedProgram& program, Names& names, const OutlineLoop& outline)
      : program_(program), names_(names), outline_(outline) {}

  void line(const std::string& text, std::size_t number);
  JitSchedule take() {
    if (!ended_) throw BadLine{"the log ends before the run does"};
    return std::move(made_);
  }

private:
  void begin(const Json& line);
  void version(const Json& line);
  void step(LoggedStep::Kind kind, const Json& line, std::size_t number);
  Program with_functions(const std::string& text, std::vector<std::string>& problems);
  std::shared_ptr<OutlinedFrom>
  rest_of(const Json& frame, const std::shared_ptr<OutlinedFrom>& within, LoggedVersion& made);
  void outlined(const Json& line, FunName function, LoggedVersion& made);
  void read_map(const Json& line, LoggedVersion& made);
  void mapped_exit(const LoggedVersion* in, LoggedStep& step) const;
  const LoggedVersion* logged(std::uint64_t number) const;
  const ResolvedVersion* program_version(std::string_view name) const;
  void place(const std::string& text, const LoggedVersion* in, LoggedStep& step) const;

  const LinkedProgram& program_;
  Names& names_;
  const OutlineLoop& outline_;
  int version_ = 2; // of the format
  bool begun_ = false, ended_ = false;
  std::map<std::uint64_t, const LoggedVersion*> numbers_;
  JitSchedule made_;
};

void Reader::begin(const Json& line) {
  if (line.value("format", "") != "jit-schedule")
    throw BadLine{"this is no schedule: `sourir run --tiers=schedule` writes one"};
  if (line.value("version", 0) != version_) throw BadLine{"another version of the format"};
  if (text_field(line, "program") != program_digest(program_.source(), names_))
    throw BadLine{"the log is of another program"};
  made_.deopt = text_field(line, "deopt");
  begun_ = true;
}

Program Reader::with_functions(const std::string& text, std::vector<std::string>& problems) {
  const Loaded changed = load("the version", text, names_, {.check = false});
  if (changed.problems.has_errors()) throw BadLine{"the text of the version is no program"};
  Program with = program_.source();
  for (const Function& f : changed.program.functions)
    if (Function* const known = find_function(with, f.name)) {
      check_unchanged(f, *known, names_);
      *known = f;
    } else {
      with.functions.push_back(f);
    }
  // Loading the printed text checks the program.
  Loaded all = load("the version", print(with, names_), names_);
  problems = errors_of(all.problems);
  return std::move(all.program);
}

// Outlines one frame more, after those within, into made.source.
std::shared_ptr<OutlinedFrom> Reader::rest_of(const Json& frame,
                                              const std::shared_ptr<OutlinedFrom>& within,
                                              LoggedVersion& made) {
  const ResolvedVersion* const from = program_version(text_field(frame, "of"));
  const auto head = static_cast<Pc>(number_field(frame, "at"));
  if (from == nullptr || head >= from->instrs.size())
    throw BadLine{"it is outlined of nothing that the program has"};
  OutlinedCall callee;
  if (within != nullptr) {
    const auto result = names_.intern<Var>(text_field(frame, "result"));
    if (!from->slot_of(result)) throw BadLine{"it is outlined of nothing that the program has"};
    callee = {within->function, within->parameters, result};
  }
  auto loop = outline_(program_.source(), made.source ? *made.source : program_.source(), *from,
                       head, names_, within != nullptr ? &callee : nullptr);
  if (!loop) throw BadLine{"no loop can be outlined there"};
  made.source = std::move(loop->program);
  const std::vector<Var>& parameters = find_function(*made.source, loop->function)->params;
  auto rest = std::make_shared<OutlinedFrom>(OutlinedFrom{loop->function, from, head});
  rest->callee = within;
  rest->parameters = parameters.size();
  rest->copies = std::move(loop->copies);
  if (within != nullptr) rest->result = *from->slot_of(callee.result);
  std::vector<Slot>& own = made.with.emplace_back();
  for (const Var x : std::span(parameters).subspan(callee.parameters))
    own.push_back(from->slot_index.at(x));
  return rest;
}

// The logged functions must be the outlined loop of that version, or the rests of those.
void Reader::outlined(const Json& line, FunName function, LoggedVersion& made) {
  const auto at = line.find("outlined");
  if (at == line.end()) return;
  auto rest = rest_of(*at, nullptr, made);
  if (const auto callers = at->find("callers"); callers != at->end())
    for (const Json& caller : *callers) rest = rest_of(caller, rest, made);
  if (rest->function != function) throw BadLine{"no loop can be outlined there"};
  for (const OutlinedFrom* one = rest.get(); one != nullptr; one = one->callee.get()) {
    const Function* const logged = find_function(*made.program, one->function);
    if (logged == nullptr) throw BadLine{"no loop can be outlined there"};
    check_unchanged(*logged, *find_function(*made.source, one->function), names_);
  }
  made.outlined = *rest;
  made.linked_source = std::make_unique<LinkedProgram>(*made.source, names_);
}

void Reader::read_map(const Json& line, LoggedVersion& made) {
  auto map = state_map_from_json(field(line, "map").dump(), names_);
  if (!map) {
    const std::string& error = map.error().message;
    throw BadLine{"the state map: " + error.substr(0, error.find('\n'))};
  }
  made.map = std::move(*map);
  const Program& source = made.source ? *made.source : program_.source();
  refuse("the state map: ", structural_problems(source, *made.program, made.map, names_));
}

// The exit that the state map has for the position.
void Reader::mapped_exit(const LoggedVersion* in, LoggedStep& step) const {
  if (in == nullptr) throw BadLine{"only versions that were added have a state map"};
  const LinkedProgram& source = in->linked_source ? *in->linked_source : program_;
  const auto frames =
      mapped(in->map, source.source(), step.code->function, step.code->version, step.pc);
  if (!frames) throw BadLine{"the state map says nothing of this place"};
  auto exit = link_exit(*frames, *step.code, source);
  if (!exit) throw BadLine{exit.error().message};
  step.exit = *std::move(exit);
  relink_exit(*step.exit, program_, in->outlined ? &*in->outlined : nullptr);
}

void Reader::version(const Json& line) {
  const std::uint64_t number = number_field(line, "number");
  if (number == 0 || numbers_.contains(number))
    throw BadLine{"there is a version of this number already"};
  auto made = std::make_unique<LoggedVersion>();
  const auto function = names_.intern<FunName>(text_field(line, "function"));
  const auto name = names_.intern<VerName>(text_field(line, "name"));
  std::vector<std::string> problems;
  made->program = std::make_unique<Program>(with_functions(text_field(line, "text"), problems));
  outlined(line, function, *made);
  refuse("the version is not well-formed: ", problems);
  made->linked = std::make_unique<LinkedProgram>(*made->program, names_);
  const ResolvedVersion* const code = made->linked->version(function, name);
  if (code == nullptr || program_.version(function, name) != nullptr)
    throw BadLine{"it adds no version of this name"};
  read_map(line, *made);
  made->streams = relink_exits(*code, program_, made->outlined ? &*made->outlined : nullptr);
  numbers_[number] = made.get();
  made_.versions.push_back(std::move(made));
}

// The version of that number; 0: null.
const LoggedVersion* Reader::logged(std::uint64_t number) const {
  if (number == 0) return nullptr;
  const auto at = numbers_.find(number);
  if (at == numbers_.end()) throw BadLine{fmt::format("there is no version {} so far", number)};
  return at->second;
}

const ResolvedVersion* Reader::program_version(std::string_view name) const {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return nullptr;
  return program_.version(names_.intern<FunName>(name.substr(0, dot)),
                          names_.intern<VerName>(name.substr(dot + 1)));
}

// F.V+N, of the program or of the resolved versions that relinking made.
void Reader::place(const std::string& text, const LoggedVersion* in, LoggedStep& step) const {
  const std::size_t plus = text.rfind('+');
  const std::string name = text.substr(0, plus);
  if (in == nullptr) {
    step.code = program_version(name);
  } else {
    for (const auto& stream : in->streams)
      if (version_name(*stream, names_) == name) step.code = stream.get();
  }
  const char* const first = plus == std::string::npos ? text.data() : text.data() + plus + 1;
  const auto [end, error] = std::from_chars(first, text.data() + text.size(), step.pc);
  const bool number = error == std::errc() && end == text.data() + text.size();
  if (step.code == nullptr || !number || step.pc >= step.code->instrs.size())
    throw BadLine{fmt::format("there is no place '{}'", text)};
}

void Reader::step(LoggedStep::Kind kind, const Json& line, std::size_t number) {
  using enum LoggedStep::Kind;
  LoggedStep step{.kind = kind, .line = number, .events = number_field(line, "events")};
  if (!made_.steps.empty() && step.events < made_.steps.back().events)
    throw BadLine{"the event counter goes back"};
  if (kind == Entered) {
    const LinkedProgram::Fun* const f =
        program_.function(names_.intern<FunName>(text_field(line, "function")));
    step.into = logged(number_field(line, "into"));
    if (f == nullptr ||
        (step.into != nullptr && (step.into->code().function != f->name || step.into->outlined)))
      throw BadLine{"calls of the function cannot enter this"};
    step.code = step.into != nullptr ? &step.into->code() : f->dispatch.front();
  } else {
    place(text_field(line, "at"), logged(number_field(line, "in")), step);
  }
  if (kind == OsrEntry) {
    step.depth = line.contains("depth") ? number_field(line, "depth") : kAnyDepth;
    step.into = logged(number_field(line, "into"));
    const OutlinedFrom* rest =
        step.into != nullptr && step.into->outlined ? &*step.into->outlined : nullptr;
    while (rest != nullptr && rest->callee != nullptr) rest = rest->callee.get();
    if (rest == nullptr || rest->from != step.code || rest->head != step.pc)
      throw BadLine{"the version was not outlined there"};
  }
  if (kind == MappedDeopt) mapped_exit(logged(number_field(line, "in")), step);
  if (kind == Deopt || kind == MappedDeopt || kind == Bailout) {
    step.depth = number_field(line, "depth");
    step.frames = number_field(line, "frames");
    if (line.contains("digest")) {
      step.digest = text_field(line, "digest");
      step.state = field(line, "state");
    }
  }
  made_.steps.push_back(std::move(step));
}

void Reader::line(const std::string& text, std::size_t number) {
  using enum LoggedStep::Kind;
  Json line = parse(text);
  if (!begun_ && line.value("version", 0) == 1) version_ = 1;
  if (version_ == 1) line = renamed(line);
  const std::string event = text_field(line, "event");
  if (!begun_ && event != "begin")
    throw BadLine{"this is no schedule: `sourir run --tiers=schedule` writes one"};
  if (ended_) throw BadLine{"there is something after the end"};
  if (event == "begin" && !begun_) return begin(line);
  if (event == "version") return version(line);
  if (event == "entered") return step(Entered, line, number);
  if (event == "osr-entry") return step(OsrEntry, line, number);
  if (event == "deopt") return step(Deopt, line, number);
  if (event == "mapped-deopt") return step(MappedDeopt, line, number);
  if (event == "bailout") return step(Bailout, line, number);
  if (event != "end") throw BadLine{fmt::format("there is no event '{}'", event)};
  made_.events = number_field(line, "events");
  made_.end = line;
  ended_ = true;
}

} // namespace

Result<JitSchedule> read_schedule(const std::string& text, const LinkedProgram& program,
                                  Names& names, const OutlineLoop& outline) {
  Reader reader(program, names, outline);
  std::size_t number = 0;
  try {
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t end = std::min(text.find('\n', from), text.size());
      reader.line(text.substr(from, end - from), ++number);
      from = end + 1;
    }
    return reader.take();
  } catch (const BadLine& bad) {
    return failure("line {}: {}", number, bad.what);
  }
}

} // namespace sourir
