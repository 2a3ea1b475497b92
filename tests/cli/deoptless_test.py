"""Exits that continue by their context (docs/deoptless.md)."""
import json
import unittest

from command_line import ROOT, CliTest

PHASES = str(ROOT / "examples/53_deoptless.sou")
ON = ("--engine=auto", "--jit-sync", "--no-osr-in", "--tier=deoptless=on")
# A function whose guard about `a` fails from call 200 on, while `x` is an int and a float in turns.
TYPES = """
function main()
  array ints = [1, 2]
  array floats = [0.5, 2.5]
  array xs = [1, 2.5]
  var a = ints
  var i = 0
  var sum = 0
loop:
  branch (i < 600) $go $end
$go:
  branch (i == 200) $swap $same
$swap:
  a <- floats
$same:
  var k = (i % 2)
  var x = xs[k]
  call r = 'f(x, a)
  sum <- (sum + r)
  drop k
  drop x
  drop r
  i <- (i + 1)
  goto loop
$end:
  print sum
  stop
function f(var x, var a)
  var e = a[0]
  var y = (x + e)
  y <- (y * 2)
  return y
"""
# A function whose first guard fails from call 200 on and whose second one from call 400 on, where
# the frames have as many variables of the same types.
TARGETS = """
function main()
  array first = [1, 2, "s"]
  array second = [0.5, 2, "s"]
  array third = [1, 0.5, "s"]
  var a = first
  var i = 0
  var sum = 0
loop:
  branch (i < 600) $go $end
$go:
  branch (i == 200) $to_second $not_second
$to_second:
  a <- second
$not_second:
  branch (i == 400) $to_third $not_third
$to_third:
  a <- third
$not_third:
  call r = 'f(3, a)
  sum <- (sum + r)
  drop r
  i <- (i + 1)
  goto loop
$end:
  print sum
  stop
function f(var x, var a)
  var e = a[0]
  x <- (x + e)
  drop e
  var g = a[1]
  x <- (x * g)
  drop g
  var n = length(a)
  return (x + n)
"""


class Deoptless(CliTest):
    def statistics(self, *flags, program=PHASES):
        done = self.sourir("run", program, "--stats=json", *flags)
        self.assertEqual(done.out, self.sourir("run", program, "--engine=reference").out, flags)
        return json.loads(done.err)

    def counts(self, program, *flags):
        """Of exits, those that entered a continuation, and continuations."""
        self.write("x.sou", program)
        s = self.statistics(*ON, "--no-inlining", "--tier=calls=8", "--tier=contexts=0", *flags,
                            program="x.sou")
        return s["deoptimizations"], s["deoptless"], s["deoptless_continuations"]

    # mutant 143: one continuation for both. mutant 146: the one entered last, whatever comes.
    def test_each_type_of_a_variable_has_its_continuation(self):
        self.assertEqual(self.counts(TYPES, "--tier=continuations=1"), (400, 400, 2))

    # mutant 142: the second guard continues where the first one failed.
    def test_each_guard_has_its_continuation(self):
        self.assertEqual(self.counts(TARGETS), (400, 392, 2))

    # mutant 144: the outermost of the two frames is lost. mutant 145: two variables have each
    # other's value.
    def test_exits_inside_inlined_calls_stay_in_optimized_code(self):
        s = self.statistics(*ON)
        self.assertEqual((s["deoptless"], s["deoptless_misses"], s["deoptless_continuations"]),
                         (1996, 4, 1))
        self.assertEqual(s["code_invalidated"], 0)

    def test_without_it_each_phase_invalidates_the_code_of_the_one_before(self):
        s = self.statistics(*ON[:-1])
        self.assertEqual((s["deoptless"], s["deoptless_misses"]), (0, 0))
        self.assertGreater(s["code_invalidated"], 1)

    # mutant 147: an exit at the start of a continuation makes only the innermost of its frames.
    def test_forced_exits_have_continuations_too(self):
        for deopt in ("always", "p:0.1:7", "every:3"):
            s = self.statistics(*ON, f"--deopt={deopt}", "--tier=continuations=1")
            self.assertGreater(s["forced"], 0)
            self.assertGreater(s["deoptless"], 0)

    def test_the_log_names_the_context(self):
        done = self.sourir("run", PHASES, *ON, "--tiers")
        self.assertRegex(done.err, r"continuation at \+0 for elements \[a is float\[\], s is int, ")
        self.assertRegex(done.err, r"<- mean\.anon\+1, deoptless: for elements \[a is float\[\], ")
        records = [json.loads(line) for line in
                   self.sourir("run", PHASES, *ON, "--tiers=json").err.splitlines()]
        contexts = [r["context"]["guard"] for r in records if "context" in r]
        self.assertEqual((len(contexts), set(contexts)), (1997, {"elements"}))

    def test_the_verifier_decides_the_continuation(self):
        s = self.statistics(*ON, "--verify")
        self.assertEqual((s["verified"], s["differing"], s["undecided"]), (2, 0, 0))

    def test_a_log_for_the_reference_has_no_continuations(self):
        self.sourir("run", PHASES, *ON, "--tiers=schedule", "--tiers-file=log")
        done = self.sourir("run", PHASES, "--engine=reference", "--jit-schedule=log")
        self.assertIn("the reference does the same", done.err)



if __name__ == "__main__":
    unittest.main()
