"""run --engine: the other engines keep the promises of the reference about output, ends and Ctrl-C."""
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from command_line import (ENVIRONMENT, FINE, INTERRUPTED, LIMIT, LOOP, NOBODY_READS, READS, ROOT,
                          SOURIR, SPAM, STUCK, UNWRITABLE, USAGE, CliTest)

RECURSION = """\
call x = 'f(%d)
print x
function f(var n)
  branch (n == 0) $A $B
$A:
  return 0
$B:
  call x = 'f((n - 1))
  x <- (x + 1)
  return x
"""


# Gets stuck when all of it has long been optimized, two calls deep.
STUCK_WHEN_HOT = """\
var i = 0
var s = 0
Loop:
  branch (i < 20000) $go $end
$go:
  var d = (19990 - i)
  call t = 'add(s, d)
  s <- t
  drop t
  drop d
  i <- (i + 1)
  goto Loop
$end:
  print s
function add(var a, var b)
  call c = 'inv(b)
  var r = (a + c)
  return r
function inv(var b)
  var q = (1000 / b)
  return q
"""


def has_native_code():
    done = subprocess.run([SOURIR, "run", "--engine=native", "-"], input=b"print 1\n",
                          capture_output=True)
    return done.returncode == FINE


ENGINES = ("baseline", "auto") + (("native",) if has_native_code() else ())

IN_TURN = """function main()
  array all = ["", 1, "", 2]
  var s = 0
  var i = 0
  goto loop
loop:
  branch (i < 40000) $more $over
$more:
  var k = (i % 4)
  var x = all[k]
  call r = 'f(x)
  s <- (s + r)
  drop k
  drop x
  drop r
  branch (i == 2000) $floats $same
$floats:
  all[0] <- 0.5
  all[2] <- 1.5
  goto next
$same:
  goto next
next:
  i <- (i + 1)
  goto loop
$over:
  print s
  stop
function f(var x)
  branch (x is string) $other $number
$number:
  var y = (x * x)
""" + 16 * "  y <- (y + x)\n" + """  return y
$other:
  var z = 0
""" + 16 * "  z <- (z + 1)\n" + """  return 0
"""

FUEL = """function main()
  call a = 'f(100)
  print a
  call b = 'f(100)
  print b
  call c = 'f(1000)
  print c
function f(var n)
  var i = 0
  goto H
H:
  branch (i < n) $B $E
$B:
  i <- (i + 1)
  goto H
$E:
  return i
"""
CONTEXTS = """function main()
  array all = [7]
  var x = all[0]
  call _a = 'f(1)
  call _b = 'f(x)
  call _c = 'f("a")
  stop
function f(var x)
version ints when [(x is int)]
  return 1
version base
  return 2
"""


