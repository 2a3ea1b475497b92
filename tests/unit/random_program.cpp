#include "tests/unit/random_program.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace sourir::testing {

template <class N>
N RandomProgram::name() {
  constexpr std::array<std::string_view, 20> texts{
      "x",  "y",    "f",      "main", "anon",  "is", "when", "cont", "anchor",   "with",
      "_1", "kind", "string", "int",  "Label", "e5", "L",    "mod",  "longer_1", "Print"};
  return names_.intern<N>(texts[below(texts.size())]);
}

template <class Make>
auto RandomProgram::several(std::uint32_t most, Make make) {
  std::vector<decltype(make())> all;
  for (std::uint32_t n = below(most + 1); n > 0; --n) all.push_back(make());
  return all;
}

std::int64_t RandomProgram::integer() {
  switch (below(5)) {
  case 0: return std::numeric_limits<std::int64_t>::min();
  case 1: return std::numeric_limits<std::int64_t>::max();
  case 2: return 0;
  default: return static_cast<std::int64_t>(below(2000)) - 1000;
  }
}

Float RandomProgram::number() {
  constexpr std::array<double, 8> special{0.0, -0.0, 1e22, 5e-324, 1.7976931348623157e308,
                                          0.1, -1.0, 1e16};
  if (chance(40)) return {special[below(special.size())]};
  const std::uint64_t bits = static_cast<std::uint64_t>(random_()) << 32 | random_();
  const auto value = std::bit_cast<double>(bits);
  return {std::isfinite(value) ? value : 2.5};
}

Str RandomProgram::string() {
  constexpr std::array<std::string_view, 8> pieces{"a", "\"", "\\", "\n", "\t", "\\n", "é#", "\r"};
  std::string text;
  for (std::uint32_t n = below(4); n > 0; --n) text += pieces[below(pieces.size())];
  return names_.intern<Str>(text);
}

SimpleExpr RandomProgram::simple() {
  switch (below(10)) {
  case 0: return Nil{};
  case 1: return chance(50);
  case 2:
  case 3: return integer();
  case 4: return number();
  case 5: return string();
  case 6: return name<FunName>();
  default: return name<Var>();
  }
}

Expr RandomProgram::expr() {
  switch (below(9)) {
  case 0: return Unary{chance(70) ? UnaryOp::Neg : UnaryOp::Not, simple()};
  case 1:
  case 2: return Binary{static_cast<BinaryOp>(below(13)), simple(), simple()};
  case 3: return Index{name<Var>(), simple()};
  case 4: return Length{simple()};
  case 5: return KindTest{simple(), static_cast<Kind>(below(7))};
  case 6: {
    constexpr std::array<Kind, 3> types{Kind::Bool, Kind::Int, Kind::Float};
    return ElementsTest{simple(), types[below(3)]};
  }
  default: return simple();
  }
}

std::vector<Expr> RandomProgram::exprs(std::uint32_t least, std::uint32_t most) {
  std::vector<Expr> all = several(most, [this] { return expr(); });
  while (all.size() < least) all.push_back(expr());
  return all;
}

std::vector<Binding> RandomProgram::varmap() {
  return several(3, [this] { return Binding{name<Var>(), expr()}; });
}

Place RandomProgram::place() { return {name<FunName>(), name<VerName>(), name<Label>(), 0}; }

DeferredInstr RandomProgram::deferred() {
  switch (below(4)) {
  case 0: return Decl{name<Var>(), chance(50) ? std::optional(expr()) : std::nullopt};
  case 1: return ArrayDecl{name<Var>(), expr()};
  case 2: return ArrayDef{name<Var>(), exprs(0, 3)};
  default: return ArrayUpdate{name<Var>(), expr(), expr()};
  }
}

Metadata RandomProgram::exit() {
  Metadata exit;
  exit.frame = {place(), varmap(), {}};
  exit.outer = several(2, [this] { return OuterFrame{place(), name<Var>(), varmap(), {}}; });
  if (chance(70)) return exit;
  exit.with = several(3, [this] { return Deferred{deferred(), {}}; });
  for (Deferred& d : exit.with) {
    own_lines(d.comments, 0);
    if (chance(20)) d.comments.push_back({0, false, comment_text(false)});
  }
  own_lines(exit.with_end, 0);
  while (!exit.with_end.empty() && exit.with_end.back().text.empty()) exit.with_end.pop_back();
  auto& first = exit.with.empty() ? exit.with_end : exit.with.front().comments;
  while (!first.empty() && first.front().own_line && first.front().text.empty())
    first.erase(first.begin());
  return exit;
}

