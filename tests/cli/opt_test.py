"""opt: what a file test cannot say. Files, JSON, passes of others, Ctrl-C."""
import json
import os
import signal
import unittest

from command_line import (FINE, FOUND, INTERRUPTED, REJECTED, ROOT, STUCK, UNREADABLE, UNWRITABLE, USAGE,
                          CliTest)

DEAD = "branch true a b\na:\nprint 1\nstop\nb:\nprint 2\nstop\n"
LIVE = "  goto a\na:\n  print 1\n  stop\n"
EXAMPLE = f"exec:python3 '{ROOT}/examples/passes/constant_condition.py'"


class Opt(CliTest):
    def setUp(self):
        super().setUp()
        self.write("x.sou", DEAD)

    def passes(self):
        return json.loads(self.says(FINE, words=["opt", "--list-passes", "--json"]).out)

    def test_output(self):
        self.assertEqual(self.says(FINE, words=["opt", "x.sou", "--pass=unreachable"]).out, LIVE)
        self.assertEqual(
            self.says(FINE, words=["opt", "-", "--pass=unreachable"], stdin=DEAD).out, LIVE)
        done = self.says(FINE, words=["opt", "x.sou", "--pass=unreachable", "-o", "y.sou"])
        self.assertEqual((done.out, done.err), ("", ""))
        self.assertEqual((self.folder / "y.sou").read_text(), LIVE)
        self.says(FINE, words=["opt", "x.sou", "--pass=unreachable", "-o", "y.sou.json"])
        self.assertEqual(self.sourir("opt", "y.sou.json", "--pass=unreachable").out, LIVE)
        self.says(UNWRITABLE, "none/y", words=["opt", "x.sou", "--pass=unreachable", "-o", "none/y"])
        self.says(UNREADABLE, words=["opt", "none.sou", "--pass=unreachable"])

    def test_in_place(self):
        self.says(FINE, words=["opt", "x.sou", "--pass=unreachable", "-o", "x.sou"])
        self.assertEqual((self.folder / "x.sou").read_text(), LIVE)

    def test_each_listed_pass(self):
        listed = self.says(FINE, words=["opt", "--list-passes"]).out
        passes = self.passes()
        names = [p["name"] for p in passes["passes"]]
        self.assertEqual(names, sorted(names))
        for row in passes["passes"]:
            self.assertIn(f"\n{row['name']}\n", "\n" + listed)
            self.assertIn(row["name"], row["example"])
            self.says(FINE, words=["opt", "x.sou", "--pass", row["example"]])
            for option in row["options"]:
                self.assertIn(f":{option['name']}", listed)
        for preset in passes["presets"]:
            self.assertIn(preset["pipeline"], listed)
            self.assertEqual(self.sourir("opt", "x.sou", "--pass", preset["name"]).out,
                             self.sourir("opt", "x.sou", "--pass", preset["pipeline"]).out)

    def test_options_are_checked(self):
        for row in self.passes()["passes"]:
            for option in row["options"]:
                given = f"--pass={row['name']}:{option['name']}"
                wrong = {"N": "=many", "": "=maybe"}.get(option["value"], "=")
                self.says(USAGE, option["name"] if wrong != "=many" else "whole number",
                          words=["opt", "x.sou", given + wrong])

    def test_several_flags_are_one_pipeline(self):
        done = self.says(FINE, words=["opt", "x.sou", "--pass=unreachable", "--pass=fix(unreachable)",
                                      "--stats=json"])
        self.assertEqual(json.loads(done.err)["passes"][0]["runs"], 2)

    def test_json(self):
        done = self.says(FINE, words=["opt", "x.sou", "--pass=unreachable", "--json", "-o", "y.sou"])
        report = json.loads(done.out)
        self.assertEqual((report["format"], report["before"]["instructions"],
                          report["after"]["instructions"]), ("optimization", 5, 3))
        self.write("z.sou.json", json.dumps(report["program"]))
        self.assertEqual(self.sourir("fmt", "z.sou.json").out, LIVE)
        self.assertEqual((self.folder / "y.sou").read_text(), LIVE)

    def test_state_map(self):
        self.says(FINE, words=["opt", "x.sou", "--pass=unreachable,unreachable", "--state-map",
                               "m.json", "-o", "y.sou"])
        (version,) = json.loads((self.folder / "m.json").read_text())["versions"]
        targets = [s["exit"]["frame"]["target"] for s in version["states"]]
        self.assertEqual(targets[:3], ["main.anon+0", "main.anon+1", "main.anon+2"])
        self.says(UNWRITABLE, words=["opt", "x.sou", "--pass=unreachable", "--state-map", "none/m"])

    def test_time(self):
        done = self.says(FINE, "unreachable", "in all",
                         words=["opt", "x.sou", "--pass=unreachable", "--time-passes"])
        self.assertRegex(done.err, r"(?m)^ +\d+\.\d{3} +\d+\.\d  unreachable +1$")
        self.assertNotIn("state map", done.err)
        self.says(FINE, "in all", "to compose the state map",
                  words=["opt", "x.sou", "--pass=unreachable", "--time-passes", "--state-map=m"])

    def test_remarks(self):
        """Why a predicate that is wanted is not tested."""
        self.write("r.sou", "function main()\n  call r = 'f(1)\n  stop\nfunction f(var x)\nversion opt\n"
                   "  guard_hint (x == 0)\n  anchor else (f, base, L) [var x = x]\n"
                   "  branch (x is nil) $a $b\n$a:\n  guard_hint (x is int)\n  return 1\n$b:\n"
                   "  read x\n  guard_hint (x is int)\n  return x\nversion base\n>L:\n  return x\n")
        done = self.sourir("opt", "r.sou", "--pass=speculate", "--remarks")
        self.assertEqual(done.returncode, FINE, done.err)
        for line in ("speculate: (x == 0) at f.opt+0: control passes no exit before",
                     "speculate: (x is int) at f.opt+3: it cannot hold there",
                     "speculate: (x is int) at f.opt+6: it changes after the last exit before"):
            self.assertIn(line, done.err)
        self.assertNotIn("remark", self.sourir("opt", "r.sou", "--pass=speculate", "--stats").err)

    def test_feedback(self):
        form = {"format": "sourir-feedback", "version": 1}
        at = "main.anon+0"
        for more, status, message in (
                ({"branches": [{"at": at, "taken": 2**63, "not_taken": 0}]}, FINE, ""),
                ({"branches": [{"at": "main.anon.a", "taken": 1, "not_taken": 0}]}, USAGE,
                 "at main.anon.a stands no branch"),
                ({"branches": [{"at": at, "taken": -1, "not_taken": 0}]}, REJECTED,
                 "/branches/0/taken: expected a number"),
                ({"predicates": [{"at": at, "predicate": "x =="}]}, REJECTED,
                 "/predicates/0/predicate: expected an expression"),
                ({"predicates": [{"at": at, "predicate": "x == 1"}]}, USAGE,
                 "x is not in scope at main.anon+0"),
                ({"predicates": [{"at": "main.anon.c", "predicate": "true"}]}, USAGE,
                 "no place main.anon.c")):
            self.write("f.json", json.dumps({**form, **more}))
            self.says(status, message,
                      words=["opt", "x.sou", "--pass=unreachable", "--feedback", "f.json"])
        self.write("f.json", "[")
        self.says(REJECTED, "not JSON",
                  words=["opt", "x.sou", "--pass=unreachable", "--feedback", "f.json"])
        self.says(UNREADABLE, "No such file",
                  words=["opt", "x.sou", "--pass=unreachable", "--feedback", "none.json"])


