#include "sourir/cli/bench/bench_iterations.h"

#include "sourir/cli/load_file.h"
#include "sourir/syntax/text/parser.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/traverse.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {

namespace {

// Whether a call, a value or an exit mentions the function.
bool mentions_function(const Program& program, FunName function) {
  bool found = false;
  for (const Function& f : program.functions)
    for (const Version& v : f.versions)
      for (const Stmt& stmt : v.body)
        for_each_name(stmt.instr, [&](NameUse use) {
          const bool names_function =
              use.role == NameRole::FunRef || use.role == NameRole::ExitFunRef ||
              use.role == NameRole::WithFunRef || use.role == NameRole::ExitFunction;
          found |= names_function && use.id == function.id;
        });
  return found;
}

// What ended the program ends the call.
void return_instead_of_stopping(Version& version) {
  for (Stmt& stmt : version.body)
    if (const auto* const stop = std::get_if<Stop>(&stmt.instr))
      stmt.instr = Return{stop->value.value_or(Expr(SimpleExpr(Nil{})))};
  version.body.push_back({std::move(version.end), Return{Expr(SimpleExpr(Nil{}))}}); // at its end
  version.end = {};
}

constexpr const char* kMain = R"(function main()
  var i = 0
  goto Again
Again:
  branch (i < {0}) $Run $End
$Run:
  call r = '{1}()
  drop r
  i <- (i + 1)
  goto Again
$End:
  read i
  stop
)";

constexpr const char* kCDriver = R"(#include <stdio.h>
#include <string.h>
#define main main_of_program
)"
                                 "#include \"{}\"\n"
                                 R"(#undef main
int main(void) {{
  char line[256];
  while (fgets(line, sizeof line, stdin)) {{
    char *arguments[] = {{"program", line, NULL}};
    line[strcspn(line, "\n")] = 0;
    if (main_of_program(2, arguments) != 0) return 1;
    fflush(stdout);
  }}
  return 0;
}}
)";

constexpr const char* kLuaDriver = R"(local program = assert(loadfile(arg[1]))
for line in io.lines() do
  arg = {[0] = arg[0], line}
  program(line)
  io.stdout:flush()
end
)";

constexpr const char* kJavaScriptDriver = R"(const fs = require('fs');
const program = new Function('require', fs.readFileSync(process.argv[2], 'utf8'));
let text = '';
const buffer = Buffer.alloc(4096);
for (;;) {
  let end;
  while ((end = text.indexOf('\n')) < 0) {
    let size = 0;
    try {
      size = fs.readSync(0, buffer, 0, buffer.length, null);
    } catch (error) {
      if (error.code === 'EAGAIN') continue;
      throw error;
    }
    if (size === 0) process.exit(0);
    text += buffer.toString('utf8', 0, size);
  }
  process.argv[2] = text.slice(0, end);
  text = text.slice(end + 1);
  program(require);
}
)";

} // namespace

Result<std::string> iterated_program(const std::string& path, std::uint64_t times) {
  Names names;
  std::optional<Loaded> loaded = load_file(path, names);
  if (!loaded) return failure("'{}' cannot be read", path);
  if (loaded->problems.has_errors()) return failure("'{}' is rejected", path);
  Program& program = loaded->program;
  const auto main_name = names.intern<FunName>("main");
  if (mentions_function(program, main_name))
    return failure("'{}' cannot be repeated: something in it calls or enters main", path);
  FreshNames fresh(names);
  for (const Function& f : program.functions) fresh.use(f.name);
  for (Function& f : program.functions) {
    if (f.name != main_name) continue;
    f.name = fresh.fresh<FunName>("iteration");
    f.implicit = false;
    for (Version& v : f.versions) return_instead_of_stopping(v);
    return fmt::format(fmt::runtime(kMain), times, names.text(f.name)) + print(program, names);
  }
  return failure("'{}' has no main", path);
}

std::string iteration_driver(const std::string& ending, const std::string& path) {
  if (ending == ".c") return fmt::format(fmt::runtime(kCDriver), path);
  return ending == ".lua" ? kLuaDriver : kJavaScriptDriver;
}

IterationsRun run_iterations(std::vector<std::string> words, const BenchProgram& program,
                             std::uint64_t times, bool reads_once_more, double seconds) {
  constexpr std::size_t kMostOutput = std::size_t{1} << 20;
  IterationsRun run;
  std::size_t seen = 0; // bytes of the output
  BenchSample last;
  bool started = false;
  // Whether there was one more.
  const auto take_answer = [&](const ProcessResult& so_far) {
    const std::size_t end = so_far.output.find('\n', seen);
    if (end == std::string::npos) return false;
    run.answers.push_back(so_far.output.substr(seen, end - seen));
    run.samples.push_back({so_far.wall - last.wall, so_far.cpu - last.cpu, 0});
    last = {so_far.wall, so_far.cpu, 0};
    seen = end + 1;
    return true;
  };
  const auto next = [&](const ProcessResult& so_far) -> std::optional<std::string> {
    if (!take_answer(so_far) && std::exchange(started, true)) return "";
    started = true;
    if (run.answers.size() < times || (reads_once_more && run.answers.size() == times))
      return fmt::format("{}\n", program.n);
    return std::nullopt;
  };
  run.process = run_program({.words = std::move(words), .more_input = next, .keep_errors = true},
                            {.seconds = seconds, .output = kMostOutput});
  while (take_answer(run.process)) { // the process ended before they were read
  }
  return run;
}

} // namespace sourir
