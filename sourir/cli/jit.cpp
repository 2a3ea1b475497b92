// `sourir jit`: listings of native code: source, LLVM IR, assembly, exits.
#include "sourir/cli/assembly_listing.h"
#include "sourir/cli/commands.h"

#include "native/engine/compiler_loader.h"
#include "native/engine/runtime_calls.h"
#include "native/runtime/native_code.h"
#include "sourir/cli/engine/engine_setup.h"
#include "sourir/cli/load_file.h"
#include "sourir/cli/pass_setup.h"
#include "sourir/cli/version_choice.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/files.h"
#include "sourir/os/input_lines.h"
#include "sourir/os/output.h"
#include "sourir/semantics/limits.h"
#include "sourir/semantics/resolved.h"
#include "sourir/semantics/text/state_text.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>

namespace sourir {
namespace {

struct JitOptions {
  std::string file;         // text or JSON; "-": standard input
  std::string dump = "asm"; // sourir, llvm, llvm-optimized, passes, asm, asm-ir, asm-full, exits
  std::string markers = "none"; // of events: exact, light
  std::string version;          // F.V, or F for all versions of it; empty: all
  PassSetup passes;             // passes before the compilation; may be empty
  bool warm = false;            // runs the program and shows what the tiers compile
  std::string input;            // a file that it reads then; empty: no input
  TierOptions tiers;
  Limits limits;
  bool json = false;
};

enum class Dump : std::uint8_t {
  Sourir,
  Llvm,
  Optimized,
  Assembly,
  AssemblyWithIr,
  FullAssembly,
  Passes,
  Exits
};

struct Listing {
  std::string version; // F.V
  bool calls = true;   // entered by calls; otherwise by running frames, with all their variables
  Pc start = 0;        // the position where it is entered
  std::string text;    // with the end of its last line
  Json rows;           // of Dump::Exits and Passes: an array of docs/schemas/jit.schema.json
};

Listing make_listing(native::NativeCompiler& compiler, const native::CompileRequest& request,
                     const native::CompileOptions& options, Dump dump, const Names& names);
// The listing of a version that stays in the baseline; `why` is its text.
Listing without_code(const ResolvedVersion& code, std::string why, const Names& names);

// The text of a listing after a line with its version and entry.
std::string listing_text(const Listing& listing, Dump dump);
Json listing_json(const Listing& listing, Dump dump); // docs/schemas/jit.schema.json

using native::NativeExit;
using ExitKind = NativeExit::Kind;

const char* name_of(ExitKind kind) {
  switch (kind) {
  case ExitKind::Exit: return "exit";
  case ExitKind::Bailout: return "bailout";
  case ExitKind::OutOfFuel: break;
  }
  return "out of fuel";
}

std::vector<std::string> type_names(TypeSet types) {
  std::vector<std::string> out;
  for (std::size_t type = 0; type < kTypes; ++type)
    if (types.has(static_cast<Kind>(type))) out.emplace_back(kTypeNames[type]);
  if (types.intersects(native::type_set(Tag::Unbound))) out.emplace_back("unbound");
  return out;
}

// "int|nil"; "any" for all types.
std::string types_text(TypeSet types) {
  if (kAnyType.within(types)) return "any";
  return fmt::format("{}", fmt::join(type_names(types), "|"));
}

// The exit of the program that a native exit takes; null: it takes none.
const resolved::Exit* program_exit(const ResolvedVersion& code, const NativeExit& e) {
  return e.kind == ExitKind::Exit ? exit_at(code, e.at) : nullptr;
}

std::string goes_to(const ResolvedVersion& code, const NativeExit& e, const Names& names) {
  if (const resolved::Exit* exit = program_exit(code, e))
    return fmt::format("{}", fmt::join(exit_targets(*exit, names), " <- "));
  return e.kind == ExitKind::OutOfFuel ? "the end of the run" : "the baseline, in this state";
}

std::string travels(const NativeExit& e) { return e.in_memory ? "in the frame" : "on the stack"; }

std::string values_text(const ResolvedVersion& code, const NativeExit& e, const Names& names) {
  if (e.in_memory) return fmt::format("all {} variables", e.slots);
  std::string out;
  for (const NativeExit::Sent& v : e.sent)
    out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", names.text(code.slots[v.slot]),
                       types_text(v.types));
  return out.empty() ? "none" : out;
}

// Three lines for each exit: its position, its targets, the values that it passes on.
std::string exits_text(const ResolvedVersion& code, const std::vector<NativeExit>& exits,
                       const Names& names) {
  std::string out = fmt::format("{} {}\n", exits.size(), exits.size() == 1 ? "exit" : "exits");
  for (const NativeExit& e : exits) {
    out += fmt::format("  {:>4}  {:<11}  {}\n", fmt::format("+{}", e.at), name_of(e.kind),
                       instruction_text(code, e.at, names));
    out += fmt::format("        to {}\n", goes_to(code, e, names));
    const std::size_t count = e.in_memory ? e.slots : e.sent.size();
    out += fmt::format("        with {} of {} values, {}: {}\n", count, e.slots, travels(e),
                       values_text(code, e, names));
  }
  return out;
}

Json exits_json(const ResolvedVersion& code, const std::vector<NativeExit>& exits,
                const Names& names) {
  Json out = Json::array();
  for (const NativeExit& e : exits) {
    const resolved::Exit* exit = program_exit(code, e);
    Json values = Json::array();
    for (const NativeExit::Sent& v : e.sent)
      values.push_back({{"name", names.text(code.slots[v.slot])}, {"types", type_names(v.types)}});
    out.push_back({{"at", e.at},
                   {"instruction", instruction_text(code, e.at, names)},
                   {"kind", name_of(e.kind)},
                   {"to", exit ? exit_targets(*exit, names) : std::vector<std::string>()},
                   {"travels", travels(e)},
                   {"slots", e.slots},
                   {"values", std::move(values)}});
  }
  return out;
}

std::string changes_text(const std::vector<native::PassChange>& changes) {
  std::string out = "   number  instructions  code              pass\n";
  for (const native::PassChange& c : changes)
    out += fmt::format("  {:>7}  {:>12}  {:016x}  {}\n", c.number, c.instructions, c.hash,
                       c.pass.empty() ? "none yet: " + c.function : c.pass);
  return out;
}

Json changes_json(const std::vector<native::PassChange>& changes) {
  Json out = Json::array();
  for (const native::PassChange& c : changes)
    out.push_back({{"number", c.number},
                   {"pass", c.pass},
                   {"function", c.function},
                   {"instructions", c.instructions},
                   {"hash", fmt::format("{:016x}", c.hash)}});
  return out;
}

native::NativeCompiler::Form form_of(Dump dump) {
  using enum native::NativeCompiler::Form;
  return dump == Dump::Llvm ? Llvm : dump == Dump::Optimized ? Optimized : Assembly;
}

Listing make_listing(native::NativeCompiler& compiler, const native::CompileRequest& request,
                     const native::CompileOptions& options, Dump dump, const Names& names) {
  const ResolvedVersion& code = *request.code;
  Listing made{version_name(code, names), request.entry, request.start, {}, {}};
  if (dump == Dump::Sourir) {
    made.text = version_text(code, names);
  } else if (dump == Dump::Exits) {
    const std::vector<NativeExit> exits = compiler.exits(request, options);
    made.text = exits_text(code, exits, names);
    made.rows = exits_json(code, exits, names);
  } else if (dump == Dump::Passes) {
    const std::vector<native::PassChange> changes = compiler.passes({&request, 1}, options);
    made.text = changes_text(changes);
    made.rows = changes_json(changes);
  } else if (dump == Dump::AssemblyWithIr) {
    made.text = assembly_listing(compiler.assembly_of_ir({&request, 1}, options), code, names);
  } else {
    made.text = compiler.show({&request, 1}, options, form_of(dump));
    if (dump == Dump::Assembly) made.text = assembly_listing(made.text, code, names);
  }
  return made;
}

Listing without_code(const ResolvedVersion& code, std::string why, const Names& names) {
  return {version_name(code, names), true, 0, std::move(why) + "\n", Json::array()};
}

std::string listing_text(const Listing& l, Dump dump) {
  const char* comment = dump == Dump::Llvm || dump == Dump::Optimized ? "; "
                        : dump == Dump::Exits || dump == Dump::Passes ? ""
                                                                      : "# ";
  return fmt::format("{}{}, {}\n{}", comment, l.version,
                     l.calls ? "entered by calls"
                             : fmt::format("entered by running frames at +{}", l.start),
                     l.text);
}

Json listing_json(const Listing& l, Dump dump) {
  Json out{{"of", l.version}, {"entered_by", l.calls ? "calls" : "frames"}, {"at", l.start}};
  if (dump == Dump::Exits || dump == Dump::Passes)
    out[dump == Dump::Exits ? "exits" : "passes"] = l.rows;
  else
    out["text"] = l.text;
  return out;
}

Dump dump_of(const std::string& name) {
  if (name == "sourir") return Dump::Sourir;
  if (name == "llvm") return Dump::Llvm;
  if (name == "llvm-optimized") return Dump::Optimized;
  if (name == "asm-ir") return Dump::AssemblyWithIr;
  if (name == "asm-full") return Dump::FullAssembly;
  if (name == "passes") return Dump::Passes;
  return name == "exits" ? Dump::Exits : Dump::Assembly;
}

std::string check_options(const JitOptions& o) {
  if (std::string problem = engine_problem("native", o.tiers); !problem.empty()) return problem;
  if (o.passes.passes.empty() && !(o.passes.assumptions.empty() && o.passes.feedback.empty()))
    return "--assume and --feedback are for passes: --pass=O2";
  if (!o.input.empty() && !o.warm) return "--input is for programs that run: --warm";
  if (o.file == "-" && o.input == "-")
    return "the program and its input cannot both come from standard input";
  return {};
}

// As --engine=native compiles it: versions that only exits enter are compiled for running frames.
native::CompileRequest as_written(const LinkedProgram::Fun& f, const ResolvedVersion& code) {
  const bool all_calls = f.dispatch.size() == 1 && f.dispatch.front() == &code;
  return {.code = &code, .entry = !code.source->cont, .calls_itself = all_calls};
}

class JitDump {
public:
  JitDump(const JitOptions& options, const LinkedProgram& program, Names& names)
      : options_(options), program_(program), names_(names), dump_(dump_of(options.dump)),
        markers_{.strategy = profiler::EventStrategy::None, .exact = options.markers == "exact"},
        settings_(engine_settings("auto", options.limits, options.tiers, names)) {}

