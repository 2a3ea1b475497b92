"""profile --events: what native code counts is what the reference counts, at each place."""
import json
import sys
import unittest

from command_line import ROOT, USAGE, CliTest
from engines_test import has_native_code

sys.path.append(str(ROOT / "tests"))
import filetest  # noqa: E402

STRATEGIES = ("count", "decode", "direct")
LEVELS = (0,)
FOLDERS = ("examples", "tests/filetests/engines", "tests/filetests/run")
PROGRAM = """function main()
  var s = 0
  var i = 0
Loop:
  branch (i < 40) Body Done
Body:
  array a = [i, 2]
  call r = 'add(s, a)
  s <- r
  i <- (i + 1)
  drop r
  drop a
  goto Loop
Done:
  print s
  stop
function add(var s, var a)
  version fast
    assume (s is int) else add.base.Start [var s = s, var a = a]
    var e = a[0]
    return (s + e)
  version base
  Start:
    drop a
    return s
"""

# The head of a loop is its own back edge: where native code is entered there, it executes it.
SELF_LOOP = """function main()
  call r = 'once(1)
  return r
function once(var n)
  goto Head
Head:
  branch (n == 0) $Head $End
$End:
  return n
"""

# The back edge is the loop header, at which native code is entered; an anchor lies before it.
ANCHOR_BEFORE_THE_HEADER = """function main()
version opt
  goto Head
Head:
  anchor else main.base.L []
  goto Head
version base
L:
  return 0
"""

# Execution falls into the label once.
FALLS_INTO_A_LABEL = """function main()
  var i = 0
Loop:
  branch (i < 10) $Body $Done
$Body:
  i <- (i + 1)
  goto Loop
$Done:
  print i
  stop
"""
# A loop that LLVM unrolls, with a branch in it.
BRANCHES_IN_A_LOOP = """function main()
  var i = 0
  var even = 0
  var s = 0
  goto loop
loop:
  branch (i < 100) $body $done
$body:
  var r = (i % 2)
  branch (r == 0) $even $odd
$even:
  even <- (even + 1)
  goto next
$odd:
  s <- (s - i)
  goto next
next:
  drop r
  i <- (i + 1)
  goto loop
$done:
  print (even + s)
  stop
"""
# Eight paths, through three merges.
MERGES = """function main()
  call a = 'choose(1, 2)
  call b = 'choose(2, 1)
  call c = 'choose(2, 2)
  print (a + b)
  print c
  stop
function choose(var x, var y)
  var s = 0
  branch (x == 1) $a $b
$a:
  s <- (s + 1)
  goto m1
$b:
  goto m1
m1:
  branch (y == 1) $c $d
$c:
  s <- (s + 10)
  goto m2
$d:
  goto m2
m2:
  branch (x == y) $e $f
$e:
  s <- (s * 3)
  goto m3
$f:
  goto m3
m3:
  print s
  return s
"""
# The guard fails 300 times.
EXITS = PROGRAM.replace("var s = 0", "var s = 0.5", 1).replace("i < 40", "i < 300")
# The second guard of two fails.
GUARDS = """function main()
  call r = 'f(3)
  print r
function f(var n)
  version opt
    var k = (n * 2)
    assume [(k is int), (k == 5)] else f.base.L [var n = n]
    return k
  version base
  L:
    return n
"""
# The branch is stuck.
STUCK_BRANCH = """function main()
  var n = 3
  call r = 'f(n)
  print r
function f(var n)
  print n
  branch n $a $b
$a:
  return 1
$b:
  return 2
"""
# LLVM loads the length, and where the elements lie, before the loop.
LOADS_IN_A_LOOP = """function main()
  array a = [1, 2, 3, 4, 5, 6, 7, 8]
  call r = 'sum(a)
  print r
function sum(var a)
  version fast
    var i = 0
    var s = 0
    goto loop
  loop:
    branch (i < 8) $body $done
  $body:
    assume [(a is int[])] else sum.base.L [var a = a]
    var x = a[i]
    s <- (s + x)
    drop x
    i <- (i + 1)
    goto loop
  $done:
    return s
  version base
  L:
    return 0
"""


