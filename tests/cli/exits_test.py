"""Where exits of native code go on, and what is watched instead of tested: as the statistics of a run
say (run_engines.py compares what the programs print)."""
import json
import re
import unittest

from command_line import FINE, LIMIT, ROOT, USAGE, CliTest
from engines_test import ENGINES

EXAMPLES = ROOT / "examples"
CHAIN = EXAMPLES / "32_chain.sou"  # tier2 -> tier1 -> base, in the last call through both
INLINED = EXAMPLES / "34_two_outer_frames.sou"
WATCHPOINT = EXAMPLES / "48_watched_assumption.sou"
REDEFINED = EXAMPLES / "50_redefined.sou"
HOT = EXAMPLES / "51_redefined_while_hot.sou"

# Each call of f leaves it; half of the time is warm-up.
DEOPTIMIZES = """\
var i = 0
var s = 0
loop:
  branch (i < 4000) $body $done
$body:
  branch (i < 2000) $warm $cold
$warm:
  call r = 'f(i, 1)
  s <- (s + r)
  drop r
  goto next
$cold:
  call r = 'f(i, 0.5)
  s <- (s + r)
  drop r
  goto next
next:
  i <- (i + 1)
  goto loop
$done:
  print s
function f(var x, var k)
  var y = (x + k)
  return y
"""


