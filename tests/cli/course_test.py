"""`sourir course`: each exercise is solved by its solution and by nothing that it begins with."""
import json
import re
import subprocess
from pathlib import Path

from command_line import FOUND, SOURIR, UNWRITABLE, USAGE, CliTest

FOLDER = Path(__file__).resolve().parents[2] / "docs/course"


class Course(CliTest):
    def lessons(self):
        return json.loads(self.sourir("course", "--json").out)["lessons"]

    def judge(self, exercise, path):
        done = self.sourir("course", "check", exercise["number"], str(path), "--json")
        answer = json.loads(done.out)
        self.assertEqual(answer["exit_code"], done.returncode)
        return answer

    def test_solutions_solve_and_what_is_given_does_not(self):
        for lesson in self.lessons():
            self.assertEqual(len(lesson["exercises"]), 2)
            for exercise in lesson["exercises"]:
                given = FOLDER / lesson["number"] / exercise["file"]
                solved = self.judge(exercise, given.with_suffix(".solution.sou"))
                self.assertEqual(solved["outcome"], "solved", exercise["number"])
                self.assertNotEqual(self.judge(exercise, given)["outcome"], "solved",
                                    exercise["number"])

    def test_exits_must_hold_for_calls_that_main_does_not_do(self):
        solution = (FOLDER / "2/receipt.solution.sou").read_text()
        behind_the_test = solution.replace(">priced:\n", "").replace("base, priced)", "base, known)")
        assume = re.search(r"  assume .*\n", solution)[0]
        too_early = solution.replace(assume, "").replace(
            "version fast\n", "version fast\n" + assume.replace("(price is int), ", "").replace(
                ", var price = price", "").replace("priced)", "start)"))
        too_early = too_early.replace("version base\n", "version base\n>start:\n").replace(
            ">priced:\n", "")
        for wrong in (behind_the_test, too_early):
            self.write("receipt.sou", wrong)
            self.says(0, words=["check", "receipt.sou"])
            done = self.sourir("course", "check", "2.1", "receipt.sou")
            self.assertEqual(done.returncode, FOUND, done.out)
            self.assertIn("NO    versions agree", done.out)
            self.assertIn("find_nothing", done.out)

    def test_typical_mistakes_are_no_solutions(self):
        """They are right for most arguments."""
        for number, name, right, wrong in [
                ("4.1", "4/pick", "(i < n)] else", "(i <= n)] else"),
                ("4.1", "4/pick", "(i is int), (i < n)] else", "(i < n)] else"),
                ("4.1", "4/pick", "(i < n)] else", "(i != 7)] else"),
                ("6.1", "6/perimeter", "var x = a, var y = b", "var x = b, var y = a"),
                ("7.2", "7/sum", "(x is float)]", '(x != "end")]'),
                ("9.1", "9/norm", "(list is int[])]", "(list is array)]"),
                ("9.2", "9/power", "[(n == 0)]", "[(n is int)]"),
                ("10.1", "10/total", "(x is float)] else", "(x != \"stop\")] else"),
                ("10.1", "10/total", "var p = $, var list = list, var n = n, var s = s, var i = i",
                 "var p = $, var list = list, var n = n, var s = s, var i = n"),
                ("10.2", "10/stale", "(x is float), (s is float)]", "(s is float)]")]:
            solution = (FOLDER / f"{name}.solution.sou").read_text()
            self.assertIn(right, solution)
            self.write("mine.sou", solution.replace(right, wrong))
            done = self.sourir("course", "check", number, "mine.sou")
            self.assertEqual(done.returncode, FOUND, (number, wrong, done.out))
            self.assertRegex(done.out, "(?m)^  NO    (output|versions agree|transparent)$")

    def test_versions_in_half_the_right_order_are_no_solution(self):
        """The contexts of `square` and `none`: both must stand above `ints`."""
        solution = (FOLDER / "9/power.solution.sou").read_text()
        head, none, rest = re.split(r"(version none when.*?\n  return 1\n)", solution, flags=re.DOTALL)
        ints, base = rest.split("version base\n", 1)
        self.write("power.sou", head + ints + none + "version base\n" + base)
        done = self.sourir("course", "check", "9.2", "power.sou")
        self.assertEqual(done.returncode, FOUND, done.out)
        self.assertIn("NO    steps", done.out)

    def test_warnings_are_shown_where_a_file_is_no_solution(self):
        """The version with the context stands behind the base, where no call comes."""
        solution = (FOLDER / "7/middle.solution.sou").read_text()
        head, versions = solution.split("function middle(", 1)
        parameters, rest = versions.split("\n", 1)
        first, rest = rest.split("version base\n", 1)
        base, others = rest.split("\n\n", 1)
        self.write("middle.sou", f"{head}function middle({parameters}\nversion base\n{base}\n{first}\n{others}")
        done = self.sourir("course", "check", "7.1", "middle.sou")
        self.assertEqual(done.returncode, FOUND, done.out)
        self.assertIn("warning[never-entered]", done.err)

    def test_finds_out_which_exercise_a_file_is_for(self):
        solution = str(FOLDER / "1/minus.solution.sou")
        self.assertIn("exercise 1.2", self.sourir("course", "check", "1", solution).out)
        done = self.sourir("course", "check", "2", solution)
        self.assertEqual(done.returncode, USAGE)
        self.assertIn("which exercise", done.err)

    def test_makes_the_folder(self):
        self.says(0, words=["course", "start", "2", "deep/er"])
        self.assertEqual((self.folder / "deep/er/raise.sou").read_text(),
                         (FOLDER / "2/raise.sou").read_text())
        self.write("file", "")
        for folder, words in (("file", "cannot make the folder 'file/'"), ("file/x", "'file/x/'")):
            self.says(UNWRITABLE, words, words=["course", "start", "2", folder])
        self.says(USAGE, words=["course", "start", "99", "other"])
        self.assertFalse((self.folder / "other").exists())

    def test_starts_without_overwriting(self):
        self.assertEqual(self.sourir("course", "start", "1").returncode, 0)
        self.assertEqual((self.folder / "double.sou").read_text(),
                         (FOLDER / "1/double.sou").read_text())
        done = self.sourir("course", "start", "1.1")
        self.assertEqual(done.returncode, UNWRITABLE)
        self.assertIn("exists", done.err)

    def test_words_that_are_missing_misspelt_or_too_many(self):
        for words, message in (
                (["check"], "EXERCISE and FILE are missing"),
                (["check", "a.sou"], "EXERCISE and FILE are wanted here, and there is only 'a.sou'"),
                (["check", "1", "a.sou", "b.sou"],
                 "'b.sou' is too much: EXERCISE FILE are all that is taken"),
                (["start"], "EXERCISE is missing"),
                (["chek", "1.1", "a.sou"], "there is no `course chek`; did you mean check?")):
            self.says(USAGE, message, words=["course", *words])
        self.assertIn("course check EXERCISE FILE [FLAGS]",
                      self.sourir("course", "check", "--help").out)
        self.assertIn("course start EXERCISE [FOLDER] [FLAGS]",
                      self.sourir("course", "start", "--help").out)

    def test_a_refusal_says_how_to_repeat_it(self):
        self.sourir("course", "start", "2.1")
        text = (self.folder / "receipt.sou").read_text()
        self.write("my receipt.sou", text.replace("return 30", "return 31"))
        out = self.sourir("course", "check", "2.1", "my receipt.sou").out
        commands = re.findall(r"^ +again: (.*)$", out, re.MULTILINE)
        self.assertEqual([command.split("--")[-1] for command in commands],
                         ["deopt=never", "versions", "transparency"])
        for command in commands:
            done = subprocess.run(["sh", "-c", command.replace("sourir", SOURIR)], cwd=self.folder,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, FOUND, command + done.stdout + done.stderr)

    def test_there_is_no_such_lesson(self):
        self.assertEqual(self.sourir("course", "11").returncode, USAGE)
        self.assertEqual(self.sourir("course", "check", "1.7", "x.sou").returncode, USAGE)