class Exec(CliTest):
    def test_the_example(self):
        self.write("x.sou", "branch (3 < 2) a b\na:\nprint 1\nstop\nb:\nprint 2\nstop\n")
        done = self.says(FINE, words=["opt", "x.sou", "--state-map", "m.json",
                                      f"--pass={EXAMPLE},unreachable"])
        self.assertEqual(done.out, "  goto b\nb:\n  print 2\n  stop\n")
        (version,) = json.loads((self.folder / "m.json").read_text())["versions"]
        self.assertEqual([s["exit"]["frame"]["target"] for s in version["states"]][:3],
                         ["main.anon+0", "main.anon+3", "main.anon+4"])

    def test_places_of_assumptions_are_of_the_program_as_given(self):
        self.write("x.sou", "call r = 'f(3)\nprint r\nfunction f(var x)\nversion v\n  var y = 1\n"
                   "  goto Loop\nLoop:\n  branch (x != nil) $A $B\n$A:\n  return (x + y)\n$B:\n  return y\n")
        words = ["opt", "x.sou", "--pass=fresh-version:name=opt,checkpoints,speculate"]
        done = self.says(FINE, words=[*words, "--assume=f.v.Loop: x != nil"])
        self.assertIn("version opt\n  assume [(x != nil)] else (f, v, L0)", done.out)
        done = self.sourir(*words, "--assume=f.opt.Loop: x != nil")
        self.assertNotEqual(done.returncode, FINE)
        self.assertIn("the program has no place f.opt.Loop", done.err)
        self.assertIn("place of the program as it was given",
                      " ".join(self.sourir("opt", "--help").out.split()))

    def test_the_example_leaves_frozen_versions_alone(self):
        text = ("function main()\n  call x = 'f()\n  print x\n  stop\nfunction f()\nversion fast\n"
                "L:\n  assume [] else f.slow.L []\n  branch (1 == 1) $a $b\n$a:\n  return 1\n$b:\n"
                "  return 2\nversion slow\nL:\n  branch (1 != 1) $a $b\n$a:\n  return 2\n$b:\n"
                "  return 1\n")
        self.write("x.sou", text)
        done = self.says(FINE, words=["opt", "x.sou", f"--pass={EXAMPLE}"])
        fast, slow = done.out.split("version slow")
        self.assertIn("goto a", fast)
        self.assertIn("branch (1 != 1)", slow)

    def test_a_pass_without_a_map(self):
        self.write("x.sou", DEAD)
        self.write("pass.py", "import json, sys\np = json.load(sys.stdin)\n"
                   "p['functions'][0]['versions'][0]['body'][1]['instr']['value'] = {'int': '7'}\n"
                   "json.dump({'program': p}, sys.stdout)\n")
        done = self.says(FINE, words=["opt", "x.sou", "--pass=exec:python3 pass.py,unreachable",
                                      "--state-map=m.json"])
        self.assertIn("print 7", done.out)
        (version,) = json.loads((self.folder / "m.json").read_text())["versions"]
        self.assertFalse([s for s in version["states"] if s["exit"] is not None])

    def test_large_programs_go_through_the_pipes(self):
        text = "".join(f"var x{i} = {i}\ndrop x{i}\n" for i in range(20000)) + "print 1\n"
        self.write("x.sou", text)
        self.write("pass.py", "import sys\ntext = sys.stdin.read()\n"
                   "print('{\"program\":' + text + '}')\n")
        done = self.says(FINE, words=["opt", "x.sou", "--pass=exec:python3 pass.py"])
        self.assertEqual(done.out, self.sourir("fmt", "x.sou").out)
        self.says(REJECTED, words=["opt", "x.sou", "--pass=exec:exec <&-; echo 1"])

    def test_interrupt(self):
        self.write("x.sou", DEAD)
        process = self.start("opt", "x.sou", "--pass=unreachable,exec:echo $$ >pid; exec sleep 1000")
        while not (self.folder / "pid").exists() or not (self.folder / "pid").read_text():
            pass
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), INTERRUPTED)
        with self.assertRaises(ProcessLookupError):
            os.kill(int((self.folder / "pid").read_text()), 0)


