"""bisim: outcomes, exit statuses, inputs, maps, JSON, and that the line that it gives shows it again."""
import json
import signal
import subprocess
import unittest

from command_line import SOURIR, FINE, FOUND, INTERRUPTED, REJECTED, UNREADABLE, USAGE, CliTest

INCONCLUSIVE = 2
READS = "var x\nread x\nbranch (x == 3) a b\na:\nprint 1\nstop\nb:\nprint 2\nstop\n"
EXITS = """function main()
  var x
  read x
  call a = 'f(x)
  stop
function f(var x)
version fast
  assume [(x != 5)] else (f, base, L) [var x = 42]
  print x
  return nil
version base
>L:
  print x
  return nil
"""

# Its exit is right, and can be forced once.
RIGHT_EXIT = """function main()
  call a = 'f(1)
  stop
function f(var x)
version fast
>here:
  assume [(x != 5)] else (f, base, L) [var x = x]
  print x
  return nil
version base
>L:
  print x
  return nil
"""


class Bisim(CliTest):
    def setUp(self):
        super().setUp()
        self.write("a.sou", READS)
        self.write("b.sou", READS.replace("print 1", "print 7"))

    def bisim(self, status, *words, **more):
        return self.says(status, words=["bisim", *words], **more)

    def again(self, out):
        """The exit status and the output of the command at the end of the report."""
        command = out.split("again:\n", 1)[1].strip()
        done = subprocess.run(["sh", "-c", command.replace("sourir bisim", f"'{SOURIR}' bisim")],
                              cwd=self.folder, stdout=subprocess.PIPE, text=True, check=False)
        return done.returncode, done.stdout

    def test_outcomes(self):
        self.assertIn("equivalent on what was tried", self.bisim(FINE, "a.sou", "a.sou").out)
        done = self.bisim(FOUND, "a.sou", "b.sou")
        self.assertIn("B prints 7, A prints 1", done.out)
        self.write("c.sou", "goto L\nL: goto L\n")
        done = self.bisim(INCONCLUSIVE, "c.sou", "c.sou", "--fuel=1000")
        self.assertIn("--fuel N allows more", done.out)
        self.write("d.sou", "stop\n")
        for pair in (["c.sou", "d.sou"], ["d.sou", "c.sou"]):
            self.assertIn("again and again", self.bisim(FOUND, *pair, "--fuel=1000").out)

    def test_again(self):
        code, out = self.again(self.bisim(FOUND, "a.sou", "b.sou").out)
        self.assertEqual(code, FOUND)
        self.assertIn("B prints 7, A prints 1", out)
        self.write("exits file.sou", EXITS)
        code, out = self.again(self.bisim(FOUND, "exits file.sou", "--transparency").out)
        self.assertEqual(code, FOUND)
        self.assertIn("deoptimizing prints 42", out)

    def test_rebuilt_frames(self):
        self.write("e.sou", """function main()
version fast
  var x = 5
>go:
  assume [] else (main, base, start) [var x = x]
  print 1
  assume [] else (main, base, behind) [var x = 6]
  branch false $more $end
$more:
  print x
  stop
$end:
  stop
version base
  var x = 5
>start:
  print 1
>behind:
  branch false $more $end
$more:
  print x
  stop
$end:
  stop
""")
        out = self.bisim(FINE, "e.sou", "--transparency").out
        self.assertIn("worth a look", out)
        code, out = self.again(out)
        self.assertEqual(code, FINE)
        self.assertIn("rebuilds a state that the run which exited before does not pass", out)
        self.assertNotIn("worth", self.bisim(FINE, "e.sou", "--transparency", "--deopt=at:2").out)
        done = json.loads(self.bisim(FINE, "e.sou", "--transparency", "--json").out)
        self.assertEqual(done["remark"]["kind"], "transparency:states")

    def test_the_first_state_that_differs(self):
        """Long before the event, through a loop; dead variables and arrays do not count."""
        text = ("var x = 1\nvar dead = {dead}\narray a = [{dead}]\n{value}var i = 0\ngoto L\nL:\n"
                "branch (i < 5000) $b $d\n$b:\ni <- (i + 1)\ngoto L\n$d:\nprint x\nstop\n")
        self.write("a.sou", text.format(dead=1, value="x <- 2\n"))
        self.write("b.sou", text.format(dead=2, value="x <- 3\n"))
        found = json.loads(self.bisim(FOUND, "a.sou", "b.sou", "--json").out)["difference"]
        first = found["first_state"]
        self.assertEqual([first[side]["steps"] for side in ("input", "output")], [4, 4])
        self.assertEqual([first[side]["frames"][0]["values"]["x"] for side in ("input", "output")],
                         ["2", "3"])
        self.assertGreater(found["output"]["differs"]["steps"], 10_000)
        self.assertIn("the first state that differs:", self.bisim(FOUND, "a.sou", "b.sou").out)
        # In the step of the event itself it is nothing new.
        self.write("c.sou", "var x = 1\nprint x\nstop\n")
        self.write("d.sou", "var x = 2\nprint x\nstop\n")
        self.assertNotIn("first state", self.bisim(FOUND, "c.sou", "d.sou").out)

    def test_inputs(self):
        self.write("three", "3\n")
        self.write("four", "4\n")
        self.bisim(FOUND, "a.sou", "b.sou", "--input=three")
        self.bisim(FINE, "a.sou", "b.sou", "--input=four")
        self.bisim(FOUND, "a.sou", "b.sou", "--input=-", stdin="3\n")
        self.bisim(FINE, "a.sou", "b.sou", "--input=-", stdin="4\n")
        self.write("bad", "3\nabc\n")
        self.says(UNREADABLE, "line 2 is no literal: abc",
                  words=["bisim", "a.sou", "b.sou", "--input=bad"])
        self.says(UNREADABLE, "none", words=["bisim", "a.sou", "b.sou", "--input=none"])

    def test_usage(self):
        for words, message in (
                (["a.sou"], "which check?"),
                ([], "FILE is missing"),
                (["a.sou", "a.sou", "a.sou"], "too many"),
                (["a.sou", "b.sou", "--versions"], "look at one FILE"),
                (["a.sou", "--versions", "--transparency"], "two checks"),
                (["a.sou", "--versions", "--map=m"], "--map goes with two files"),
                (["-", "-"], "standard input"),
                (["a.sou", "--versions=g"], "no function 'g'"),
                (["a.sou", "b.sou", "--deopt=sometimes"], "no schedule 'sometimes'"),
                (["a.sou", "b.sou", "--deopt=enter:f.v"], "no version f.v"),
                (["a.sou", "b.sou", "--deopt=at:main.anon.L"], "no place main.anon.L"),
                (["a.sou", "b.sou", "--fuel=0"], "at least 1")):
            self.says(USAGE, message, words=["bisim", *words])
        self.says(UNREADABLE, "none.sou", words=["bisim", "a.sou", "none.sou"])
        self.write("bad.sou", "print y\n")
        self.says(REJECTED, "out-of-scope", words=["bisim", "a.sou", "bad.sou"])

    def test_one_program(self):
        self.write("e.sou", EXITS)
        self.write("other", "7\n")
        self.bisim(FINE, "e.sou", "--transparency", "--input=other", "--deopt=never")
        self.bisim(FOUND, "e.sou", "--transparency", "--input=other")
        done = self.bisim(FOUND, "e.sou", "--versions")
        self.assertIn("f.base", done.out)
        self.bisim(FOUND, "e.sou", "--versions=f")

    def test_generated_arguments_come_with_a_program(self):
        self.write("e.sou", EXITS.replace("var x\n  read x", "var x = 1"))
        report = self.bisim(FOUND, "e.sou", "--versions=f").out
        program = report[report.index("function main()"):]
        leave = report.split("with --deopt=")[1].split("\n")[0]
        self.write("this.sou", program)
        self.bisim(FOUND, "this.sou", "--versions", f"--deopt={leave}")

    def vacuous(self, why, *words):
        """The outcome of its own for a check that could not do what it was asked for."""
        done = self.bisim(INCONCLUSIVE, *words)
        self.assertIn("vacuous:", done.out)
        self.assertIn(f"not compared: {why}", done.out)
        answer = json.loads(self.bisim(INCONCLUSIVE, *words, "--json").out)
        self.assertEqual((answer["outcome"], answer["exit_code"]), ("vacuous", INCONCLUSIVE))
        self.assertTrue(any(one.startswith(why) for one in answer["unmet"]), answer["unmet"])

    def test_exits_that_do_not_exist(self):
        self.write("e.sou", RIGHT_EXIT)
        pair = ["e.sou", "e.sou"]
        self.bisim(FINE, *pair, "--deopt=at:1")
        self.vacuous("at:99: no run comes to so many exits that could be forced (the most: 1)",
                     *pair, "--deopt=at:99")
        self.vacuous("at:2: ", *pair, "--deopt=at:1,2")
        self.vacuous("pairs: no run comes to two exits", *pair, "--deopt=pairs")
        self.vacuous("every:7: no run comes to an exit", *pair, "--deopt=every:7")
        self.bisim(FINE, *pair, "--deopt=at:f.fast.here")
        self.vacuous("at:f.base.L: no exit could be forced there", *pair, "--deopt=at:f.base.L")
        self.bisim(FINE, *pair, "--deopt=enter:f.base")
        self.vacuous("enter:f.fast: no call enters another version", *pair, "--deopt=enter:f.fast")
        self.vacuous("enter:9:base: no call enters", *pair, "--deopt=enter:9:base")
        self.write("plain.sou", "print 1\nstop\n")
        for schedule in ("each", "always", "calls", "p:1:1"):
            self.vacuous(f"{schedule}: no run comes to an exit", "plain.sou", "plain.sou",
                         f"--deopt={schedule}")

    def test_checks_of_one_program_that_have_nothing_to_compare(self):
        self.write("plain.sou", "print 1\nstop\n")
        self.vacuous("each: no run comes to an exit", "plain.sou", "--transparency")
        self.vacuous("no function has several versions", "plain.sou", "--versions")
        self.write("e.sou", RIGHT_EXIT)
        self.bisim(FINE, "e.sou", "--versions")
        self.bisim(FINE, "e.sou", "--versions=f")
        self.vacuous("function main has one version", "e.sou", "--versions=main")
        self.write("never.sou", RIGHT_EXIT.replace("version base", """version third when [(x is fun), (x is int)]
  print x
  return nil
version base"""))
        self.vacuous("f.third: no call that came to an end was compared with it", "never.sou",
                     "--versions")
        self.write("failing.sou", RIGHT_EXIT.replace("x != 5", "x == 5"))
        self.vacuous("each: no run comes to an exit", "failing.sou", "--transparency")

    def test_several_schedules_are_all_tried(self):
        self.write("e.sou", EXITS)
        self.write("other", "7\n")
        for schedules in (["always", "never"], ["never", "always"]):
            self.bisim(FOUND, "e.sou", "e.sou", "--input=other",
                       *[f"--deopt={one}" for one in schedules])
        self.says(USAGE, "--deopt is given twice, as 'always' and as 'never'",
                  words=["run", "e.sou", "--deopt=always", "--deopt=never"])

    def test_a_map_that_says_nothing(self):
        self.write("x.sou", "var x = 1\nprint x\nx <- 2\nprint x\n")
        same = {"function": "main", "version": "anon"}
        head = {"format": "sourir-state-map", "version": 2}
        self.write("m.json", json.dumps({**head, "versions": [
            {**same, "identity": None, "states": [], "call_sites": []}]}))
        self.vacuous("--map: no state that can be compared at main.anon: the map has no state of it",
                     "x.sou", "x.sou", "--map=m.json")
        unknown = [{"at": at, "exit": {"frame": {"target": f"main.anon+{at}", "varmap": [],
                                                 "unknown": ["x"]}}} for at in (1, 3)]
        self.write("m.json", json.dumps({**head, "versions": [
            {**same, "identity": same, "states": unknown, "call_sites": []}]}))
        self.vacuous("--map: no state that can be compared at main.anon+1: print x",
                     "x.sou", "x.sou", "--map=m.json")
        self.write("m.json", json.dumps({**head, "versions": []}))
        self.vacuous("map:at:99999: no run comes to a position there that the map has",
                     "x.sou", "x.sou", "--map=m.json", "--deopt=map:at:99999")

    def test_map(self):
        self.write("two.sou", "function main()\n  var x = 1\n  var y = x\n  print y\n  print x\n  stop\n")
        done = self.says(FINE, words=["opt", "two.sou", "--pass=copyprop", "-o", "three.sou",
                                      "--state-map=m.json"])
        self.assertEqual(done.out, "")
        done = self.bisim(FINE, "two.sou", "three.sou", "--map=m.json")
        self.assertRegex(done.out, r"[1-9]\d* states")
        text = (self.folder / "m.json").read_text()
        self.write("m.json", text.replace('"version": 2', '"version": 9', 1))
        self.says(REJECTED, "is no state map", words=["bisim", "two.sou", "three.sou", "--map=m.json"])
        self.write("m.json", "{}")
        self.says(REJECTED, 'key "format" is missing; the document: the key "version"',
                  words=["bisim", "two.sou", "three.sou", "--map=m.json"])
        self.says(UNREADABLE, "none", words=["bisim", "two.sou", "three.sou", "--map=none"])

    def test_a_wrong_map(self):
        self.write("x.sou", "var x = 1\nprint x\nx <- 2\nprint x\n")
        same = {"function": "main", "version": "anon"}
        for value, status in (("1", FINE), ("5", FOUND)):
            state = {"at": 1, "exit": {"frame": {"target": "main.anon+1", "varmap": [
                {"name": "x", "value": {"int": value}}]}}}
            self.write("m.json", json.dumps({
                "format": "sourir-state-map", "version": 2,
                "versions": [{**same, "identity": same, "states": [state], "call_sites": []}]}))
            done = self.bisim(status, "x.sou", "x.sou", "--map=m.json", "--json")
        difference = json.loads(done.out)["difference"]
        self.assertEqual(difference["oracle"], "states")
        self.assertEqual(difference["states"]["left"]["values"][1],
                         {"name": "main.anon+1: x", "value": "5"})
        self.assertEqual(difference["states"]["right"]["values"][1]["value"], "1")

    def test_exits_through_the_map(self):
        # States are compared up to 2,000 elements; going on in A shows what is behind.
        self.write("x.sou", "array a[3000]\na[2500] <- 1\nprint 0\nprint a[2500]\n")
        same = {"function": "main", "version": "anon"}
        state = {"at": 3, "exit": {
            "frame": {"target": "main.anon+3", "varmap": [{"name": "a", "value": {"var": "b"}}]},
            "with": [{"instr": {"op": "array", "name": "b", "length": {"int": "3000"}}}]}}
        self.write("m.json", json.dumps({
            "format": "sourir-state-map", "version": 2,
            "versions": [{**same, "identity": same, "states": [state], "call_sites": []}]}))
        words = ["x.sou", "x.sou", "--map=m.json"]
        for leave in ("never", "map:at:1,2,3"):
            self.bisim(FINE, *words, "--deopt=" + leave)
        self.vacuous("map:p:0:1: no run comes to", *words, "--deopt=map:p:0:1")
        for more in ([], ["--deopt=map:each"], ["--deopt=map:at:main.anon+3"], ["--deopt=map:every:4"]):
            out = self.bisim(FOUND, *words, *more).out
            self.assertIn("A prints nil from the state that the map gives; its own run prints 1", out)
            self.assertIn("with --deopt=map:at:4", out)
            status, shown = self.again(out)
            self.assertEqual((status, "prints nil" in shown), (FOUND, True))
        for command in (["bisim", "x.sou", "x.sou"], ["bisim", "x.sou", "--versions"],
                        ["run", "x.sou"], ["step", "x.sou", "--script=m.json"]):
            self.says(USAGE, "state map", words=[*command, "--deopt=map:each"])

    def test_json(self):
        done = json.loads(self.bisim(FINE, "a.sou", "a.sou", "--json").out)
        self.assertEqual((done["outcome"], done["exit_code"]), ("equivalent", 0))
        self.assertGreater(done["tried"]["events"], 0)
        done = json.loads(self.bisim(FOUND, "a.sou", "b.sou", "--json").out)
        difference = done["difference"]
        self.assertEqual(difference["kind"], "events:print/print")
        self.assertEqual(difference["input"]["differs"]["does"], "prints 1")
        self.assertEqual(difference["output"]["differs"]["rule"], "Print")
        marked = [line["text"].strip() for version in difference["output"]["code"]
                  for line in version["lines"] if line["here"]]
        self.assertEqual(marked, ["print 7"])

    def test_interrupt(self):
        self.write("long.sou", "var x = 1\ngoto L\nL: x <- (x + 1)\ngoto L\n")
        process = subprocess.Popen([SOURIR, "bisim", "long.sou", "long.sou", "--fuel=900000000"],
                                   cwd=self.folder, stdout=subprocess.PIPE, text=True)
        try:
            process.wait(0.3)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertIn("compared", out)


if __name__ == "__main__":
    unittest.main()
