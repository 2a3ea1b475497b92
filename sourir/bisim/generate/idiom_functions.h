// What the pieces of idiom_texts.h begin with and call.
#pragma once

#include <array>
#include <string_view>

namespace sourir::random {

// Where n# comes from.
inline constexpr std::array<std::string_view, 4> kOpaque = {
    "array s# = [{i}, {i}, {i}]\nvar n# = s#[{k}]\ndrop s#\n",
    "array s# = [{j}, {i}, {j}]\nvar n# = s#[{k}]\ndrop s#\n",
    "call n# = 'same#({i})\n",
    "var n# = nil\nread n#\n",
};

// Functions that the texts call.
inline constexpr std::string_view kIdiomFunctions = R"(
function same#(var p)
version base
  return p
function store#(var p, var q)
version base
  p[0] <- {i}
  print q
  return q
function guess#(var p)
version base
  guard_hint (p == {i})
  branch (p == {i}) $A $B
$A:
  print 1
  return p
$B:
  print 2
  return nil
function say#(var p)
version base
  print p
  return {l}
)";

} // namespace sourir::random
