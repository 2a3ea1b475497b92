#include "sourir/bisim/generate/engine_idiom_texts.h"

#include <array>

namespace sourir::random {
namespace {

constexpr std::array<std::string_view, 17> kEngineIdioms = {
    // Inlined by hand, under many guards: exits lead into the callee's versions. Late, some fail.
    R"(var i# = 0
goto H#
H#:
  branch (i# < 24) $B# $E#
$B#:
  var m# = (i# % 3)
  branch (i# > 19) $C# $D#
$C#:
  m# <- i#
  goto J#
$D#:
  goto J#
J#:
  call r# = 'joined#(m#, i#)
  print r#
  drop r#
  drop m#
  i# <- (i# + 1)
  goto H#
$E#:
  drop i#
)",
    // The same with two callers, of which each does something else with the result; and arrays that
    // are the same one at every other call.
    R"(array a# = [1, {i}, 2.5]
var i# = 0
goto H#
H#:
  branch (i# < 9) $B# $E#
$B#:
  var k# = (i# % 3)
  var e# = a#[k#]
  call r# = 'three#(e#, i#)
  print r#
  drop r#
  array d# = [{i}, 2]
  array f# = [{i}, 2]
  call s# = 'apart#(d#, f#)
  print s#
  call t# = 'apart#(f#, d#)
  call v# = 'apart#(d#, f#)
  call u# = 'apart#(d#, d#)
  print u#
  drop u#
  drop v#
  drop t#
  drop s#
  drop f#
  drop d#
  drop e#
  drop k#
  i# <- (i# + 1)
  goto H#
$E#:
  drop i#
  drop a#
)",
    // A guard that fails from some call on, while another argument has one type and another in
    // turns.
    R"(array a# = [1, {i}]
array b# = [0.5, {i}]
var c# = a#
var i# = 0
goto H#
H#:
  branch (i# < 14) $B# $E#
$B#:
  var k# = (i# % 2)
  var x# = {i}
  branch (k# == 0) $C# $D#
$C#:
  x# <- 2.5
  goto J#
$D#:
  goto J#
J#:
  branch (i# == 8) $F# $G#
$F#:
  c# <- b#
  goto K#
$G#:
  goto K#
K#:
  call r# = 'turns#(x#, c#)
  print r#
  drop r#
  array d# = [{i}, 2]
  array f# = [{i}, 2]
  call s# = 'apart#(d#, f#)
  print s#
  call t# = 'apart#(f#, d#)
  call v# = 'apart#(d#, f#)
  call u# = 'apart#(d#, d#)
  print u#
  drop u#
  drop v#
  drop t#
  drop s#
  drop f#
  drop d#
  drop x#
  drop k#
  i# <- (i# + 1)
  goto H#
$E#:
  drop i#
  drop c#
  drop b#
  drop a#
)",
    // Calls whose arrays are full, have room, are the same one or are not.
    R"(array a# = [{i}, {i}]
array c#[2]
c#[0] <- {i}
var b# = a#
var i# = 0
goto H#
H#:
  branch (i# < 9) $B# $E#
$B#:
  var k# = (i# % 3)
  branch (k# == {k}) $C# $D#
$C#:
  b# <- c#
  goto J#
$D#:
  b# <- a#
  goto J#
J#:
  array d# = [{i}, 2]
  call r# = 'apart#(b#, d#)
  print r#
  call s# = 'apart#(b#, a#)
  print s#
  drop s#
  drop r#
  drop d#
  drop k#
  i# <- (i# + 1)
  goto H#
$E#:
  print a#
  drop i#
  drop b#
  drop c#
  drop a#
)",
    // The phase changes late in a long loop.
    R"(array a# = [0, 1, 2, {i}, 4, 5, 6, 7]
var s# = {i}
var i# = 0
goto H#
H#:
  branch (i# < 40) $B# $E#
$B#:
  var m# = (i# % 8)
  var e# = a#[m#]
  s# <- (s# + e#)
  drop e#
  drop m#
  branch (i# == 33) $C# $D#
$C#:
  a#[{k}] <- {l}
  goto J#
$D#:
  goto J#
J#:
  i# <- (i# + 1)
  goto H#
$E#:
  print s#
  drop i#
  drop s#
  drop a#
)",
    R"(var s# = {i}
var i# = 0
goto H#
H#:
  branch (i# < 30) $B# $E#
$B#:
  s# <- (s# {d} {j})
  branch (i# == 26) $C# $D#
$C#:
  s# <- {l}
  goto J#
$D#:
  goto J#
J#:
  i# <- (i# + 1)
  goto H#
$E#:
  print s#
  drop i#
  drop s#
)",
    // Loops that are entered several times, with other types each time.
    R"(array a# = [0, 0, {i}, 0]
var i# = 0
goto H#
H#:
  branch (i# < 9) $B# $E#
$B#:
  call r# = 'loops#(a#, i#)
  print r#
  drop r#
  i# <- (i# + 1)
  goto H#
$E#:
  print a#
  drop i#
  drop a#
)",
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
    // Elements of one type, and stores of another.
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
    // Code that speculates on an element that changes.
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
    // A function that is called with one type, then with another.
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
    // The same with earlier activations on the stack.
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

constexpr std::string_view kEngineFunctions = R"(
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
function twice#(var p)
version base
>S:
  branch (p is int) $A $B
$A:
  p <- (p + {j})
  print p
  return p
$B:
  print p
  return 0
function joined#(var p, var q)
version inlined
  assume [(p is int), (q is int), (p != 9), (p < 1000), (p > -1000), (q < 1000), (q > -1000), (q != 7), (p != nil), (q is int)] else (joined#, base, E) [var p = p, var q = q]
  var s = p
  assume [(s < 3), (s >= 0)] else (twice#, base, S) [var p = s], (joined#, base, F) [var r = $, var p = p, var q = q]
  s <- (s + {j})
  print s
  var t = q
  assume [(t != 4), (t is int)] else (twice#, base, S) [var p = t], (joined#, base, G) [var u = $, var p = p, var q = q, var r = s]
  t <- (t + {j})
  print t
  return (s + t)
version base
>E:
  call r = 'twice#(p)
>F:
  call u = 'twice#(q)
>G:
  return (r + u)
function three#(var p, var q)
version inlined
  assume [(p is int), (p < 6)] else (inmost#, base, L) [var s = p, var u = {j}], (within#, base, M) [var r = $, var p = p, var q = q], (three#, base, N) [var t = $, var p = p, var q = q]
  var s = (p * {j})
  var r = (s - q)
  print r
  var t = (r * {j})
  return (t - p)
version base
  call t = 'within#(p, q)
>N:
  t <- (t * {j})
  return (t - p)
function within#(var p, var q)
version base
  call r = 'inmost#(p, {j})
>M:
  r <- (r - q)
  print r
  return r
function inmost#(var s, var u)
version base
>L:
  s <- (s * u)
  return s
function turns#(var p, var q)
version base
  var e = q[{t}]
  e <- (e + p)
  p <- (e {a} {j})
  return p
function apart#(var p, var q)
version base
  var x = p[1]
  print (x is int)
  p[0] <- {i}
  q[0] <- 7
  x <- p[0]
  return x
function loops#(var p, var q)
version base
  var v = 0
  goto H
H:
  branch (v < q) $B $X
$B:
  v <- (v + 1)
  goto H
$X:
  var x = nil
  var t = 0
  goto K
K:
  branch (t < 20) $L $M
$L:
  var k = (t % 4)
  x <- t
  var e = p[k]
  drop k
  drop e
  t <- (t + 1)
  goto K
$M:
  print x
  branch (q > 5) $N $O
$N:
  p[1] <- {l}
  return x
$O:
  return x
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

} // namespace

std::span<const std::string_view> engine_idioms() { return kEngineIdioms; }
std::string_view engine_functions() { return kEngineFunctions; }

} // namespace sourir::random
