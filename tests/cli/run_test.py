"""run: its outcome in every form, and everything that can happen to it from outside."""
import json
import os
import resource
import signal
import subprocess
import time
import unittest

from command_line import (FINE, INTERRUPTED, LIMIT, LOOP, NOBODY_READS, READS, REJECTED, ROOT, SPAM,
                          STUCK, UNREADABLE, UNWRITABLE, CliTest)

DEOPTS = """\
call x = 'f(nil)
print x
var r
read r
print r
stop x
function f(var x)
version fast
  assume [(x is int)] else (g, base, L) [var a = a, var s = "s"], (f, base, M) [var y = $, var a = a] with {
    array a = [x, 1.5]
  }
  return x
version base
  drop x
  array a = [nil, 1.5]
  call y = 'g(a, "s") M
  return y
function g(var a, var s)
version base
>L:
  a[0] <- s
  drop s
  branch (1 == 2) $X $Y
$X:
  return nil
$Y:
  return a
"""


class Outcomes(CliTest):
    def outcomes(self, text, *flags, stdin=""):
        """(exit status, the last line of --result=json, --report, the lines of the trace)"""
        self.write("x.sou", text)
        (self.folder / "trace").unlink(missing_ok=True)
        done = self.sourir("run", "x.sou", "--result=json", "--report", "report.json",
                           "--trace=json", "--trace-file", "trace", *flags, stdin=stdin)
        report = json.loads((self.folder / "report.json").read_text())
        trace = []
        if (self.folder / "trace").exists():
            trace = [json.loads(line) for line in open(self.folder / "trace")]
        return done.returncode, json.loads(done.out.split("\n")[-2]), report, trace

    def test_forms_agree(self):
        for text, status, outcome in (
                (DEOPTS, 0, "stop"), ("stop 300\n", 44, "stop"), ("stop true\n", 1, "stop"),
                ("print (1 / 0)\n", STUCK, "stuck"), (LOOP, LIMIT, "limit"),
                ("goto Nowhere\n", REJECTED, "rejected")):
            code, line, report, trace = self.outcomes(text, "--fuel=100", stdin='"in"\n')
            self.assertEqual((code, line["outcome"], line["exit_code"]), (status, outcome, status))
            report.pop("statistics", None)
            self.assertEqual(line, report)
            if trace:
                self.assertEqual(trace[-1], line)
                self.assertEqual(trace[0]["format"], "trace")
                self.assertEqual([s["step"] for s in trace[1:-1]], list(range(1, len(trace) - 1)))

    def test_json(self):
        self.write("x.sou", "goto Nowhere\n")
        outcome = json.loads(self.says(REJECTED, words=["run", "--json", "x.sou"]).out)
        self.assertEqual([d["code"] for d in outcome["diagnostics"]], ["unknown-label"])
        self.write("x.sou", "print 1\nprint (1 / 0)\n")
        self.assertEqual(self.sourir("run", "--json", "x.sou").out,
                         self.sourir("run", "--result=json", "x.sou").out)

    def test_values(self):
        for text, value in (("nil", {"nil": None}), ("true", {"bool": True}),
                            ("9223372036854775807", {"int": "9223372036854775807"}),
                            ("0.1", {"float": "0.1"}), ('"a\\n"', {"string": "a\n"}),
                            ("'main", {"fun": "main"})):
            self.assertEqual(self.outcomes(f"stop {text}\n")[1]["value"], value)
        array = self.outcomes('array a = [1, "x", nil]\nstop a\n')
        self.assertEqual(array[1]["value"], {"array": '[1, "x", nil]'})

    def test_stuck_report(self):
        report = self.outcomes("call x = 'f(0)\nfunction f(var n)\nL: return (1 / n)\n")[2]
        self.assertEqual(report["reason"], "division-by-zero")
        self.assertEqual((report["place"], report["line"], report["column"]), ("f.anon.L", 3, 4))
        self.assertEqual(report["frames"][0]["values"], {"n": {"int": "0"}})
        self.assertEqual((report["frames"][1]["line"], report["depth"]), (1, 2))
        self.assertEqual(report["statistics"]["steps"], 1)

    def test_schemas(self):
        try:
            from jsonschema import Draft202012Validator, RefResolver
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        schemas = {name: json.loads((ROOT / "docs/schemas" / name).read_text())
                   for name in ("outcome.schema.json", "trace.schema.json", "diagnostics.schema.json")}
        def validator(name):
            resolver = RefResolver.from_schema(schemas[name], store=schemas)
            return Draft202012Validator(schemas[name], resolver=resolver)
        for text, flags in ((DEOPTS, []), (DEOPTS, ["--deopt=always"]), ("stop 3\n", []),
                            ("print (1 / 0)\n", []), (LOOP, ["--fuel=100"]),
                            ("goto Nowhere\n", []), ("array a[9]\n", ["--max-array=1"])):
            _, line, report, trace = self.outcomes(text, *flags, stdin='"in"\n')
            for instance in (line, report):
                validator("outcome.schema.json").validate(instance)
            for step in trace:
                validator("trace.schema.json").validate(step)

    def test_statistics(self):
        self.write("x.sou", DEOPTS)
        steps = ["run", "x.sou", "--engine=reference"]
        done = self.sourir(*steps, "--stats", stdin="1\n")
        self.assertRegex(done.err, r"(?m)^steps +12$")
        self.assertRegex(done.err, r"(?m)^  AssumeDeopt +1$")
        for words in (steps, steps[:2]):
            done = self.sourir(*words, "--stats=json", stdin="1\n")
            self.assertEqual(json.loads(done.err)["deoptimizations"], 1)


