// Pieces of code that invite mistakes of engines, in the form of idiom_texts.h. Internal to
// random_idioms.h.
#pragma once

#include <array>
#include <string_view>

namespace sourir::random {

inline constexpr std::array<std::string_view, 10> kEngineIdioms = {
    // Sums wrap around.
    R"(array a# = [1, {i}, 9223372036854775807]
var i# = 0
goto H#
H#:
  branch (i# < 6) $B# $E#
$B#:
  var t# = (n# + 9223372036854775807)
  print (t# {o} n#)
  print t#
  drop t#
  var k# = (i# % 3)
  var e# = a#[k#]
  var s# = (e# + 1)
  print (s# {o} e#)
  drop s#
  drop e#
  drop k#
  i# <- (i# + 1)
  goto H#
$E#:
  drop i#
  drop a#
)",
    // What the hardware cannot divide.
    R"(array a# = [-9223372036854775808, {i}, -1]
var d# = a#[2]
var m# = a#[{k}]
print (m# / d#)
print (m# % d#)
drop m#
drop d#
drop a#
)",
    // Elements of one kind, and what does not fit in.
    R"(array a# = [true, {b}, {b}]
var e# = a#[{k}]
print e#
print (e# == {b})
a#[{t}] <- {l}
print a#[{k}]
drop e#
drop a#
)",
    R"(array a# = [1, 2, {i}]
print a#[{k}]
a#[{t}] <- {l}
print a#[{t}]
print a#[{k}]
drop a#
)",
    R"(array a#[4]
a#[3] <- {l}
a#[{k}] <- {l}
a#[{k}] <- {l}
print a#
drop a#
)",
    // Code that counts on an element that changes.
    R"(array a# = [true, {i}]
var c# = a#
var i# = 0
goto H#
H#:
  branch (i# < 6) $B# $E#
$B#:
  call r# = 'relies#(a#)
  print r#
  drop r#
  branch (i# == 3) $C# $D#
$C#:
  c#[{t}] <- {b}
  goto J#
$D#:
  goto J#
J#:
  i# <- (i# + 1)
  goto H#
$E#:
  drop i#
  drop c#
  drop a#
)",
    // A function that is called with one kind, then with another.
    R"(array a# = [{i}, 2.5, {i}, {l}]
var i# = 0
goto H#
H#:
  branch (i# < 14) $B# $E#
$B#:
  var m# = (i# % 4)
  call r# = 'mixed#(a#[m#], i#)
  print r#
  drop r#
  drop m#
  i# <- (i# + 1)
  goto H#
$E#:
  drop i#
  drop a#
)",
    R"(var i# = 0
var s# = 0
goto H#
H#:
  branch (i# < 9) $B# $E#
$B#:
  s# <- (s# {d} i#)
  call r# = 'mixed#(s#, n#)
  s# <- (r# {a} 0.5)
  s# <- {w}
  drop r#
  i# <- (i# + 1)
  goto H#
$E#:
  print s#
  drop s#
  drop i#
)",
    // The same while earlier activations wait.
    R"(array a# = [{i}, {l}, 2.5]
call r# = 'deep#(a#, 4)
print r#
r# <- nil
call q# = 'deep#(a#, 9)
print q#
drop q#
drop r#
drop a#
)",
    // What was read is not read again.
    R"(print n#
call r# = 'mixed#(n#, 1)
call q# = 'mixed#(r#, 0.5)
var m# = nil
read m#
print (m# {a} q#)
print m#
drop m#
drop q#
drop r#
)",
};

inline constexpr std::string_view kEngineFunctions = R"(
function mixed#(var p, var q)
version base
  q <- (q + 1)
  var s = (q + p)
  q <- (q - s)
  print s
  s <- (q {a} p)
  return (q + s)
function relies#(var p)
version quick
  assume [p[0]] else (relies#, base, A) [var p = p]
  return 1
version base
>A:
  var q = p[0]
  branch q $T $F
$T:
  return 1
$F:
  return 2
function deep#(var p, var q)
version base
  branch (q <= 0) $A $B
$A:
  return 0
$B:
  q <- (q - 1)
  var m = (q % 3)
  var s = p[m]
  m <- (s + q)
  call r = 'deep#(p, q)
  print m
  return (r + s)
)";

} // namespace sourir::random
