"""run --verify: versions that the tiers make are checked on the run's own states."""
import json
import sys
import unittest

from command_line import FINE, ROOT, USAGE, CliTest
from engines_test import has_native_code

OUR_BUG = 70
TIERS = str(ROOT / "examples/tiers.sou")
VERIFY = ["--engine=auto", "--jit-sync", "--verify"]
# The first literal of the version at the front is another one.
WRONG = """\
import json, sys
program = json.load(sys.stdin)
for function in program["functions"]:
    for stmt in function["versions"][0]["body"]:
        instr = stmt["instr"]
        if function["name"] == "sum" and instr["op"] == "var" and instr["name"] == "s":
            instr["value"] = {"int": "1"}
json.dump({"program": program}, sys.stdout)
"""

# The sum of each optimized version becomes a difference.
WRONG_SUM = """\
import json, sys
program = json.load(sys.stdin)
for function in program["functions"]:
    for version in function["versions"]:
        for stmt in version["body"] if version["name"] == "opt" else []:
            value = stmt["instr"].get("value")
            if stmt["instr"]["op"] == "assign" and stmt["instr"]["name"].startswith("s"):
                value["binary"] = "-"
json.dump({"program": program}, sys.stdout)
"""
LOOP = "\n".join(["function main()", "  var s = 0", "  var i = 0", "  goto L", "L:",
                  "  branch (i < %d) $b $d", "$b:", "  s <- (s + i)", "  i <- (i + 1)", "  goto L",
                  "$d:", "  print s", "  stop", ""])
SQUARE = """\
function main()
  array a = [1, 5]
  var e = length(a)
  var f = 0
  goto outer
outer:
  branch (f < e) $row $end
$row:
  var i = length(a)
  var j = 0
  goto inner
inner:
  branch (j < i) $next $done
$next:
  j <- (j + 1)
  goto inner
$done:
  drop i
  drop j
  f <- (f + 1)
  goto outer
$end:
  print f
  stop
"""
ONE_LESS = """\
function main()
  call a = 'f(nil)
  call c = 'f(0)
  call d = 'f(nil)
  call e = 'f(false)
  stop
function f(var a)
  var b = 0
  var c = 0
  goto head
head:
  branch (c < 4) $body $done
$body:
  print (a is array)
  branch (c == b) $same $other
$same:
  print (b + -1)
  goto next
$other:
  goto next
next:
  c <- (c + 1)
  goto head
$done:
  return (2 > b)
"""
ARMS = """function main()
  var sum = 0
  var i = 0
  goto head
head:
  branch (i < 60) $body $done
$body:
  call q = 'f(true)
  sum <- (sum + q)
  drop q
  i <- (i + 1)
  goto head
$done:
  print sum
  stop
function f(var p)
  print p
  var k = 0
  goto L
L:
  branch (k < 20) $b $x
$b:
  return 7
$x:
  drop k
  return 8
"""
# Each version of f prints 8 instead of n where no state comes to.
CALLS_F = """function main()
  var i = 0
  goto L
L:
  branch (i < 3000) $b $d
$b:
  call x = 'f(i)
  drop x
  i <- (i + 1)
  goto L
$d:
  stop
"""
WRONG_PRINT = """\
import json, sys
program = json.load(sys.stdin)
for function in program["functions"]:
    for stmt in function["versions"][0]["body"]:
        if function["name"] == "f" and stmt["instr"].get("value") == {"var": "n"}:
            stmt["instr"]["value"] = {"int": "-7700001"}
all = [{"function": f["name"], "version": v["name"]} for f in program["functions"] for v in f["versions"]]
same = {"format": "sourir-state-map", "version": 2, "versions": [
    {**one, "identity": one, "states": [], "call_sites": []} for one in all]}
json.dump({"program": program, "state_map": same}, sys.stdout)
"""
NEVER_REACHED = CALLS_F + """function f(var n)
  branch (n < -5) $a $b
$a:
  assert (n < n)
  goto c
c:
  print 1
  print n
  return 1
$b:
  return 2
"""


