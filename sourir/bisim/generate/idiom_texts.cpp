#include "sourir/bisim/generate/idiom_texts.h"

#include <array>

namespace sourir::random {
namespace {

constexpr std::array<std::string_view, 41> kIdioms = {
    // Not a number: what holds of numbers does not hold of it.
    R"(var q# = (n# {a} 0.5)
q# <- (q# % {zero})
print (q# == q#)
print (q# {c} {j})
branch (q# {o} {j}) $A# $B#
$A#:
  print ({j} {o} q#)
  goto J#
$B#:
  print (q# {o} q#)
  goto J#
J#:
  print (q# {a} q#)
  drop q#
)",
    // Infinite at last, and then not a number.
    R"(var q# = (n# {a} 1e308)
var i# = 0
goto H#
H#:
  branch (i# < 3) $B# $E#
$B#:
  q# <- (q# {a} q#)
  print (q# {c} q#)
  print (q# - q#)
  i# <- (i# + 1)
  goto H#
$E#:
  drop i#
  drop q#
)",
    // The same test again, and its opposite.
    R"(branch (n# {o} {j}) $A# $B#
$A#:
  print (n# {o} {j})
  goto J#
$B#:
  print (n# {o} {j})
  goto J#
J#:
  print (n# {c} {j})
)",
    R"(branch (n# {o} {j}) $A# $B#
$A#:
  goto J#
$B#:
  branch (n# {o} {j}) $C# $D#
$C#:
  print 1
  goto J#
$D#:
  print 2
  goto J#
J#:
  print 3
)",
    R"(branch (n# {o} {j}) $A# $B#
$A#:
  branch ({j} {o} n#) $C# $D#
$B#:
  branch ({j} {o} n#) $E# $F#
$C#:
  print 1
  goto J#
$D#:
  print 2
  goto J#
$E#:
  print 3
  goto J#
$F#:
  print 4
  goto J#
J#:
  print 5
)",
    // Known on one path only.
    R"(branch (n# == {i}) $A# $B#
$A#:
  branch {p} $C# $D#
$C#:
  goto J#
$D#:
  goto K#
$B#:
  goto J#
J#:
  print {p}
  goto K#
K#:
  print 1
)",
    // May fail, but for the branch around it.
    R"(var i# = 0
goto H#
H#:
  branch (i# < {k}) $B# $E#
$B#:
  branch (n# != {z}) $C# $D#
$C#:
  print ({i} / n#)
  goto J#
$D#:
  goto J#
J#:
  i# <- (i# + 1)
  goto H#
$E#:
  drop i#
)",
    // The same in each iteration.
    R"(var i# = 0
goto H#
H#:
  branch (i# < {k}) $B# $E#
$B#:
  var t# = (n# {a} {j})
  var u# = (t# {o} {j})
  print u#
  drop u#
  drop t#
  i# <- (i# + 1)
  goto H#
$E#:
  drop i#
)",
    // A guard whose variable changes in the loop.
    R"(var i# = 0
goto H#
H#:
  branch (i# < 3) $B# $E#
$B#:
  guard_hint {p}
  print {p}
  n# <- {w}
  print i#
  i# <- (i# + 1)
  goto H#
$E#:
  drop i#
)",
    R"(var i# = 0
goto H#
H#:
  branch (i# < 3) $B# $E#
$B#:
  print i#
  n# <- {w}
  guard_hint {p}
  print {p}
  i# <- (i# + 1)
  goto H#
$E#:
  drop i#
)",
    R"(print {i}
guard_hint {p}
n# <- {w}
print {i}
guard_hint {p}
print {p}
)",
    // A guard on an element, and stores through another name.
    R"(array a# = [{b}, {i}]
var c# = a#
print {i}
guard_hint a#[0]
c#[{t}] <- {b}
guard_hint a#[0]
print a#[0]
drop c#
drop a#
)",
    R"(array a# = [{b}, {i}]
var c# = a#
print {i}
c#[{t}] <- {b}
guard_hint a#[0]
branch a#[0] $A# $B#
$A#:
  print 1
  goto J#
$B#:
  print 2
  goto J#
J#:
  drop c#
  drop a#
)",
    R"(array a# = [true, {i}]
var c# = a#
var i# = 0
goto H#
H#:
  branch (i# < 3) $B# $E#
$B#:
  guard_hint a#[0]
  print a#[0]
  c#[{t}] <- {b}
  i# <- (i# + 1)
  goto H#
$E#:
  drop i#
  drop c#
  drop a#
)",
    // A guard on an element, and a call that changes it.
    R"(array a# = [true, {i}]
print {i}
call r# = 'store#(a#, {v})
guard_hint a#[0]
print a#[0]
drop r#
drop a#
)",
    // Known elements of arrays.
    R"(array a# = [{i}, {i}]
var c# = a#
a#[0] <- {i}
c#[{t}] <- {i}
print a#[0]
drop c#
drop a#
)",
    R"(array a# = [{i}, {i}]
array c# = [a#]
var e# = c#[0]
a#[0] <- {i}
e#[n#] <- {i}
print a#[0]
drop e#
drop c#
drop a#
)",
    R"(array q# = [{i}]
array a# = [{i}]
var i# = 0
goto H#
H#:
  branch (i# < {k}) $B# $E#
$B#:
  a#[0] <- {i}
  a# <- q#
  i# <- (i# + 1)
  goto H#
$E#:
  print q#[0]
  drop i#
  drop a#
  drop q#
)",
    R"(array a# = [{i}, {i}]
print a#[0]
call r# = 'store#(a#, a#[0])
print a#[0]
drop r#
drop a#
)",
    // Zero has two signs.
    R"(array s# = [0.0, -0.0, {i}]
var z# = s#[{k}]
drop s#
branch (z# == {zero}) $A# $B#
$A#:
  print z#
  print (1.0 / z#)
  goto J#
$B#:
  goto J#
J#:
  drop z#
)",
    "array s# = [-0.0, 0.0, {i}]\nvar z# = s#[{k}]\ndrop s#\nvar t# = (z# + {zero})\n"
    "print (z# + {zero})\nprint t#\ndrop t#\ndrop z#\n",
    // A value that is available on some paths.
    R"(var t# = 0
branch (n# {o} {j}) $A# $B#
$A#:
  t# <- ({x} {d} n#)
  goto J#
$B#:
  t# <- {w}
  goto J#
J#:
  var u# = ({x} {d} n#)
  print u#
  print t#
  drop u#
  drop t#
)",
    R"(var t# = {l}
branch (n# {o} {j}) $A# $B#
$A#:
  t# <- {l}
  goto J#
$B#:
  goto J#
J#:
  print (t# is {kind})
  print t#
  print (t# == {l})
  drop t#
)",
    // May fail, changes what an exit keeps.
    R"(var t# = {j}
print {i}
t# <- ({v} {a} {v})
guard_hint (t# == {i})
print t#
drop t#
)",
    R"(print {i}
n# <- (n# + 1)
guard_hint (n# == {i})
print n#
)",
    R"(print {i}
n# <- ({i} / n#)
guard_hint (n# == {i})
print n#
)",
    // Nothing depends on it but an error.
    R"(branch {v} $A# $B#
$A#:
  goto J#
$B#:
  goto J#
J#:
  print 3
)",
    R"(var d# = ({v} {a} {v})
print {i}
drop d#
)",
    R"(call d# = 'say#({v})
drop d#
)",
    // Only a rare path needs it.
    R"(var u# = (n# {a} {i})
n# <- {w}
print {i}
branch {q} $A# $B#
$A#:
  print u#
  goto J#
$B#:
  goto J#
J#:
  drop u#
)",
    R"(var u# = {i}
var w# = (u# {a} n#)
call r# = 'say#(w#)
branch {q} $A# $B#
$A#:
  print (u# {a} w#)
  goto J#
$B#:
  goto J#
J#:
  drop r#
  drop w#
  drop u#
)",
    // Only the return frame needs it.
    R"(var u# = (n# + {i})
call r# = 'guess#({v})
drop r#
drop u#
)",
    R"(var u# = {x}
call r# = 'guess#(n#)
print r#
u# <- {i}
drop r#
drop u#
)",
    // What is not less may be equal.
    "branch (n# < {j}) $A# $B#\n$A#:\n  goto J#\n$B#:\n  branch ({j} < n#) $C# $D#\n$C#:\n"
    "  print 1\n  goto J#\n$D#:\n  print 2\n  goto J#\nJ#:\n  branch (n# < {j}) $E# $F#\n$E#:\n"
    "  goto K#\n$F#:\n  print 3\n  goto K#\nK#:\n  print 4\n",
    // What is not less may be a NaN.
    "array s# = [{i}, 0.5, 1e308]\nvar m# = s#[{k}]\ndrop s#\nm# <- (m# * 10.0)\nm# <- (m# - m#)\n"
    "branch (m# {o} {j}) $A# $B#\n$A#:\n  goto J#\n$B#:\n  branch (m# {o} {j}) $C# $D#\n$C#:\n"
    "  print 1\n  goto J#\n$D#:\n  print 2\n  goto J#\nJ#:\n  drop m#\n",
    // Computed on one path only, and not used.
    "array s# = [{l}, {i}]\nvar m# = s#[{t}]\nvar u# = {v}\nprint u#\n"
    "branch (m# is int) $A# $B#\n$A#:\n  u# <- (m# {a} m#)\n  goto J#\n$B#:\n  goto J#\nJ#:\n"
    "  print {i}\n  u# <- {i}\n  print u#\n  drop u#\n  drop m#\n  drop s#\n",
    // The assignment fails on the other arm of the branch.
    "var t# = (n# - {j})\nprint {i}\nguard_hint (t# != 0)\nbranch (t# == 0) $A# $B#\n$A#:\n"
    "  print 1\n  goto J#\n$B#:\n"
    "  var x# = 0\n  x# <- ({i} / t#)\n  guard_hint (x# {o} {i})\n  print x#\n  drop x#\n"
    "  goto J#\nJ#:\n  drop t#\n",
    // Identities that do not hold for all types.
    R"(var t# = ({v} {same})
print t#
drop t#
)",
    R"(print ({x} {any} {x})
print ({v} {same})
)",
    // Literals of all types.
    R"(var t# = {l}
print (t# {any} {l})
print ({l} {any} t#)
drop t#
)",
    R"(var t# = {v}
var u# = (t# + 0)
print u#
print (0 + t#)
drop u#
drop t#
)",
};

// Declarations of n#.
constexpr std::array<std::string_view, 4> kOpaque = {
    "array s# = [{i}, {i}, {i}]\nvar n# = s#[{k}]\ndrop s#\n",
    "array s# = [{j}, {i}, {j}]\nvar n# = s#[{k}]\ndrop s#\n",
    "call n# = 'same#({i})\n",
    "var n# = nil\nread n#\n",
};

// Functions that the texts call.
constexpr std::string_view kIdiomFunctions = R"(
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

} // namespace

std::span<const std::string_view> pass_idioms() { return kIdioms; }
std::span<const std::string_view> unknown_integers() { return kOpaque; }
std::string_view idiom_functions() { return kIdiomFunctions; }

} // namespace sourir::random
