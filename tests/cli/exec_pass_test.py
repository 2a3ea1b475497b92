"""Passes that are commands (`exec:CMD`) and stay for many programs."""
import os
import sys
import unittest

from command_line import ENVIRONMENT, FINE, FOUND, REJECTED, ROOT, CliTest

LIBRARY = dict(ENVIRONMENT, PYTHONPATH=str(ROOT / "examples/passes"))
# Serves without the library. It writes its process id for each program; AT_SECOND is what happens
# instead of the second answer.
SERVES = """\
import json, os, sys, time
requests, answers = (int(n) for n in os.environ["SOURIR_PASS_SERVE"].split(","))
requests, answers = open(requests), open(answers, "w")
asked = 0
def answer(text):
    global asked
    asked += 1
    print(os.getpid(), file=open("pids", "a"))
    if asked == 2:
        AT_SECOND
    print('{"program":' + text.replace("\\n", " ") + "}", file=answers, flush=True)
answer(sys.stdin.read())
for line in requests:
    answer(line)
"""
# Changes nothing; a pass of the library.
LIBRARY_PASS = """\
import os
import sourir_pass
def rewrite(version):
    print(os.getpid(), file=open("pids", "a"))
    print("looking")
    return False
sourir_pass.run(rewrite)
"""

# Inserts instructions in front of and behind one, also at labels, and removes some.
EDITING_PASS = """\
import sourir_pass
def rewrite(version, edit):
    for at, statement in enumerate(version["body"]):
        instr = statement["instr"]
        value = instr.get("value", {})
        if value.get("binary") == "*" and value["right"] == {"int": "3"}:
            t, x = edit.fresh("t"), value["left"]
            edit.before(at, {"op": "var", "name": t, "value": {"binary": "+", "left": x, "right": x}})
            edit.replace(at, {**instr, "value": {"binary": "+", "left": {"var": t}, "right": x}})
            edit.after(at, {"op": "drop", "name": t})
        elif instr["op"] == "assign" and value == {"var": instr["name"]}:
            edit.remove(at)
sourir_pass.run_edits(rewrite)
"""
EDITED = """\
var x = 1
var t0 = 0
goto L
L:
  x <- x # nothing
M: # m
  x <- (x * 3) # three
  call r = 'f(x)
  var y = (r * 3) # twice
  drop r
  drop y
  x <- x
  branch (x < 100) $A $B
$A:
  goto L
$B:
  print x
  x <- x
E:
function f(var x)
version fast
  x <- x
  x <- (x * 3)
  assume [(x is int)] else (f, base, S) [x = x]
  call y = 'g(x)
  return y
version base
  x <- (x * 3)
>S:
  call y = 'g(x)
  return y
function g(var x)
  print x
  return x
"""


ANNOTATED = """\
var x = 1
{x} print x
{x} print (x + x)
{x, ...} x <- (x + 1)
{x} print x
{x}
"""
# `t` is in scope from the first `print` to the last one.
ANNOTATED_PASS = """
import sourir_pass


def rewrite(version, edit):
    t = edit.fresh("t")
    edit.before(1, {"op": "var", "name": t})
    edit.before(4, {"op": "drop", "name": t})


sourir_pass.run_edits(rewrite)
"""
ANNOTATED_OUTPUT = """\
var x = 1
{x} var t0
print x
print (x + x)
{x, ...} x <- (x + 1)
drop t0
{x} print x
{x}
"""


class Editing(CliTest):
    def opt(self, text, *fragments, status=FINE):
        self.write("x.sou", EDITED)
        self.write("pass.py", text)
        return self.says(status, *fragments, env=LIBRARY, words=[
            "opt", "x.sou", f"--pass=exec:{sys.executable} pass.py", "--verify-each"])

    def test_the_map_follows_insertions_and_removals(self):
        done = self.opt(EDITING_PASS, "verified: 1 change", " 0 not mapped", " 0 inconclusive")
        for line in (">M: # m\n  var t1 = (x + x) # three\n  x <- (t1 + x)\n  drop t1\n",
                     "  print x\n>E:\n"):
            self.assertIn(line, done.out)

    def test_a_wrong_edit_is_found(self):
        self.opt(EDITING_PASS.replace('"right": x}})\n            edit.after',
                                      '"right": {"var": t}}})\n            edit.after'),
                 "changes what the program does", status=FOUND)

    def test_nothing_is_inserted_after_a_jump(self):
        self.opt("import sourir_pass\n"
                 "sourir_pass.run_edits(lambda version, edit: edit.after(2, {'op': 'stop'}))\n",
                 "ValueError: nothing is executed right after the instruction at 2", status=REJECTED)


    def test_annotations_stand_where_they_hold(self):
        self.write("pass.py", ANNOTATED_PASS)
        self.write("x.sou", ANNOTATED)
        done = self.says(FINE, " 0 not mapped", env=LIBRARY, words=[
            "opt", "x.sou", f"--pass=exec:{sys.executable} pass.py", "--verify-each"])
        self.assertEqual(done.out, ANNOTATED_OUTPUT)

    def test_a_position_that_does_not_exist(self):
        for edit in ("before(%s, {'op': 'stop'})", "after(%s, {'op': 'stop'})",
                     "replace(%s, {'op': 'stop'})", "remove(%s)"):
            for at in (-1, 99, "len(version['body'])"):
                with self.subTest(edit=edit, at=at):
                    self.opt("import sourir_pass\n"
                             f"sourir_pass.run_edits(lambda version, edit: edit.{edit % at})\n",
                             "ValueError: the body has no position", status=REJECTED)


