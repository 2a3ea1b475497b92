"""bench --compare: results beside earlier ones, on results written by hand."""
import json
import unittest

from bench_test import DOUBLE, BenchFolder
from command_line import FINE, FOUND, REJECTED, UNREADABLE, USAGE, CliTest


def results(rows, **more):
    """An answer of `bench --json`. rows: by program and competitor the wall times, or an outcome."""
    programs = {}
    for (program, competitor), times in rows.items():
        cell = {"competitor": competitor, "contender": competitor, "outcome": "fine", "wall": times,
                "cpu": times, "memory": 1}
        if isinstance(times, str):
            cell.update(outcome=times, detail="x", wall=[], cpu=[])
        programs.setdefault(program, []).append(cell)
    names = sorted({competitor for _, competitor in rows})
    competitors = [{"name": name, "kind": "engine", "command": ["/x/sourir", "run", f"--engine={name}"],
                    "version": "sourir 1"} for name in names]
    return {"format": "bench", "version": 2, "size": "tiny", "runs": 5, "warmup": 1, "measure": "wall",
            "interrupted": False, "notes": [], "competitors": competitors, "contenders": competitors,
            "machine": {"processor": "A", "processors": 2}, "build": {"version": "1", "optimized": True},
            "programs": [{"name": name, "n": 4, "results": cells} for name, cells in programs.items()],
            "geometric_means": [], **more}


STEADY = [0.100, 0.101, 0.099, 0.100, 0.102]


def times(factor):
    return [t * factor for t in STEADY]


