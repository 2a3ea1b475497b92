// Passes that do what passes must not: tests/cli/plugin_test.py looks what becomes of them. The
// first one is right.
#include "sourir/passes/core/rewrite.h"
#include "sourir/passes/plugin.h"
#include "sourir/passes/scalar/unreachable.h"

#include <fmt/format.h>

#include <csignal>
#include <stdexcept>

namespace sourir {
namespace {

using Result = std::optional<PassResult>;

// Each print prints 0.
Result wrong(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) {
    for (Position at = 0; at < task.version.body.size(); ++at)
      if (const Print zero{SimpleExpr(std::int64_t{0})};
          std::holds_alternative<Print>(task.version.body[at].instr) &&
          task.version.body[at].instr != Instruction(zero))
        task.edit.replace(at, zero);
  });
}

// Variables that begin with 0 begin with 1.
Result wrong_start(const PassInput& input) {
  const Expr zero = SimpleExpr(std::int64_t{0}), one = SimpleExpr(std::int64_t{1});
  return rewrite_versions(input, [&](VersionTask& task) {
    for (Position at = 0; at < task.version.body.size(); ++at)
      if (const auto* const decl = std::get_if<Decl>(&task.version.body[at].instr);
          decl != nullptr && decl->value == zero)
        task.edit.replace(at, Decl{decl->name, one});
  });
}

Result ill_formed(const PassInput& input) {
  const Label nowhere = input.names.intern<Label>("nowhere");
  return rewrite_versions(input, [&](VersionTask& task) { task.edit.replace(0, Goto{nowhere}); });
}

Result no_function(const PassInput&) { return PassResult{}; }

Result throws(const PassInput&) { throw std::runtime_error("no idea"); }

Result throws_number(const PassInput&) { throw 1; }

Result crashes(const PassInput&) {
  std::raise(SIGSEGV);
  return std::nullopt;
}

Result hangs(const PassInput&) {
  for (volatile bool on = true; on;) {
  }
  return std::nullopt;
}

// The input with a comment, and `change` of the origin of its first version.
template <class Change>
Result with_origin(const PassInput& input, Change change) {
  auto made = rewrite_versions(
      input, [](VersionTask& task) { task.edit.replace(0, Print{SimpleExpr(std::int64_t{1})}); });
  change(made->origins.front());
  return made;
}

Result no_position(const PassInput& input) {
  return with_origin(input, [](VersionOrigin& origin) { origin.positions[0] = 1000; });
}

Result no_context(const PassInput& input) {
  return with_origin(input, [](VersionOrigin& origin) { origin.context_of.assign(1, 7); });
}

Result no_version(const PassInput& input) {
  return with_origin(input, [&](VersionOrigin& origin) {
    origin.version = input.names.intern<VerName>("nowhere");
  });
}

Result wrong_map(const PassInput& input) {
  return with_origin(input, [&](VersionOrigin& origin) {
    Metadata state;
    state.frame.target = {origin.function, input.names.intern<VerName>("nowhere"), {}, 0};
    origin.states[0] = state;
  });
}

constexpr OptionRow kSaidOptions[] = {{"count", "N", "a number"}, {"loud", "", "a switch"}};

Result says_options(const PassInput& input) {
  input.remarks->push_back(fmt::format("count {}, {}", input.options.number("count", 7),
                                       input.options.flag("loud") ? "loud" : "quiet"));
  return std::nullopt;
}

constexpr PassRow kMostPasses[] = {
    {"unreachable", "As in sourir.", "", unreachable, kNoOptions, PassKind::Function},
    {"says-options", "Says its options.", "", says_options, kSaidOptions},
    {"wrong", "Prints zeros.", "", wrong, kNoOptions, PassKind::Function},
    {"wrong-start", "Begins with 1.", "", wrong_start, kNoOptions, PassKind::Function},
    {"ill-formed", "Jumps to no label.", "", ill_formed, kNoOptions},
    {"no-function", "An empty program.", "", no_function, kNoOptions},
    {"throws", "Throws.", "", throws, kNoOptions},
    {"throws-number", "Throws a number.", "", throws_number, kNoOptions},
    {"crashes", "Crashes.", "", crashes, kNoOptions},
    {"hangs", "Does not end.", "", hangs, kNoOptions},
    {"no-position", "Comes from nowhere.", "", no_position, kNoOptions},
    {"no-context", "In no copy.", "", no_context, kNoOptions},
    {"no-version", "Of no version.", "", no_version, kNoOptions},
    {"wrong-map", "A state nowhere.", "", wrong_map, kNoOptions},
};

} // namespace
} // namespace sourir

const sourir::PassPlugin sourir_pass_plugin = {.passes = sourir::kMostPasses};