class Outside(CliTest):
    def test_prints_arrive_before_waiting(self):
        self.write("x.sou", "print 1\n" + READS)
        process = self.start("run", "x.sou", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), b"1\n")
        process.stdin.write(b"5\n")
        process.stdin.flush()
        self.assertEqual(process.stdout.readline(), b"5\n")
        process.stdin.close()
        self.assertEqual(process.wait(60), STUCK)
        process.stdout.close()

    def test_prints_come_before_the_message(self):
        self.write("x.sou", "print 1\nprint (1 / 0)\n")
        process = self.start("run", "x.sou", stdout=subprocess.PIPE)
        process.stderr.close()
        process = subprocess.Popen([os.environ["SOURIR"], "run", "x.sou"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertTrue(process.communicate(timeout=60)[0].startswith(b"1\nerror["))

    def test_reader_has_gone(self):
        self.write("x.sou", SPAM)
        process = self.start("run", "x.sou", "--report", "r", stdout=subprocess.PIPE)
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.wait(60), NOBODY_READS)
        self.assertEqual(process.stderr.read(), b"")
        self.assertEqual(json.loads((self.folder / "r").read_text())["outcome"], "interrupted")

    def test_closed_standard_files(self):
        self.write("x.sou", READS)
        run = f"{os.environ['SOURIR']} run x.sou"
        for redirection, status in (("<&-", UNREADABLE), (">&-", UNWRITABLE), ("2>&-", FINE),
                                    (">&- 2>&-", UNWRITABLE), ("<&- >&- 2>&-", UNWRITABLE)):
            done = subprocess.run(f"{run} --trace-file t {redirection}", cwd=self.folder,
                                  shell=True, input=b"1\n2\n", capture_output=True, timeout=60)
            # Without input there is nothing to print: what fails first decides.
            if redirection.startswith("<&- >&-"):
                status = UNREADABLE
            self.assertEqual(done.returncode, status, redirection)

    def test_disk_full(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        self.write("x.sou", SPAM)
        with open("/dev/full", "wb") as full:
            process = self.start("run", "x.sou", stdout=full)
            self.assertEqual(process.wait(60), UNWRITABLE)
            self.assertIn(b"No space left", process.stderr.read())

    def test_interrupt(self):
        for text, stdin in ((LOOP, subprocess.DEVNULL), (SPAM, subprocess.DEVNULL),
                            (READS, subprocess.PIPE)):
            self.write("x.sou", "print 1\n" + text)
            with open(self.folder / "out", "wb") as out:
                process = self.start("run", "x.sou", "--engine=reference", "--report", "r",
                                     "--result=json", stdin=stdin, stdout=out)
                time.sleep(0.3)
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(60), INTERRUPTED, text)
            if process.stdin:
                process.stdin.close()
            self.assertIn(b"error[interrupted]", process.stderr.read())
            report = json.loads((self.folder / "r").read_text())
            self.assertEqual(report["outcome"], "interrupted")
            last = (self.folder / "out").read_bytes().split(b"\n")[-2]
            self.assertEqual(json.loads(last)["outcome"], "interrupted")

    def test_no_memory(self):
        if "AddressSanitizer" in str(os.environ.get("ASAN_OPTIONS")) or self.sanitized():
            self.skipTest("sanitizers need the address space")
        most = 1 << 29
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most))
        for text in ("Loop:\n  array a[1000000]\n  drop a\n  goto Loop\n",
                     "call x = 'f()\nfunction f()\n  call x = 'f()\n  return x\n"):
            self.write("x.sou", text)
            done = self.says(LIMIT, "no more memory", words=["run", "x.sou", "--report", "r",
                             "--engine=reference", "--max-depth=1000000000"], preexec_fn=limit)
            self.assertEqual(json.loads((self.folder / "r").read_text())["exit_code"], LIMIT)
            self.assertNotIn("terminate", done.err)

    def sanitized(self):
        return b"__asan_init" in open(os.environ["SOURIR"], "rb").read()

    def test_deep_stack(self):
        self.write("x.sou", "call x = 'f(1000000)\nprint x\nfunction f(var n)\n"
                            "  branch (n == 0) $A $B\n$A:\n  return 0\n$B:\n"
                            "  call x = 'f((n - 1))\n  x <- (x + 1)\n  return x\n")
        self.assertEqual(self.says(FINE, words=["run", "x.sou"]).out, "1000000\n")
        # Code in which calls are inlined needs fewer frames: the engine is one without.
        done = self.says(LIMIT, "... 999981 more", words=["run", "x.sou", "--max-depth=1000000",
                                                          "--engine=baseline"])
        self.assertLess(len(done.err), 5000)

    def test_colour(self):
        self.write("x.sou", "goto Nowhere\n")
        plain = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
        for flags, env, coloured in (([], plain, False), (["--color=always"], plain, True),
                                     (["--color=never"], plain, False),
                                     (["--color=always"], dict(plain, NO_COLOR="1"), True)):
            done = self.says(REJECTED, words=["run", "x.sou", *flags], env=env)
            self.assertEqual("\033[" in done.err, coloured)
        for env, coloured in ((dict(plain, TERM="xterm"), True), (dict(plain, TERM="dumb"), False),
                              (dict(plain, TERM="xterm", NO_COLOR="1"), False),
                              (dict(plain, TERM="xterm", NO_COLOR=""), True)):
            self.assertEqual(b"\033[" in self.on_terminal("run", "x.sou", env=env), coloured)

    def on_terminal(self, *words, env):
        master, slave = os.openpty()
        subprocess.run([os.environ["SOURIR"], *words], cwd=self.folder, env=env, stderr=slave,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=60)
        os.close(slave)
        try:
            return os.read(master, 1 << 16)
        finally:
            os.close(master)

    def test_terminal_is_not_steered(self):
        self.write("\033[31m.sou", 'var x = "\033[2J"\nprint (1 / 0)\n')
        done = self.sourir("run", "\033[31m.sou", "--trace")
        self.assertNotIn("\033", done.err)
        self.assertNotIn("\033", self.sourir("run", "\033[32m").err)


if __name__ == "__main__":
    unittest.main()
