"""Exits that continue by their context (docs/deoptless.md)."""
import json
import unittest

from command_line import ROOT, CliTest

PHASES = str(ROOT / "examples/53_deoptless.sou")
OSR = ("--engine=auto", "--jit-sync", "--tier=deoptless=on")
ON = (*OSR, "--no-osr-in")
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

# Three frames, each of which does something else with the result of the one within.
FRAMES = """
function main()
  array ints = [1, 2]
  array floats = [0.5, 2.5]
  var a = ints
  var i = 0
  var sum = 0
loop:
  branch (i < 60) $go $end
$go:
  branch (i == 20) $swap $same
$swap:
  a <- floats
$same:
  call r = 'top(a, i)
  sum <- (sum + r)
  drop r
  i <- (i + 1)
  goto loop
$end:
  print sum
  stop
function top(var a, var i)
  var k = (i + 7)
  call m = 'mid(a, k)
  m <- (m - i)
  return m
function mid(var a, var i)
  var k = (i * 2)
  call l = 'low(a, k)
  l <- (l * i)
  return l
function low(var a, var i)
  var e = a[0]
  e <- (e + i)
  return e
"""
# Guards of two kinds about the same variable, with the same target.
CAUSES = """
function main()
  var i = 0
  var sum = 0
loop:
  branch (i < 60) $go $end
$go:
  var x = i
  branch (i < 20) $go_on $seven
$seven:
  x <- 7
  branch (i < 40) $go_on $large
$large:
  x <- 200
$go_on:
  call r = 'f(x)
  sum <- (sum + r)
  drop r
  drop x
  i <- (i + 1)
  goto loop
$end:
  print sum
  stop
function f(var x)
version fast
  assume [(x != 7)] else (f, base, L) [var x = x]
  assume [(x < 100)] else (f, base, L) [var x = x]
  return (x + 1)
version base
>L:
  x <- (x * 2)
  return (x + 1)
"""
# Calls of three contexts, of which one entails another.
CONTEXTS = """
function main()
  array ints = [1, 2]
  array mixed = [1, 2.5]
  var i = 0
  var sum = 0
loop:
  branch (i < 60) $go $end
$go:
  var a = mixed
  branch (i < 30) $go_on $other
$other:
  a <- ints
$go_on:
  call r = 'f(a)
  sum <- (sum + r)
  drop r
  drop a
  i <- (i + 1)
  goto loop
$end:
  print sum
  stop
function f(var a)
  var x = a[0]
  var y = a[1]
  return (x + y)
"""


# The call is followed by a merge, a loop of its own and two drops of the result; the loop ends with the
# function.
CALLED_AGAIN = """\
function main()
  var i = 0
  array data = [1, 2.5, nil, 4, 2.5, "x", nil, 8, 9.5]
  goto head
head:
  branch (i < 9) $body $done
$body:
  var x = data[i]
  call k = 'kind(x)
  var y = data[i]
  branch (k == 1) $one $other
$one:
  y <- (y + 1)
  print y
  goto both
$other:
  goto spin
spin:
  k <- (k - 1)
  branch (k > 1) $more $down
$more:
  goto spin
$down:
  goto both
both:
  branch (x is nil) $none $some
$none:
  drop k
  goto next
$some:
  print k
  drop k
  goto next
next:
  drop x
  drop y
  i <- (i + 1)
  goto head
$done:
  print i
  stop

function kind(var v)
  branch (v is int) $int $no_int
$int:
  return 1
$no_int:
  branch (v is float) $float $neither
$float:
  return 2
$neither:
  return 3
"""

