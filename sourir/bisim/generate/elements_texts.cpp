#include "sourir/bisim/generate/elements_texts.h"

#include <fmt/format.h>

#include <array>

namespace sourir::random {
namespace {

constexpr std::array<std::string_view, 4> kElementsUses = {
    // Two names of one array.
    R"(array ea# = [{i}, {i}]
call er# = 'elems#(ea#, ea#, {l})
print er#
print ea#
drop er#
drop ea#
)",
    // Two arrays, the second one perhaps of other types.
    R"(array ea# = [{i}, {i}]
array eb# = [{l}, 2.5]
call er# = 'elems#(ea#, eb#, {l})
print er#
call es# = 'elems#(eb#, ea#, {l})
print es#
print ea#
print eb#
drop es#
drop er#
drop eb#
drop ea#
)",
    // Filled from the front, not to the end.
    R"(array ea#[2]
ea#[0] <- {i}
array eb# = [{i}, nil]
call er# = 'elems#(ea#, eb#, {l})
print er#
call es# = 'elems#(eb#, ea#, {i})
print es#
print ea#
drop es#
drop er#
drop eb#
drop ea#
)",
    // Again with what the first call left.
    R"(array ea# = [{i}, {i}]
call er# = 'elems#(ea#, ea#, {i})
call es# = 'elems#(ea#, ea#, {l})
print er#
print es#
print ea#
drop es#
drop er#
drop ea#
)"};

// Bodies of a function that has them twice: under guards, and where these lead when they do not
// hold.
struct GuardedBody {
  std::string_view context, guards, body;
};

constexpr std::array<GuardedBody, 7> kGuardedBodies = {
    {// A store through another name.
     {"", "(a is int[])", R"(  b[{t1}] <- v
  var x = a[{t1}]
  print (x is int)
  return x
)"},
     // A store through the same variable, then one of an integer.
     {"", "(a is int[])", R"(  a[{t1}] <- v
  var x = a[{t1}]
  print (x is int)
  b[{z1}] <- length(a)
  x <- b[{t1}]
  print (x is int)
  return x
)"},
     // One element before and after a store, at an index that nothing tells.
     {"", "(a is array)", R"(  var m = length(a)
  m <- (m - 1)
  var x = a[m]
  a[m] <- v
  x <- a[m]
  print (x is int)
  return x
)"},
     // A callee stores.
     {"", "(a is int[]), (b is array)", R"(  call r = 'eput#(b, v)
  var x = a[{t1}]
  print (x is int)
  branch (x is int) $I# $O#
$I#:
  return r
$O#:
  return x
)"},
     {"", "(a is int[])", R"(  call r = 'eput#(a, v)
  var x = a[{t1}]
  print x
  print (x is float)
  branch (x is int) $I# $O#
$I#:
  return r
$O#:
  return x
)"},
     // A callee stores between two iterations.
     {"", "(a is int[])", R"(  var i = 0
  goto H#
H#:
  branch (i < 3) $B# $E#
$B#:
  var x = a[{t1}]
  print (x is int)
  drop x
  call r = 'eput#(b, v)
  drop r
  i <- (i + 1)
  goto H#
$E#:
  return i
)"},
     // A context, and elements of two types that one array cannot have.
     {" when [(a is int[]), (b is float[])]", "(b is float[])", R"(  b[{t1}] <- v
  var x = a[{t1}]
  print (x is int)
  x <- b[{z1}]
  print (x is float)
  return x
)"}}};

constexpr std::string_view kStoringFunction = R"(function eput#(var p, var q)
version base
  p[{t1}] <- q
  return {i}
)";

// Whole functions.
constexpr std::array<std::string_view, 4> kElementsFunctions = {
    // A guard before a store and one after it, on which the version relies. It loads as the other
    // one does, since any array may come.
    R"(function elems#(var a, var b, var v)
version quick
  assume [(a is int[])] else (elems#, base, P#) [var a = a, var b = b, var v = v]
  b[{t1}] <- v
  print {i1}
  assume [(a is int[])] else (elems#, base, Q#) [var a = a, var b = b, var v = v]
  var x = a[{t1}]
  print true
  drop x
  return a
version base
>P#:
  b[{t1}] <- v
  print {i1}
>Q#:
  var x = a[{t1}]
  print (x is int)
  drop x
  return a
)",
    // A guard on what was loaded, at an index that nothing tells.
    R"(function elems#(var a, var b, var v)
version quick
  var m = length(a)
  m <- (m - 1)
  var x = a[m]
  assume [(x is int)] else (elems#, base, P#) [var a = a, var b = b, var v = v, var m = m, var x = x]
  print true
  return x
version base
  var m = length(a)
  m <- (m - 1)
  var x = a[m]
>P#:
  print (x is int)
  return x
)",
    // A call, and an assume in front that has no guard yet.
    R"(function elems#(var a, var b, var v)
version quick
  assume [] else (elems#, base, P#) [var a = a, var b = b, var v = v]
  call r = 'eput#(b, v)
  assume [(a is int[])] else (elems#, base, Q#) [var a = a, var b = b, var v = v, var r = r]
  var x = a[{t1}]
  print true
  drop x
  return r
version base
>P#:
  call r = 'eput#(b, v)
>Q#:
  var x = a[{t1}]
  print (x is int)
  drop x
  return r
)",
    // A loop whose body stores.
    R"(function elems#(var a, var b, var v)
version quick
  var i = 0
  assume [{b}, (i is int)] else (elems#, base, P#) [var a = a, var b = b, var v = v, var i = i]
  goto H#
H#:
  branch (i < 3) $B# $E#
$B#:
  assume [(a is int[])] else (elems#, base, Q#) [var a = a, var b = b, var v = v, var i = i]
  var x = a[{t1}]
  print true
  drop x
  b[{t1}] <- v
  i <- (i + 1)
  goto H#
$E#:
  return i
version base
  var i = 0
>P#:
  goto H#
H#:
  branch (i < 3) $B# $E#
$B#:
>Q#:
  var x = a[{t1}]
  print (x is int)
  drop x
  b[{t1}] <- v
  i <- (i + 1)
  goto H#
$E#:
  return i
)"};

} // namespace

std::span<const std::string_view> elements_uses() { return kElementsUses; }

std::string elements_function(ChoiceSequence& choices) {
  constexpr auto kBodies = static_cast<std::uint32_t>(kGuardedBodies.size());
  const std::uint32_t drawn =
      choices.below(kBodies + static_cast<std::uint32_t>(kElementsFunctions.size()));
  std::string out;
  if (drawn < kBodies) {
    const auto& [context, guards, body] = kGuardedBodies[drawn];
    out = fmt::format("function elems#(var a, var b, var v)\nversion quick{}\n"
                      "  assume [{}] else (elems#, base, P#) [var a = a, var b = b, var v = v]\n"
                      "{}version base\n>P#:\n{}",
                      context, guards, body, body);
  } else {
    out = kElementsFunctions[drawn - kBodies];
  }
  if (out.find("'eput#") != out.npos) out += kStoringFunction;
  return out;
}

} // namespace sourir::random
