"""run --feedback-out: what was learned, for opt --feedback, which makes the same of it."""
import json
import re
import signal
import time
import unittest

from command_line import (FINE, INTERRUPTED, LIMIT, READS, REJECTED, ROOT, STUCK, UNWRITABLE, USAGE,
                          CliTest)
from engines_test import STUCK_WHEN_HOT, has_native_code
from profiled_programs import ALTERNATING

TIERS = str(ROOT / "examples/tiers.sou")
CHAIN = str(ROOT / "examples/32_chain.sou")
# Phases change, callees are inlined, targets and branches speculated on.
EXAMPLES = ["tiers", "32_chain", "51_redefined_while_hot"]
BENCH = ["fib", "queens", "map_reduce", "richards", "volcano"]


def programs():
    """Paths with their input."""
    sizes = {row["name"]: row["sizes"]["small"]["n"]
             for row in json.loads((ROOT / "bench/programs.json").read_text())["programs"]}
    return [(f"examples/{name}.sou", "") for name in EXAMPLES] + [
        (f"bench/programs/{name}.sou", f"{sizes[name]}\n") for name in BENCH]


SAMPLED = ["run", "x.sou", "--jit-sync", "--profile=loop", "--tier=feedback-resets=0",
           "--profile-period=10", "--profile-min-samples=4", "--profile-max-samples=100000"]

# Both functions get hot; `outer` calls what it is given.
CALLS = """\
var i = 0
Loop:
  branch (i < 3000) $go $end
$go:
  call t = 'outer('inner, i)
  drop t
  i <- (i + 1)
  goto Loop
$end:
  print i
function outer(var f, var x)
  call r = f(x)
  return (r + 1)
function inner(var x)
  branch (x < 100000) $small $large
$small:
  return x
$large:
  return nil
"""

# Compiled before its loop begins; without output, input or calls there.
SPINS = """\
print 1
Loop:
  goto Loop
"""

# Each guard fails once: false, without a value, not a boolean, a wrong type.
EXITS = """\
function main()
version base
  call r = 'outer(3)
  print r
  stop
function outer(var x)
version fast
  array a = [1, 2]
  var y = 7
  var text = "s"
  assume [(x == 3), (y == 1)] else (inner, base, L0) [var x = x], (outer, base, R) r [var x = x, var text = text]
  return x
version base
  var text = "s"
  call r = 'inner(x)
>R:
  drop text
  return r
function inner(var x)
version base
>L0:
  call r = 'third(x)
  return r
function third(var x)
version fast
  array a = [1, 2]
  assume [(x == 3), a[5]] else (third, base, L) [var x = x]
  return 0
version base
>L:
  call r = 'fourth(x)
  return r
function fourth(var x)
version fast
  var y = 7
  assume [y] else (fourth, base, L) [var x = x]
  return 0
version base
>L:
  call r = 'fifth(x)
  return r
function fifth(var x)
version fast
  array a = [1]
  assume [(x + a)] else (fifth, base, L) [var x = x]
  return 0
version base
>L:
  return (x * 2)
"""

LONG = "function main()\nversion fast\n  array a[1000]\n  var s = \"%s\"\n%s" % (
    "\u00e4" * 100, "".join(f"  var v{i} = {i}\n" for i in range(20))) + (
        "  assume [(a == nil)] else (main, base, L) [var a = a, var s = s, %s]\n  stop\nversion base\n" %
        ", ".join(f"var v{i} = v{i}" for i in range(20))) + (
            "  array a[1000]\n  var s = nil\n%s>L:\n  print v3\n  stop\n" % "".join(
                f"  var v{i} = {i}\n" for i in range(20)))


def versions_of(log):
    """The text of the last optimized version of each whole function, by function."""
    made = {}
    for line in log.splitlines():
        event = json.loads(line)
        if event["event"] == "compiled" and "text" in event and not event["loop"] \
                and not event["exits"]:
            made[event["of"].split(".")[0]] = event["text"]
    return made


def first_version(program, function):
    """The header and the first version of the function, in the text of a program."""
    lines, inside, seen = [], False, 0
    for line in program.splitlines():
        if line.startswith("function "):
            inside = line.startswith(f"function {function}(")
        seen += inside and line.startswith("version ")
        if inside and seen < 2 and not line.startswith("#"):
            lines.append(line)
    return "\n".join(lines).strip() + "\n"


