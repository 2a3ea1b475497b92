"""profile --compare, --keep and --against: which numbers of events differ."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree
from pathlib import Path

from command_line import FINE, FOUND, INTERRUPTED, LOOP, REJECTED, ROOT, STUCK, UNREADABLE, UNWRITABLE, USAGE, CliTest
from engines_test import has_native_code
from events_test import PROGRAM, SYNC

sys.path.append(str(ROOT / "tests/schema"))
import validate  # noqa: E402

INCONCLUSIVE, BUG = 2, 70
PLAIN, INLINED = "--no-inlining", "--jit-level=2"
ONCE = ["--iterations=1", *SYNC]

# A call in a hot loop: with inlining there are no calls.
CALLS = """function main()
  var i = 0
  var s = 0
  goto again
again:
  branch (i < 3000) $more $over
$more:
  call x = 'double(i)
  s <- (s + x)
  drop x
  i <- (i + 1)
  goto again
$over:
  print s
  stop
function double(var n)
  return (n * 2)
"""
# A loop in front, whose result no compiler knows, and which does not print.
MORE = """  var k = 0
  var r = 1
  goto waste
waste:
  branch (k < 9000) $on $out
$on:
  r <- (r * 75)
  r <- (r % 65537)
  k <- (k + 1)
  goto waste
$out:
  branch (r == 0) $never $on_with
$never:
  print r
  stop
$on_with:
  var i = 0