  int run();

private:
  void of_program();
  int of_tiers();
  bool shows(const ResolvedVersion& code) const {
    return names_version(options_.version, version_name(code, names_));
  }
  native::CompileOptions with_markers(native::CompileOptions options) const {
    if (options_.markers != "none") options.events = &markers_;
    return options;
  }
  int report() const;

  const JitOptions& options_;
  const LinkedProgram& program_;
  Names& names_;
  Dump dump_;
  profiler::EventOptions markers_;
  native::NativeSettings settings_;
  std::vector<Listing> made_;
};

void JitDump::of_program() {
  const native::CompileOptions options =
      with_markers({.level = settings_.level, .fuel = options_.limits.fuel != Limits().fuel});
  native::with_compiler(program_, names_, settings_, [&](native::NativeCompiler& compiler) {
    for (const Function& function : program_.source().functions) {
      const LinkedProgram::Fun& f = *program_.function(function.name);
      for (const ResolvedVersion* code : f.versions) {
        if (!shows(*code)) continue;
        const bool fits = code->parameters <= native::kMostNativeParameters;
        made_.push_back(
            fits ? make_listing(compiler, as_written(f, *code), options, dump_, names_)
                 : without_code(*code,
                                fmt::format("stays in the baseline: more than {} parameters",
                                            native::kMostNativeParameters),
                                names_));
      }
    }
  });
}

// Listings of all code that is compiled while the program runs. Returns the exit status.
int JitDump::of_tiers() {
  OpenFile file;
  if (!options_.input.empty()) {
    auto opened = open_to_read(options_.input);
    if (const auto* problem = std::get_if<FileProblem>(&opened))
      return say_error(problem->message), exit_status::kUnreadable;
    file = std::get<OpenFile>(std::move(opened));
  }
  InputLines lines(std::move(file), options_.input, [] {});
  Input input([&] { return lines.next(); }, names_);
  const Schedule schedule;
  native::EngineHooks hooks;
  hooks.made = [&](const native::MadeCode& made) {
    for (const native::CompileRequest& request : made.requests)
      if (shows(*request.code))
        made_.push_back(
            make_listing(made.compiler, request, with_markers(made.options), dump_, names_));
  };
  const native::EngineRun run = native::run_engine(program_, input, schedule, settings_, hooks);
  if (run.outcome.kind != OutcomeKind::Stop)
    say(fmt::format("note: the run ended early: {}\n", run.outcome.message));
  if (!lines.problem().empty()) say_error(lines.problem());
  if (!made_.empty()) return exit_status::kFine;
  say_error(options_.version.empty()
                ? "nothing became native code in this run: --tier calls=1,iterations=1"
                : fmt::format("'{}' did not become native code in this run", options_.version));
  return exit_status::kFound;
}

int JitDump::report() const {
  Output& out = standard_output();
  if (options_.json) {
    Json all = Json::array();
    for (const Listing& listing : made_) all.push_back(listing_json(listing, dump_));
    out.write(json_text(
        {{"format", "jit"}, {"version", 2}, {"dump", options_.dump}, {"code", std::move(all)}}));
    return exit_status::kFine;
  }
  for (const Listing& listing : made_)
    out.write((&listing == made_.data() ? "" : "\n") + listing_text(listing, dump_));
  return exit_status::kFine;
}

int JitDump::run() try {
  if (options_.warm) {
    if (const int status = of_tiers(); status != exit_status::kFine) return status;
  } else {
    of_program();
  }
  return report();
} catch (const native::NoCompiler& problem) {
  return say_error(problem.what()), exit_status::kUsage;
}

int run_jit(const JitOptions& given) {
  JitOptions options = given;
  options.tiers.synchronous = true; // the same listings in each run
  if (const std::string problem = check_options(options); !problem.empty())
    return usage_error("jit", problem);
  Names names;
  std::optional<Loaded> loaded = load_file(options.file, names);
  if (!loaded) return exit_status::kUnreadable;
  if (loaded->problems.has_errors()) {
    show_problems(*loaded);
    return exit_status::kRejected;
  }
  if (!options.passes.passes.empty())
    if (const int status = optimize("jit", options.passes, *loaded, names);
        status != exit_status::kFine)
      return status;
  // With --warm the version may be one that the tiers add.
  if (!options.warm)
    if (const std::string problem = no_such_version(options.version, loaded->program, names);
        !problem.empty())
      return usage_error("jit", problem);
  const LinkedProgram program(loaded->program, names);
  return JitDump(options, program, names).run();
}

} // namespace