# No run comes to the first print of g: NaN is not equal to itself.
ELEMENT_NOT_PRINTED = CALLS_F + """function f(var n)
  call c = 'g(n)
  return n
function g(var m)
  var k = (m * 3)
  array a = [-77, k]
  k <- 0
  var b = (0 % 0.0)
  branch (b == b) $i $j
$i:
  print a[0]
  print length(a)
  return 1
$j:
  return 2
"""
INLINES = ("fresh-version,checkpoints,inline:functions=f:max-depth=1,"
           "fix(constprop,dce,load-elimination),lower-anchors,dce")
# Each -77 becomes -78.
WRONG_ELEMENT = WRONG_PRINT.replace('{"var": "n"}', '{"int": "-77"}').replace("-7700001", "-78")


# y is 2 * x. No run of the check reads 77, and until the input does x is 2, the number of which sum
# and product are the same.
DOUBLED = """function main()
  var x = 2
  var s = 0
  var i = 0
  var t = 0
  goto loop
loop:
  branch (i < 300) $body $end
$body:
  read t
  branch (t == 77) $double $other
$double:
  var y = (x * 2)
  s <- (s + y)
  drop y
  goto next
$other:
  branch (t == 78) $three $next
$three:
  x <- 3
  goto next
next:
  i <- (i + 1)
  goto loop
$end:
  print s
  stop
"""
DOUBLED_INPUT = "1\n" * 290 + "78\n77\n" + "1\n" * 8
WRONG_DOUBLE = WRONG_PRINT.replace(
    """function["name"] == "f" and stmt["instr"].get("value") == {"var": "n"}""",
    """(stmt["instr"].get("value") or {}).get("binary") == "*\"""").replace(
    """{"int": "-7700001"}""", """{**stmt["instr"]["value"], "binary": "+"}""")


# The sum is optimized out of f.
UNUSED_SUM = """function main()
  var i = 0
  var x = 0
  goto L
L:
  branch (i < 3000) $b $d
$b:
  call y = 'f(3, i)
  x <- (x + y)
  drop y
  i <- (i + 1)
  goto L
$d:
  print x
  stop
function f(var n, var a)
  var s = 0
  var k = 0
  goto h
h:
  branch (k < n) $b $x
$b:
  s <- (s + a)
  k <- (k + 1)
  goto h
$x:
  return k
"""


