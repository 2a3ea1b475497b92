"""profile --events: numbers of events in the code of a run, by three strategies."""
import csv
import json
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree
from collections import Counter

from command_line import FINE, ROOT, SOURIR, STUCK, UNWRITABLE, USAGE, CliTest
from engines_test import has_native_code

sys.path.append(str(ROOT / "tests/schema"))
import validate  # noqa: E402

CATEGORIES = ("allocation", "arithmetic", "arrays", "branches", "calls", "guards", "memory", "types", "other")
STRATEGIES = ("count", "decode", "direct")
HOT = "--tier=calls=2,iterations=2"
SYNC = ["--jit-sync", HOT]

# Two functions with a loop each; one of them makes and fills an array.
PROGRAM = """function main()
  array a[100]
  call s = 'fill(a, 100)
  drop s
  call t = 'sum(a, 3000)
  print t
  stop
function fill(var a, var n)
  var i = 0
  goto again
again:
  branch (i < n) $more $over
$more:
  a[i] <- (i * 2)
  i <- (i + 1)
  goto again
$over:
  return i
function sum(var a, var n)
  var i = 0
  var s = 0
  goto again
again:
  branch (i < n) $more $over
$more:
  var k = (i % 100)
  var x = a[k]
  s <- (s + x)
  drop x
  drop k
  i <- (i + 1)
  goto again
$over:
  return s
"""

# In these together each event happens in native code: the program, how it runs, what it reads.
EVERY_EVENT = [("bench/programs/map_reduce.sou", SYNC, "40"), ("bench/programs/nbody.sou", SYNC, "100"),
               ("bench/programs/richards.sou", ["--engine=native"], "1"),
               ("tests/filetests/engines/dispatch_facts.sou", SYNC, ""),
               ("tests/filetests/engines/freed_under_frames.sou", SYNC, ""),
               ("tests/filetests/engines/watched_store.sou", SYNC, ""),
               ("tests/filetests/engines/not_outlined_behind_exit.sou",
                [*SYNC, "--tier=calls=2,iterations=2,continuations=1"], ""),
               ("tests/filetests/engines/sampled_counted_loops.sou", SYNC, ""),
               ("tests/filetests/engines/loop_in_context.sou", ["--engine=native"], ""),
               ("tests/filetests/engines/enter_loops.sou", ["--engine=native"], ""),
               ("tests/filetests/engines/new_arrays.sou", ["--engine=native"], ""),
               ("examples/05_input.sou", ["--engine=native"], "1\n2\n3"),
               ("examples/23_assert.sou", SYNC, ""), ("examples/39_contexts.sou", SYNC, ""),
               ("examples/fig_2_26_corejit.sou", ["--engine=native"], "")]


def rows_of(text):
    return list(csv.DictReader(text.splitlines()))