def corpus():
    """Programs that end soon, with their input."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("*.sou")):
            try:
                test = filetest.FileTest(path)
            except ValueError:
                continue
            words = [word for command in test.commands for word in command.arguments]
            if "run" in words and not any(word.startswith(("--fuel", "--max-")) for word in words):
                yield path, test.stdin


def by_place(report):
    """The counts by place and event, native and interpreted ones together."""
    counts = {}
    for code in report["code"]:
        for line in code["lines"]:
            for event, of in line["counts"].items():
                key = line.get("place", "elsewhere"), event
                counts[key] = counts.get(key, 0) + of["native"] + of.get("interpreted", 0)
    return counts


# LLVM has one block for the tests before `end` and the one behind it.
TESTS_BEFORE_AN_END = """
  array a = [true, true]
  array b = [true, true]
  call r = 'f(a, b, 2)
function f(var a, var b, var n)
version opt
  var s
  var i
  assume [b[0], (s is int), (i < n), (i == 2), (s == 3), b[1]] else (f, quick, L7) [var a = a, var b = b, var n = n, var s = s, var i = i]
  return s
version quick
  var s
  var i
>L7:
  branch (s is int) $int_s $else_s
$int_s:
  branch (i < n) $less $not_less
$less:
$not_less:
  goto end
$else_s:
  branch (n is int) $int_n $else_n
$int_n:
  goto end
$else_n:
  call x = 'g(b, i)
  var h = a[0]
  drop h
  drop x
end:
  branch (n is int) $int_at_end $else_at_end
$int_at_end:
  return s
$else_at_end:
  return s
function g(var b, var i)
  return (i + 1)
