"""run --why: what the tiers did with a function or a version."""
import json
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from command_line import FINE, INTERRUPTED, ROOT, SOURIR, STUCK, USAGE, CliTest
from engines_test import has_native_code
from feedback_out_test import SPINS
from profiled_programs import ALTERNATING
from verify_test import WRONG

TIERS = str(ROOT / "examples/tiers.sou")
ASSUME = str(ROOT / "examples/26_assume.sou")

# f is called 37 times; its loop runs 3 times each.
COLD = """\
var i = 0
L:
  branch (i < 37) $b $d
$b:
  call r = 'f(i)
  drop r
  i <- (i + 1)
  goto L
$d:
  print i
function f(var x)
  var j = 0
M:
  branch (j < 3) $in $out
$in:
  j <- (j + 1)
  goto M
$out:
  return x
"""
# g has 13 parameters.
MANY = ", ".join(f"var p{n}" for n in range(13))
WIDE = f"""\
var i = 0
L:
  branch (i < 30) $b $d
$b:
  call r = 'g({", ".join("i" for _ in range(13))})
  drop r
  i <- (i + 1)
  goto L
$d:
  print i
function g({MANY})
  return p0
"""
# h gets an integer, and at each third call something else.
CHANGES = """\
array all = [1, 2, true, 4, 5, nil]
var i = 0
L:
  branch (i < 3000) $b $d
$b:
  var k = (i % 6)
  var x = all[k]
  call r = 'h(x)
  drop r
  drop x
  drop k
  i <- (i + 1)
  goto L
$d:
  print i
function h(var x)
version fast
  assume [(x is int)] else (h, slow, start) [var x = x]
  return (x + 1)
version slow
>start:
  return x
"""


class Answers(CliTest):
    def why(self, *words, status=FINE):
        """The text of the answers: standard error from the first `why` on."""
        done = self.sourir("run", *words)
        self.assertEqual(done.returncode, status, done.err)
        return done.err[done.err.index("why "):]

    def reported(self, *words):
        self.assertEqual(self.sourir("run", *words, "--report", "r").returncode, FINE)
        return json.loads((self.folder / "r").read_text())["why"]


class Why(Answers):
    def test_names_that_are_none(self):
        self.says(USAGE, "--why: there is no version 'summ'; did you mean sum?", words=["run", TIERS, "--why=summ"])
        self.says(USAGE, "--why: there is no version 'sum.opt'", "--why=sum has the versions that the tiers make",
                  words=["run", TIERS, "--why", "sum.opt"])
        self.says(USAGE, "--why", words=["run", TIERS, "--why="])

    def test_engines_without_tiers(self):
        said = self.why(ASSUME, "--why=add", "--engine=reference")
        self.assertRegex(said, r"\Awhy add\n  --engine=reference executes the semantics step by step: .*\n\Z")
        said = self.why(ASSUME, "--why=add", "--engine=baseline")
        self.assertIn("  --engine=baseline is the interpreter alone", said)
        self.assertIn("add.fast+0, to add.base.start, from the interpreter; (y is int) is false", said)
        self.assertIn("now          the baseline: this engine compiles nothing; 3 calls", said)
        for engine in ("reference", "baseline"):
            [answer] = self.reported(ASSUME, "--why=add", f"--engine={engine}")
            self.assertEqual((answer["of"], answer["engine"]), ("add", engine))
            self.assertIn(f"--engine={engine}", answer["note"])
            self.assertEqual("units" in answer, engine == "baseline")

    def test_the_reference_for_a_trace(self):
        self.assertIn("--engine=reference executes", self.why(ASSUME, "--why=add", "--trace"))

    def test_several_each_once(self):
        said = self.why(ASSUME, "--why=add.base", "--why", "main", "--why=add.base", "--engine=baseline")
        self.assertEqual(re.findall(r"(?m)^why (.*)$", said), ["add.base", "main"])

    def test_a_run_that_ends_badly(self):
        self.write("x.sou", "call r = 'f(1)\nfunction f(var x)\n  return (x + nil)\n")
        self.assertIn("calls", self.why("x.sou", "--why=f", status=STUCK))


