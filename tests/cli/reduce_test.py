"""reduce: delta debugging by a command."""
import json
import signal
import time
import unittest

from command_line import (FINE, FOUND, INTERRUPTED, REJECTED, SOURIR, UNREADABLE, UNWRITABLE, USAGE,
                          CliTest)

PROGRAM = """# nobody needs this
function main()
  var x = 5
  var unused = (x + 1)
  call y = 'twice(x)
  print unused
  branch (y == 10) $a $b
$a:
  print "needle"
  goto end
$b:
  print 2
  goto end
end:
  stop
function twice(var n)
version fast
  assume [(n is int)] else (twice, base, L) [var n = n]
  return (n * 2)
version base
>L:
  return (n + n)
function other(var z)
  print z
  return z
"""


class Reduce(CliTest):
    def setUp(self):
        super().setUp()
        self.write("x.sou", PROGRAM)

    def reduced(self, check, *more):
        return self.says(FINE, words=["reduce", "x.sou", "--check", check, *more])

    def test_smallest(self):
        done = self.reduced("grep -q needle {}")
        self.assertEqual(done.out, 'function main()\n  print "needle"\n')
        self.assertRegex(done.err, r"^1 of 15 instructions, \d+ checks\n$")

    def test_the_path_is_appended(self):
        self.assertEqual(self.reduced("grep -q needle").out, self.reduced("grep -q needle {}").out)

    def test_what_runs(self):
        check = f"{SOURIR} run {{}} | grep -q needle"
        self.assertEqual(self.reduced(check).out, 'function main()\n  print "needle"\n')
        check = f"{SOURIR} run {{}} --engine=reference --stats 2>&1 | grep -q AssumePass"
        small = self.reduced(check, "-o", "y.sou")
        self.assertEqual(small.out, "")
        self.says(FINE, words=["check", "y.sou"])
        self.assertLessEqual(len((self.folder / "y.sou").read_text().splitlines()), 9)

    def test_jobs_do_not_change_the_result(self):
        check = "grep -q assume {} && grep -q needle {}"
        self.assertEqual(self.reduced(check).out, self.reduced(check, "--jobs=3").out)

    def test_json(self):
        done = json.loads(self.reduced("grep -q needle {}", "--json").out)
        self.assertEqual((done["instructions_before"], done["instructions"]), (15, 1))
        self.assertFalse(done["interrupted"])
        self.assertIn("needle", done["program"])

    def test_errors(self):
        self.says(USAGE, "--check CMD", words=["reduce", "x.sou"])
        self.says(USAGE, words=["reduce", "x.sou", "--check", " "])
        self.says(USAGE, words=["reduce", "x.sou", "--check=true", "--jobs=0"])
        self.says(UNREADABLE, words=["reduce", "none.sou", "--check=true"])
        self.says(UNWRITABLE, words=["reduce", "x.sou", "--check=true", "-o", "none/y"])
        self.says(FOUND, "it exited with 1", words=["reduce", "x.sou", "--check=false"])
        self.says(FOUND, "longer than 1 s",
                  words=["reduce", "x.sou", "--check=sleep 9;", "--timeout=1"])
        self.write("ill.sou", "print x\nprint 1\n")
        self.says(REJECTED, "--allow-ill-formed",
                  words=["reduce", "ill.sou", "--check=grep -q x {}"])
        done = self.says(FINE, words=["reduce", "ill.sou", "--check=grep -q x {}",
                                      "--allow-ill-formed"])
        self.assertEqual(done.out, "print x\n")

    def test_ctrl_c_keeps_what_is_there(self):
        self.write("slow.sh", "sleep 0.1; grep -q needle $1\n")
        process = self.start("reduce", "x.sou", "--check", "sh slow.sh {}", "-o", "y.sou")
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=20)[1].decode()
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertIn("stopped by Ctrl-C", said)
        text = (self.folder / "y.sou").read_text()
        self.assertIn("needle", text)
        self.assertLess(len(text), len(PROGRAM))


if __name__ == "__main__":
    unittest.main()