Command jit_command() {
  const auto o = std::make_shared<JitOptions>();
  Command c{
      .name = "jit",
      .summary = "Show what native code is made of.",
      .details =
          "Of every version as it is written (after --pass), as --engine=native compiles it; with\n"
          "--warm of what the tiers make of the program while it runs. Exits: those of the\n"
          "code, with the frames that they lead to and the values that go along, before LLVM "
          "drops\n"
          "those that are never taken. Exit status: 0 fine, 1 --warm made nothing to show, 64 "
          "usage\n"
          "or a build without native code, 65 the program is rejected, 66 a file cannot be "
          "read.\n\n"
          "Examples:\n"
          "  sourir jit program.sou --dump=asm --version=f.fast\n"
          "  sourir jit program.sou --dump=asm-ir --version=f.fast\n"
          "  sourir jit program.sou --dump=exits --pass=O2\n"
          "  sourir jit program.sou --warm --dump=llvm-optimized\n"};
  add_group(
      c.flags, "What to show",
      {choice_flag(
           "--dump", Flag::Takes::Value,
           {"sourir", "llvm", "llvm-optimized", "passes", "asm", "asm-ir", "asm-full", "exits"},
           o->dump,
           "what to show: the version, its LLVM code before or after optimizing, LLVM's "
           "passes that changed this code, machine code (the default), with the "
           "instructions that it is made of, the same with the optimized LLVM "
           "instructions between, the same as an assembler takes it, or its exits"),
       choice_flag("--markers", Flag::Takes::Value, {"none", "exact", "light"}, o->markers,
                   "LLVM code with the markers of profile --events, which are taken out after "
                   "optimizing: what they alone change (default: none)"),
       text_flag("--version", "F.V", o->version,
                 "only of this version; F: of all versions of F (default: of all)"),
       switch_flag("--warm", o->warm,
                   "run the program with --engine=auto --jit-sync, show what the tiers made"),
       text_flag("--input", "FILE", o->input, "--warm: what it reads (default: nothing)"),
       number_flag("--fuel", o->limits.fuel, "--warm: calls and back edges (default: no limit)"),
       switch_flag("--json", o->json, "the same as JSON")});
  add_pass_flags(c.flags, o->passes);
  add_tier_flags(c.flags, o->tiers);
  std::erase_if(c.flags, [](const Flag& f) { return f.names == "--jit-sync"; });
  c.run = [o](const std::vector<std::string>& files) { return o->file = files[0], run_jit(*o); };
  return c;
}

} // namespace sourir
