"""Programs whose native code is too general, or becomes so: for profile_test.py."""

# g[0] is a float twice, then an integer. What f does is too general from then on.
ABOVE_MAX_SAMPLES = """\
array g = [1.0]
call a = 'f(g)
call b = 'f(g)
g[0] <- 1
var s = 0
var i = 0
goto L
L:
  branch (i < %d) $go $end
$go:
  call y = 'f(g)
  s <- (s + y)
  drop y
  i <- (i + 1)
  goto L
$end:
  print s
  stop
function f(var g)
  var x = g[0]
  var y = (x + x)
  return y
"""

# Values before, in, and behind an inner loop.
NESTED = """\
array g = [1.0, 1.0]
call a = 'f(g, 10)
g[0] <- 1
g[1] <- 1
call b = 'f(g, 3000)
print b
stop
function f(var g, var n)
  var s = 0
  var i = 0
  goto L
L:
  branch (i < n) $go $end
$go:
  var x = g[0]
  s <- (s + x)
  drop x
  var j = 0
  goto M
M:
  branch (j < 100) $in $out
$in:
  var y = g[1]
  s <- (s + y)
  drop y
  j <- (j + 1)
  goto M
$out:
  drop j
  var z = g[0]
  s <- (s + z)
  drop z
  i <- (i + 1)
  goto L
$end:
  return s
"""

# It calls itself at once, not through what is changed when there is better code.
RECURSIVE = """\
array g = [1.0]
call a = 'f(g, 5)
call a2 = 'f(g, 12)
g[0] <- 1
call b = 'f(g, 26)
print b
stop
function f(var g, var n)
  var x = g[0]
  branch (n < 2) $small $large
$small:
  return x
$large:
  var m = (n - 1)
  var k = (n - 2)
  call p = 'f(g, m)
  call q = 'f(g, k)
  return (p + q)
"""

# Code for integers is given up in the middle; the next one comes to the same addresses.
CHANGES = """\
array g = [1]
call a = 'f(g, 30000000)
print a
stop
function f(var g, var n)
  var s = 0
  var i = 0
  goto L
L:
  branch (i < n) $go $end
$go:
  var x = g[0]
  s <- (s + x)
  drop x
  i <- (i + 1)
  branch (i == 50000) $change $same
$change:
  g[0] <- 1.5
  goto on
$same:
  goto on
on:
  goto L
$end:
  return s
"""

# Nothing but a parameter is of several kinds, and the loop keeps nothing itself.
PARAMETER = """\
array g = [1, 1.0]
call a = 'f(g, 1.0, 3)
call b = 'f(g, 1, 3)
call c = 'f(g, 1.0, 3)
call d = 'f(g, 1, 3)
call e = 'f(g, 1, 300000)
print e
stop
function f(var g, var x, var n)
  var i = 0
  goto L
L:
  branch (i < n) $go $end
$go:
  g[0] <- x
  i <- (i + 1)
  goto L
$end:
  return i
"""

# Both kinds at two places, then one kind at each.
TWO_PLACES = """\
array g = [1, 1.0]
array h = [1.0, 1]
call a = 'f(g, 5)
call b = 'f(h, 30000)
print b
stop
function f(var g, var n)
  var s = 0
  var i = 0
  goto L
L:
  branch (i < n) $go $end
$go:
  var x = g[0]
  var y = g[1]
  s <- (x + y)
  drop x
  drop y
  i <- (i + 1)
  goto L
$end:
  return s
"""

# Kinds that change just when the samples say that they do not.
ALTERNATING = """\
array g = [1.0]
call a = 'f(g, 1.0)
var i = 0
goto L
L:
  branch (i < 60) $go $end
$go:
  call x = 'f(g, 1)
  drop x
  call y = 'f(g, 1.0)
  drop y
  i <- (i + 1)
  goto L
$end:
  print i
  stop
function f(var g, var v)
  g[0] <- v
  var s = 0
  var j = 0
  goto M
M:
  branch (j < 1500) $go $end
$go:
  call y = 'twice(g)
  s <- y
  drop y
  j <- (j + 1)
  goto M
$end:
  return s
function twice(var g)
  var x = g[0]
  return (x + x)
"""

# An array that is full, then one whose other half is nil.
HALF_FULL = """\
array full = [1, 2]
array half[4]
half[0] <- 3
half[1] <- 3
var i = 0
var s = 0
goto L
L:
  branch (i < 200) $early $late
$early:
  call t = 'get(full, (i % 2))
  drop t
  i <- (i + 1)
  goto L
$late:
  i <- 0
  goto M
M:
  branch (i < 300000) $go $end
$go:
  call t = 'get(half, (i % 2))
  s <- (s + t)
  drop t
  i <- (i + 1)
  goto M
$end:
  print s
  stop
function get(var a, var i)
  var v = a[i]
  return v
"""

# sum's code is compiled again for samples of arrays of ints; its caller calls get with objects, too.
OTHER_CALLER = """\
array object = [1]
array objects = [object, object]
array numbers = [3, 4]
call p = 'get(objects, 0)
var i = 0
var s = 0
goto L
L:
  branch (i < 6000) $go $end
$go:
  call t = 'sum(numbers, 200)
  call o = 'get(objects, 0)
  s <- (s + t)
  s <- (s + o)
  drop t
  drop o
  i <- (i + 1)
  goto L
$end:
  print s
  stop
function sum(var numbers, var n)
  var s = 0
  var i = 0
  goto L
L:
  branch (i < n) $go $end
$go:
  var j = (i % 2)
  call t = 'get(numbers, j)
  s <- (s + t)
  drop j
  drop t
  i <- (i + 1)
  goto L
$end:
  return s
function get(var a, var i)
  var v = a[i]
  branch (v is array) $object $number
$object:
  var w = v[0]
  drop v
  return w
$number:
  return v
"""

# Behind the program examples/profiler/shared.sou: its functions are called with floats.
FLOATS_AT_THE_END = """\
  array floats = [1.5, 2.5, 1.5, 2.5]
  i <- 0
  goto floats
floats:
  branch (i < 200) $float $out
$float:
  call u = 'test(floats, 500)
  drop u
  i <- (i + 1)
  goto floats
$out:
  print s
"""

# The last value of x in each call is nil.
NIL_BEHIND_THE_ELEMENTS = """\
array list = [1, 2, 3, 4, 5, 6, 7, nil]
var total = 0
var k = 0
goto rounds
rounds:
  branch (k < 30000) $round $done
$round:
  call s = 'sum(list)
  total <- (total + s)
  drop s
  k <- (k + 1)
  goto rounds
$done:
  print total
  stop
function sum(var list)
  var s = 0
  var i = 0
  goto loop
loop:
  var x = list[i]
  branch (x == nil) $end $more
$more:
  s <- (s + x)
  drop x
  i <- (i + 1)
  goto loop
$end:
  return s
"""
