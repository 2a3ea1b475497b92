#include "sourir/bisim/generate/watchpoint_texts.h"

#include <array>

namespace sourir::random {
namespace {

constexpr std::array<std::string_view, 3> kUses = {
    // Two names of one array; the next call starts with what the first one left.
    R"(array wa# = [true, {b}]
call wr# = 'watch#(wa#, wa#, 4)
print wr#
wa#[{t}] <- {b}
call ws# = 'watch#(wa#, wa#, 3)
print ws#
print wa#
drop ws#
drop wr#
drop wa#
)",
    // Two arrays.
    R"(array wa# = [true, {b}]
array wb# = [{b}, {b}]
call wr# = 'watch#(wa#, wb#, 4)
print wr#
call ws# = 'watch#(wb#, wa#, 3)
print ws#
print wa#
drop ws#
drop wr#
drop wb#
drop wa#
)",
    // A frame that comes where another one was, after a store.
    R"(array wa# = [true, true]
array wb# = [true, true]
call wr# = 'watch#(wa#, wb#, 2)
print wr#
drop wr#
wa#[{t}] <- false
call ws# = 'watch#(wa#, wb#, 2)
print ws#
drop ws#
drop wb#
drop wa#
)"};

constexpr std::array<std::string_view, 6> kFunctions = {
    // A callee stores; the frame leaves where the call returns to.
    R"(function watch#(var a, var b, var n)
version quick
  var s = 0
  var i = 0
  goto H#
H#:
  branch (i < n) $B# $E#
$B#:
  call x = 'put#(b, i)
  assume [a[{z1}]] else (watch#, base, T#) [var a = a, var b = b, var n = n, var s = s, var i = i, var x = x]
  s <- (s + x)
  drop x
  i <- (i + 1)
  goto H#
$E#:
  return s
version base
  var s = 0
  var i = 0
  goto H#
H#:
  branch (i < n) $B# $E#
$B#:
  call x = 'put#(b, i)
>T#:
  var t = a[{z1}]
  branch t $Y# $N#
$Y#:
  s <- (s + x)
  goto J#
$N#:
  s <- (s + 100)
  goto J#
J#:
  drop t
  drop x
  i <- (i + 1)
  goto H#
$E#:
  return s

function put#(var b, var i)
  branch (i == {k}) $S# $O#
$S#:
  b[{z1}] <- {b}
  goto R#
$O#:
  goto R#
R#:
  return (i + 1)
)",
    // The loop itself stores; the frame leaves at its head.
    R"(function watch#(var a, var b, var n)
version quick
  var s = 0
  var i = 0
  goto H#
H#:
  anchor else (watch#, base, P#) [var a = a, var b = b, var n = n, var s = s, var i = i]
  branch (i < n) $B# $E#
$B#:
  assume [(n is int), a[{z1}]] else (watch#, base, T#) [var a = a, var b = b, var n = n, var s = s, var i = i]
  s <- (s + 1)
  branch (i == {i1}) $S# $O#
$S#:
  b[{t1}] <- {b1}
  goto J#
$O#:
  goto J#
J#:
  i <- (i + 1)
  goto H#
$E#:
  return s
version base
  var s = 0
  var i = 0
  goto H#
H#:
>P#:
  branch (i < n) $B# $E#
$B#:
>T#:
  var t = a[{z1}]
  branch t $Y# $N#
$Y#:
  s <- (s + 1)
  goto K#
$N#:
  s <- (s + 100)
  goto K#
K#:
  drop t
  branch (i == {i1}) $S# $O#
$S#:
  b[{t1}] <- {b1}
  goto J#
$O#:
  goto J#
J#:
  i <- (i + 1)
  goto H#
$E#:
  return s
)",
    // The element is loaded and compared; a callee that knows the array by another name redefines
    // it. The guard itself is no invalidation point.
    R"(function watch#(var a, var b, var n)
version quick
  a[{z1}] <- {j}
  var s = 0
  var i = 0
  goto H#
H#:
  branch (i < n) $B# $E#
$B#:
  call x = 'put#(b, i)
  anchor else (watch#, base, P#) [var a = a, var b = b, var n = n, var s = s, var i = i, var x = x]
  var h = a[{z1}]
  assume [(h == {j})] else (watch#, base, T#) [var a = a, var b = b, var n = n, var s = s, var i = i, var x = x, var h = h]
  s <- (s + x)
  drop h
  drop x
  i <- (i + 1)
  goto H#
$E#:
  return s
version base
  a[{z1}] <- {j}
  var s = 0
  var i = 0
  goto H#
H#:
  branch (i < n) $B# $E#
$B#:
  call x = 'put#(b, i)
>P#:
  var h = a[{z1}]
>T#:
  branch (h == {j}) $Y# $N#
$Y#:
  s <- (s + x)
  goto J#
$N#:
  s <- (s + 100)
  goto J#
J#:
  drop h
  drop x
  i <- (i + 1)
  goto H#
$E#:
  return s

function put#(var b, var i)
  branch (i == {i}) $S# $O#
$S#:
  b[{t}] <- {l}
  goto R#
$O#:
  goto R#
R#:
  return (i + 1)
)",
    // The same store without an invalidation point after it: the guard must be tested.
    R"(function watch#(var a, var b, var n)
version quick
  var s = 0
  var i = 0
  goto H#
H#:
  branch (i < n) $B# $E#
$B#:
  assume [a[{z1}]] else (watch#, base, T#) [var a = a, var b = b, var n = n, var s = s, var i = i]
  s <- (s + 1)
  branch (i == {i1}) $S# $O#
$S#:
  b[{t1}] <- {b1}
  goto J#
$O#:
  goto J#
J#:
  i <- (i + 1)
  goto H#
$E#:
  return s
version base
  var s = 0
  var i = 0
  goto H#
H#:
  branch (i < n) $B# $E#
$B#:
>T#:
  var t = a[{z1}]
  branch t $Y# $N#
$Y#:
  s <- (s + 1)
  goto K#
$N#:
  s <- (s + 100)
  goto K#
K#:
  drop t
  branch (i == {i1}) $S# $O#
$S#:
  b[{t1}] <- {b1}
  goto J#
$O#:
  goto J#
J#:
  i <- (i + 1)
  goto H#
$E#:
  return s
)",
    // The variable names another array from some iteration on. Nothing stores.
    R"(function watch#(var a, var b, var n)
version quick
  var s = 0
  var i = 0
  goto H#
H#:
  branch (i < n) $B# $E#
$B#:
  assume [a[{z1}]] else (watch#, base, T#) [var a = a, var b = b, var n = n, var s = s, var i = i]
  s <- (s + 1)
  branch (i == {i1}) $S# $O#
$S#:
  a <- b
  goto J#
$O#:
  goto J#
J#:
  i <- (i + 1)
  goto H#
$E#:
  return s
version base
  var s = 0
  var i = 0
  goto H#
H#:
  branch (i < n) $B# $E#
$B#:
>T#:
  var t = a[{z1}]
  branch t $Y# $N#
$Y#:
  s <- (s + 1)
  goto K#
$N#:
  s <- (s + 100)
  goto K#
K#:
  drop t
  branch (i == {i1}) $S# $O#
$S#:
  a <- b
  goto J#
$O#:
  goto J#
J#:
  i <- (i + 1)
  goto H#
$E#:
  return s
)",
    // Frames of one function on the stack: the innermost one stores, each leaves when it comes on.
    R"(function watch#(var a, var b, var n)
version quick
  var s = 0
  var i = 0
  goto H#
H#:
  anchor else (watch#, base, Q#) [var a = a, var b = b, var n = n, var s = s, var i = i]
  branch (i < 2) $B# $E#
$B#:
  assume [a[{z1}]] else (watch#, base, T#) [var a = a, var b = b, var n = n, var s = s, var i = i]
  branch (n > 0) $D# $S#
$D#:
  var m = (n - 1)
  call x = 'watch#(a, b, m)
  anchor else (watch#, base, P#) [var a = a, var b = b, var n = n, var s = s, var i = i, var m = m, var x = x]
  s <- (s + x)
  drop x
  drop m
  goto J#
$S#:
  b[{t1}] <- {b1}
  goto J#
J#:
  s <- (s + 1)
  i <- (i + 1)
  goto H#
$E#:
  return s
version base
  var s = 0
  var i = 0
  goto H#
H#:
>Q#:
  branch (i < 2) $B# $E#
$B#:
>T#:
  var t = a[{z1}]
  branch t $Y# $N#
$Y#:
  goto K#
$N#:
  s <- (s + 100)
  goto K#
K#:
  drop t
  branch (n > 0) $D# $S#
$D#:
  var m = (n - 1)
  call x = 'watch#(a, b, m)
>P#:
  s <- (s + x)
  drop x
  drop m
  goto J#
$S#:
  b[{t1}] <- {b1}
  goto J#
J#:
  s <- (s + 1)
  i <- (i + 1)
  goto H#
$E#:
  return s
)"};

} // namespace

std::span<const std::string_view> watchpoint_uses() { return kUses; }
std::span<const std::string_view> watchpoint_functions() { return kFunctions; }

} // namespace sourir::random