class Serving(CliTest):
    def setUp(self):
        super().setUp()
        self.write("x.sou", "print 1\n")
        self.pass_ = f"exec:exec {sys.executable} pass.py"

    def pass_that(self, at_second):
        self.write("pass.py", SERVES.replace("AT_SECOND", at_second))

    def pids(self):
        return (self.folder / "pids").read_text().split()

    def opt(self, times, status, *fragments, flags=(), env=LIBRARY):
        return self.says(status, *fragments, env=env, words=[
            "opt", "x.sou", "--pass=" + ",".join([self.pass_] * times), *flags])

    def test_one_process_for_all_programs(self):
        self.pass_that("pass")
        done = self.opt(4, FINE)
        self.assertEqual(done.out, self.sourir("fmt", "x.sou").out)
        self.assertEqual(len(self.pids()), 4)
        self.assertEqual(len(set(self.pids())), 1)
        with self.assertRaises(ProcessLookupError): # it ends with sourir
            os.kill(int(self.pids()[0]), 0)

    def test_the_library_serves(self):
        self.write("pass.py", LIBRARY_PASS)
        self.opt(3, FINE, "looking\nlooking\nlooking\n")
        self.assertEqual((len(self.pids()), len(set(self.pids()))), (3, 1))

    def test_the_library_without_the_files_of_a_service(self):
        self.write("pass.py", LIBRARY_PASS)
        self.pass_ = f"exec:{sys.executable} pass.py 3<&- 4>&-"
        self.opt(2, FINE)
        self.assertEqual(len(set(self.pids())), 2)

    def test_one_that_ends_after_its_answer_is_followed_by_another(self):
        self.pass_that("sys.exit()")
        self.opt(3, FINE)
        self.assertEqual((len(self.pids()), len(set(self.pids()))), (5, 3))

    def test_nothing_is_verified_after_an_error(self):
        self.pass_ = "exec:false"
        done = self.opt(1, REJECTED, "the pass exec:false", flags=["--verify-each"])
        self.assertNotIn("verified", done.err)

    def test_one_that_dies(self):
        self.pass_that("sys.exit(3)")
        self.opt(2, REJECTED, f"error: the pass {self.pass_}: it exited with 3\n")
        self.pass_that("os.kill(os.getpid(), 11)")
        self.opt(2, REJECTED, "it was ended by signal 11\n")

    def test_one_that_hangs(self):
        self.pass_that("time.sleep(1000)")
        self.opt(2, REJECTED, "it took longer than 1 s (--exec-timeout)\n",
                 flags=["--exec-timeout=1"])
        with self.assertRaises(ProcessLookupError):
            os.kill(int(self.pids()[0]), 0)

    def test_one_that_writes_something_else(self):
        self.pass_that('text = "["')
        self.opt(2, REJECTED, "its answer is not {\"program\": ..., \"state_map\": ...}: not JSON")
        self.pass_that('text += "}\\n{"; text = text + "\\n"; os.write(answers.fileno(), b"1\\n2\\n")')
        self.opt(2, REJECTED, "it answered with more than one line\n")

    def test_a_new_process_after_an_error(self):
        self.pass_that("sys.exit(3)")
        done = self.sourir("campaign", "--programs", "7", "--jobs", "1", "--passes", self.pass_,
                           "--chain", "1")
        self.assertEqual(done.returncode, FOUND, done.err)
        self.assertIn("7 of 7 programs", done.out)
        self.assertIn("cases 1, 3, 5", done.out)
        asked = self.pids()
        processes = list(dict.fromkeys(asked))
        self.assertGreater(len(processes), 1)
        for process in processes[:-1]:
            self.assertEqual(asked.count(process), 2)

    def test_a_campaign_asks_one_process(self):
        self.pass_that("pass")
        done = self.sourir("campaign", "--programs", "20", "--jobs", "1", "--passes", self.pass_,
                           "--chain", "1")
        self.assertIn("20 of 20 programs", done.out)
        self.assertGreater(len(self.pids()), 5)
        self.assertEqual(len(set(self.pids())), 1)


if __name__ == "__main__":
    unittest.main()