@unittest.skipUnless("native" in ENGINES, "a build without LLVM")
class Exits(CliTest):
    def statistics(self, program, *flags, engine="native"):
        done = self.sourir("run", str(program), f"--engine={engine}", "--jit-sync", "--stats=json",
                           *flags)
        self.assertEqual(done.returncode, FINE, done.err)
        return json.loads(done.err)

    def exits(self, program, *flags, **more):
        s = self.statistics(program, *flags, **more)
        return s["deoptimizations"], s["to_native"], s["cascades"], s["longest_cascade"]

    def test_code_behind_an_exit_makes_room_for_the_code_of_its_loop(self):
        """Otherwise the loop would run in it to the end, and nobody would see that the other is left
        for good: main.anon+4 is the head of the loop of main_loop.opt. The call of inc declares s once
        more, so that the code behind the exit is not optimized."""
        path = str(ROOT / "tests/filetests/engines/not_outlined_behind_exit.sou")
        done = self.sourir("run", path, "--engine=auto", "--jit-sync", "--tier=calls=2",
                           "--tier=iterations=2", "--tier=continuations=1", "--tiers")
        self.assertEqual(done.out, self.sourir("run", path, "--engine=reference").out)
        said = re.findall(r"(?m)^(?:deopt|bailout|tier-up|invalidated) +(main\S*)", done.err)
        again = said.index("main.anon+4")
        self.assertRegex(said[again + 1], r"main_loop\.opt\+\d+$")
        self.assertIn("main_loop.opt", said[again:])
        self.assertIn("tier-up      main.anon+4  to native code of this loop", done.err)

    def test_a_chain_of_versions_is_followed_in_native_code(self):
        self.assertEqual(self.exits(CHAIN), (3, 3, 1, 2))

    def test_so_is_one_whose_code_was_made_beforehand(self):
        self.assertEqual(self.exits(CHAIN, "--tier=continuations=0"), (3, 3, 1, 2))

    def test_or_that_begins_in_the_baseline(self):
        found = self.exits(CHAIN, "--tier=continuations=2")
        self.assertEqual(found[0], 3)
        self.assertLess(found[1], 3)

    def test_not_if_that_is_not_wanted(self):
        self.assertEqual(self.exits(CHAIN, "--no-osr-out")[1:3], (0, 0))

    def test_outer_frames_go_on_in_native_code_too(self):
        before = self.statistics(INLINED, "--no-osr-out")
        after = self.statistics(INLINED)
        self.assertEqual(after["deoptimizations"], 1)
        self.assertEqual(after["compiled"] - before["compiled"], 3)  # one for each frame

    def test_a_watchpoint_is_invalidated_by_the_store_and_not_before(self):
        for program in (WATCHPOINT, REDEFINED):
            s = self.statistics(program)
            self.assertEqual((s["watchpoints"], s["watchpoints_invalidated"], s["deoptimizations"] > 0), (1, 1, True))

    def test_no_watchpoint_is_set_if_that_is_not_wanted(self):
        s = self.statistics(WATCHPOINT, "--no-watchpoints")
        self.assertEqual((s["watchpoints"], s["watchpoints_invalidated"]), (0, 0))
        self.assertEqual(s["deoptimizations"], 1)

    def test_a_target_that_was_speculated_on_is_redefined(self):
        s = self.statistics(HOT, engine="auto")
        # round; the loop that it was inlined into is left for a continuation to its end
        self.assertEqual((s["code_invalidated"], s["invalidated"]), (1, 1))
        self.assertGreater(s["to_native"], 0)

    def test_the_log_says_where_exits_go_on(self):
        done = self.sourir("run", str(HOT), "--engine=auto", "--jit-sync", "--tiers")
        self.assertRegex(done.err, r"deopt +round\.opt\+\d+  to round\.anon\+2; ")
        self.assertRegex(done.err, r"compiled     round_loop\.opt, continuation at \+0")
        self.assertRegex(done.err, r"deopt +round\.opt\+\d+  to round\.anon\+2, in native code")

    # mutant 110: it is not.
    def test_code_is_replaced_at_its_first_exit(self):
        self.write("x.sou", DEOPTIMIZES)
        flags = ("--tier=calls=100", "--no-osr-in", "--no-inlining")
        found = {when: self.statistics("x.sou", f"--tier=replace={when}", *flags, engine="auto")
                 for when in ("first", "budget")}
        self.assertEqual({when: s["deoptimizations"] for when, s in found.items()},
                         {"first": 1, "budget": 20})

    def test_exits_in_circles_use_up_fuel(self):
        circles = str(ROOT / "tests/filetests/run/exits_in_circles.sou")
        for flags in ((), ("--no-osr-out",)):
            self.says(LIMIT, "fuel", words=["run", circles, "--engine=native", "--deopt=always",
                                            "--fuel=100000", *flags])

    def test_versions_of_the_tiers_are_forced_to_exit(self):
        """The program as it is written has no assume: all opportunities are of such versions."""
        tiers = EXAMPLES / "tiers.sou"
        plain = self.sourir("run", str(tiers), "--engine=reference").out
        for deopt in ("always", "every:3", "p:0.01:7", "at:7,20"):
            for flags in ((), ("--stress-osr",), ("--tier=calls=2", "--tier=iterations=2")):
                done = self.sourir("run", str(tiers), "--engine=auto", "--jit-sync", "--stats=json",
                                   f"--deopt={deopt}", *flags)
                s = json.loads(done.err)
                self.assertEqual((done.returncode, done.out), (FINE, plain), (deopt, flags))
                self.assertGreater(s["optimized"], 0, (deopt, flags))
                self.assertGreater(s["forced"], 0, (deopt, flags))

    def test_forced_exits_invalidate_no_code(self):
        """Those whose guards fail do, as without a schedule."""
        flags = ("--tier=calls=100", "--no-osr-in", "--no-inlining", "--deopt=every:2")
        self.write("same.sou", DEOPTIMIZES.replace("0.5", "1"))
        self.write("other.sou", DEOPTIMIZES)
        same, other = (self.statistics(x, *flags, engine="auto") for x in ("same.sou", "other.sou"))
        self.assertGreater(same["forced"], 100)
        self.assertEqual(same["code_invalidated"], 0)
        self.assertGreater(other["code_invalidated"], 0)

    def test_there_are_two_ways_to_replace(self):
        self.says(USAGE, "replace: there is no 'never'; there are first, budget",
                  words=["run", str(CHAIN), "--engine=auto", "--tier=replace=never"])


if __name__ == "__main__":
    unittest.main()
