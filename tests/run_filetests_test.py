#!/usr/bin/env python3
"""The file-test runner reports what it must: run on a fake `sourir` with known behaviour."""
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

RUNNER = Path(__file__).resolve().with_name("run_filetests.py")

# Obeys the program's text: `say X` prints X, `bad CODE` and `odd CODE` are diagnostics, ...
FAKE = """\
#!%s
import json, os, re, signal, sys, time
words = sys.argv[1:]
name = next(w for w in words if w.endswith((".sou", ".json")) and w != "report.json")
lines = open(name, newline="").read().split("\\n")
code = [re.sub(r"#.*", "", line).strip() for line in lines]
trace, report, status, stuck = "--trace=json" in words, None, 0, None
if "--report" in words:
    report = words[words.index("--report") + 1]
if words[0] == "check" and "--json" in words:
    kinds = {"bad": "error", "odd": "warning"}
    found = [{"code": w[1], "severity": kinds[w[0]], "line": n, "column": 1}
             for n, w in enumerate(map(str.split, code), 1) if w and w[0] in kinds]
    print(json.dumps({"format": "diagnostics", "version": 1,
                      "files": [{"file": name, "diagnostics": found}]}))
    sys.exit(1 if found else 0)
for number, line in enumerate(code, 1):
    word, _, rest = line.partition(" ")
    if word == "say":
        print(rest)
        if trace:
            print(json.dumps({"step": 1, "rule": "Print", "line": number,
                              "action": {"print": rest}}), file=sys.stderr)
    elif word == "echo":
        print(sys.stdin.readline(), end="")
    elif word == "end":
        print(rest, end="")
    elif word == "complain":
        print(rest, file=sys.stderr)
    elif word == "show":
        print(open(rest).read(), end="")
    elif word == "names":
        print(name, os.path.basename(name) == name)
    elif word == "engine":
        print("reference" if trace else "native")
    elif word == "exit":
        status = int(rest)
    elif word == "stuck":
        stuck, status = {"outcome": "stuck", "reason": rest, "line": number}, 67
    elif word == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif word == "sanitizer":
        print("==1==ERROR: AddressSanitizer: heap-use-after-free", file=sys.stderr)
    elif word == "sleep":
        time.sleep(30)
if report:
    json.dump(stuck or {"outcome": "stop"}, open(report, "w"))
sys.exit(status)
""" % sys.executable


def text_of(text):
    return textwrap.dedent(text).lstrip("\n")


class RunnerTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.fake = self.folder / "sourir"
        self.fake.write_text(FAKE)
        self.fake.chmod(0o755)

    def run_on(self, files, *options):
        """(exit status, what was printed) of the runner on {name: text}."""
        tests = self.folder / "tests"
        tests.mkdir(exist_ok=True)
        for name, text in files.items():
            (tests / name).write_bytes(text_of(text).encode())
        done = subprocess.run(
            [sys.executable, RUNNER, "--sourir", self.fake, *options, tests],
            capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def passes(self, text, *options):
        status, output = self.run_on({"a.sou": text}, *options)
        self.assertEqual(status, 0, output)
        self.assertEqual(output.splitlines()[-1], "filetests: 1 passed, 0 failed")

    def fails(self, text, why, *options):
        status, output = self.run_on({"a.sou": text}, *options)
        self.assertEqual(status, 1, output)
        self.assertIn(why, output)
        self.assertEqual(output.splitlines()[-1], "filetests: 0 passed, 1 failed")

    def test_golden_tail(self):
        tail = "# ---\n# --- run\n# 1\n#\n# 2\n# exit: 3\n"
        program = "# test: run\nsay 1\nsay\nsay 2\nexit 3\n"
        self.passes(program + tail)
        self.fails(program + tail.replace("# 2", "# 3"), "-# 3\n  +# 2")
        self.fails(program + tail.replace("# exit: 3\n", ""), "+# exit: 3")
        self.fails(program + tail.replace("exit: 3", "exit: 4"), "-# exit: 4")
        self.fails(program + tail.replace("# --- run\n", ""), "FAILED")
        self.fails(program + tail + "# more\n", "-# more")
        self.fails(program + tail.replace("# ---\n", "# ---\n# stray\n"), "-# stray")
        self.fails(program + "# ---\n", "+# 1")

    def test_several_commands(self):
        program = "# test: run\n# test: opt --pass=x\nsay 1\n"
        self.passes(program + "# ---\n# --- run\n# 1\n# --- opt --pass=x\n# 1\n")
        why = "sourir opt --pass=x"
        self.fails(program + "# ---\n# --- run\n# 1\n# --- opt --pass=x\n# 2\n", why)
        self.fails(program + "# ---\n# --- run\n# 1\n", why)

    def test_standard_error(self):
        self.passes("# test: run\ncomplain oh\n# ---\n# --- run\n")
        self.passes("# test: run\ncomplain oh\n# ---\n# --- run\n# ! oh\n")
        self.fails("# test: run\ncomplain oh\n# ---\n# --- run\n# ! ah\n", "+# ! oh")
        self.passes("# test(stderr): run\ncomplain oh\n# ---\n# --- run\n# ! oh\n")
        self.fails("# test(stderr): run\ncomplain oh\n# ---\n# --- run\n", "+# ! oh")

    def test_missing_line_end(self):
        self.passes("# test: run\nend 1\n# ---\n# --- run\n# 1\n# \\ no newline at the end\n")
        self.fails("# test: run\nend 1\n# ---\n# --- run\n# 1\n", "no newline at the end")

    def test_diagnostics(self):
        self.passes("# test: check\nbad x # error: x\nodd y # warning: y\n")
        self.passes("# test: check\n# error@+1: x\nbad x\nbad y z\n# error@-1: y\n")
        self.passes("# test: check\n# error@3: x\nbad x # a note # error: x\n")
        self.fails("# test: check\nbad x\nbad y # error: y\n", "line 2: unexpected error x")
        self.fails("# test: check\nsay 1 # error: x\n", "line 2: missing error x")
        self.fails("# test: check\nbad x # error: x y\n", "line 2: missing error y")
        self.fails("# test: check\nodd x # error: x\n", "line 2: missing error x")
        self.fails("# test: check\nbad x # error: x\n\nbad x\n", "line 4: unexpected error x")
        self.fails("# test: run\nbad x # error: x\n", "no `# test: check`")

    def test_prints(self):
        self.passes("# test: run\nsay 1 # prints: 1\nsay a b # prints: a b\nexit 0 # prints:\n")
        self.fails("# test: run\nsay 1 # prints: 2\n", "line 2: prints: 1\n    expected: 2")
        self.fails("# test: run\nsay 1 # prints: 1 | 1\n", "line 2: prints: 1")
        self.fails("# test: run\nsay 1 # prints:\n", "line 2: prints: 1")
        self.fails("# test: run\nstuck why # prints:\n", "found stuck at line 2: why")
        self.fails("# test: check\nsay 1 # prints: 1\n", "no `# test: run`")

    def test_stuck(self):
        self.passes("# test: run\nstuck why # stuck: why\n")
        self.fails("# test: run\nstuck why # stuck: how\n", "expected stuck at line 2: how")
        self.fails("# test: run\nstuck why\nsay 1 # stuck: why\n", "found stuck at line 2: why")
        self.fails("# test: run\nsay 1 # stuck: why\n", "found not stuck")

    def test_engines_agree(self):
        self.passes("# test: run --engine=native\nsay 1 # prints: 1\n")
        self.fails("# test: run --engine=native\nengine\nsay 1 # prints: 1\n", "+native")

    def test_exit(self):
        self.passes("# test: run\n# exit: 3\nexit 3\n")
        self.fails("# test: run\n# exit: 3\nexit 4\n", "exit 4, expected 3")

    def test_crashes_fail(self):
        self.fails("# test: run\n# exit: 139\ncrash\n", "ended by signal 11")
        self.fails("# test: run\n# exit: 70\nexit 70\n", "exit 70, an internal error")
        self.fails("# test: run\n# exit: 0\nsanitizer\n", "a sanitizer's report")
        self.fails("# test: run\n# exit: 0\nsleep\n", "no end within 1.0 s", "--timeout", "1")
        self.fails("# test: run\ncrash\n# ---\n# --- run\n", "ended by signal 11", "--bless")

    def test_senseless_tests_fail(self):
        self.fails("say 1\n", "no `# test: COMMAND` line")
        self.fails("# test: run\nsay 1\n", "no `# exit:` (--bless writes a golden tail")
        self.fails("# test: check\nbad x # error:\n", "without a code")
        self.fails("# test: run\n# file: none.sou\n# exit: 0\n", "none.sou")

    def test_input_and_siblings(self):
        program = "# test: run\n# stdin: 1\n# stdin:  2 \necho\necho\n"
        self.passes(program + "# ---\n# --- run\n# 1\n#  2 \n")
        main = "# test: run {file} x\n# file: b.sou\nshow b.sou\nnames\n"
        tail = "# ---\n# --- run {file} x\n# b\n# a.sou True\n"
        status, output = self.run_on({"a.sou": main + tail, "b.sou": "b\n"})
        self.assertEqual(status, 0, output)
        self.assertIn("1 passed", output)

    def test_json_has_its_test_beside_it(self):
        sidecar = "# test: run\n# ---\n# --- run\n# 1\n"
        status, output = self.run_on({"a.sou.json": "say 1\n", "a.sou.json.test": sidecar})
        self.assertEqual(status, 0, output)
        status, output = self.run_on({"a.sou.json": "say 2\n"})
        self.assertIn("+# 2", output)
        (self.folder / "tests/a.sou.json.test").unlink()
        status, output = self.run_on({})
        self.assertEqual(status, 1, output)

    def test_bless(self):
        program = "# test: run\n# test(stderr): opt\nsay 1\ncomplain oh\nexit 3\n"
        blessed = program + ("# ---\n# --- run\n# 1\n# exit: 3\n"
                             "# --- opt\n# 1\n# ! oh\n# exit: 3\n")
        for start in (program, program + "# ---\n# --- run\n# stale\n", blessed):
            self.passes(start, "--bless")
            self.assertEqual((self.folder / "tests/a.sou").read_text(), blessed)
        self.passes(blessed)

    def test_bless_leaves_line_expectations_alone(self):
        program = "# test: check\nbad x # error: x\n"
        self.passes(program, "--bless")
        self.assertEqual((self.folder / "tests/a.sou").read_text(), program)
        self.fails("# test: check\nbad x # error: y\n", "missing error y", "--bless")

    def test_selection(self):
        files = {"one.sou": "# test: run\n# exit: 0\n", "two.sou": "# test: run\n# exit: 1\n"}
        status, output = self.run_on(files, "-k", "one")
        self.assertEqual((status, output), (0, "filetests: 1 passed, 0 failed\n"))
        status, output = self.run_on(files, "-j", "2")
        self.assertEqual(output.splitlines()[-1], "filetests: 1 passed, 1 failed")
        status, output = self.run_on(files, "-k", "three")
        self.assertEqual(status, 1, output)


if __name__ == "__main__":
    unittest.main()
