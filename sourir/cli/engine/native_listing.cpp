#include "sourir/cli/engine/native_listing.h"

#include "sourir/semantics/exits.h"
#include "sourir/semantics/text/version_text.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sourir {

namespace {

using native::NativeExit;
using ExitKind = NativeExit::Kind;

const char* name_of(ExitKind kind) {
  switch (kind) {
  case ExitKind::Exit: return "exit";
  case ExitKind::Resume: return "resume";
  case ExitKind::OtherKinds: return "other kinds";
  case ExitKind::OutOfFuel: break;
  }
  return "out of fuel";
}

std::vector<std::string> kinds(TypeSet types) {
  std::vector<std::string> out;
  for (std::size_t type = 0; type < kTypes; ++type)
    if (types.has(static_cast<Kind>(type))) out.emplace_back(kTypeNames[type]);
  if (types.intersects(native::type_set(Tag::Unbound))) out.emplace_back("unbound");
  return out;
}

// "any" where nothing is known.
std::string kinds_text(TypeSet types) {
  if (kAnyType.within(types)) return "any";
  return fmt::format("{}", fmt::join(kinds(types), "|"));
}

// The exit of the program that native code exits by; null: it exits by none.
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
                       kinds_text(v.kinds));
  return out.empty() ? "none" : out;
}

// Two lines each: what, then what goes along.
std::string exits_text(const ResolvedVersion& code, const std::vector<NativeExit>& exits,
                       const Names& names) {
  std::string out = fmt::format("{} {} out\n", exits.size(), exits.size() == 1 ? "way" : "ways");
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
      values.push_back({{"name", names.text(code.slots[v.slot])}, {"kinds", kinds(v.kinds)}});
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

native::NativeCompiler::Form form_of(Dump dump) {
  using enum native::NativeCompiler::Form;
  return dump == Dump::Llvm ? Llvm : dump == Dump::Optimized ? Optimized : Assembly;
}

} // namespace

Listing make_listing(native::NativeCompiler& compiler, const native::CompileRequest& request,
                     const native::CompileOptions& options, Dump dump, const Names& names) {
  const ResolvedVersion& code = *request.code;
  Listing made{version_name(code, names), request.entry, request.start, {}, {}};
  if (dump == Dump::Sourir) {
    made.text = version_text(code, names);
  } else if (dump == Dump::Exits) {
    const std::vector<NativeExit> exits = compiler.exits(request, options);
    made.text = exits_text(code, exits, names);
    made.exits = exits_json(code, exits, names);
  } else {
    made.text = compiler.show({&request, 1}, options, form_of(dump));
  }
  return made;
}

Listing without_code(const ResolvedVersion& code, std::string why, const Names& names) {
  return {version_name(code, names), true, 0, std::move(why) + "\n", Json::array()};
}

std::string listing_text(const Listing& l, Dump dump) {
  const char* comment = dump == Dump::Llvm || dump == Dump::Optimized ? "; "
                        : dump == Dump::Exits                         ? ""
                                                                      : "# ";
  return fmt::format("{}{}, {}\n{}", comment, l.version,
                     l.calls ? "entered by calls"
                             : fmt::format("entered by running frames at +{}", l.start),
                     l.text);
}

Json listing_json(const Listing& l, Dump dump) {
  Json out{{"of", l.version}, {"entered_by", l.calls ? "calls" : "frames"}, {"at", l.start}};
  if (dump == Dump::Exits)
    out["exits"] = l.exits;
  else
    out["text"] = l.text;
  return out;
}

} // namespace sourir
