"""The evaluations of contexts, deoptless and events (bench/dispatch.py, bench/deoptless.py, bench/events.py):
their statistics, what they make of programs, and that the parts run (of events, those that time nothing).
What they measure is no test."""
import itertools
import json
import math
import os
import subprocess
import sys
import threading
import xml.etree.ElementTree
from pathlib import Path

from command_line import SOURIR, CliTest

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import dispatch  # noqa: E402
import iterated  # noqa: E402
import pairs  # noqa: E402

SHORT = ["--size=tiny", "--runs=1", "--iterations=4", "--set-aside=1"]


class Evaluations(CliTest):
    def test_quantiles_of_student(self):
        for degrees, value in ((4, 2.776), (10, 2.228), (30, 2.042), (120, 1.980)):  # tables
            self.assertAlmostEqual(iterated.t_quantile(degrees), value, delta=0.01)

    def test_linear_model(self):
        """Two groups with the variance 1 each: the half width is t(8) / sqrt(5)."""
        group = [-math.sqrt(2), 0, 0, 0, math.sqrt(2)]
        found = iterated.linear_model({"a": [1 + x for x in group], "b": [3 + x for x in group]})
        self.assertAlmostEqual(found["b"].mean, 3)
        self.assertAlmostEqual(found["b"].high - 3, 2.306 / math.sqrt(5), delta=0.003)
        self.assertAlmostEqual(found["a"].low, 1 - (found["b"].high - 3))
        self.assertEqual(iterated.significant({"p": found}, "b"), {-5: 1, 0: 1, 2: 1, 5: 1, 10: 1, 20: 1})
        self.assertEqual(iterated.significant({"p": found}, "a")[0], 0)

    def test_mean_ratio(self):
        found = iterated.mean_ratio([0.5, 2.0, 1.0])
        self.assertAlmostEqual(found.mean, 1)
        self.assertAlmostEqual(found.low * found.high, 1)
        self.assertLess(found.low, 0.3)

    def test_pairs_share_a_processor(self):
        """All run at the same time: each waits until the others have begun."""
        begun = threading.Barrier(2 * min(2, len(os.sched_getaffinity(0))))

        def once(seconds):
            begun.wait(60)
            return seconds

        found = pairs.sharing(2, lambda: once(2.0), lambda: once(3.0))
        self.assertEqual(set(zip(*found)), {(2.0, 3.0)})
        self.assertEqual(pairs.percents(*found)[:2], [50, 50])

    def test_upper_end_of_pairs(self):
        self.assertEqual(pairs.middle_of([[0, 1, 50], [3, 3, 3]]), 2)
        self.assertEqual(pairs.upper_end([[1.0] * 6]), 1)
        self.assertGreater(pairs.upper_end([[0, 1, 50]]), 10)

    def test_wide_intervals_take_more_pairs(self):
        narrow, _ = pairs.until_narrow(2, lambda: 1.0, lambda: 1.0)
        wide, _ = pairs.until_narrow(2, lambda: 1.0, itertools.cycle((1.0, 1.5)).__next__, most=16)
        self.assertLess(len(narrow), 16)
        self.assertEqual(len(wide), 16)

    def test_contexts_of_several_functions_are_comparable(self):
        for names, context in ((["a", "n"], ["(a is int[])", "(n == 'a)"]),
                               (["x", "y"], ["(x is int[])", "(y == 'a)"])):
            self.assertEqual(dispatch.numbered(context, names), ("(#1 is int[])", "(#2 == 'a)"))

    def options(self, *words):
        return iterated.parser("").parse_args([f"--sourir={SOURIR}", "--size=tiny", *words])

    def test_call_sites(self):
        """map/reduce calls `times` from one place; the tuples take one version, ints another."""
        program = list(iterated.programs(self.options("--programs=map_reduce"), "bench/dissertation"))[0]
        contexts = {"times": [("(a is int)", "(b == 1)"), ("(a is int)",), ()]}
        self.write("x.sou", dispatch.with_versions(program.path.read_text(), contexts))
        self.assertEqual(self.sourir("run", "x.sou", stdin=f"{program.n}\n").out.strip(), program.answer)
        sites = dispatch.call_sites(self.options(), program, contexts)
        of_times = [by_version for (_, _, callee), by_version in sites.items() if callee == "times"]
        # 2 phases of 3 rounds with 1000 ints, 3 rounds with 20 tuples, each times 1 and times 3
        self.assertEqual(of_times, [{"for_0": 6000, "for_1": 6000, "for_2": 120}])

    def test_repeated(self):
        program = list(iterated.programs(self.options("--programs=sum"), "bench/dissertation"))[0]
        self.write("x.sou", iterated.repeated(program, 3))
        self.assertEqual(self.sourir("run", "x.sou", stdin=f"{program.n}\n").out.split(), 3 * [program.answer])

    def test_answers_and_what_programs_say(self):
        """At the size tiny bench/answers_test.py and the file tests check them on all engines."""
        for size in ("tiny", "iteration"):
            for program in iterated.all_programs(self.options(f"--size={size}")):
                done = self.sourir("run", str(program.path), stdin=f"{program.n}\n")
                self.assertEqual(done.out.strip(), program.answer, (program.name, size))
        for program in iterated.programs(self.options(), "bench/dissertation"):
            self.assertIn(f"\n# stdin: {program.n}\n", program.path.read_text())

    def evaluate(self, script, *words):
        done = subprocess.run([sys.executable, str(BENCH / script), f"--sourir={SOURIR}", *SHORT, "--json=r.json",
                               "--plots=plots", *words], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        for picture in (self.folder / "plots").iterdir():
            xml.etree.ElementTree.parse(picture)
        return done.stdout, json.loads((self.folder / "r.json").read_text())

    def test_dispatch(self):
        text, found = self.evaluate("dispatch.py", "--programs=fib,sum")
        self.assertEqual(set(found), {"format", "version", "conditions", *dispatch.PARTS})
        self.assertEqual(set(found["levels"]["times"]), {"fib", "sum", "sum, not inlined"})
        self.assertEqual(len(found["levels"]["times"]["fib"]["L5"]["processes"][0]), 4)
        self.assertEqual(set(found["phases"]["sum"]), set(dispatch.MODES))
        self.assertIn("Not in sourir", text)

    def test_deoptless(self):
        text, found = self.evaluate("deoptless.py", "--programs=fib,sum,rsa", "--rates=0.01")
        for regime in ("failing", "limited", "harmless"):
            rates = found[regime]["0.01"]
            self.assertEqual(set(rates["programs"]), {"fib", "rsa"})
            self.assertEqual(set(rates["compilation"]["fib"]), {"deoptless", "positions", "deoptimization"})
        invalidated = {regime: found[regime]["0.01"]["compilation"]["fib"]["deoptimization"]["code_invalidated"]
                       for regime in ("failing", "limited", "harmless")}
        self.assertGreater(invalidated["failing"], invalidated["limited"])
        self.assertGreater(invalidated["limited"], invalidated["harmless"])
        self.assertEqual(set(found["sampling"]), {"rsa"})
        self.assertEqual(set(found["lengths"]), {"4", "20", "100"})
        self.assertEqual(len(found["phases"]["sum"]["deoptless"]), 4 * dispatch.PER_PHASE)
        self.assertIn("over deoptimization: geometric mean", text)

    def test_events_without_times(self):
        done = subprocess.run([sys.executable, str(BENCH / "events.py"), "--sourir", SOURIR, "-k", "markers",
                               "-k", "executed", "--size=small", "--programs=collatz,gcd_sum", "--json", "r.json"],
                              capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(set(found["markers"]), {"collatz", "gcd_sum"})
        self.assertGreater(found["markers"]["gcd_sum"]["exact"]["functions"], 0)
        without, marked = found["executed"]["collatz"]["llvm-instruction"]
        self.assertGreater(without, 0)
        self.assertLessEqual(abs(marked - without), without / 1000)
        self.assertIn("within 0.1 % of without: 1 of 2", done.stdout)

    def test_sampling(self):
        done = subprocess.run([sys.executable, str(BENCH / "profiler.py"), "--sourir", SOURIR, "-k", "overhead",
                               "--size=tiny", "--programs=gcd_sum,fib", "--runs=1", "--periods", "--noise",
                               "--json", "r.json"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        programs = json.loads((self.folder / "r.json").read_text())["overhead"]["programs"]
        self.assertEqual(set(programs), {"fib", "gcd_sum"})
        for row in programs.values():
            self.assertEqual(len(row["pairs"]), len(row["seconds"]["default"]))
            self.assertGreater(len(row["noise"]), 0)
        self.assertRegex(done.stdout, r"default: mean .* worst program at most .*\nnoise: mean ")

    def test_gains(self):
        done = subprocess.run([sys.executable, str(BENCH / "profiler.py"), "--sourir", SOURIR, "-k", "gains",
                               "--size=tiny", "--programs=fib", "--runs=1", "--json", "r.json"],
                              capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        row = json.loads((self.folder / "r.json").read_text())["gains"]["fib"]
        self.assertEqual(set(row["recompiled"]), {0})

    def test_two_builds(self):
        done = subprocess.run([sys.executable, str(BENCH / "compare_builds.py"), SOURIR, SOURIR, "--size=tiny",
                               "--programs=fib,sieve", "--runs=1"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?s)fib auto .*sieve auto .*geometric mean of 2")

    def test_a_wrong_answer_is_no_result(self):
        program = list(iterated.programs(self.options("--programs=fib")))[0]
        wrong = [program._replace(answer="1")]
        with self.assertRaisesRegex(iterated.Failure, "fib, L0: wrong"):
            iterated.measure(self.options("--runs=1", "--iterations=2", "--set-aside=1"), wrong, {"L0": ()})
        with self.assertRaisesRegex(iterated.Failure, "instead of 1"):
            iterated.run_statistics(self.options("--iterations=2"), wrong[0])