class Compare(CliTest):
    def put(self, name, document):
        return self.write(name, json.dumps(document))

    def compared(self, old, new, *more, status=FINE):
        self.put("old.json", old)
        self.put("new.json", new)
        return self.says(status, words=["bench", "--compare=old.json", "--with=new.json", *more])

    def comparison(self, old, new, *more):
        return json.loads(self.compared(old, new, "--json", *more).out)["comparison"]

    def test_verdicts(self):
        old = results({(p, "auto"): STEADY for p in ("quick", "same", "slow")})
        new = results({("quick", "auto"): times(0.5), ("same", "auto"): STEADY, ("slow", "auto"): times(1.5)})
        done = self.compared(old, new)
        self.assertIn("wall time: 'new.json' beside 'old.json'", done.out)
        self.assertRegex(done.out, r"(?m)^ +old +new +new / old +95 % interval +verdict$")
        self.assertRegex(done.out, r"(?m)^quick auto +100 ms +50 ms +0\.500 +0\.4\d\d to 0\.5\d\d +faster$")
        self.assertRegex(done.out, r"(?m)^same auto +100 ms +100 ms +1\.000 +0\.9\d\d to 1\.0\d\d +no difference shown$")
        self.assertRegex(done.out, r"(?m)^slow auto +100 ms +150 ms +1\.500 +1\.4\d\d to 1\.5\d\d +slower$")
        self.assertRegex(done.out, r"(?m)^geometric mean auto +3 programs +0\.909 +0\.90\d to 0\.91\d +faster$")
        self.assertNotIn("warning", done.out)

    def test_json(self):
        old = results({("p", "auto"): STEADY, ("gone", "auto"): STEADY})
        new = results({("p", "auto"): times(2), ("added", "auto"): STEADY})
        document = json.loads(self.compared(old, new, "--json").out)
        comparison = document.pop("comparison")
        self.assertEqual(document, new)
        row, added, gone = comparison["rows"]
        self.assertEqual((row["program"], row["competitor"], row["state"], row["ratio"], row["verdict"]),
                         ("p", "auto", "compared", 2, "slower"))
        self.assertTrue(1.9 < row["interval"][0] <= 2 <= row["interval"][1] < 2.1)
        self.assertEqual((added["program"], added["state"]), ("added", "only-new"))
        self.assertEqual((gone["program"], gone["state"]), ("gone", "only-old"))
        [mean] = comparison["geometric_means"]
        self.assertEqual((mean["programs"], mean["interval"]), (1, row["interval"]))

    def test_the_same_each_time(self):
        old, new = results({("p", "auto"): STEADY}), results({("p", "auto"): times(1.01)})
        self.assertEqual(self.comparison(old, new), self.comparison(old, new))

    def test_what_is_on_one_side_only(self):
        done = self.compared(results({("p", "auto"): STEADY, ("gone", "auto"): STEADY}),
                             results({("p", "auto"): STEADY, ("p", "native"): STEADY}))
        self.assertIn("only in 'old.json': gone auto\n", done.out)
        self.assertIn("only in 'new.json': p native\n", done.out)
        done = self.compared(results({("a", "auto"): STEADY}), results({("b", "auto"): STEADY}))
        self.assertIn("nothing can be compared\n", done.out)

    def test_what_was_not_measured(self):
        old = results({("a", "auto"): "timeout", ("b", "auto"): STEADY, ("c", "auto"): STEADY,
                       ("d", "auto"): [0, 0, 0.01], ("e", "auto"): []})
        new = results({("a", "auto"): STEADY, ("b", "auto"): "failed", ("c", "auto"): STEADY,
                       ("d", "auto"): STEADY, ("e", "auto"): STEADY})
        new["programs"][2]["n"] = 5
        done = self.compared(old, new)
        for line in ("a auto: timeout then", "b auto: failed now", "c auto: of size 4 then, 5 now",
                     "d auto: a time of 0: the clock is too coarse for it", "e auto: no times then"):
            self.assertIn(f"not compared: {line}\n", done.out)

    def test_too_few_times(self):
        old, new = results({("p", "auto"): [0.1, 0.1]}), results({("p", "auto"): times(9)})
        done = self.compared(old, new, "--fail-if-slower=5")
        self.assertRegex(done.out, r"(?m)^p auto +100 ms +900 ms +9\.000 +- +fewer than 3 times$")
        self.assertRegex(done.out, r"(?m)^geometric mean auto +1 program +9\.000 +- +fewer than 3 times$")

    def test_processes_and_their_iterations(self):
        """Those that warm up do not count; a slow process widens the interval."""
        def iterated(*processes):
            made = results({("p", "auto"): [t for p in processes for t in p[1:]]}, iterations=21, warmup=1)
            made["programs"][0]["results"][0]["processes"] = [{"wall": p, "cpu": p} for p in processes]
            return made
        fast, slow = [9.0] + [1.0] * 20, [9.0] + [1.1] * 20
        [row] = self.comparison(iterated(fast), iterated(fast, fast, slow))["rows"]
        self.assertEqual((row["old"], row["new"], row["interval"]), (1, 1, [1, 1.1]))

    def test_processor_time(self):
        old, new = results({("p", "auto"): STEADY}), results({("p", "auto"): STEADY})
        new["programs"][0]["results"][0]["cpu"] = times(3)
        self.assertEqual(self.comparison(old, new)["rows"][0]["verdict"], "no-difference-shown")
        comparison = self.comparison(old, new, "--measure=cpu")
        self.assertEqual((comparison["measure"], comparison["rows"][0]["verdict"]), ("cpu", "slower"))

    def test_what_was_different(self):
        old = results({("p", "auto"): STEADY}, iterations=15)
        new = results({("p", "auto"): STEADY}, runs=7)
        new["machine"]["processor"] = "B"
        new["build"]["optimized"] = False
        new["competitors"][0]["version"] = "sourir 2"
        new["competitors"][0]["command"] = ["/y/sourir", "run", "--engine=auto", "--no-inlining"]
        done = self.compared(old, new)
        for line in ('machine processor: "A" then, "B" now', "build optimized: true then, false now",
                     "runs: 5 then, 7 now", "iterations: 15 then, not known now",
                     'auto version: "sourir 1" then, "sourir 2" now', "auto command: "):
            self.assertIn(f"warning: {line}", done.out)
        self.assertNotIn("/y/sourir", done.out)
        del old["machine"]
        self.assertIn('warning: machine processors: not known then, 2 now', self.compared(old, new).out)

    def test_fail_if_slower(self):
        old = results({("p", "auto"): STEADY, ("q", "auto"): STEADY})
        new = results({("p", "auto"): times(1.2), ("q", "auto"): times(0.9)})
        self.compared(old, new)  # says so, and no more
        self.compared(old, new, "--fail-if-slower=25")
        self.compared(old, new, "--fail-if-slower=19")  # the interval is not above it as a whole
        done = self.compared(old, new, "--fail-if-slower=10", status=FOUND)
        self.assertIn("more than 10 % slower: p auto", done.err)
        self.assertNotIn("mean", done.err)
        new = results({("p", "auto"): times(1.2), ("q", "auto"): times(1.2)})
        done = self.compared(old, new, "--fail-if-slower=0", status=FOUND)
        self.assertIn("more than 0 % slower: geometric mean auto", done.err)

    def test_files_that_are_no_results(self):
        good = results({("p", "auto"): STEADY})

        def bad(message, text):
            self.put("new.json", good)
            self.write("old.json", text if isinstance(text, (str, bytes)) else json.dumps(text))
            done = self.says(REJECTED, "'old.json': ", message,
                             words=["bench", "--compare=old.json", "--with=new.json"])
            self.assertNotIn("json.exception", done.err)

        def changed(change):
            document = json.loads(json.dumps(good))
            change(document)
            return document

        bad("parse error at line 1, column 1", "")
        bad("parse error at line 1", '{"format": "bench", ')
        bad("parse error", b"\xff\xfe")
        for other in ([], 3, {}, {"format": "outcome"}, {"format": 1}):
            bad("it is no answer of `sourir bench --json`", other)
        bad("it has version 1 of the format, this reads 2", changed(lambda d: d.update(version=1)))
        bad('it has version "2"', changed(lambda d: d.update(version="2")))
        bad("there is no size", changed(lambda d: d.pop("size")))
        bad("size is no text", changed(lambda d: d.update(size=1)))
        bad("there is no programs", changed(lambda d: d.pop("programs")))
        bad("programs is no list", changed(lambda d: d.update(programs={})))
        bad("there is no programs/0/n", changed(lambda d: d["programs"][0].pop("n")))
        bad("programs/0/n is no whole number", changed(lambda d: d["programs"][0].update(n=-1)))
        bad("there is no programs/0/name", changed(lambda d: d.update(programs=[3])))
        cell = "programs/0/results/0/"
        for wrong in (-1, "1", None, [1], 1e999):
            bad(f"{cell}wall/0 is no time" if wrong != 1e999 else "parse error",
                changed(lambda d: d["programs"][0]["results"][0].update(wall=[wrong])))
        bad(f"there is no {cell}cpu", changed(lambda d: d["programs"][0]["results"][0].pop("cpu")))
        bad(f"{cell}processes/0/wall is no list", changed(
            lambda d: d["programs"][0]["results"][0].update(processes=[{"wall": 1, "cpu": []}])))
        bad("programs/0/results/1/ has a second result of auto", changed(
            lambda d: d["programs"][0]["results"].append(d["programs"][0]["results"][0])))
        bad("competitors/0/command is no list", changed(lambda d: d["competitors"][0].update(command="x")))
        bad("competitors/0/kind is no text", changed(lambda d: d["competitors"][0].update(kind=1)))
        bad("machine is no object", changed(lambda d: d.update(machine=3)))
        self.says(REJECTED, "'new.json': there is no size", words=["bench", "--compare", self.put("old.json", good),
                  "--with", self.put("new.json", changed(lambda d: d.pop("size")))])
        self.says(UNREADABLE, "none.json", words=["bench", "--compare=none.json"])
        self.says(UNREADABLE, "none.json", words=["bench", "--compare=old.json", "--with=none.json"])

    def test_usage(self):
        self.put("old.json", results({("p", "auto"): STEADY}, size="small"))
        self.put("new.json", results({("p", "auto"): STEADY}))
        self.says(USAGE, "'old.json' is of size small: it is compared with --size=small",
                  words=["bench", "--compare=old.json"])
        self.says(USAGE, "'old.json' is of size small, 'new.json' of size tiny",
                  words=["bench", "--compare=old.json", "--with=new.json"])
        self.says(USAGE, "--with names results", words=["bench", "--with=new.json"])
        self.says(USAGE, "--compare OLD.json", words=["bench", "--fail-if-slower=5"])
        self.says(USAGE, "--plot", words=["bench", "--compare=old.json", "--with=new.json", "--plot=x.svg"])


