"""Defects that are known and not fixed yet: each test says what should happen, and fails. Who fixes one
takes the decorator away, since the test counts as a failure when it succeeds."""
import re
import resource
import subprocess
import unittest

from command_line import ENVIRONMENT, FINE, FOUND, ROOT, SOURIR, CliTest
from engines_test import has_native_code

OUR_BUG = 70
PROGRAMS = ROOT / "tests/cli/known_defects"


def hot_function(instructions):
    body = "".join(f"  s <- (s {'+-*'[n % 3]} x)\n" for n in range(instructions))
    return ("function main()\n  var i = 0\n  goto h\nh:\n  branch (i < 300) $b $d\n$b:\n"
            "  call x = 'f(i)\n  drop x\n  i <- (i + 1)\n  goto h\n$d:\n  stop\n"
            f"function f(var x)\n  var s = 0\n{body}  return s\n")


def deferring_exits(exits, deferred):
    """Exits that make all values of the version anew."""
    names = [f"w{n}" for n in range(deferred)]
    made = "".join(f"    var {name} = {n}\n" for n, name in enumerate(names))
    varmap = ", ".join(f"var {name} = {name}" for name in names)
    exit_ = f"  anchor else (main, base, L) [{varmap}] with {{\n{made}  }}\n"
    declared = "".join(f"  var {name} = {n}\n" for n, name in enumerate(names))
    return f"function main()\nversion opt\n{exit_ * exits}  stop\nversion base\n{declared}>L:\n  stop\n"


def many_versions(count):
    versions = "".join(f"version v{n}\n>L:\n  assume [(x == {n})] else (f, v{n + 1}, L) [var x = x]\n"
                       "  return x\n" for n in range(count))
    return ("function main()\n  var i = 0\n  goto h\nh:\n  branch (i < 3000) $b $d\n$b:\n"
            "  call x = 'f(i)\n  drop x\n  i <- (i + 1)\n  goto h\n$d:\n  print i\n  stop\n"
            f"function f(var x)\n{versions}version v{count}\n>L:\n  return x\n")


class KnownDefect(CliTest):
    def ends(self, seconds, *words, memory=resource.RLIM_INFINITY):
        """Runs for at most so many seconds, without input."""
        def bounded():
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        try:
            return subprocess.run([SOURIR, *words], cwd=self.folder, env=ENVIRONMENT, input=b"",
                                  capture_output=True, timeout=seconds, preexec_fn=bounded)
        except subprocess.TimeoutExpired:
            return self.fail(f"sourir {' '.join(words)}: no end within {seconds} s")


class Wrong(KnownDefect):
    @unittest.skipUnless(has_native_code(), "no native code in this build")
    def test_a_stuck_program_tells_its_values(self):
        """Also where native code of a loop ended in an error: all but that of `i`, which nothing
        reads any more."""
        program = str(PROGRAMS / "stuck_without_values.sou")
        reference = self.sourir("run", program, "--engine=reference")
        self.assertIn("with q2 = []", reference.err)
        self.assertIn("i = 0, q2 = [], q3 = 20000", reference.err)
        self.assertEqual(self.sourir("run", program, "--jit-sync").err,
                         reference.err.replace("i = 0", "i = <optimized out>"))

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    def test_inlined_frames_of_a_stuck_program(self):
        """What the call will bind has no value yet; `z`, which nothing reads, has none any more."""
        self.write("x.sou", """\
function main()
version base
  array a = [7]
  var n = 0
  goto H
H:
  branch (n < 30000) $B $E
$B:
  call r = 'get(a, n, n)
  drop r
  n <- (n + 1)
  goto H
$E:
  stop
function get(var a, var k, var z)
version base
  var q = 0
  goto H4
H4:
  branch (q < 10) $B5 $X6
$B5:
  z <- 0
  q <- (q + 1)
  goto H4
$X6:
  var j = (k / 20000)
  return a[j]
""")
        reference = self.sourir("run", "x.sou", "--engine=reference").err
        self.assertIn("z = 0", reference)
        self.assertEqual(self.sourir("run", "x.sou", "--jit-sync").err,
                         reference.replace("z = 0", "z = <optimized out>"))

    def test_a_long_line_of_input_is_one_literal(self):
        done = self.sourir("run", str(PROGRAMS / "long_input_line.sou"),
                           stdin=" " * ((1 << 20) - 1) + "12\n")
        self.assertEqual((done.returncode, done.out), (FINE, "12\n"), done.err)

    def test_a_longer_line_of_input_is_an_error(self):
        done = self.sourir("run", str(PROGRAMS / "long_input_line.sou"),
                           stdin=" " * (65 << 20) + "12\n")
        self.assertNotEqual(done.returncode, FINE)
        self.assertIn("cannot read standard input: it has a line of more than 64 MiB", done.err)

    def test_a_long_string_is_a_literal(self):
        done = self.sourir("run", str(PROGRAMS / "long_input_line.sou"),
                           stdin='"' + "x" * 5_000_000 + '"\n')
        self.assertEqual(done.returncode, FINE, done.err[:1000])

    def test_a_syntax_error_hides_nothing(self):
        """Varmaps of other instructions are checked."""
        done = self.sourir("check", str(PROGRAMS / "syntax_error_hides.sou"), "--json")
        for code in ("varmap-missing", "varmap-duplicate", "varmap-extra"):
            self.assertIn(code, done.out)

    def test_a_program_without_end(self):
        """The limit of its size is said, and does not need several GB first."""
        done = self.ends(10, "run", "/dev/zero", memory=2 << 30)
        self.assertIn(b"more than the limit of", done.stderr)

    def test_diagnostics_are_cut(self):
        self.write("x.sou", "print " + "x" * (1 << 20) + "\n")
        done = self.sourir("check", "x.sou")
        self.assertEqual(done.returncode, FOUND)
        self.assertLess(len(done.err), 10_000)