"""


class EventCounts(CliTest):
    def profile(self, path, *words, stdin=""):
        """The report and the exit status; None: the program has no report, as it is rejected."""
        done = self.sourir("profile", str(path), "--json", "-o", "report.json", *words, stdin=stdin)
        if done.returncode not in range(256) or done.returncode == 65:
            return None, done.returncode
        return json.loads((self.folder / "report.json").read_text()), done.returncode

    def same_counts(self, path, stdin, *words):
        expected, status = self.profile(path, "--events=version", "--engine=reference", stdin=stdin)
        if expected is None:
            return False
        got, ended = self.profile(path, "--events=version", "--annotate", *words, stdin=stdin)
        self.assertEqual(ended, status, (path, words))
        self.assertEqual(by_place(got), by_place(expected), (path, words))
        return True

    def test_the_reference_counts_its_steps(self):
        self.write("p.sou", PROGRAM)
        report, _ = self.profile("p.sou", "--events=all", "--engine=reference")
        counts = {event: of["interpreted"] for event, of in report["events"].items()}
        # 2 declarations; 41 branches; 40 times the 7 instructions of the body, and 3 of the callee;
        # a print and a stop.
        self.assertEqual(counts["instruction"], 2 + 41 + 40 * 10 + 2)
        self.assertEqual(counts["guard-type"], 40)
        self.assertEqual(counts["back-edge"], 40)
        self.assertNotIn("llvm-load", counts)
        self.assertIsNone(report["strategy"])

    def test_an_exit_is_counted_once(self):
        self.write("p.sou", PROGRAM.replace("var s = 0", "var s = 0.5", 1))
        report, _ = self.profile("p.sou", "--events=exit,guard,assume", "--engine=reference")
        counts = {event: of["interpreted"] for event, of in report["events"].items()}
        self.assertEqual(counts, {"exit": 40, "assume": 40})

    def test_the_reference_has_no_native_code(self):
        self.write("p.sou", PROGRAM)
        for events in ("llvm-load", "lowering", "memory", "branch,tag-test"):
            self.says(USAGE, "--engine=reference makes none",
                      words=["profile", "p.sou", f"--events={events}", "--engine=reference"])
        report, _ = self.profile("p.sou", "--events=arithmetic", "--engine=reference")
        self.assertEqual(set(report["events"]), {"arithmetic", "comparison"})

    def native_code_counts_the_same(self, program, *flags, strategies=STRATEGIES, levels=("0", "2")):
        self.write("p.sou", program)
        for strategy in strategies:
            for level in levels:
                self.assertTrue(self.same_counts("p.sou", "", "--engine=native", f"--strategy={strategy}",
                                                 f"--jit-level={level}", *flags))

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    def test_marks_of_other_events_lose_none(self):
        """LLVM moves a mark into a block of its own, and drops it, unless an anchor follows."""
        self.write("p.sou", TESTS_BEFORE_AN_END)
        expected, _ = self.profile("p.sou", "--events=version", "--engine=reference")
        for events in ("version", "all"):
            got, _ = self.profile("p.sou", f"--events={events}", "--engine=native")
            for event, of in expected["events"].items():
                self.assertEqual(sum(got["events"][event].values()), sum(of.values()), (events, event))

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    # mutant 157: what falls into a label is not counted.
    def test_execution_falls_into_a_label(self):
        self.native_code_counts_the_same(FALLS_INTO_A_LABEL)

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    # mutant 158: the loop is counted as if it were not unrolled.
    # mutant 165: an edge of the spanning tree counts against its direction.
    def test_branches_in_a_loop(self):
        self.native_code_counts_the_same(BRANCHES_IN_A_LOOP)

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    # mutant 159: two paths have one number. mutant 160: paths go on after calls.
    # mutant 162: the number after a cut is that of a path from the entry.
    def test_merges(self):
        for paths in ("64", "3", "1"):
            self.native_code_counts_the_same(MERGES, "--event-paths", paths)

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    # mutant 164: counters have a byte. mutant 168: exits are not counted.
    def test_exits(self):
        self.native_code_counts_the_same(EXITS)

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    # mutant 167: what is executed before a guard that fails is not counted.
    def test_the_second_guard_fails(self):
        self.native_code_counts_the_same(GUARDS)

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    # mutant 166: the branch is counted though it is stuck.
    def test_a_branch_that_is_stuck(self):
        self.native_code_counts_the_same(STUCK_BRANCH)

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    # mutant 163: loads do not move over markers.
    def test_loads_move_over_markers(self):
        self.write("p.sou", LOADS_IN_A_LOOP)
        loads = [self.profile("p.sou", "--events=version,llvm-load", "--engine=native", f"--markers={markers}")[0]
                 ["events"]["llvm-load"]["native"] for markers in ("light", "exact")]
        self.assertLess(loads[0], 2 * 8)
        self.assertEqual(loads[0], loads[1])

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    # mutant 161: it is counted in the interpreter, too.
    def test_the_loop_header_is_counted_once_at_an_osr_entry(self):
        self.write("p.sou", SELF_LOOP)
        for strategy in STRATEGIES:
            self.assertTrue(self.same_counts("p.sou", "", "--engine=auto", "--stress-osr",
                                             "--no-speculation", "--jit-level=0",
                                             f"--strategy={strategy}"))

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    def test_the_anchor_before_a_loop_header_is_counted_once(self):
        self.write("p.sou", ANCHOR_BEFORE_THE_HEADER)
        for fuel in range(6):
            got, _ = self.profile("p.sou", "--events=instruction", "--annotate", "--engine=auto",
                                  "--stress-osr", "--no-speculation", f"--fuel={fuel}")
            instructions = sum(got["events"]["instruction"].values())
            self.assertEqual(instructions, 2 + 2 * fuel)
            expected, _ = self.profile("p.sou", "--events=instruction", "--engine=reference",
                                       f"--fuel={instructions}")
            self.assertEqual(by_place(got), by_place(expected), fuel)

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    def test_native_code_counts_the_same(self):
        compared = 0
        for number, (path, stdin) in enumerate(corpus()):
            for level in LEVELS:
                strategy = STRATEGIES[(number + level) % len(STRATEGIES)]
                compared += self.same_counts(path, stdin, "--engine=native",
                                             f"--jit-level={level}", f"--strategy={strategy}")
        self.assertGreater(compared, 100 * len(LEVELS))


if __name__ == "__main__":
    unittest.main()