"""


@unittest.skipUnless(has_native_code(), "no native code in this build")
class Compare(CliTest):
    def setUp(self):
        super().setUp()
        self.write("x.sou", CALLS)
        self.write("y.sou", PROGRAM)

    def compared(self, a, b, *words, status=FINE):
        return self.says(status, words=["profile", "--compare", a, b, *words])

    def comparison(self, a, b, *words, status=FINE):
        return json.loads(self.compared(a, b, *words, "--json", status=status).out)

    def metrics(self, program):
        return {m["event"]: (m["a"], m["b"]) for m in program["metrics"]}

    def test_metrics_that_differ(self):
        found = self.comparison(INLINED, PLAIN, "x.sou", *ONCE)
        self.assertEqual((found["a"]["name"], found["a"]["what"]), ("A", INLINED))
        [program] = found["programs"]
        self.assertEqual((program["program"], program["state"]), ("x.sou", "compared"))
        a, b = self.metrics(program)["direct-call"]
        self.assertLess(a, 0.1 * b)
        self.assertTrue(2000 < b <= 3000, program)
        self.assertIn("apart", program["metrics"][0])
        size = [abs(m["a"] - m["b"]) for m in program["metrics"]]
        self.assertEqual(size, sorted(size, reverse=True))
        for m in program["metrics"]:
            larger = max(m["a"], m["b"])
            self.assertGreater(abs(m["a"] - m["b"]), 0.1 * larger, m)
            self.assertAlmostEqual(m["difference"], (m["b"] - m["a"]) / larger)

    def test_text(self):
        done = self.compared(INLINED, PLAIN, "x.sou", "--iterations=3", *SYNC)
        self.assertRegex(done.out, r"(?m)^A: --jit-level=2, 3 runs\nB: --no-inlining, 3 runs\n")
        self.assertIn("differs by more than 0.1 of the larger", done.out)
        self.assertRegex(done.out, r"(?m)^x\.sou\nprocessor time: A \d[\d.]* m?s, B \d[\d.]* m?s; B / A is "
                         r"\d\.\d\d\d \(\d\.\d+ to \d\.\d+\): \w+")
        self.assertRegex(done.out, r"(?m)^instructions in the interpreter: A \d+\.\d %, B \d+\.\d %$")
        self.assertRegex(done.out, r"(?m)^metric +A +B +B / A$")
        self.assertRegex(done.out, r"(?m)^direct-call +\d+ +\d+ +(?:only B|\d+\.\d\d\d)$")
        self.assertNotIn("8997000", done.out)  # the program's output

    def test_nothing_differs(self):
        done = self.compared(PLAIN, PLAIN, "x.sou", *ONCE)
        self.assertIn("\nno metric differs\n", done.out)
        self.assertNotIn("metric  ", done.out)
        self.assertIn("fewer than 3 times", done.out)

    def test_passes(self):
        """As --tier passes=... has them: a pipeline in which nothing is speculated, and the usual one."""
        found = self.comparison("fresh-version", "jit-guards", "y.sou", *ONCE)
        self.assertEqual(found["a"]["what"], "passes fresh-version")
        self.assertTrue(found["programs"][0]["metrics"])
        self.says(USAGE, "with A: it exited with 64", "wrong-pass",
                  words=["profile", "--compare", "wrong-pass", "jit-guards", "x.sou", *ONCE])

    def test_a_pass_that_is_left_out(self):
        found = self.comparison("jit-guards", "--tier without=inline", "x.sou", *ONCE)
        self.assertIn("direct-call", self.metrics(found["programs"][0]))
        self.assertIn("no metric differs", self.compared("--tier=without=inline,load-elimination",
                                                         "--tier=without=loads,inline", "x.sou", *ONCE).out)
        self.says(USAGE, "--tier without: there is no pass 'inlin'", words=["run", "x.sou", "--tier=without=inlin"])

    def test_flags_of_the_tiers(self):
        found = self.comparison("--no-inlining --tier contexts=0", "--tier=contexts=5,calls=3", "x.sou", *ONCE)
        self.assertEqual(found["a"]["what"], "--no-inlining --tier contexts=0")
        self.assertIn("direct-call", self.metrics(found["programs"][0]))
        for way, message in (("--json", "'--json' in '--json' is no flag of the tiers"),
                             ("--no-inlining x", "'x' in '--no-inlining x' is no flag of the tiers"),
                             ("-o x", "'-o' in '-o x' is no flag"),
                             ("--no-inlining --tier", "ends where a value is missing")):
            self.says(USAGE, message, words=["profile", "--compare", way, PLAIN, "x.sou"])

    def test_the_threshold(self):
        counts = {t: len(self.comparison(INLINED, PLAIN, "x.sou", f"--threshold={t}", *ONCE)["programs"][0]["metrics"])
                  for t in ("0", "0.1", "0.99")}
        self.assertGreater(counts["0"], counts["0.99"])
        self.assertGreaterEqual(counts["0"], counts["0.1"])
        for wrong in ("1", "-1", "a tenth", "10%", "nan"):
            self.says(USAGE, f"'{wrong}' is not a number from 0 to below 1",
                      words=["profile", "--compare", "a", "b", "x.sou", f"--threshold={wrong}"])

    def test_events_and_strategies(self):
        for strategy in ("count", "decode", "direct"):
            found = self.comparison(INLINED, PLAIN, "x.sou", "--events=calls", f"--strategy={strategy}", *ONCE)
            self.assertEqual(found["strategy"], strategy)
            self.assertEqual({m["category"] for m in found["programs"][0]["metrics"]}, {"calls"})
        self.says(USAGE, "there is no event 'gard'",
                  words=["profile", "--compare", "a", "b", "x.sou", "--events=gard"])

    def test_several_programs(self):
        found = self.comparison(INLINED, PLAIN, "x.sou", "y.sou", *ONCE)
        self.assertEqual([p["program"] for p in found["programs"]], ["x.sou", "y.sou"])
        over = {m["event"]: m for m in found["metrics"]}
        for event in self.metrics(found["programs"][0]):
            self.assertGreaterEqual(over[event]["programs"], 1)
            self.assertEqual(over[event]["more"] + over[event]["fewer"], over[event]["programs"])
        out = self.compared(INLINED, PLAIN, "x.sou", "y.sou", *ONCE).out
        self.assertRegex(out, r"(?m)^over 2 programs\nmetric +programs +more in B +fewer in B$")

    def test_no_native_code_is_no_answer(self):
        self.write("z.sou", "print 1\n")
        done = self.compared(INLINED, PLAIN, "z.sou", *ONCE, status=INCONCLUSIVE)
        self.assertIn("no native code ran: nothing is compared\n", done.out)
        self.assertNotIn("no metric differs", done.out)
        found = self.comparison(INLINED, PLAIN, "x.sou", "z.sou", *ONCE, status=INCONCLUSIVE)
        self.assertEqual([p["state"] for p in found["programs"]], ["compared", "no-native-code"])

    def test_schema_chart_and_files(self):
        form = validate.validators()["event_comparison"]
        self.write("z.sou", "print 1\n")
        done = self.compared(INLINED, PLAIN, "x.sou", "y.sou", "z.sou", *ONCE, "--json", "-o", "r", "--plot", "p.svg",
                             status=INCONCLUSIVE)
        self.assertEqual((done.out, done.err), ("", ""))
        document = json.loads((self.folder / "r").read_text())
        self.assertEqual([validate.explain(e) for e in form.iter_errors(document)], [])
        picture = xml.etree.ElementTree.parse(self.folder / "p.svg")
        texts = {text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")}
        self.assertIn("direct-call", texts)
        self.assertIn("no native code ran", texts)
        self.says(UNWRITABLE, "no/r", words=["profile", "--compare", PLAIN, PLAIN, "x.sou", "-o", "no/r", *ONCE])

    def test_input(self):
        self.write("x.sou", CALLS.replace("  var i = 0\n", "  var n\n  read n\n  var i = 0\n", 1)
                   .replace("(i < 3000)", "(i < n)"))
        self.write("n", "2000\n")
        found = self.comparison(INLINED, PLAIN, "x.sou", "--input=n", *ONCE)
        self.assertLessEqual(self.metrics(found["programs"][0])["direct-call"][1], 2000)
        self.says(STUCK, "x.sou with A: a run that does not stop cannot be compared", "the input has ended",
                  words=["profile", "--compare", INLINED, PLAIN, "x.sou", *ONCE], stdin="2000\n")

    def test_another_output_is_an_error(self):
        """Each run reads another line from the terminal, and prints it."""
        self.write("x.sou", "var n\nread n\nprint n\n")
        controller, terminal = os.openpty()
        self.addCleanup(os.close, controller)
        self.addCleanup(os.close, terminal)
        os.write(controller, b"0\n1\n")
        done = self.says(BUG, "x.sou with B: it prints something else than with A: line 1 is '0' and '1'",
                         words=["profile", "--compare", INLINED, PLAIN, "x.sou",
                                f"--input={os.ttyname(terminal)}", *ONCE])
        self.assertEqual(done.out, "")

    @staticmethod
    def has_child(pid, program):
        """Whether the process runs the program; a fork of it that has not begun has its own words."""
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            try:
                words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
            except FileNotFoundError:  # it has ended
                continue
            if program in words and b"--compare" not in words:
                return True
        return False

    def test_ctrl_c_shows_what_there_is(self):
        self.write("slow.sou", LOOP)
        process = self.start("profile", "--compare", INLINED, PLAIN, "x.sou", "slow.sou", *ONCE, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        while not self.has_child(process.pid, b"slow.sou"):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=30)
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertIn(b"stopped by Ctrl-C: this is what there is", said)
        self.assertIn(b"direct-call", out)
        self.assertNotIn(b"slow.sou", out)

    def test_programs_that_do_not_run(self):
        self.write("bad.sou", "goto nowhere\n")
        self.says(REJECTED, "bad.sou with A", words=["profile", "--compare", PLAIN, PLAIN, "x.sou", "bad.sou", *ONCE])
        self.says(UNREADABLE, "no.sou", words=["profile", "--compare", PLAIN, PLAIN, "no.sou", *ONCE])

    def test_what_does_not_go_together(self):
        compare = ["--compare", PLAIN, PLAIN]
        for words, message in (([*compare, "--keep=k"], "--compare is about two ways to compile"),
                               ([*compare, "--against=k"], "--compare is about two ways to compile"),
                               ([*compare, "--csv"], "are about one run"), ([*compare, "--annotate"], "are about one run"),
                               ([*compare, "--by=loop"], "are about one run"),
                               ([*compare, "--stats"], "are about one run"),
                               ([*compare, "--trigger=loop"], "does not sample"),
                               ([*compare, "--engine=baseline"], "makes no native code"),
                               ([*compare, *compare], "--compare: there are two values already"),
                               ([*compare, "--iterations=0"], "--iterations: must be at least 1"),
                               (["--keep=k", "--plot=p"], "--plot is about a comparison"),
                               (["--keep=k", "-o", "k"], "--keep and -o name the same file"),
                               (["--against=k", "--events=all"], "it goes without --events")):
            self.says(USAGE, message, words=["profile", "x.sou", *words])
        self.says(USAGE, "--compare needs two values", words=["profile", "--compare", PLAIN])
        self.says(USAGE, "cannot come from standard input", words=["profile", "-", *compare])
        os.mkfifo(self.folder / "pipe")
        for given in ("-", "pipe"):
            self.says(USAGE, "reads a file again, which a pipe cannot be",
                      words=["profile", "x.sou", *compare, "--input", given])


@unittest.skipUnless(has_native_code(), "no native code in this build")
class Against(CliTest):
    def setUp(self):
        super().setUp()
        self.write("x.sou", CALLS)
        self.write("y.sou", PROGRAM)

    def keep(self, *words):
        done = self.says(FINE, words=["profile", "--keep=k", *words, *ONCE])
        self.assertEqual(done.out, "")
        return json.loads((self.folder / "k").read_text())

    def against(self, *words, status=FINE):
        return self.says(status, words=["profile", "--against=k", *words, *ONCE])

    def test_what_is_kept(self):
        kept = self.keep("x.sou", "y.sou", "--events=calls,llvm-load", "--no-inlining")
        self.assertEqual([validate.explain(e) for e in validate.validators()["event_counts"].iter_errors(kept)], [])
        self.assertEqual([p["program"] for p in kept["programs"]], ["x.sou", "y.sou"])
        self.assertIn("llvm-load", kept["events"])
        self.assertNotIn("branch", kept["events"])
        self.assertIn("--no-inlining", kept["flags"])
        self.assertGreater(kept["programs"][0]["runs"][0]["direct-call"]["native"], 2000)
        self.assertEqual((len(kept["programs"][0]["runs"]), len(kept["programs"][0]["seconds"])), (1, 1))

    def test_the_same(self):
        self.keep("x.sou")
        done = self.against("x.sou")
        self.assertIn("no metric differs", done.out)
        self.assertNotIn("note:", done.out)
        self.assertRegex(done.out, r"(?m)^old: k, 1 run\nnew: this version, 1 run\n")

    def test_a_metric_that_differs(self):
        self.keep("x.sou")
        done = self.against("x.sou", "--no-inlining", status=FOUND)
        self.assertIn("note: flags: ", done.out)
        self.assertRegex(done.out, r"(?m)^direct-call +\d+ +\d+ +(?:only new|\d+\.\d\d\d)$")
        self.write("x.sou", CALLS.replace("  var i = 0\n", MORE, 1))  # prints the same
        done = self.against("x.sou", "--json", status=FOUND)
        found = json.loads(done.out)
        self.assertEqual(found["b"]["name"], "new")
        self.assertIn("back-edge", [m["event"] for m in found["programs"][0]["metrics"]])

    def test_keep_goes_together_with_against(self):
        self.keep("x.sou")
        self.says(FINE, words=["profile", "--against=k", "--keep=n", "x.sou", *ONCE])
        old, new = [json.loads((self.folder / name).read_text()) for name in "kn"]
        self.assertEqual(old["programs"][0]["runs"], new["programs"][0]["runs"])

    def test_another_program_is_no_answer(self):
        self.keep("x.sou")
        self.write("x.sou", CALLS.replace("print s", "print (s + 1)"))
        done = self.against("x.sou", status=INCONCLUSIVE)
        self.assertIn("the program prints something else than then: nothing is compared", done.out)

    def test_events_of_another_version(self):
        kept = self.keep("x.sou", "--events=calls")
        kept["events"].append("teleportation")
        kept["programs"][0]["runs"][0]["teleportation"] = {"native": 5}
        self.write("k", json.dumps(kept))
        self.assertIn("note: not counted by this version: teleportation", self.against("x.sou").out)

    def test_files_that_are_none(self):
        self.keep("x.sou")
        self.says(REJECTED, "'k' has no counts of y.sou", words=["profile", "--against=k", "y.sou"])
        self.says(UNREADABLE, "cannot read 'no'", words=["profile", "--against=no", "x.sou"])
        self.says(UNWRITABLE, "no/k", words=["profile", "--keep=no/k", "x.sou", *ONCE])
        kept = json.loads((self.folder / "k").read_text())
        for change, message in ((lambda d: d.update(format="bench"), 'no "format": "event-counts"'),
                                (lambda d: d.update(version=9), "it has version 9 of the format, this reads 1"),
                                (lambda d: d.pop("events"), "there is no events"),
                                (lambda d: d["programs"][0].update(runs=[]), "programs/0/runs is empty"),
                                (lambda d: d["programs"][0].update(runs=[3]), "programs/0/runs/0/ is no object"),
                                (lambda d: d["programs"][0]["runs"][0]["branch"].update(native=-1),
                                 "programs/0/runs/0/branch/native is no whole number"),
                                (lambda d: d["programs"][0].update(seconds=[-1]), "programs/0/seconds/0 is no time"),
                                (lambda d: d.update(events=["teleportation"]), "has no event that this version counts")):
            document = json.loads(json.dumps(kept))
            change(document)
            self.write("bad", json.dumps(document))
            self.says(REJECTED, message, words=["profile", "--against=bad", "x.sou"])
        self.write("bad", "{")
        self.says(REJECTED, "'bad': parse error", words=["profile", "--against=bad", "x.sou"])


if __name__ == "__main__":
    unittest.main()
