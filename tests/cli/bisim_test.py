"""bisim: outcomes, exit statuses, inputs, maps, JSON, and that the line that it gives shows it again."""
import json
import signal
import subprocess
import unittest

from command_line import SOURIR, FINE, FOUND, INTERRUPTED, REJECTED, ROOT, UNREADABLE, USAGE, CliTest

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
        self.bisim(FINE, "e.sou", "--versions=main")

    def test_generated_arguments_come_with_a_program(self):
        self.write("e.sou", EXITS.replace("var x\n  read x", "var x = 1"))
        report = self.bisim(FOUND, "e.sou", "--versions=f").out
        program = report[report.index("function main()"):]
        leave = report.split("with --deopt=")[1].split("\n")[0]
        self.write("this.sou", program)
        self.bisim(FOUND, "this.sou", "--versions", f"--deopt={leave}")

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
        for leave in ("never", "map:at:1,2,3", "map:p:0:1"):
            self.bisim(FINE, *words, "--deopt=" + leave)
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