@unittest.skipUnless(has_native_code(), "no native code in this build")
class FeedbackOut(CliTest):
    def learned(self):
        return json.loads((self.folder / "f.json").read_text())

    def test_opt_makes_what_the_tiers_made(self):
        several = compared = 0
        for program, stdin in programs():
            path = str(ROOT / program)
            done = self.sourir("run", path, "--jit-sync", "--tiers=json", "--tiers-file=log",
                               "--feedback-out=f.json", stdin=stdin)
            self.assertEqual(done.returncode, FINE, done.err)
            made = versions_of((self.folder / "log").read_text())
            compared += len(made)
            several += len(made) > 1
            for function, text in made.items():
                again = self.says(FINE, words=["opt", path, "--pass=jit-guards", "--feedback=f.json",
                                               "--function", function])
                self.assertEqual(first_version(again.out, function), text, (program, function))
                self.write("again.sou", again.out)
                self.says(FINE, words=["check", "again.sou"])
                self.assertEqual(self.sourir("run", "again.sou", stdin=stdin).out, done.out)
            self.says(FINE, words=["opt", path, "--pass=jit-guards", "--feedback=f.json"])
        self.assertGreater(several, 2)
        self.assertGreater(compared, 10)

    def test_without_the_feedback_it_is_another_version(self):
        self.says(FINE, words=["run", TIERS, "--jit-sync", "--feedback-out=f.json"])
        words = ["opt", TIERS, "--pass=jit-guards", "--function=sum"]
        self.assertIn("assume [(a is array)]", self.says(FINE, words=[*words, "--feedback=f.json"]).out)
        self.assertNotIn("(a is array)", self.says(FINE, words=words).out)

    def test_only_the_function_has_a_new_version(self):
        self.write("x.sou", CALLS)
        self.says(FINE, words=["run", "x.sou", "--jit-sync", "--feedback-out=f.json"])
        self.assertIn("outer", {one["function"] for one in self.learned()["functions"]})
        done = self.says(FINE, words=["opt", "x.sou", "--pass=jit-guards", "--feedback=f.json",
                                      "--function=outer", "--verify-each"])
        self.assertEqual(first_version(done.out, "outer").count("call"), 0)  # it is inlined
        self.assertEqual(done.out.count("version opt"), 1)

    def test_what_is_in_it(self):
        self.write("x.sou", CALLS)
        self.says(FINE, words=["run", "x.sou", "--jit-sync", "--feedback-out=f.json"])
        learned = self.learned()
        self.assertNotIn("complete", learned)
        self.assertIn({"at": "inner.anon+0", "name": "x", "types": ["int"]}, learned["types"])
        self.assertIn({"at": "outer.anon+0", "functions": ["inner"]}, learned["targets"])
        [branch] = [b for b in learned["branch_counts"] if b["at"].startswith("inner.")]
        self.assertEqual(branch["not_taken"], 0)
        self.assertGreater(branch["taken"], 300)
        self.assertIn({"at": "outer.anon+0", "predicate": "(f == 'inner)"}, learned["predicates"])

    def test_samples(self):
        self.write("x.sou", ALTERNATING)
        self.says(FINE, words=[*SAMPLED, "--feedback-out=f.json"])
        samples = self.learned()["samples"]
        self.assertTrue(any(sum(s["counts"].values()) > 5 for s in samples), samples)
        self.says(FINE, words=["opt", "x.sou", "--pass=O2", "--feedback=f.json"])

    def test_it_is_written_whatever_the_end(self):
        self.write("x.sou", STUCK_WHEN_HOT)
        self.says(STUCK, words=["run", "x.sou", "--jit-sync", "--feedback-out=f.json"])
        self.assertIn("add", {one["function"] for one in self.learned()["functions"]})
        self.says(FINE, words=["opt", "x.sou", "--pass=jit-guards", "--feedback=f.json"])
        self.says(LIMIT, words=["run", "x.sou", "--jit-sync", "--fuel=5000",
                                "--feedback-out=f.json"])
        self.assertTrue(self.learned()["types"])

    def test_interrupted(self):
        for text, stdin in (("print 1\n" + READS, -1), (SPINS, None)):
            self.write("x.sou", text)
            process = self.start("run", "x.sou", "--tier=calls=2", "--tier=delay=0",
                                 "--tier=iterations=2", "--feedback-out=f.json",
                                 stdin=stdin, stdout=-1)
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), INTERRUPTED)
            for stream in (process.stdin, process.stdout):
                if stream:
                    stream.close()
            learned = self.learned()
            self.assertIn("types", learned)
            self.assertNotIn("complete", learned, text)
            self.says(FINE, words=["opt", "x.sou", "--pass=jit-guards", "--feedback=f.json"])

    def test_a_file_that_cannot_be_written(self):
        done = self.says(UNWRITABLE, "cannot write 'none/f.json'",
                         words=["run", TIERS, "--feedback-out=none/f.json"])
        self.assertEqual(done.out, "")  # nothing ran
        self.says(UNWRITABLE, "No space left", words=["run", TIERS, "--feedback-out=/dev/full"])

    def test_engines_without_feedback(self):
        for engine in ("reference", "native"):
            self.says(USAGE, f"which --engine={engine} does not use: it needs --engine=auto",
                      words=["run", TIERS, f"--engine={engine}", "--feedback-out=f.json"])
        self.says(USAGE, "name the file 'f.json'",
                  words=["run", TIERS, "--feedback-out=f.json", "--report=f.json"])
        self.says(FINE, words=["run", TIERS, "--engine=baseline", "--feedback-out=f.json"])
        self.assertEqual(self.learned()["functions"], [])
        self.assertTrue(self.learned()["predicates"])

    def test_feedback_that_does_not_fit(self):
        def refused(status, words, **parts):
            self.write("f.json", json.dumps({"format": "sourir-feedback", "version": 1, **parts}))
            self.says(status, words, words=["opt", TIERS, "--pass=jit-guards", "--feedback=f.json"])
        refused(USAGE, "there is no function g", functions=[{"function": "g"}])
        refused(USAGE, "y is not in scope at sum.anon+0", types=[
            {"at": "sum.anon+0", "name": "y", "types": ["int"]}])
        refused(USAGE, "at sum.anon+0 stands no call", targets=[
            {"at": "sum.anon+0", "functions": []}])
        refused(USAGE, "there is no function g", targets=[
            {"at": "main.anon+11", "functions": ["g"]}])
        refused(USAGE, "at sum.anon+0 stands no branch", branch_counts=[
            {"at": "sum.anon+0", "taken": 1, "not_taken": 0}])
        refused(REJECTED, "expected a type such as", types=[
            {"at": "sum.anon+0", "name": "a", "types": ["integer"]}])
        refused(REJECTED, "expected counts by type", samples=[
            {"code": "sum.opt#1", "at": "sum.anon+0", "name": "a", "counts": {"integer": 1}}])
        refused(REJECTED, "expected an object", samples=[
            {"code": "sum.opt#1", "at": "sum.anon+0", "name": "a", "counts": 1}])
        self.says(USAGE, "--function: there is no 'nowhere'",
                  words=["opt", TIERS, "--pass=jit-guards", "--function=nowhere"])