@unittest.skipUnless(has_native_code(), "no native code in this build")
class Events(CliTest):
    def setUp(self):
        super().setUp()
        self.write("x.sou", PROGRAM)

    def profiled(self, *words, status=FINE, **more):
        """The report, which is on standard error."""
        return self.says(status, words=["profile", *words], **more).err

    def report(self, *words, **more):
        return json.loads(self.profiled(*words, "--json", **more))

    def counted(self, *words, **more):
        """{(where, event): (native, interpreted)}"""
        return {(row["where"], row["event"]): (int(row["native"]), int(row["interpreted"]))
                for row in rows_of(self.profiled(*words, "--csv", **more))}

    def event_list(self):
        text = self.sourir("profile", "--events", "help").out
        listed, impossible = text.split("\n\n", 1)
        return [line.split()[:3] for line in listed.splitlines()], impossible

    def test_the_list_of_events(self):
        rows, impossible = self.event_list()
        self.assertGreaterEqual(len(rows), 43)  # the source's Table 2 has so many
        self.assertEqual({category for _, category, _ in rows}, set(CATEGORIES))
        self.assertEqual({phase for _, _, phase in rows}, {"version", "lowering", "llvm"})
        self.assertIn("(TOPLAS 2023, Table 2) that cannot occur here", impossible)

    def test_names_categories_and_phases(self):
        rows, _ = self.event_list()
        for name in ("guard", "llvm-load"):
            self.assertEqual(set(self.names(name)) - {name}, set())
        for category in CATEGORIES:
            names = {name for name, of, _ in rows if of == category}
            self.assertLessEqual(set(self.names(category)), names)
        for phase in ("version", "lowering", "llvm"):
            names = {name for name, _, of in rows if of == phase}
            self.assertLessEqual(set(self.names(phase)), names)
            self.assertTrue(self.names(phase))
        both = set(self.names("branch,arrays"))
        self.assertEqual(both, set(self.names("branch")) | set(self.names("arrays")))
        self.assertIn("array-load", both)
        self.assertIn("branch", both)

    def names(self, events):
        return list(self.report("x.sou", f"--events={events}", *SYNC)["events"])

    def test_every_event_happens(self):
        happened = Counter()
        for path, flags, given in EVERY_EVENT:
            done = self.sourir("profile", str(ROOT / path), "--events=all", "--csv", "-o", "r", *flags,
                               stdin=given + "\n")
            self.assertNotIn(done.returncode, (USAGE, 65, 66, 70), done.err)
            for row in rows_of((self.folder / "r").read_text()):
                happened[row["event"]] += int(row["native"])
                if row["event"] == "exit":  # the runtime makes the frames
                    happened["exit"] += int(row["interpreted"])
        names = {name for name, _, _ in self.event_list()[0]}
        self.assertEqual({name for name in names if happened[name] <= 0}, set())

    def test_code_that_dispatches_calls(self):
        """Its events are those of a version of their own, by each strategy."""
        path = str(ROOT / "tests/filetests/engines/dispatch.sou")
        said = self.says(FINE, words=["run", path, "--engine=native", "--stats=json"]).err
        calls = json.loads(said)["dispatched"]
        tested = calls["calls"] - calls["direct"]
        self.assertGreater(tested, 0)
        found = [self.counted(path, "--events=dispatch,llvm-instruction", "--engine=native",
                              "--by=version", f"--strategy={strategy}")
                 for strategy in ("count", "decode", "direct")]
        dispatcher, = {where for where, event in found[0] if event == "dispatch"}
        self.assertTrue(dispatcher.startswith("kind.dispatcher#"))
        self.assertEqual(found[0][dispatcher, "dispatch"], (tested, 0))
        self.assertGreater(found[0][dispatcher, "llvm-instruction"][0], 4 * tested)
        self.assertEqual(found[1], found[0])
        self.assertEqual(found[2], found[0])

    def test_a_wrong_name_gets_those_that_there_are(self):
        done = self.says(USAGE, "there is no event 'gard'", "--events help",
                         words=["profile", "x.sou", "--events=guard,gard"])
        for category in CATEGORIES:
            self.assertIn(category, done.err)

    def test_numbers_of_a_loop(self):
        """What the program does does not depend on what is compiled when."""
        text = {(row["where"], row["event"]): int(row["native"]) + int(row["interpreted"])
                for row in rows_of(self.profiled("x.sou", "--events=version", "--csv", "--no-speculation", *SYNC))}
        self.assertEqual(text["sum", "array-load"], 3000)
        self.assertEqual(text["sum", "division"], 3000)
        self.assertEqual(text["sum", "branch"], 3001)
        self.assertEqual(text["sum", "back-edge"], 3000)
        self.assertEqual(text["fill", "array-store"], 100)
        self.assertEqual(text["main", "array-of-length"], 1)
        self.assertEqual(text["main", "direct-call"], 2)

    def test_strategies_agree(self):
        """Of each version and of the whole run."""
        for engine in (["--engine=native"], ["--engine=auto", *SYNC], ["--engine=auto", "--jit-level=0", *SYNC]):
            by_strategy = [self.counted("x.sou", "--events=all", "--by=version", f"--strategy={s}", *engine)
                           for s in STRATEGIES]
            self.assertGreater(sum(native for native, _ in by_strategy[0].values()), 3000, engine)
            self.assertEqual(by_strategy[0], by_strategy[2], engine)
            self.assertEqual(by_strategy[0], by_strategy[1], engine)

    # mutant 218: the other arm is counted.
    def test_branches_that_become_data_count_the_same(self):
        self.write("in", "20000\n")
        loop = str(ROOT / "bench/programs/collatz.sou")
        count, decode, direct = [self.counted(loop, "--input=in", "--events=all", f"--strategy={s}", *SYNC)
                                 for s in ("count", "decode", "direct")]
        self.assertGreater(count["collatz_loop", "llvm-branch"][0], 1000000)
        self.assertEqual(count, direct)
        self.assertEqual(count, decode)

    def test_cut_paths_count_the_same(self):
        for strategy in ("count", "decode"):
            cut, whole = [self.counted("x.sou", "--events=all", f"--strategy={strategy}", *more, *SYNC)
                          for more in (["--event-paths=1"], [])]
            self.assertEqual(cut, whole)
        few, many = [self.report("x.sou", "--events=all", *more, *SYNC)["tables"]["paths"]
                     for more in (["--event-paths=1"], [])]
        self.assertNotEqual(few, many)
        self.says(USAGE, "--event-paths: must be at least 1", words=["profile", "x.sou", "--events=all",
                                                                   "--event-paths=0"])
        self.says(USAGE, "there is no 'fast'; there are count, decode, direct",
                  words=["profile", "x.sou", "--events=all", "--strategy=fast"])

    def test_groups(self):
        """Each sums up to the whole."""
        names = {}
        for by in ("function", "version", "loop", "line"):
            found = self.report("x.sou", "--events=all", f"--by={by}", *SYNC)
            self.assertEqual(found["by"], by)
            names[by] = [group["name"] for group in found["groups"]]
            sums = Counter()
            for group in found["groups"]:
                for event, of in group["counts"].items():
                    sums[event] += of["native"]
            self.assertEqual({e: n for e, n in sums.items() if n},
                             {e: of["native"] for e, of in found["events"].items() if of["native"]}, by)
        self.assertLessEqual({"main", "fill", "sum"}, set(names["function"]))  # and their loops
        self.assertTrue(any(re.fullmatch(r"sum(_loop)?\.\w+(@\d+)?#\d+", name) for name in names["version"]), names)
        self.assertTrue(any(" loop at +" in name for name in names["loop"]), names)
        self.assertTrue(any("sum.anon" in name for name in names["line"]), names)
        text = self.profiled("x.sou", "--events=branch", "--by=function", *SYNC)
        self.assertRegex(text, r"(?m)^sum\n  branch +\d+  and \d+ interpreted$")
        self.says(USAGE, "there is no 'block'; there are function, version, loop, line",
                  words=["profile", "x.sou", "--events=all", "--by=block"])

    def test_annotated_versions(self):
        text = self.profiled("x.sou", "--events=array-load,branch", "--annotate", *SYNC)
        self.assertRegex(text, r"(?m)^ +array-load +branch$")
        loads = re.findall(r"(?m)^ +(\d+) +\+\d+ +.*a\[", text)
        self.assertEqual(sum(map(int, loads)), 3000, text)
        for strategy in STRATEGIES:
            lines = [line for code in self.report("x.sou", "--events=array-load", "--annotate",
                                                  f"--strategy={strategy}", *SYNC)["code"]
                     for line in code["lines"]]
            self.assertTrue(all("at" in line and "a[" in line["instruction"] for line in lines), lines)
            self.assertTrue(lines)

    def test_decode_has_positions_only_for_who_wants_them(self):
        lines = [line for code in self.report("x.sou", "--events=array-load", "--strategy=decode", *SYNC)["code"]
                 if not code["interpreted"] for line in code["lines"]]
        self.assertTrue(lines)
        self.assertFalse(any("at" in line for line in lines), lines)

    def test_csv(self):
        rows = rows_of(self.profiled("x.sou", "--events=branch,llvm-load", "--csv", *SYNC))
        self.assertEqual(set(rows[0]), {"where", "event", "category", "phase", "native", "interpreted"})
        self.assertIn(("sum", "branch", "branches", "version"),
                      [(r["where"], r["event"], r["category"], r["phase"]) for r in rows])

    def test_the_report_in_a_file(self):
        plain = self.sourir("run", "x.sou")
        for form in ([], ["--json"], ["--csv"]):
            done = self.says(FINE, words=["profile", "x.sou", "--events=all", "-o", "r", *form, *SYNC])
            self.assertEqual((done.out, done.err), (plain.out, ""))
            self.assertIn("llvm-instruction", (self.folder / "r").read_text())
        self.says(UNWRITABLE, "no/r", words=["profile", "x.sou", "--events=all", "-o", "no/r"])

    def test_what_does_not_go_together(self):
        for more, message in ((["--json", "--csv"], "--json and --csv are two forms"),
                              (["--annotate", "--csv"], "--annotate is for people"),
                              (["--trigger=loop"], "--events counts, and does not sample"),
                              (["--html=x"], "does not sample"), (["--folded=x"], "does not sample"),
                              (["--speedscope=x"], "does not sample"), (["--record-samples=x"], "does not sample"),
                              (["--replay-samples=x"], "does not sample"), (["x.sou"], "'x.sou' is one FILE too many")):
            self.says(USAGE, message, words=["profile", "x.sou", "--events=all", *more])
        self.says(USAGE, "--events: the value is empty", words=["profile", "x.sou", "--events", ""])

    def test_without_native_code(self):
        text = self.profiled("x.sou", "--events=all", "--engine=baseline")
        self.assertIn("the interpreter executed 100.0 % of the instructions", text)
        self.assertRegex(text, r"(?m)^  branch +0  and 3102 interpreted$")
        self.assertNotIn("llvm-", text)
        self.assertIn("\n  none\n", self.profiled("x.sou", "--events=llvm", "--engine=baseline"))
        found = self.report("x.sou", "--events=all", "--engine=baseline")
        self.assertEqual(found["interpreted_share"], 1)
        self.assertEqual(found["tables"]["code_objects"], 0)

    def test_a_run_that_is_stuck(self):
        self.write("x.sou", "print 1\nprint (1 / 0)\n")
        done = self.says(STUCK, "division-by-zero", words=["profile", "x.sou", "--events=all", "--json", "-o", "r"])
        self.assertEqual(done.out, "1\n")
        found = json.loads((self.folder / "r").read_text())
        self.assertEqual((found["outcome"], found["exit_code"]), ("stuck", STUCK))
        self.assertEqual(found["events"]["print"], {"native": 0, "interpreted": 1})

    def test_what_counting_takes(self):
        tables = {s: self.report("x.sou", "--events=all", f"--strategy={s}", *SYNC)["tables"] for s in STRATEGIES}
        for of in tables.values():
            self.assertGreater(of["code_objects"], 0)
            self.assertEqual(of["counter_bytes"], 8 * of["counters"])
        self.assertEqual((tables["direct"]["paths"], tables["direct"]["decoding_bytes"]), (0, 0))
        self.assertGreaterEqual(tables["count"]["counters"], tables["count"]["paths"])
        self.assertGreater(tables["count"]["decoding_bytes"], 0)

    def test_statistics(self):
        stats = json.loads(self.profiled("x.sou", "--events=all", "--stats=json", "-o", "r", *SYNC))
        self.assertGreater(stats["compiled"], 0)

    def tier_log(self, command, path, given, *flags):
        """What the tiers made of the program, without sizes and times."""
        self.says(FINE, words=[command, str(path), "--jit-sync", "--tiers=versions", "--tiers-file=log", *flags],
                  stdin=given)
        return re.sub(r"[\d.]+ (?:bytes|ms)\b", "-", (self.folder / "log").read_text())

    # Nothing of what counts is there before LLVM.
    def test_the_tiers_make_the_same_versions(self):
        for row in json.loads((ROOT / "bench/programs.json").read_text())["programs"]:
            path = ROOT / f"bench/programs/{row['name']}.sou"
            given = f"{row['sizes']['tiny']['n']}\n"
            versions = self.tier_log("run", path, given, HOT)
            self.assertEqual(self.tier_log("profile", path, given, HOT, "--events=all", "-o", "r"), versions, row["name"])

    def test_markers_alone_count_nothing(self):
        report = self.report("x.sou", "--events=all", "--strategy=none", *SYNC)
        self.assertIsNone(report["interpreted_share"])
        self.assertEqual(report["events"], {})
        self.assertIn("strategy none: nothing was counted\n",
                      self.profiled("x.sou", "--events=all", "--strategy=none"))
        self.says(USAGE, "--strategy=none counts nothing",
                  words=["profile", "x.sou", "--keep=k", "--events=all", "--strategy=none"])

    def test_schema(self):
        forms = validate.validators()
        for more in ([], ["--by=line", "--annotate"], ["--strategy=decode"], ["--engine=baseline"],
                     ["--strategy=none"], ["--engine=reference"]):
            found = self.report("x.sou", "--events=all", *more, *SYNC)
            self.assertEqual([validate.explain(e) for e in forms["events"].iter_errors(found)], [])

    def test_bench(self):
        done = subprocess.run([sys.executable, str(ROOT / "bench/events.py"), f"--sourir={SOURIR}", "--size=small",
                               "--runs=1", "--programs=fib,sieve", "-k", "branches", "-k", "markers",
                               "-k", "sampler", "-k", "noise", "--json=r.json", "--plots=plots"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("geometric mean of 2", done.stdout)
        results = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(results["markers"]["sieve"]["exact"]["functions"], 3)
        self.assertEqual(results["sampler"]["programs"].keys(), {"fib", "sieve"})
        self.assertEqual(results["noise"]["fib"].keys(), {"again", "none"})
        found = results["branches"]
        self.assertEqual(set(found["factors"]["fib"]["code"]), {*STRATEGIES, "none"})
        self.assertGreater(found["medians"]["sieve"]["memory"]["direct"], 0)
        for picture in (self.folder / "plots").iterdir():
            xml.etree.ElementTree.parse(picture)


if __name__ == "__main__":
    unittest.main()
