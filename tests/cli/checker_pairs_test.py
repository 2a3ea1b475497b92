"""Pairs of programs that the checker must tell apart, and requests that it cannot meet: a suite for the
checker itself. Each seeded bug of the checker makes the test below its number fail."""
import json
import sys
import unittest

from command_line import FINE, FOUND, CliTest
from engines_test import has_native_code
from verify_test import (DOUBLED, DOUBLED_INPUT, ELEMENT_NOT_PRINTED, INLINES, NEVER_REACHED,
                         WRONG_DOUBLE, WRONG_ELEMENT, WRONG_PRINT)

NO_ANSWER = 2
CALL = "function main()\n  call a = 'f(1)\n  print a\n  stop\n"
LOOP = "function main()\n  var i = 0\n  goto L\nL:\n  branch (i < 9) $b $d\n$b:\n%s  goto L\n$d:\n  stop\n"
EXIT = """function main()
  call a = 'f(1)
  stop
function f(var x)
version fast
  assume [(x != 5)] else (f, base, L) [var x = %s]
  print x
  return nil
version base
>L:
  print x
  return nil
"""
STATES = "var x = 1\nprint x\nx <- 2\nprint x\n"
FRAMES = """function main()
  var y = 1
  call a = 'f(1)
  print 5
  y <- 2
  print y
  stop
function f(var x)
  print x
  return x
"""
SHARED = "array a[1]\narray b[1]\nvar c = a\nprint 0\nprint a\nprint b\nprint c\n"
FAR = "array a[3000]\na[2500] <- 1\nprint 0\nprint a[2500]\n"
# Of 3002 exits that could be forced, one is that of `rare`.
RARE = """function main()
version fast
  var n = 0
  goto L
L:
  assume [] else (main, base, L) [var n = n]
  branch (n < 3000) $b $d
$b:
  n <- (n + 1)
  goto L
$d:
  goto D
D:
  assume [] else (main, base, D) [var n = %s]
  print n
  stop
version base
  var n = 0
  goto L
>L:
  branch (n < 3000) $b $d
$b:
  n <- (n + 1)
  goto L
$d:
  goto D
>D:
  print n
  stop
"""


def at(position, **values):
    """A state of a map: each variable at main.anon+position has that value."""
    return {"at": position, "exit": {"frame": {
        "target": f"main.anon+{position}",
        "varmap": [{"name": name, "value": value} for name, value in values.items()]}}}