class CompareMeasured(BenchFolder):
    """What is measured now beside what was measured before."""
    def test_measured_now(self):
        self.program("double", DOUBLE)
        before = self.bench(FINE, "--engines=reference", "--runs=3", "--json").out
        self.write("old.json", before)
        done = self.bench(FINE, "--engines=reference", "--runs=3", "--compare=old.json")
        self.assertRegex(done.out, r"(?m)^wall time +reference$")
        self.assertIn("wall time: measured now beside 'old.json'", done.out)
        self.assertRegex(done.out, r"(?m)^double reference +[\d.]+ ms +[\d.]+ ms +[\d.]+ +[\d.]+ to [\d.]+ +\w")
        self.assertNotIn("warning", done.out)
        both = json.loads(self.bench(FINE, "--engines=reference", "--runs=3", "--compare=old.json", "--json").out)
        self.assertEqual(both["comparison"]["rows"][0]["state"], "compared")
        self.assertEqual(both["machine"], json.loads(before)["machine"])
        self.assertIn("compiler", both["build"])

    def test_wrong_answers_are_still_said(self):
        self.program("double", DOUBLE)
        self.write("old.json", self.bench(FINE, "--engines=reference", "--json").out)
        self.programs.clear()
        self.program("double", DOUBLE, answer="9")
        done = self.bench(FOUND, "--engines=reference", "--compare=old.json")
        self.assertIn("not compared: double reference: wrong now", done.out)

if __name__ == "__main__":
    unittest.main()