class Scale(KnownDefect):
    def test_live_variables(self):
        """16,000 of them took 1.1 GB, now 31 MB."""
        self.write("x.sou", "function main()\n" +
                   "".join(f"  var a{n} = {n}\n" for n in range(16000)) + "  stop\n")
        done = self.ends(60, "opt", "--pass=O2", "x.sou", memory=200 << 20)
        self.assertEqual(done.returncode, FINE, done.stderr)

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    def test_a_large_function_that_is_hot(self):
        """There is a cap on what is compiled: 100,000 instructions run in the baseline."""
        self.write("x.sou", hot_function(100_000))
        done = self.ends(4, "run", "x.sou", "--jit-sync", "--tier=calls=2")
        self.assertEqual(done.returncode, FINE, done.stderr)
        self.assertEqual(done.stderr.decode(), "sourir: warning: f.anon has 100002 instructions and "
                         "stays in the baseline (--tier size=5000)\n")

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    def test_exits_that_defer_much(self):
        """What exits defer is compiled, too: 684 exits with 40 instructions each took 91 s."""
        self.write("x.sou", deferring_exits(684, 40))
        done = self.ends(10, "run", "x.sou", "--engine=native")
        self.assertEqual(done.returncode, FINE, done.stderr)
        self.assertEqual(done.stderr.decode(), "sourir: warning: main.opt has 28046 instructions and "
                         "stays in the baseline (--tier size=5000)\n")

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    def test_an_optimized_version_that_is_too_large(self):
        """Inlining makes it larger than twice the limit: then the version is compiled as it is."""
        calls = "".join(f"  call y{n} = 'g(x)\n" for n in range(6))
        self.write("x.sou", "function main()\n  var i = 0\n  goto h\nh:\n  branch (i < 9) $b $d\n$b:\n"
                   "  call r = 'f(i)\n  drop r\n  i <- (i + 1)\n  goto h\n$d:\n  stop\n"
                   f"function f(var x)\n{calls}  return y5\n"
                   "function g(var x)\n" + "  print x\n" * 10 + "  return x\n")
        for size, compiled, warns in ((20, "f.anon ", True), (100, "f.opt ", False)):
            done = self.ends(20, "run", "x.sou", "--jit-sync", f"--tier=calls=2,size={size}", "--tiers")
            self.assertEqual(done.returncode, FINE, done.stderr)
            said = done.stderr.decode()
            self.assertRegex(said, rf"(?m)^compiled +{compiled}")
            self.assertEqual(len(re.findall(r"(?m)^sourir: warning: f\.anon is not optimized: it would have "
                                            r"\d+ instructions \(--tier size=20 allows twice as many\)$",
                                            said)), warns)

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    def test_many_versions(self):
        """Near linear: 5,000 took more than 60 s, now 5 s (16 s where LLVM optimizes)."""
        self.write("x.sou", many_versions(5000))
        done = self.ends(60, "run", "x.sou", "--engine=native", "--jit-level=0")
        self.assertEqual(done.stdout, b"3000\n")


    @unittest.skipUnless(has_native_code(), "no native code in this build")
    def test_the_frame_of_an_outlined_loop_leaves_to_its_function(self):
        """The optimized loop of main.second leaves inside an inlined call, with a frame of main.opt; the
        program's own exit made one of the loop, which leaves to main.opt next. They were taken for
        different ones."""
        done = self.ends(60, "campaign", "replay", str(PROGRAMS / "exit_to_function_of_loop.json"))
        self.assertEqual(done.returncode, FINE, done.stdout)


if __name__ == "__main__":
    unittest.main()