@unittest.skipUnless(has_native_code(), "no native code in this build")
class WhyCompiled(Answers):
    def test_never_hot(self):
        self.write("x.sou", COLD)
        said = self.why("x.sou", "--why=f", "--jit-sync")
        self.assertIn("now          the baseline: not hot: 37 of 499 calls counted (--tier calls)", said)
        self.assertRegex(said, r"  loop at f\.anon\.M\n +now +the baseline: not hot: 0 of 5000 iterations")
        [answer] = self.reported("x.sou", "--why=f", "--jit-sync")
        calls, loop = answer["units"]
        self.assertEqual((calls["entered_by"], calls["counted"], calls["needed"], calls["history"]),
                         ("calls", 37, 499, []))
        self.assertEqual((loop["entered_by"], loop["at"], loop["counted"]), ("loop", "f.anon.M", 0))

    def test_the_start_of_a_run(self):
        self.write("x.sou", COLD)
        self.assertRegex(self.why("x.sou", "--why=f", "--tier=calls=2,delay=60000"),
                         r"now +the baseline: 37 of 2 calls counted \(--tier calls\), but nothing is compiled "
                         r"in the first 60000 ms of a run")

    def test_too_large(self):
        self.write("x.sou", COLD)
        said = self.why("x.sou", "--why=f", "--jit-sync", "--tier=calls=2,size=3")
        self.assertIn("not compiled f.anon: 5 instructions are more than --tier size allows", said)
        self.assertIn("now          the baseline: the compiler has refused it", said)
        [answer] = self.reported("x.sou", "--why=f", "--jit-sync", "--tier=calls=2,size=3")
        event = answer["units"][0]["history"][0]["event"]
        self.assertEqual((event["event"], event["refusal"], event["instructions"], event["optimized"]),
                         ("not-compiled", "too-large", 5, False))
        log = self.sourir("run", "x.sou", "--tiers", "--jit-sync", "--tier=calls=2,size=3").err
        self.assertIn("\nnot compiled f.anon  5 instructions are more than --tier size allows\n", log)

    def test_unsupported(self):
        self.write("x.sou", WIDE)
        for flags in (["--jit-sync", "--tier=calls=2"], ["--engine=native"]):
            self.assertIn("not compiled g.anon: it has more than 12 parameters",
                          self.why("x.sou", "--why=g", *flags))

    def test_compiler_missing(self):
        alone = self.folder / "a" / "b" / "sourir"  # its library is not beside it
        alone.parent.mkdir(parents=True)
        shutil.copyfile(SOURIR, alone)
        alone.chmod(0o755)
        done = subprocess.run([alone, "run", TIERS, "--jit-sync", "--why=sum"], capture_output=True, timeout=60)
        said = done.stderr.decode()
        self.assertRegex(said, r"not compiled sum\.anon: no compiler of native code \(looked for")
        self.assertIn("now          the baseline: the compiler has refused it", said)

    def test_refused_by_verify(self):
        self.write("wrong.py", WRONG)
        said = self.why(TIERS, "--why=sum", "--jit-sync", "--verify",
                        f"--tier=passes=fresh-version,exec:{sys.executable} wrong.py", status=70)
        self.assertIn("not compiled sum.anon: (an optimized version)  refused by --verify: it differs", said)
        self.assertIn("as it is written (the optimizer made no version that is used)", said)

    def test_the_program_ends_first(self):
        self.write("x.sou", COLD)
        said = self.why("x.sou", "--why=f", "--verify",
                        "--tier=calls=2,iterations=1000000,delay=0,passes=exec:sleep 1; cat")
        self.assertRegex(said, r"now +the baseline: the program ended "
                               r"(while the compiler worked on it|before its code was entered) \(--jit-sync")

    def test_switched_off(self):
        said = self.why(TIERS, "--why=main", "--jit-sync", "--no-osr-in")
        self.assertRegex(said, r"  loop at main\.anon\.rounds\n +now +the baseline: --no-osr-in was given\n")

    def test_versions_for_contexts(self):
        said = self.why(str(ROOT / "examples/54_call_contexts.sou"), "--why=total", "--jit-sync",
                        "--no-inlining", "--no-osr-in")
        for context in ("a is int[]", "a is float[]", "a is array"):
            self.assertRegex(said, rf"compiled +total\.opt for calls \[\({re.escape(context)}\)\] after \d+ calls: ")

    def test_compiled_deoptimized_invalidated(self):
        said = self.why(TIERS, "--why=sum", "--jit-sync")
        self.assertRegex(said, r"(?s)  calls\n +compiled +sum\.opt after 499 calls: an optimized version, \d+ bytes, "
                               r"[\d.]+ ms\n +from  sum\.anon\+0  \(a is array\)  argument: always array\n.*"
                               r"\n +deopt +20 times at sum\.opt\+6, to sum\.anon\.body, 16 times on to native code; "
                               r"\(a is int\[\]\) is false\n +20 with a = \[0\.5, .*\]\n +frame sum\.anon\+5 \[a = .*"
                               r"\n +invalidated +sum\.opt after 20 exits \(--tier exits, replace\); invalidations "
                               r"so far: 1, type feedback is reset\n +compiled +sum\.opt after 872 calls: .*"
                               r"\n +now +native code of sum\.opt; the interpreter has made \d+ calls\n")
        self.assertRegex(said, r"\n  inlined in main_loop\.opt ")
        self.assertRegex(said, r"\n  exits to sum\.anon\.body\n +compiled +sum_loop\.opt after 5 exits: ")

    def test_one_version(self):
        said = self.why(ASSUME, "--why=add.base", "--engine=native")
        self.assertNotIn("compiled     add.fast", said)
        self.assertRegex(said, r"exits of other code that lead here|exits to add\.base\.start")

    def test_values_of_guards(self):
        self.write("x.sou", CHANGES)
        [answer] = self.reported("x.sou", "--why=h.fast", "--engine=native")
        [exits] = [item for item in answer["units"][0]["history"] if item["event"]["event"] == "deopt"]
        self.assertEqual(exits["times"], 1000)
        self.assertEqual(exits["event"]["because"], "(x is int) is false")
        self.assertEqual(exits["values"], [{"read": {"x": {"bool": True}}, "times": 500},
                                           {"read": {"x": {"nil": None}}, "times": 500}])

    def test_the_same_source_as_the_log(self):
        """Each event of --tiers=json is in the answer, for all functions and their loops."""
        log = self.sourir("run", TIERS, "--jit-sync", "--tiers=json", "--why=sum", "--why=main")
        lines = [json.loads(line) for line in log.err.splitlines()]
        answers = [line["why"] for line in lines if line["event"] == "why"]
        self.assertEqual([a["of"] for a in answers], ["sum", "main"])
        events = [line for line in lines if line["event"] != "why"]
        items = [item for a in answers for unit in a["units"] for item in unit["history"]]
        self.assertEqual(sum(item["times"] for item in items), len(events))
        for item in items:
            self.assertIn(item["event"], events)

    def test_the_log_in_a_file(self):
        done = self.sourir("run", TIERS, "--jit-sync", "--tiers=json", "--tiers-file=log", "--why=sum")
        self.assertEqual(done.err, "")
        last = json.loads((self.folder / "log").read_text().splitlines()[-1])
        self.assertEqual((last["event"], last["of"], last["why"]["of"]), ("why", "sum", "sum"))

    def test_without_speculation_after_too_many_invalidations(self):
        said = self.why(TIERS, "--why=sum", "--jit-sync", "--tier=invalidations=1,exits=1")
        self.assertRegex(said, r"compiled +sum\.anon after \d+ calls: as it is written \(without speculation, after 1 "
                               r"invalidations \(--tier invalidations\)\)")

    def test_samples(self):
        self.write("x.sou", ALTERNATING)
        said = self.why("x.sou", "--why=twice", "--jit-sync", "--profile=loop", "--tier=feedback-resets=0",
                        "--profile-period=10", "--profile-min-samples=4", "--profile-max-samples=100000")
        self.assertRegex(said, r"invalidated +twice\.opt: too general for what was sampled; replaced")
        self.assertRegex(said, r"reinstated +twice\.opt, in place of what samples asked for")
        self.assertRegex(said, r"compiled +twice\.opt .*, because of samples\n")

    def test_ended_in_native_code_that_does_not_poll(self):
        self.write("x.sou", SPINS)
        process = self.start("run", "x.sou", "--tier=delay=0", "--tier=iterations=2", "--why=main", stdout=-1)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertRegex(said, r"error: stopped in native code of (the loop at )?main\S+, whose frames are not known\n")
        self.assertRegex(said, r"  loop at main\.anon\.Loop\n +compiled +main")
        self.assertNotIn("last counts", said)

    def test_forced_exits(self):
        said = self.why(ASSUME, "--why=add", "--engine=native", "--deopt=always")
        self.assertRegex(said, r"deopt +1 time at add\.fast\+0, to add\.base\.start.*; forced \(--deopt\)\n")


if __name__ == "__main__":
    unittest.main()