class Engines(CliTest):
    def each(self, text):
        self.write("x.sou", text)
        return [f"--engine={engine}" for engine in ENGINES]

    def test_prints_arrive_before_waiting(self):
        for engine in self.each("print 1\n" + READS):
            process = self.start("run", "x.sou", engine, stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE)
            self.assertEqual(process.stdout.readline(), b"1\n")
            process.stdin.write(b"5\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), b"5\n")
            process.stdin.close()
            self.assertEqual(process.wait(60), STUCK)
            process.stdout.close()

    def test_prints_come_before_the_message(self):
        for engine in self.each("print 1\nprint (1 / 0)\n"):
            done = subprocess.run([SOURIR, "run", "x.sou", engine], cwd=self.folder, timeout=60,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertTrue(done.stdout.startswith(b"1\nerror["), done.stdout)

    def test_reader_has_gone(self):
        for engine in self.each(SPAM):
            process = self.start("run", "x.sou", engine, "--report", "r", stdout=subprocess.PIPE)
            process.stdout.readline()
            process.stdout.close()
            self.assertEqual(process.wait(60), NOBODY_READS)
            self.assertEqual(process.stderr.read(), b"")
            self.assertEqual(json.loads((self.folder / "r").read_text())["outcome"], "interrupted")

    def test_disk_full(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for engine in self.each(SPAM):
            with open("/dev/full", "wb") as full:
                process = self.start("run", "x.sou", engine, stdout=full)
                self.assertEqual(process.wait(60), UNWRITABLE)
                self.assertIn(b"No space left", process.stderr.read())

    def test_interrupt(self):
        for text, stdin in ((LOOP, subprocess.DEVNULL), (SPAM, subprocess.DEVNULL),
                            (READS, subprocess.PIPE)):
            for engine in self.each("print 1\n" + text):
                with open(self.folder / "out", "wb") as out:
                    process = self.start("run", "x.sou", engine, "--report", "r", "--result=json",
                                         stdin=stdin, stdout=out)
                    time.sleep(0.5)
                    process.send_signal(signal.SIGINT)
                    self.assertEqual(process.wait(60), INTERRUPTED, text)
                if process.stdin:
                    process.stdin.close()
                self.assertIn(b"error", process.stderr.read())
                report = json.loads((self.folder / "r").read_text())
                self.assertEqual(report["outcome"], "interrupted")
                with open(self.folder / "out", "rb") as out:
                    self.assertEqual(out.readline(), b"1\n")
                    out.seek(-min(4096, out.seek(0, os.SEEK_END)), os.SEEK_END) # of many megabytes
                    last = out.read().split(b"\n")[-2]
                self.assertEqual(json.loads(last)["outcome"], "interrupted")

    # Where calls are inlined; unit_tests and native_tests do so in the baseline and in native code.
    def test_deep_stack(self):
        words = ["run", "x.sou", "--engine=auto"]
        self.write("x.sou", RECURSION % 1_000_000)
        self.assertEqual(self.says(FINE, words=words).out, "1000000\n")
        words.append("--no-inlining")  # calls that the tiers have inlined do not count
        done = self.says(LIMIT, "... 999981 more", words=[*words, "--max-depth=1000000"])
        self.assertLess(len(done.err), 5000)
        self.write("x.sou", RECURSION % 10_000_000)
        self.says(LIMIT, "too many calls are waiting", words=words)

    def test_forced_exits_that_fail_do_not_count(self):
        text = ("array a = [true, 0]\ncall r = 'f(a)\nprint r\nfunction f(var p)\nversion quick\n"
                "  anchor else (f, base, A) [var p = p]\n"
                "  assume [p[0]] else (f, base, A) [var p = (0 - p)]\n  return 1\n"
                "version base\n>A:\n  return p\n")
        for engine in ["--engine=reference", *self.each(text)]:
            done = self.says(STUCK, "wrong type of operand",
                             words=["run", "x.sou", engine, "--deopt=at:2", "--stats"])
            self.assertRegex(done.err, r"(?m)^ +forced +0\b", engine)
            self.assertRegex(done.err, r"(?m)^opportunities +1\b", engine)

    def test_stuck_when_hot(self):
        def outcome(*flags):
            self.sourir("run", "x.sou", "--report", "r", *flags)
            report = json.loads((self.folder / "r").read_text())
            return report["reason"], report["line"], [f["place"] for f in report["frames"]]
        for engine in self.each(STUCK_WHEN_HOT):
            self.assertEqual(outcome(engine), outcome("--engine=reference"), engine)
        self.assertEqual(outcome("--engine=auto", "--jit-sync"), outcome("--engine=reference"))

    def test_without_the_compiler(self):
        if not has_native_code():
            self.skipTest("no native code in this build")
        alone = self.folder / "a" / "b" / "sourir"  # its library is not beside it
        alone.parent.mkdir(parents=True)
        shutil.copyfile(SOURIR, alone)
        alone.chmod(0o755)
        self.write("x.sou", STUCK_WHEN_HOT)
        for flags, status, words in ((["--engine=native"], USAGE, "no compiler of native code"),
                                     (["--engine=auto"], STUCK, "division-by-zero"),
                                     (["--engine=auto", "--jit-sync"], STUCK, "division-by-zero")):
            done = subprocess.run([alone, "run", "x.sou", *flags], cwd=self.folder, timeout=60,
                                  capture_output=True)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(words, done.stderr.decode())
            said = done.stderr.count(b"no compiler of native code")
            # Beside the program the compiler may not have been asked for yet.
            self.assertIn(said, (0, 1) if flags == ["--engine=auto"] else (1,), done.stderr)

    def test_memory_is_reclaimed(self):
        for engine in self.each("var i = 0\nLoop:\n  array a[100000]\n  a[0] <- i\n  drop a\n"
                                "  i <- (i + 1)\n  branch (i < 2000) $Loop2 $End\n"
                                "$Loop2:\n  goto Loop\n$End:\n  print i\n"):
            self.says(FINE, words=["run", "x.sou", engine, "--max-heap=20M"])
        self.says(LIMIT, words=["run", "x.sou", "--engine=reference", "--max-heap=20M"])

    def test_statistics(self):
        for engine in self.each("var x\nread x\nprint x\narray a[3]\nprint a\n"):
            done = self.sourir("run", "x.sou", engine, "--stats=json", "--report", "r", stdin="1\n")
            counts = json.loads(done.err)
            self.assertEqual(counts["engine"], engine.removeprefix("--engine="))
            self.assertEqual((counts["prints"], counts["reads"], counts["blocks"]), (2, 1, 1))
            report = json.loads((self.folder / "r").read_text())
            self.assertEqual(report["statistics"].keys() | {"format", "version"}, counts.keys())
            text = self.sourir("run", "x.sou", engine, "--stats", stdin="1\n").err
            self.assertRegex(text, r"(?m)^prints +2$")

    def test_fuel_is_used_to_the_end_in_all_engines(self):
        """Wherever native code is entered, if it takes no exits of its own, which use fuel."""
        self.write("x.sou", FUEL)
        for fuel in (3, 4, 50, 100, 101, 102, 103, 203, 777):
            ends = {}
            for engine in ("--engine=baseline", "--engine=native", "--engine=auto --tier=iterations=2",
                           "--engine=auto --tier=iterations=40", "--engine=auto --tier=iterations=90",
                           "--engine=auto --tier=iterations=40 --tier=calls=2"):
                done = self.sourir("run", "x.sou", *engine.split(), "--jit-sync", "--jit-level=0",
                                   "--tier=speculate=none", f"--fuel={fuel}")
                self.assertEqual(done.returncode, LIMIT, engine)
                ends[engine] = (done.out, re.findall(r"i = (\d+)", done.err))
            self.assertEqual(set(map(str, ends.values())), {str(ends["--engine=baseline"])}, (fuel, ends))

    def test_reports_have_the_schema(self):
        try:
            from jsonschema import Draft202012Validator, RefResolver
        except ImportError:
            self.skipTest("no jsonschema")
        folder = ROOT / "docs/schemas"
        schema = json.loads((folder / "outcome.schema.json").read_text())
        store = {name.name: json.loads(name.read_text()) for name in folder.glob("*.json")}
        validator = Draft202012Validator(schema, resolver=RefResolver("", schema, store=store))
        for text in ("stop 3\n", "print (1 / 0)\n", LOOP, CONTEXTS):
            for engine in self.each(text):
                self.sourir("run", "x.sou", engine, "--report", "r", "--fuel=100000")
                validator.validate(json.loads((self.folder / "r").read_text()))

    def test_statistics_count_dispatched_calls(self):
        for engine in self.each(CONTEXTS):
            found = json.loads(self.sourir("run", "x.sou", engine, "--stats=json").err)["dispatched"]
            self.assertEqual((found["calls"], found["suboptimal"]), (3, 1))
            self.assertEqual([(v["function"], v["version"], v["calls"]) for v in found["versions"]],
                             [("f", "ints", 2), ("f", "base", 1)])
            self.assertEqual(found["direct"], 2 if engine == "--engine=native" else 0)
            text = self.sourir("run", "x.sou", engine, "--stats").err
            self.assertRegex(text, r"(?m)^dispatched calls +3 .*\n  direct .*\n  sub-optimal +1 ")
            self.assertRegex(text, r"(?m)^  f\.ints +2$")

    def test_statistics_count_calls_by_the_contexts_of_the_tiers(self):
        text = (ROOT / "examples/54_call_contexts.sou").read_text()
        self.write("x.sou", text)
        words = ["run", "x.sou", "--jit-sync", "--no-inlining", "--no-osr-in"]
        found = json.loads(self.sourir(*words, "--stats=json").err)["dispatched"]
        contexts = {tuple(v["context"]): v["calls"] for v in found["versions"]}
        self.assertEqual(set(contexts), {(), ("(a is array)",), ("(a is float[])",), ("(a is int[])",)})
        self.assertEqual({v["function"] for v in found["versions"]}, {"total"})
        self.assertEqual(found["calls"], sum(contexts.values()))
        self.assertEqual(found["suboptimal"], contexts[()])
        for one, calls in ("(a is array)", 150), ("(a is float[])", 200), ("(a is int[])", 200):
            self.assertGreater(contexts[one,], calls)  # of 400
        self.assertRegex(self.sourir(*words, "--stats").err, r"(?m)^  total \[\(a is int\[\]\)\] +2\d\d$")

    def test_calls_of_two_contexts_in_turn_get_both_versions(self):
        """Strings and ints come while f is compiled, then floats and ints in turn: every second call
        finds no context that holds, and one of these must be sampled."""
        self.write("x.sou", IN_TURN)
        words = ["run", "x.sou", "--jit-sync", "--no-inlining", "--no-osr-in", "--tier=contexts=5"]
        found = json.loads(self.sourir(*words, "--stats=json").err)["dispatched"]["versions"]
        calls = {tuple(v["context"]): v["calls"] for v in found if v["function"] == "f"}
        self.assertGreater(calls["(x is float)",], 15000, calls)  # of 19,000
        self.assertLess(calls[()], 2000, calls)

    def test_stress_osr_enters_every_loop(self):
        self.write("x.sou", STUCK_WHEN_HOT.replace("19990", "29990"))
        self.says(USAGE, "needs --engine=auto",
                  words=["run", "x.sou", "--engine=baseline", "--stress-osr"])
        if not has_native_code():
            self.skipTest("no native code in this build")
        flags = ["run", "x.sou", "--engine=auto", "--jit-level=0", "--stats=json"]
        for leave in ("never", "always"):
            done = self.sourir(*flags, "--stress-osr", f"--deopt={leave}")
            self.assertEqual(done.out, self.sourir("run", "x.sou", "--engine=reference").out)
            self.assertGreater(json.loads(done.err)["osr_entries"], 0)

    def test_native_code_made_at_the_start_is_shown(self):
        if not has_native_code():
            self.skipTest("no native code in this build")
        self.write("x.sou", STUCK_WHEN_HOT)
        lines = self.sourir("run", "x.sou", "--engine=native", "--tiers=json").err.splitlines()
        of = [json.loads(line)["of"] for line in lines if line.startswith("{")]
        self.assertEqual(of[:3], ["main.anon", "add.anon", "inv.anon"])

    def test_a_run_that_compiles_nothing_says_what_to_do(self):
        if not has_native_code():
            self.skipTest("no native code in this build")
        self.write("x.sou", STUCK_WHEN_HOT.replace("19990", "29990"))
        start = "sourir: nothing was compiled before the program ended"
        for flags, words, others in (
                (["--tier=delay=100000"], ["after 500 calls, a loop after 5000 iterations",
                 "first 100000 ms", "--jit-sync", "--tier calls=N"], []),
                (["--jit-sync", "--tier=calls=7000000,iterations=8000000"],
                 ["after 7000000 calls, a loop after 8000000 iterations"], ["--jit-sync", " ms"])):
            err = self.sourir("run", "x.sou", "--tiers", *flags).err
            self.assertEqual(err.count(start), 1)
            for word in words:
                self.assertIn(word, err)
            for word in others:
                self.assertNotIn(word, err.split(start)[1])
            done = self.sourir("run", "x.sou", "--tiers=json", "--tiers-file=t", *flags)
            self.assertNotIn("nothing", done.err)
            last = json.loads((self.folder / "t").read_text().splitlines()[-1])
            self.assertEqual(last["event"], "nothing-compiled")
            self.assertIn(words[0], last["advice"])
        for flags in (["--tiers", "--jit-sync"], ["--tier=delay=100000"],
                      ["--tiers=schedule", "--tier=delay=100000"],
                      ["--tiers", "--engine=baseline"]):
            self.assertNotIn("nothing", self.sourir("run", "x.sou", *flags).err, flags)

    def test_which_engine_runs(self):
        self.write("x.sou", "print 1\n")
        def engine(*flags):
            self.says(FINE, words=["run", "x.sou", "--report", "r", *flags])
            return json.loads((self.folder / "r").read_text())["statistics"].get("engine")
        fast = "auto" if has_native_code() else "baseline"
        self.assertEqual((engine(), engine("--deopt=always"), engine("--fuel=9")), (fast,) * 3)
        self.assertEqual(engine("--engine=baseline"), "baseline")
        for flags in (["--engine=reference"], ["--trace"], ["--trace-file=t"]):
            self.assertEqual(engine(*flags), "reference")

    def test_a_trace_needs_the_reference(self):
        for engine in self.each("print 1\n"):
            self.says(USAGE, "--engine=reference", words=["run", "x.sou", engine, "--trace"])

    def test_start(self):
        """The compiler's library is loaded by who needs it: it takes longer than most programs."""
        for engine in self.each('print "hello"\n'):
            env = dict(ENVIRONMENT, LD_DEBUG="files", LD_DEBUG_OUTPUT=str(self.folder / "loaded"))
            self.assertEqual(self.sourir("run", "x.sou", engine, env=env).returncode, FINE)
            loaded = "".join(log.read_text() for log in self.folder.glob("loaded.*"))
            for log in self.folder.glob("loaded.*"):
                log.unlink()
            self.assertIn("libfmt", loaded)
            self.assertEqual("libsourir_llvm" in loaded, engine == "--engine=native", engine)


# A function whose arguments, elements, callee, result and branch have been the same 300 times.
SPECULATES = """\
function main()
  array a = [1, 2, 3]
  array b = [1.5, 2.5, 3.5]
  var i = 0
  goto H
H:
  branch (i < 300) $b $d
$b:
  call r = 'f('id, a, i)
  drop r
  i <- (i + 1)
  goto H
$d:
  call r = 'f('id, b, 1)
  print r
  drop r
  call r = 'f('id, a, 1000)
  print r
  stop
function f(var g, var a, var n)
  branch (n == 1000) $odd $usual
$odd:
  n <- (n + 1)
  return n
$usual:
  var e = a[1]
  call r = g(e)
  return (e + r)
function id(var x)
  return x
"""


@unittest.skipUnless(has_native_code(), "no native code in this build")
class SpeculationKinds(CliTest):
    """--tier speculate=KINDS: each kind is switched off alone."""

    def run_with(self, kinds, *more):
        self.write("s.sou", SPECULATES)
        done = self.sourir("run", "s.sou", "--jit-sync", "--no-inlining",
                           f"--tier=calls=200,speculate={kinds}", *more)
        self.assertEqual((done.returncode, done.out), (FINE, "5.0\n1001\n"), done.err)
        return done.err

    def predicates(self, kinds):
        """Those of the first optimized version of f."""
        log = self.run_with(kinds, "--tiers=versions")
        if "function f(" not in log:
            return set()
        version = log[log.index("function f("):]
        version = version[:version.index("\ncompiled")]
        return set(re.findall(r"\((\w+ (?:is|==|!=) '?\w+(?:\[\])?)\)", "".join(
            line for line in version.splitlines() if "assume" in line)))

    def test_predicates(self):
        every = {"a is array", "n is int", "g == 'id", "n != 1000", "a is int[]", "r is int"}
        self.assertEqual(self.predicates("all"), every)
        self.assertEqual(self.predicates("none"), set())
        # Without one for the elements there is one for the element that is loaded.
        loaded = every - {"a is int[]"} | {"e is int"}
        self.assertEqual(self.predicates("-storage"), loaded)
        for kind, its in (("arguments", {"a is array", "n is int"}), ("results", {"r is int"}),
                          ("branches", {"n != 1000"})):
            self.assertEqual(self.predicates("-" + kind), every - its, kind)
        self.assertEqual(self.predicates("-loads"), every)
        self.assertEqual(self.predicates("-loads,-storage"), loaded - {"e is int"})
        # The target implies the type of the argument.
        self.assertEqual(self.predicates("-targets"), every - {"g == 'id"} | {"g is fun"})
        self.assertEqual(self.predicates("targets"), {"g == 'id"})

    def test_errors_and_help(self):
        self.write("s.sou", SPECULATES)
        self.says(USAGE, "--tier speculate: 'bad' is not all, none, or some of arguments, results, loads, "
                  "branches, targets, storage, unreached", words=["run", "s.sou", "--tier=speculate=bad"])
        self.says(USAGE, "'-x' is not", words=["run", "s.sou", "--tier=speculate=-x,loads"])
        self.assertIn("speculate=KINDS", self.sourir("run", "--tier=help").out)


if __name__ == "__main__":
    unittest.main()