class Deoptless(CliTest):
    def statistics(self, *flags, program=PHASES):
        done = self.sourir("run", program, "--stats=json", *flags)
        self.assertEqual(done.out, self.sourir("run", program, "--engine=reference").out, flags)
        statistics = json.loads(done.err)
        self.assertEqual(statistics["dispatch_mistakes"], 0)
        return statistics

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

    # mutant 150: the callers are in the wrong order. mutant 155: one goes on too late.
    # mutant 156: it has the variables of the frame within.
    def test_frames_go_on_in_order(self):
        self.write("x.sou", FRAMES)
        s = self.statistics(*ON, "--tier=calls=8", "--tier=continuations=1", program="x.sou")
        self.assertEqual((s["deoptimizations"], s["deoptless"], s["deoptless_continuations"]),
                         (40, 40, 1))

    # mutant 148: callers get the values of the frame within. mutant 154: their results go elsewhere.
    def test_forced_exits_at_the_start_make_all_frames(self):
        self.write("x.sou", FRAMES)
        for deopt in ("always", "every:3", "every:2"):
            s = self.statistics(*ON, "--tier=calls=8", "--tier=continuations=1",
                                f"--deopt={deopt}", program="x.sou")
            self.assertGreater(s["deoptless"], 0)

    # mutant 149: that of the first kind is entered for the second.
    def test_each_kind_of_guard_has_its_continuation(self):
        self.assertEqual(self.counts(CAUSES, "--tier=continuations=1"), (41, 40, 2))

    # mutant 152: the version for arrays of ints comes after the one for arrays.
    def test_calls_test_the_most_specific_context_first(self):
        self.write("x.sou", CONTEXTS)
        s = self.statistics("--engine=auto", "--jit-sync", "--no-osr-in", "--no-inlining",
                            "--tier=calls=1", "--tier=contexts=5", "--tier=context-samples=1",
                            program="x.sou")
        self.assertGreater(s["optimized"], 1)

    # mutant 144: the outermost of the two frames is lost. mutant 145: two variables have each
    # other's value.
    def test_exits_inside_inlined_calls_stay_in_optimized_code(self):
        s = self.statistics(*ON)
        self.assertEqual((s["deoptless"], s["deoptless_misses"], s["deoptless_continuations"]),
                         (1996, 4, 1))
        self.assertEqual(s["code_invalidated"], 0)

    def test_exits_that_are_taken_over_too_often_invalidate(self):
        s = self.statistics(*ON, "--tier=taken-over=50")
        self.assertGreater(s["code_invalidated"], 0)
        self.assertLess(s["deoptless"], 1996)

    def test_without_it_each_phase_invalidates_the_code_of_the_one_before(self):
        s = self.statistics(*OSR[:-1], "--no-osr-in")
        self.assertEqual((s["deoptless"], s["deoptless_misses"]), (0, 0))
        self.assertGreater(s["code_invalidated"], 1)

    # mutant 147: an exit at the start of a continuation makes only the innermost of its frames.
    def test_forced_exits_have_continuations_too(self):
        for deopt in ("always", "p:0.1:7", "every:3"):
            s = self.statistics(*ON, f"--deopt={deopt}", "--tier=continuations=1")
            self.assertGreater(s["forced"], 0)
            self.assertGreater(s["deoptless"], 0)

    def test_forced_exits_invalidate_if_they_count(self):
        flags = ("--engine=auto", "--jit-sync", "--no-osr-out", "--no-osr-in",
                 "--tier=replace=first,calls=1,continuations=1", "--deopt=p:0.01:7")
        ignored = self.statistics(*flags)
        counted = self.statistics(*flags, "--tier=forced-exits=count")
        for s in (ignored, counted):
            self.assertGreater(s["forced"], 0)
        self.assertGreater(counted["code_invalidated"], ignored["code_invalidated"])

    def test_continuations_take_over_exits_that_count(self):
        flags = ("--tier=continuations=1,forced-exits=count", "--deopt=p:0.01:7")
        s = self.statistics(*ON, *flags)
        self.assertGreater(s["deoptless"], s["deoptless_misses"])

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

    def replayed(self, program, *flags, on=ON):
        """The events of a log of the tiers, which the reference has done again."""
        flags = ("--tier=continuations=1", "--tier=calls=8", *flags)
        deopt = [flag for flag in flags if flag.startswith("--deopt")]
        self.sourir("run", program, *on, *flags, "--tiers=schedule", "--tiers-file=log")
        done = self.sourir("run", program, "--engine=reference", "--jit-schedule=log", *deopt)
        self.assertEqual((done.returncode, "the reference does the same" in done.err), (0, True),
                         done.err)
        return [json.loads(line) for line in (self.folder / "log").read_text().splitlines()]

    def test_the_reference_enters_the_continuations_of_a_log(self):
        for program in (FRAMES, TYPES, TARGETS, CAUSES):
            self.write("x.sou", program)
            for deopt in ("never", "always", "every:3"):
                lines = self.replayed("x.sou", f"--deopt={deopt}")
                entered = [line for line in lines if line["event"] == "osr-entry"]
                self.assertGreater(len(entered), 1, deopt)

    def test_a_stack_of_frames_enters_one_continuation(self):
        lines = self.replayed(PHASES)
        stack = [line["outlined"] for line in lines if line.get("outlined", {}).get("callers")]
        self.assertEqual(stack, [{"of": "sum.anon", "at": 4, "callers": [
            {"of": "mean.anon", "at": 1, "result": "s"}]}])
        # Other callers than those of the log are no such stack.
        at = [i for i, line in enumerate(lines) if line.get("outlined", {}).get("callers")][0]
        lines[at]["outlined"]["callers"][0]["at"] = 2
        self.write("log", "".join(json.dumps(line) + "\n" for line in lines))
        done = self.sourir("run", PHASES, "--engine=reference", "--jit-schedule=log")
        self.assertNotEqual(done.returncode, 0, done.err)

    # mutant 219: what follows the call is copied wrongly. mutant 220: not at all.
    def test_a_loop_calls_again_after_the_rest_of_its_callee(self):
        """The results of both calls have a name, which the rest of the loop drops."""
        self.write("again.sou", CALLED_AGAIN)
        runs = ROOT / "tests/filetests/run"
        for program in (ROOT / "examples/14_types.sou", runs / "watched_values.sou",
                        runs / "store_then_exit.sou", "again.sou"):
            shown = self.sourir("run", program, "--engine=reference").out
            texts = []
            for n in (1, 2):
                early = (f"--tier=calls={n}", f"--tier=iterations={n}", "--tier=exits=1",
                         "--tier=continuations=1")
                self.assertEqual(self.sourir("run", program, *OSR, *early).out, shown)
                for deopt in ("never", "always", "every:2", "every:3"):
                    lines = self.replayed(program, *early, f"--deopt={deopt}", on=OSR)
                    texts += [line["text"] for line in lines
                              if line.get("outlined", {}).get("callers")]
            self.assertTrue(any("_loop(of_callee_0" in text for text in texts), program)


if __name__ == "__main__":
    unittest.main()