class CheckerPairs(CliTest):
    def compare(self, status, one, other, *words, outcome=None):
        self.write("a.sou", one)
        self.write("b.sou", other)
        done = self.says(status, words=["bisim", "a.sou", "b.sou", "--json", *words])
        found = json.loads(done.out)
        if outcome:
            self.assertEqual(found["outcome"], outcome)
        return found

    def map(self, *states, call_sites=(), same=True):
        version = {"function": "main", "version": "anon"}
        self.write("m.json", json.dumps({
            "format": "sourir-state-map", "version": 2,
            "versions": [{**version, "identity": version if same else None,
                          "states": list(states), "call_sites": list(call_sites)}]}))
        return "--map=m.json"

    # mutant 201 (no prints), mutant 216 (results)
    def test_events(self):
        self.compare(FOUND, "print 1\n", "print 2\n")
        self.compare(FOUND, "print 1\nprint 2\n", "print 2\nprint 1\n")
        self.compare(FOUND, "print 1\nprint 1\n", "print 1\n")
        self.compare(FOUND, "stop 1\n", "stop 2\n")
        self.compare(FOUND, "print -0.0\n", "print 0.0\n")
        self.compare(FOUND, "var x\nread x\n", "stop\n")
        self.compare(FINE, "print 1\n", "var x = 1\nprint x\n")

    # mutant 202 (no reasons)
    def test_reasons(self):
        self.compare(FOUND, "print (1 / 0)\n", "print (1 + nil)\n")

    def test_an_input_that_tells(self):
        reads = "var x\nread x\nbranch (x == 3) a b\na:\nprint 1\nstop\nb:\nprint %s\nstop\n"
        self.compare(FOUND, reads % 2, reads % 4)

    # mutant 206 (schedule)
    def test_forced_exits(self):
        found = self.compare(FOUND, EXIT % "x", EXIT % 42)
        self.assertEqual(found["difference"]["oracle"], "exits")
        self.compare(FINE, EXIT % "x", EXIT % "x", "--deopt=always")
        self.compare(FOUND, EXIT % "x", EXIT % 42, "--deopt=always")
        self.compare(FINE, EXIT % "x", EXIT % 42, "--deopt=never")

    # mutant 217 (exits by number)
    def test_an_exit_that_runs_once_beside_a_hot_loop(self):
        for checks in (["a.sou", "b.sou"], ["b.sou", "--transparency"], ["b.sou", "--deopt=each"]):
            if "--deopt=each" in checks:
                checks.insert(0, "a.sou")
            for value, status in (("n", FINE), (9, FOUND)):
                self.write("a.sou", RARE % "n")
                self.write("b.sou", RARE % value)
                done = self.says(status, words=["bisim", *checks, "--json"])
                tried = json.loads(done.out)["tried"]
                self.assertEqual(tried["exit_places"], 2)
                if status == FINE:
                    self.assertEqual(tried["opportunities"], 3002)
                    self.assertEqual((tried["reached_places"], tried["forced_places"]), (2, 2))

    # mutant 207 (requests)
    def test_requests(self):
        for request in ("at:99", "pairs", "every:7"):
            self.compare(NO_ANSWER, EXIT % "x", EXIT % "x", f"--deopt={request}", outcome="vacuous")

    # mutant 212 (generated calls)
    def test_versions(self):
        self.write("v.sou", CALL + "function f(var x)\nversion one\n  branch (x == nil) $a $b\n$a:\n"
                   "  return 0\n$b:\n  return x\nversion two\n  return x\n")
        self.says(FOUND, words=["bisim", "v.sou", "--versions"])

    # mutant 205 (limits)
    def test_limits(self):
        endless = LOOP % "  i <- (i - 1)\n"
        self.compare(NO_ANSWER, endless, endless, "--fuel=500", outcome="inconclusive")

    # mutant 209 (divergence)
    def test_divergence(self):
        self.compare(FOUND, LOOP % "  i <- (i + 1)\n", LOOP % "  i <- (i + 0)\n", "--fuel=500")

    # mutant 203 (unmet states)
    def test_states(self):
        for value, status in ((1, FINE), (2, FOUND), (7, FOUND)):
            self.compare(status, STATES, STATES, self.map(at(1, x={"int": str(value)})),
                         "--deopt=never")

    # mutant 204 (window too wide)
    def test_a_state_of_the_next_window(self):
        """x is 2 at the next print only."""
        text = "var x = 1\ngoto L\nL:\nprint x\nx <- (x + 1)\nbranch (x < 3) L M\nM:\nstop\n"
        for value, status in (({"var": "x"}, FINE), ({"int": "2"}, FOUND)):
            self.compare(status, text, text, self.map(at(2, x=value)), "--deopt=never")

    # mutant 210 (aliases)
    def test_aliases_are_part_of_the_state(self):
        for value, status in (("a", FINE), ("b", FOUND)):
            state = at(3, a={"var": "a"}, b={"var": "b"}, c={"var": value})
            self.compare(status, SHARED, SHARED, self.map(state), "--deopt=never")

    # mutant 211 (frames on the stack)
    def test_frames_on_the_stack(self):
        for value, status in ((1, FINE), (3, FOUND)):
            site = {"at": 1, "frames": [{
                "target": "main.anon+2", "result": "a",
                "varmap": [{"name": "y", "value": {"int": str(value)}}]}]}
            text = FRAMES.replace("  y <- 2\n", "")
            self.compare(status, text, text, self.map(call_sites=[site]), "--deopt=never")

    # mutant 208 (map)
    def test_a_map_that_says_nothing(self):
        self.compare(NO_ANSWER, STATES, STATES, self.map(same=False), outcome="vacuous")
        self.compare(NO_ANSWER, STATES, STATES, self.map({"at": 1, "exit": None}), outcome="vacuous")

    # mutant 222 (partial states)
    def test_the_known_variables_of_a_state(self):
        text = "var x = 1\nvar y = 2\nprint 0\nprint x\nprint y\n"
        for value, status, outcome in ((2, NO_ANSWER, "vacuous"), (7, FOUND, None)):
            state = at(3, y={"int": str(value)})
            state["exit"]["frame"]["unknown"] = ["x"]
            self.compare(status, text, text, self.map(state), "--deopt=never", outcome=outcome)

    # mutant 213 (mapped exits)
    def test_mapped_exits(self):
        """The far end of the array is in no comparison of states."""
        state = at(3, a={"var": "b"})
        state["exit"]["with"] = [{"instr": {"op": "array", "name": "b", "length": {"int": "3000"}}}]
        self.compare(FOUND, FAR, FAR, self.map(state), "--deopt=map:each")

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    # mutant 214 (untried parts), mutant 215 (undecided), mutant 226 (few steps)
    def test_versions_of_which_not_all_was_tried(self):
        self.write("never.sou", NEVER_REACHED)
        self.write("wrong.py", WRONG_PRINT)
        self.says(NO_ANSWER, "undecided: f.opt",
                  words=["run", "never.sou", "--jit-sync", "--verify", "--no-inlining",
                         f"--tier=passes=fresh-version,exec:{sys.executable} wrong.py", "--report=r"])
        counts = json.loads((self.folder / "r").read_text())["statistics"]
        self.assertEqual(counts["optimized"], counts["verified"])

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    # mutant 228 (chosen values)
    def test_values_of_runs_are_not_chosen(self):
        self.write("element.sou", ELEMENT_NOT_PRINTED)
        self.write("wrong.py", WRONG_ELEMENT)
        self.says(NO_ANSWER, "undecided: f.opt",
                  words=["run", "element.sou", "--jit-sync", "--verify",
                         f"--tier=passes={INLINES},exec:{sys.executable} wrong.py"])

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    # mutant 230 (one value)
    def test_one_value_of_a_variable_says_little(self):
        self.write("double.sou", DOUBLED)
        self.write("wrong.py", WRONG_DOUBLE)
        self.says(NO_ANSWER, "undecided: main_loop.opt", stdin=DOUBLED_INPUT,
                  words=["run", "double.sou", "--jit-sync", "--verify", "--tier=iterations=100",
                         f"--tier=passes=fresh-version,exec:{sys.executable} wrong.py"])


if __name__ == "__main__":
    unittest.main()
