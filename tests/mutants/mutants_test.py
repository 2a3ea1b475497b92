#!/usr/bin/env python3
"""Anchors, nesting and messages of mutants.py; and that the bugs of this tree fit their sources."""
import tempfile
import unittest
from pathlib import Path

import mutants

SOURCE = "int f(int a, int b) {\n  // a comment\n  if (a < b) return a + b; // sum\n  return g(a);\n}\n"


def bug(number, form, original, seeded, source="x.cpp"):
    return mutants.Bug(f"bug{number}", number, "constprop", "an idea",
                       [mutants.Hunk(source, form, original, seeded)])


def seeded(bugs, text=SOURCE):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "x.cpp").write_text(text, encoding="utf-8")
        return mutants.seeded_sources(bugs, Path(folder))["x.cpp"]


class MutantsTest(unittest.TestCase):
    def test_expression_whatever_its_formatting(self):
        text = seeded([bug(1, "expression", "a   <\n b", "true")])
        self.assertIn("if ((::sourir::seeded(1) ? (true) : (a < b))) return", text)

    def test_statement(self):
        text = seeded([bug(2, "statement", "return g(a);", "return 0;")])
        self.assertIn("{ if (::sourir::seeded(2)) {\nreturn 0;\n} else {\nreturn g(a);\n} }", text)

    def test_inserted_statement(self):
        text = seeded([bug(2, "statement", "|> <| return g(a);", "a = 0;"),
                       bug(4, "statement", "|> <| return g(a);", "a = 1;"),
                       bug(1, "statement", "return g(a);", "return 0;")])
        self.assertIn("if (::sourir::seeded(2)) {\na = 0;\n}\nif (::sourir::seeded(4)) {\na = 1;\n}\n"
                      "{ if (::sourir::seeded(1))", text)

    def test_text_has_no_switch(self):
        text = seeded([bug(2, "text", "|> <| int f(", "int h();"), bug(0, "text", "|> int b <|", "long b")])
        self.assertIn("int h();\nint f(int a, long b) {", text)
        with self.assertRaisesRegex(mutants.Mistake, "bug2 replaces text of x.cpp with other bugs in it"):
            seeded([bug(2, "text", "if (a < b)", ""), bug(1, "expression", "a < b", "true")])

    def test_no_expression_can_be_inserted(self):
        with self.assertRaisesRegex(mutants.Mistake, "bug2 replaces nothing by an expression"):
            seeded([bug(2, "expression", "|> <| a < b", "true")])

    def test_narrowed(self):
        text = seeded([bug(3, "expression", "return |> a + b <| ;", "a - b")])
        self.assertIn("return (::sourir::seeded(3) ? (a - b) : (a + b));", text)

    def test_one_inside_of_another(self):
        text = seeded([bug(1, "expression", "a < b", "true"),
                       bug(2, "statement", "if (a < b) return a + b;", ";")])
        self.assertIn("else {\nif ((::sourir::seeded(1) ? (true) : (a < b))) return a + b;\n} }", text)

    def test_two_at_one_place(self):
        text = seeded([bug(1, "expression", "a < b", "true"), bug(2, "expression", "a < b", "false")])
        self.assertIn("(::sourir::seeded(1) ? (true) : ((::sourir::seeded(2) ? (false) : (a < b))))",
                      text)

    def test_overlapping(self):
        with self.assertRaisesRegex(mutants.Mistake, "bug1 and bug2 overlap in x.cpp"):
            seeded([bug(1, "expression", "(a < b)", "true"),
                    bug(2, "expression", "b) return a", "false")])

    def test_a_stale_anchor_names_the_nearest_place(self):
        with self.assertRaisesRegex(mutants.Mistake, r"bug7: its anchor stands 0 times in x.cpp, must "
                                    r"stand once; the nearest place is x.cpp:3: if \(a < b\)"):
            seeded([bug(7, "expression", "a <= b", "true")])

    def test_an_ambiguous_anchor(self):
        with self.assertRaisesRegex(mutants.Mistake, "stands 2 times"):
            seeded([bug(7, "expression", "return", "x")])

    def test_a_missing_source(self):
        with self.assertRaisesRegex(mutants.Mistake, "there is no y.cpp"):
            seeded([bug(7, "expression", "a", "x", "y.cpp")])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "wrong_sum.mutant")
            path.write_text("# A sum is a difference.\nnumber: 4\npass: dce\nsource: x.cpp\n"
                            "expression\n--- original\na + b\n--- bug\na - b\n"
                            "source: y.cpp\nstatement\n--- original\nf();\n--- bug\n", encoding="utf-8")
            self.assertEqual(mutants.read_bugs(Path(folder)), [mutants.Bug(
                "wrong_sum", 4, "dce", "A sum is a difference.",
                [mutants.Hunk("x.cpp", "expression", "a + b", "a - b"),
                 mutants.Hunk("y.cpp", "statement", "f();", "")])])
            Path(folder, "other.mutant").write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
            with self.assertRaisesRegex(mutants.Mistake, "the same number 4"):
                mutants.read_bugs(Path(folder))
            Path(folder, "names.mutant").write_text(
                "# What is different.\nsource: x.cpp\ntext\n--- original\na\n--- bug\nb\n",
                encoding="utf-8")
            Path(folder, "other.mutant").unlink()
            self.assertEqual([(b.name, b.number) for b in mutants.read_bugs(Path(folder))],
                             [("names", 0), ("wrong_sum", 4)])
            path.write_text("number: 4\n", encoding="utf-8")
            with self.assertRaisesRegex(mutants.Mistake, "wrong_sum.mutant: needs"):
                mutants.read_bugs(Path(folder))

    def test_those_of_this_tree(self):
        self.assertEqual(mutants.main(["--check"]), 0)
        bugs = mutants.read_bugs()
        self.assertGreater(len(bugs), 0)
        self.assertEqual(set(mutants.seeded_sources(bugs)),
                         {h.source for b in bugs for h in b.hunks})


if __name__ == "__main__":
    unittest.main()