@unittest.skipUnless(has_native_code(), "no native code in this build")
class Verify(CliTest):
    def test_right_versions_hold(self):
        done = self.says(FINE, words=["run", TIERS, *VERIFY, "--stats=json"])
        self.assertEqual(done.out, "680000.0\n")
        counts = json.loads(done.err)
        self.assertGreater(counts["verified"], 0)
        self.assertEqual(counts["differing"], 0)
        self.assertEqual(counts["undecided"], 0)
        self.assertEqual(counts["optimized"], counts["verified"])
        tried = counts["tried"]
        self.assertGreater(tried["head_states"], tried["loops"])
        for part, done in (("loops", "loops_compared"), ("exits", "exits_taken"),
                           ("positions", "positions_compared")):
            self.assertGreater(tried[part], 0)
            self.assertEqual(tried[part], tried[done])
        self.says(FINE, "  verified", "  undecided", "  loops compared", "mandatory positions",
                  words=["run", TIERS, *VERIFY, "--stats"])

    # mutant 239 (kinds of change)
    def test_a_number_that_is_a_length_by_chance(self):
        """Changed with its copies it contradicts the length in a variable of the version."""
        self.write("square.sou", SQUARE)
        done = self.says(FINE, words=["run", "square.sou", *VERIFY, "--stats=json",
                                      "--tier=calls=2,iterations=2"])
        counts = json.loads(done.err)
        self.assertEqual((counts["verified"], counts["undecided"]), (1, 0))

    def test_a_number_that_is_another_variable_by_chance(self):
        """What the version computed in front of the loop from b is no copy of c."""
        self.write("less.sou", ONE_LESS)
        done = self.says(FINE, words=["run", "less.sou", *VERIFY, "--stats=json", "--fuel=20000",
                                      "--tier=calls=2,iterations=2,exits=2"])
        counts = json.loads(done.err)
        self.assertEqual(counts["undecided"], 0)
        self.assertGreater(counts["verified"], 0)

    def test_a_wrong_version_is_not_used(self):
        self.write("wrong.py", WRONG)
        passes = "--tier=passes=fresh-version,exec:python3 wrong.py"
        done = self.says(OUR_BUG, "sum.opt, made for calls is wrong, and is not used:",
                         words=["run", TIERS, *VERIFY, passes, "--no-osr-in", "--report=r"])
        self.assertEqual(done.out, "680000.0\n")
        counts = json.loads((self.folder / "r").read_text())["statistics"]
        self.assertGreater(counts["differing"], 0)
        self.assertEqual(counts["verified"], 0)

    def test_a_version_that_is_not_used_is_shown(self):
        self.write("wrong.py", WRONG)
        words = ["run", TIERS, *VERIFY, "--tier=passes=fresh-version,exec:python3 wrong.py", "--no-osr-in"]
        refused = r"not compiled sum\.anon  \(an optimized version\)  refused by --verify: it differs\n"
        text = self.sourir(*words, "--tiers=versions").err
        self.assertRegex(text, refused + r"function sum\(var \w+\)\nversion opt\n")
        self.assertNotRegex(self.sourir(*words, "--tiers").err, refused + "function")
        lines = [json.loads(x) for x in self.sourir(*words, "--tiers=json").err.splitlines() if x[0] == "{"]
        texts = [x["text"] for x in lines if x.get("refusal") == "differs"]
        self.assertRegex(texts[0], r"^function sum\(var \w+\)\nversion opt\n")

    def test_a_version_that_is_not_decided_is_not_used(self):
        """A wrong loop is refused, however long it runs before its first event."""
        self.write("wrong.py", WRONG_SUM)
        passes = f"--tier=passes=O2,exec:{sys.executable} wrong.py"
        for rounds, status in ((200_000, OUR_BUG), (20_000_000, 2)):
            self.write("loop.sou", LOOP % rounds)
            done = self.sourir("run", "loop.sou", *VERIFY, passes)
            self.assertEqual(done.out, f"{rounds * (rounds - 1) // 2}\n")
            self.assertEqual(done.returncode, status, done.err)
        self.assertIn("undecided: main_loop.opt, made for the loop at main.anon+3 is not used: the "
                      "map has no state that can be compared at main_loop.opt", done.err)
        self.says(FINE, words=["run", "loop.sou", *VERIFY])

    def test_variables_optimized_out_are_counted(self):
        self.write("sum.sou", UNUSED_SUM)
        words = ["run", "sum.sou", *VERIFY]
        done = self.says(FINE, words=[*words, "--stats=json"])
        self.assertEqual(done.out, "9000\n")
        counts = json.loads(done.err)
        self.assertEqual(counts["undecided"], 0)
        tried = counts["tried"]
        self.assertGreater(tried["positions_partial"], 0)
        self.assertEqual(tried["positions"], tried["positions_compared"])
        self.says(FINE, f", {tried['positions_partial']} without variables optimized out",
                  words=[*words, "--stats"])

    def test_chosen_values_do_not_replace_those_of_the_run(self):
        """The array is gone from f, and what it held is known from the run of g."""
        self.write("element.sou", ELEMENT_NOT_PRINTED)
        self.write("wrong.py", WRONG_ELEMENT)
        words = ["run", "element.sou", *VERIFY, "--stats=json"]
        counts = json.loads(self.says(FINE, words=[*words, f"--tier=passes={INLINES}"]).err)
        self.assertEqual(counts["undecided"], 0)
        self.assertGreater(counts["tried"]["parts_assumed"], 0)
        self.assertEqual(counts["tried"]["parts_chosen"], 0)
        self.says(2, "undecided: f.opt",
                  words=[*words, f"--tier=passes={INLINES},exec:{sys.executable} wrong.py"])

    def test_one_value_of_a_variable_says_little(self):
        self.write("double.sou", DOUBLED)
        self.write("wrong.py", WRONG_DOUBLE)
        words = ["run", "double.sou", *VERIFY, "--tier=iterations=100", "--stats=json"]
        done = self.says(FINE, stdin=DOUBLED_INPUT, words=[*words, "--tier=passes=fresh-version"])
        self.assertEqual(done.out, "6\n")
        counts = json.loads(done.err)
        self.assertEqual((counts["verified"], counts["undecided"]), (1, 0))
        self.assertGreater(counts["tried"]["parts_assumed"], 0)
        done = self.says(2, "where no run comes, differs with most of the values that it may read",
                         stdin=DOUBLED_INPUT,
                         words=[*words, f"--tier=passes=fresh-version,exec:{sys.executable} wrong.py"])
        self.assertEqual(done.out, "6\n")

    def test_what_was_not_tried_is_said(self):
        self.write("never.sou", NEVER_REACHED)
        self.write("wrong.py", WRONG_PRINT)
        words = ["run", "never.sou", *VERIFY, "--report=r", "--no-inlining"]
        self.says(FINE, words=[*words, "--tier=passes=fresh-version,checkpoints"])
        done = self.says(2, "undecided: f.opt, made for calls is not used: not tried: the state at +",
                         words=[*words, f"--tier=passes=fresh-version,exec:{sys.executable} wrong.py"])
        self.assertEqual(done.out, "")
        counts = json.loads((self.folder / "r").read_text())["statistics"]
        self.assertGreater(counts["undecided"], 0)
        self.assertLess(counts["tried"]["positions_compared"], counts["tried"]["positions"])

    def test_values_optimized_out_where_arms_are_unreached_are_known(self):
        """Of the inlined f one arm remains, which says what q is; the other one is not removed yet."""
        self.write("x.sou", ARMS)
        done = self.sourir("run", "x.sou", *VERIFY, "--tier=calls=2,iterations=3", "--stats=json")
        self.assertEqual(done.returncode, FINE, done.err)
        counts = json.loads(done.err)
        self.assertEqual((counts["undecided"], counts["differing"]), (0, 0))
        self.assertGreater(counts["verified"], 0)

    def test_what_calls_seldom_reach_is_tried(self):
        """Of lists of packets most calls see the ends only."""
        program = ROOT / "bench/programs/richards.sou"
        done = self.sourir("run", str(program), "--verify", "--jit-sync", "--stats", stdin="2000\n")
        self.assertEqual(done.returncode, FINE, done.err)
        self.assertRegex(done.err, r"(?m)^  verified +[1-9]")
        self.assertRegex(done.err, r"(?m)^  undecided +0 ")

    def test_a_pass_that_fails_is_named(self):
        done = self.says(FINE, "sourir: warning: the pass exec:cat: its answer is not",
                         "; versions are made without it\n",
                         words=["run", TIERS, *VERIFY, "--tier=passes=fresh-version,exec:cat"])
        self.assertEqual(done.err.count("warning:"), 1)
        self.assertEqual(done.out, "680000.0\n")

    def test_flags(self):
        self.says(USAGE, "--verify is about", words=["run", TIERS, "--engine=native", "--verify"])
        self.says(USAGE, "only with --verify",
                  words=["run", TIERS, "--engine=auto", "--tier=passes=exec:cat"])


if __name__ == "__main__":
    unittest.main()
