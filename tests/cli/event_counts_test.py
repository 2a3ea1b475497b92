"""profile --events: what native code counts is what the reference counts, at each place."""
import json
import sys
import unittest
from pathlib import Path

from command_line import FINE, ROOT, STUCK, USAGE, CliTest
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

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    def test_the_loop_header_is_counted_once_at_an_osr_entry(self):
        self.write("p.sou", SELF_LOOP)
        for strategy in STRATEGIES:
            self.assertTrue(self.same_counts("p.sou", "", "--engine=auto", "--stress-osr",
                                             "--no-speculation", "--jit-level=0",
                                             f"--strategy={strategy}"))

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