# After the load that fails its guard a goto does nothing: the exit resumes behind it.
EXIT_BEHIND_A_GOTO = """function main()
  array a = [nil]
  var i = 0
  goto again
again:
  branch (i < 100) $more $over
$more:
  call r = 'first(a)
  drop r
  i <- (i + 1)
  branch (i == 50) $change $on
$change:
  a[0] <- 7
  goto same
$on:
  goto same
same:
  goto again
$over:
  stop
function first(var a)
  var x = a[0]
  goto next
next:
  var y = (x == nil)
  return y
"""


@unittest.skipUnless(has_native_code(), "no native code in this build")
class TheLogSaysWhy(CliTest):
    def test_what_failed_a_guard_is_recorded(self):
        self.write("x.sou", EXIT_BEHIND_A_GOTO)
        versions = [event for event in self.events("x.sou", "--jit-sync", "--tier=calls=20,deoptless=off")
                    if event["event"] == "compiled"]
        self.assertGreater(len(versions), 1)
        for number, version in enumerate(versions):
            guards = [guard["guard"] for guard in version["guards"]]
            self.assertEqual("(x is nil)" in guards, number == 0, version)

    def events(self, *words):
        self.says(FINE, words=["run", *words, "--tiers=json", "--tiers-file=log"])
        return [json.loads(line) for line in (self.folder / "log").read_text().splitlines()]

    def deopts(self, *words):
        return [e for e in self.events(*words) if e["event"] == "deopt"]

    def reasons(self, engine, *words):
        return [(e["forced"], e.get("because")) for e in self.deopts("x.sou", engine, *words)]

    def test_exits_have_their_guard_and_its_values(self):
        # Without clear-dead, which keeps what is dead at the target out of the frame.
        [first, *_] = self.deopts(TIERS, "--jit-sync", "--tier=without=clear-dead")
        self.assertEqual((first["guard"], first["because"], first["forced"]),
                         ("(round != 10000)", "(round != 10000) is false", False))
        self.assertEqual(first["read"], {"round": {"int": "10000"}})
        [frame] = first["frames"]
        self.assertEqual(frame["at"], "main.anon+6")
        self.assertEqual(frame["values"]["round"], {"int": "10000"})
        self.assertEqual(frame["values"]["whole"], {"array": "[1, 2, 3, 4, 5, 6, 7, 8]"})

    def test_engines_agree_with_the_trace(self):
        self.write("x.sou", EXITS)
        trace = self.sourir("run", "x.sou", "--engine=reference", "--trace=json").err
        steps = [json.loads(line) for line in trace.splitlines() if "AssumeDeopt" in line]
        because = [(False, s["effect"]["because"]) for s in steps]
        self.assertEqual([b for _, b in because],
                         ["(y == 1) is false", "a[5] has no value: out-of-bounds",
                          "y is 7", "(x + a) has no value: wrong-type"])
        for engine in ("--engine=baseline", "--engine=native", "--engine=auto"):
            self.assertEqual(self.reasons(engine), because, engine)
        for level in (0, 3):
            self.assertEqual(self.reasons("--engine=native", f"--jit-level={level}"), because)
        frames = [[(f["at"], f["values"]) for f in e["frames"]]
                  for e in self.deopts("x.sou", "--engine=native")]
        self.assertEqual(frames[0], [
            ("inner.base+0", {"x": {"int": "3"}}),
            ("outer.base+2", {"x": {"int": "3"}, "text": {"string": '"s"'}})])

    def test_forced_exits(self):
        for engine in ("--engine=baseline", "--engine=native"):
            events = self.deopts(CHAIN, engine, "--deopt=always")
            self.assertEqual([e["forced"] for e in events],
                             [True, True, True, True, False, False])
            self.assertEqual([e.get("because") for e in events],
                             [None] * 4 + ["(v != nil) is false"] * 2)
            self.assertTrue(all(len(e["frames"]) == 1 for e in events))
            if engine == "--engine=baseline":
                self.assertTrue(all(e["interpreted"] for e in events))
        done = self.sourir("run", CHAIN, "--engine=baseline", "--deopt=always", "--tiers")
        self.assertIn("deopt        middle.tier2+0  to middle.tier1.L1, from the interpreter; forced\n",
                      done.err)

    def test_long_values_and_many_variables_are_cut(self):
        self.write("x.sou", LONG)
        [event] = self.deopts("x.sou", "--engine=native")
        [frame] = event["frames"]
        self.assertEqual((len(frame["values"]), frame["omitted"]), (16, 6))
        text = event["read"]["a"]["array"]
        self.assertTrue(text.startswith("[nil, nil") and text.endswith("..."), text)
        self.assertLessEqual(len(text), 63)
        self.assertLessEqual(len(event["frames"][0]["values"]["s"]["string"].encode()), 63)
        done = self.sourir("run", "x.sou", "--engine=native", "--tiers=versions")
        self.assertRegex(done.err, r"\n  frame  main\.base\+\d+ \[a = \[nil.*, 6 more\]\n")
        done = self.sourir("run", "x.sou", "--engine=native", "--tiers")
        self.assertNotIn("frame", done.err)

    def test_versions_have_the_feedback_that_made_them(self):
        self.write("x.sou", CALLS)
        made = [e for e in self.events("x.sou", "--jit-sync") if "made_from" in e]
        [outer] = [e for e in made if e["of"] == "outer.opt"]
        self.assertIn({"at": "outer.anon+0", "predicate": "(f == 'inner)",
                       "from": "target of the call: always 'inner"}, outer["made_from"])
        self.assertIn({"at": "outer.anon+0", "predicate": "(x is int)",
                       "from": "argument: always int"}, outer["made_from"])
        self.assertIn("(f == 'inner)", [g["guard"] for g in outer["guards"]])
        [loop] = [e for e in self.events(TIERS, "--jit-sync") if e.get("loop")][:1]
        [branch] = [f["from"] for f in loop["made_from"] if "branch" in f["from"]]
        self.assertRegex(branch, r"^branch \(round == 10000\): true 0 times, false \d+ times$")
        self.assertIn("value at the OSR entry: int", [f["from"] for f in loop["made_from"]])
        text = self.sourir("run", "x.sou", "--jit-sync", "--tiers").err
        self.assertIn("\n  from  outer.anon+0  (x is int)  argument: always int\n", text)

    def test_versions_made_because_of_samples_have_these(self):
        self.write("x.sou", ALTERNATING)
        made = [e for e in self.events(*SAMPLED[1:]) if e.get("sampled") and "made_from" in e]
        self.assertTrue(made)
        for event in made:
            self.assertTrue([f for f in event["made_from"]
                             if re.match(r"samples of .*: \d+ of \w+", f["from"])], event)


if __name__ == "__main__":
    unittest.main()