class Verify(CliTest):
    READS = "var x\nread x\nbranch (x != 4) a b\na:\nprint 1\nstop\nb:\nprint 2\nstop\n"
    # It prints 7 for the first thing that is printed.
    WRONG = ("import json, sys\np = json.load(sys.stdin)\nfor s in p['functions'][0]['versions']"
             "[0]['body']:\n if s['instr']['op'] == 'print':\n  s['instr']['value'] = {'int': '7'}\n"
             "  break\njson.dump({'program': p}, sys.stdout)\n")

    def setUp(self):
        super().setUp()
        self.write("x.sou", self.READS)
        self.write("pass.py", self.WRONG)

    def test_a_wrong_pass(self):
        done = self.says(FOUND, "the pass exec:python3 pass.py changes", "prints 7, the input prints 1",
                         words=["opt", "x.sou", "--pass=unreachable,exec:python3 pass.py",
                                "--verify-each", "-o", "y.sou"])
        self.assertEqual(done.out, "")
        self.assertFalse((self.folder / "y.sou").exists())
        self.assertIn("again:\n  sourir opt x.sou '--pass=unreachable,exec:python3 pass.py' "
                      "--verify-each --opt-bisect-limit=1\n", done.err)
        done = self.says(FOUND, words=["opt", "x.sou", "--pass=exec:python3 pass.py", "--verify-each",
                                       "--stats=json"])
        found = json.loads(done.err[done.err.index("{\n"):])["verified"]["difference"]
        self.assertEqual((found["oracle"], found["pass"]), ("events", "exec:python3 pass.py"))
        self.says(FINE, words=["opt", "x.sou", "--pass=exec:python3 pass.py"])

    def test_inputs(self):
        flags = ["opt", "x.sou", "--pass=exec:python3 pass.py", "--verify-each", "--input", "in"]
        self.write("in", "4\n")
        self.says(2, "vacuous: exec:python3 pass.py: its state map gives no state",
                  "main.anon: the map has no state of it", words=flags)
        self.write("in", "3\r\n")
        self.says(FOUND, "prints 7", words=flags)
        self.write("in", "3\nabc\n")
        self.says(UNREADABLE, "line 2 is no literal: abc", words=flags)
        self.says(UNREADABLE, "No such file", words=[*flags[:-1], "none"])
        self.says(USAGE, "goes with --verify-each",
                  words=["opt", "x.sou", "--pass=unreachable", "--input=in"])

    def test_arguments_that_the_program_does_not_have(self):
        self.write("x.sou", "function main()\n  call a = 'f(1)\n  print a\n  stop\n"
                   "function f(var x)\n  var y = (x + 0)\n  return y\n")
        self.write("pass.py", "import json, sys\np = json.load(sys.stdin)\n"
                   "for f in p['functions']:\n for s in f['versions'][0]['body']:\n"
                   "  if s['instr']['op'] == 'var': s['instr']['value'] = {'var': 'x'}\n"
                   "json.dump({'program': p}, sys.stdout)\n")
        done = self.says(FOUND, "is stuck: wrong-type", "with this main instead of its own",
                         words=["opt", "x.sou", "--pass=exec:python3 pass.py", "--verify-each"])
        self.assertIn("call result = 'f(", done.err)

    def test_a_wrong_map(self):
        self.write("x.sou", "var x = 1\nprint x\nx <- 2\nprint x\n")
        same = {"function": "main", "version": "anon"}
        for value, status in (("1", FINE), ("5", FOUND)):
            state = {"at": 1, "exit": {"frame": {"target": "main.anon+1", "varmap": [
                {"name": "x", "value": {"int": value}}]}}}
            state_map = {"format": "sourir-state-map", "version": 2, "versions": [
                {**same, "identity": same, "states": [state], "call_sites": []}]}
            self.write("pass.py", "import json, sys\np = json.load(sys.stdin)\n"
                       "p['functions'][0]['versions'][0]['body'][1]['instr']['value'] = {'int': '1'}\n"
                       f"json.dump({{'program': p, 'state_map': {state_map!r}}}, sys.stdout)\n")
            self.says(status, words=["opt", "x.sou", "--pass=exec:python3 pass.py", "--verify-each"])

    def test_inconclusive(self):
        self.write("x.sou", "branch true a b\na:\ngoto a\nb:\nstop\n")
        done = self.says(2, "--fuel N allows more", words=["opt", "x.sou", "--pass=unreachable",
                                                           "--verify-each", "--fuel=100"])
        self.assertIn("goto a", done.out)

    def test_too_little_fuel_is_said_once(self):
        self.write("x.sou", "var i = 0\nvar j = (1 + 1)\nL:\n  branch (i < 9999) M E\nM:\n  i <- (i + 1)\n"
                   "  goto L\nE:\n  print (j + 1)\n  stop\n")
        done = self.says(2, words=["opt", "x.sou", "--pass=constprop,dce", "--verify-each", "--fuel=99"])
        self.assertIn("inconclusive: the input reaches a limit: fuel (--fuel N allows more steps), at "
                      "2 changes: constprop, dce\nverified: 2 changes, ", done.err)
        self.assertEqual(done.err.count("inconclusive: "), 1)

    def test_a_passed_check_says_what_it_compared(self):
        self.write("x.sou", "var a = (1 + 1)\nprint (a + 1)\nprint (2 / a)\n")
        words = ["opt", "x.sou", "--verify-each"]
        done = self.says(FINE, words=[*words, "--pass=constprop"])
        self.assertRegex(done.err, r"^verified: 1 change, [1-9]\d* runs of [1-9]\d* steps, [1-9]\d* states "
                                   r"compared, .*, 0 inconclusive\n$")
        self.assertEqual(self.says(FINE, words=[*words, "--pass=unreachable"]).err,
                         "verified: nothing, as no pass changed the program\n")
        self.assertEqual(self.says(FINE, words=["opt", "x.sou", "--pass=constprop"]).err, "")

    def test_statistics(self):
        done = self.says(FINE, words=["opt", "x.sou", "--pass=simplify,unreachable", "--verify-each",
                                      "--stats=json"])
        self.assertIn("not_mapped", json.loads(done.err)["verified"])


class RunOptimized(CliTest):
    def test_same_behaviour(self):
        self.write("x.sou", DEAD)
        self.assertEqual(self.says(FINE, words=["run", "x.sou", "--pass=unreachable"]).out, "1\n")

    def test_messages_speak_of_the_optimized_program(self):
        self.write("x.sou", "branch true a b\nb:\nprint 2\nstop\na:\nvar x = 0\nprint (1 / x)\n")
        done = self.says(STUCK, "x.sou (optimized):4:3", "4 |   print (1 / x)",
                         words=["run", "x.sou", "--pass=unreachable"])
        self.assertEqual(done.out, "")

    def test_usage(self):
        self.write("x.sou", DEAD)
        self.says(USAGE, "did you mean unreachable", words=["run", "x.sou", "--pass=unreachabl"])
        self.says(REJECTED, "exited with 1", words=["run", "x.sou", "--pass=exec:false"])


if __name__ == "__main__":
    unittest.main()
