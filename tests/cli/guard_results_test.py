"""Guards for results, and exits where code was never reached: opt --pass=guard-results, and the tiers."""
import json
import re
import unittest

from command_line import FINE, ROOT, CliTest
from engines_test import has_native_code

# `zero` was never reached; its first instruction folds away.
UNREACHED = """\
function main()
  call r = 'f(1)
  print r
  stop
function f(var x)
  branch (x == 0) $zero $other
$zero:
  var k = 10
  var y = (x + k)
  print y
  drop y
  drop k
  goto end
$other:
  goto end
end:
  return x
"""

# Calls of fold are of two contexts, each of which names a function that is inlined then.
FUNCTION_ARGUMENTS = """\
function main()
  array functions = ['plus, 'times]
  array a = [1, 2.5, 3]
  var sum = 0
  var k = 0
  goto loop
loop:
  branch (k < 4000) $body $end
$body:
  var i = (k % 2)
  var f = functions[i]
  call r = 'fold(a, f)
  sum <- (sum + r)
  drop r
  drop f
  drop i
  k <- (k + 1)
  goto loop
$end:
  print sum
  stop
function fold(var a, var f)
  var r = 0
  var i = 0
  goto loop
loop:
  branch (i < 3) $body $end
$body:
  call next = f(r, i)
  r <- next
  drop next
  i <- (i + 1)
  goto loop
$end:
  return r
function plus(var x, var y)
  var t = (x * 31)
  t <- (t + y)
  return t
function times(var x, var y)
  var t = (x + 1)
  t <- (t * y)
  return t
"""

# A recursive function is left where the array holds floats: what follows is a continuation, with the
# recursive call inlined.
RECURSIVE = """\
function main()
  array ints = [1, 2, 3, 4, 5, 6, 7, 8]
  array floats = [0.5, 2, 3, 4, 5, 6, 7, 8]
  var total = 0
  var i = 0
  goto loop
loop:
  branch (i < 3000) $more $end
$more:
  branch (i < 2000) $ints $floats
$ints:
  call s = 'sum(ints, 0, 4)
  total <- (total + s)
  drop s
  i <- (i + 1)
  goto loop
$floats:
  call t = 'sum(floats, 0, 4)
  total <- (total + t)
  drop t
  i <- (i + 1)
  goto loop
$end:
  print total
  stop
function sum(var a, var i, var depth)
  var x = a[i]
  branch (depth == 0) $leaf $deeper
$leaf:
  return x
$deeper:
  call rest = 'sum(a, (i + 1), (depth - 1))
  return (x + rest)
"""

# When the code of the first loop is compiled nothing has called `last`, but `first` is called all the time.
CALLS = """\
function main()
  var s = 0
  var i = 0
  goto filling
filling:
  branch (i < 5000) $fill $filled
$fill:
  call r = 'first(i)
  s <- (s + r)
  drop r
  i <- (i + 1)
  goto filling
$filled:
  call k = 'last(s)
  i <- 0
  goto adding
adding:
  branch (i < 50000) $add $end
$add:
  k <- (k + 0.5)
  i <- (i + 1)
  goto adding
$end:
  print k
  stop
function first(var x)
  return (x % 7)
function last(var x)
  return (x * 1.0)
"""


class GuardResults(CliTest):
    def optimized(self, passes, **feedback):
        self.write("x.sou", UNREACHED)
        self.write("f.json", json.dumps({"format": "sourir-feedback", "version": 1, **feedback}))
        return self.says(FINE, words=["opt", "x.sou", f"--pass={passes}", "--feedback=f.json",
                                      "--function=f", "--verify-each"]).out

    def test_what_follows_code_that_was_never_executed(self):
        # Of the instruction that feedback names the passes leave nothing.
        out = self.optimized("fresh-version,fix(constprop,dce),guard-results",
                             unreached=["f.anon.zero"])
        version = out[out.index("version opt"):out.index("version anon")]
        self.assertIn("$zero:\n  assume [false] else (f, anon, ", version)
        self.assertNotIn("print", version)

    def test_code_that_other_paths_lead_to_stays(self):
        out = self.optimized("fresh-version,guard-results", unreached=["f.anon.zero"])
        version = out[out.index("version opt"):out.index("version anon")]
        self.assertEqual(version.count("assume [false]"), 1)
        self.assertIn("end:\n  return x", version)

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    def test_a_recursive_call_inlined_in_a_continuation(self):
        self.write("x.sou", RECURSIVE)
        done = self.says(FINE, words=["run", "x.sou", "--jit-sync", "--tiers=versions", "--no-osr-in"])
        self.assertEqual(done.out, "44500.0\n")
        rest = done.err[done.err.index("function sum_loop("):].split("\ndeopt", 1)[0]
        # The call, and that of the call that is inlined: it has the feedback of the function.
        self.assertEqual(re.findall(r"assume \[\((rest\w*) is int\)\] else \((\w+), anon", rest),
                         [("rest_1", "sum"), ("rest", "sum_loop")])

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    # mutant 236: it is not used.
    def test_feedback_of_functions_that_a_context_names(self):
        self.write("x.sou", FUNCTION_ARGUMENTS)
        done = self.says(FINE, words=["run", "x.sou", "--jit-sync", "--tiers"])
        self.assertEqual(done.out, "74000\n")
        for name in ("plus", "times"):
            version = done.err[done.err.index(f"compiled     fold.opt for calls [(f == '{name})]"):]
            self.assertIn(f"{name}.anon+2  (t is int)  result: always int", version.split("\ncompiled", 1)[0])

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    # mutant 238: the rest of the first loop stays, and the types of the second one are unknown there.
    def test_code_is_left_where_the_function_was_never_called(self):
        self.write("x.sou", CALLS)
        words = ["run", "x.sou", "--jit-sync", "--tiers"]
        done = self.says(FINE, "deopt        main_loop.opt+8  to last.anon+0 <- main.anon.filled+1; "
                         "false is false", words=words)
        self.assertEqual(done.out, "39995.0\n")
        self.assertIn("main.anon+9  never executed", done.err)
        self.assertIn("main.anon+14  (k is float)  result: always float", done.err)
        without = self.says(FINE, words=[*words, "--tier=speculate=-unreached"])
        self.assertNotIn("never executed", without.err)
        self.assertNotIn("false is false", without.err)
        self.assertEqual(without.out, done.out)

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    def test_without_guards(self):
        words = ["run", str(ROOT / "examples/tiers.sou"), "--jit-sync", "--tiers"]
        with_guards = self.says(FINE, "deopt        sum.opt+6  to sum.anon.body; (a is int[]) is "
                                "false, a = [0.5", words=words)
        without = self.says(FINE, words=[*words, "--tier=passes=jit"])
        self.assertNotIn("(a is int[]) is false", without.err)
        for run in (with_guards, without):
            self.assertNotIn("\nbailout ", run.err)
        self.assertEqual(with_guards.out, without.out)


if __name__ == "__main__":
    unittest.main()