Instruction RandomProgram::instruction() {
  switch (below(17)) {
  case 0: return Drop{name<Var>()};
  case 1: return Assign{name<Var>(), expr()};
  case 2: return Branch{expr(), name<Label>(), name<Label>()};
  case 3: return Goto{name<Label>()};
  case 4: return Print{expr()};
  case 5: return Read{name<Var>()};
  case 6: return Assert{expr()};
  case 7: return Call{name<Var>(), expr(), exprs(0, 3)};
  case 8: return Return{expr()};
  case 9: return Stop{chance(50) ? std::optional(expr()) : std::nullopt};
  case 10: return GuardHint{exprs(1, 3)};
  case 11: return Anchor{exit()};
  case 12: return Assume{chance(20) ? std::vector{Expr(SimpleExpr(true))} : exprs(0, 3), exit()};
  default: return match(deferred(), [](auto instr) { return Instruction(std::move(instr)); });
  }
}

// The text " " is a comment line `#`; after an instruction it is the empty text.
std::string RandomProgram::comment_text(bool own_line) {
  constexpr std::array<std::string_view, 5> texts{" a comment", "#", " { \"} é", " x <- 1", "\tb"};
  const std::uint32_t n = below(texts.size() + 1);
  return n < texts.size() ? std::string(texts[n]) : own_line ? " " : "";
}

void RandomProgram::own_lines(std::vector<Comment>& out, std::uint32_t slot) {
  bool blank = false;
  for (std::uint32_t n = chance(30) ? below(4) : 0; n > 0; --n) {
    blank = !blank && chance(40);
    out.push_back({slot, true, blank ? "" : comment_text(true)});
  }
}

LeadingTrivia RandomProgram::leading(bool end) {
  LeadingTrivia leading;
  if (chance(30)) leading.labels = several(3, [this] { return name<Label>(); });
  if (chance(15))
    leading.scopes = several(
        2, [this] { return ScopeNote{several(2, [this] { return name<Var>(); }), chance(50)}; });
  for (std::uint32_t k = 0; k < leading.labels.size(); ++k) {
    own_lines(leading.comments, k);
    if (chance(15)) leading.comments.push_back({k, false, comment_text(false)});
  }
  const auto slot = static_cast<std::uint32_t>(leading.labels.size());
  if (!end || !leading.scopes.empty()) own_lines(leading.comments, slot);
  if (!end && chance(20)) leading.comments.push_back({slot, false, comment_text(false)});
  return leading;
}

Version RandomProgram::version(bool last) {
  Version version;
  version.name = name<VerName>();
  if (chance(15)) version.cont = {name<Label>(), several(2, [this] { return name<Var>(); })};
  if (chance(20)) version.when = exprs(1, 2);
  own_lines(version.comments, 0);
  if (chance(20)) version.comments.push_back({0, false, comment_text(false)});
  for (std::uint32_t n = below(12); n > 0; --n)
    version.body.push_back({leading(false), instruction()});
  version.end = leading(true);
  if (last && version.end.comments.empty())
    version.end.comments = {{static_cast<std::uint32_t>(version.end.labels.size()), true, " end"}};
  auto& first = version.body.empty() ? version.end.comments : version.body[0].leading.comments;
  while (!first.empty() && first[0].slot == 0 && first[0].own_line && first[0].text.empty())
    first.erase(first.begin());
  auto& tail = version.end.comments; // a blank line after everything would be the header's
  while (!tail.empty() && tail.back().own_line && tail.back().slot == version.end.labels.size())
    if (last && !tail.back().text.empty())
      break;
    else
      tail.pop_back();
  return version;
}

Function RandomProgram::function(bool first, bool last) {
  Function function;
  function.name = name<FunName>();
  function.params = several(3, [this] { return name<Var>(); });
  own_lines(function.comments, 0);
  if (first)
    while (!function.comments.empty() && function.comments[0].text.empty())
      function.comments.erase(function.comments.begin());
  if (chance(20)) function.comments.push_back({0, false, comment_text(false)});
  for (std::uint32_t n = 1 + below(3); n > 0; --n)
    function.versions.push_back(version(last && n == 1));
  if (function.versions.size() > 1 || chance(50)) return function;
  Version& anon = function.versions[0];
  anon.name = names_.intern<VerName>("anon");
  anon.cont.reset(), anon.when.clear(), anon.comments.clear();
  if (!first || anon.body.empty() || chance(50)) return function;
  function.implicit = true;
  function.name = names_.intern<FunName>("main");
  function.params.clear(), function.comments.clear();
  return function;
}

Program RandomProgram::program() {
  Program program;
  for (std::uint32_t n = 1 + below(3); n > 0; --n)
    program.functions.push_back(function(program.functions.empty(), n == 1));
  return program;
}

} // namespace sourir::testing
