"""tests/showcases.py tells what shows nothing."""
import sys
import unittest

from command_line import ROOT

sys.path.append(str(ROOT / "tests"))
import showcases  # noqa: E402

COMPILED = "compiled     sum.opt  (an optimized version)  279 bytes, 7.7 ms\n"
SAMPLES = "samples: 3 in native code (3 where all types are known)\n\nf.opt#1  3 samples, 100.0 %\n"


class Rows(unittest.TestCase):
    def missing(self, text, *words):
        return showcases.missing(showcases.Call(list(words), 0, text, str(ROOT)))

    def test_output_with_and_without_substance(self):
        for shown, nothing, *words in (
                ("1\n" + COMPILED, "1\nsourir: nothing was compiled\n", "run", "x.sou", "--tiers"),
                (SAMPLES, SAMPLES.replace("3 in", "0 in"), "profile", "x.sou"),
                (SAMPLES, SAMPLES.split("f.opt")[0], "profile", "x.sou"),
                ("equivalent on what was tried: 1 exit could be forced, 1 forced\n",
                 "equivalent on what was tried: 0 exits could be forced, 0 forced\n",
                 "bisim", "x.sou", "--transparency"),
                ("function main()\n- a\n+ b\n", "function main()\n*** no change\n",
                 "opt", "x.sou", "--pass=O1", "--print-changed"),
                ("f.fast:\n\tmov\tr1, r2\n", "f.fast:\n", "jit", "x.sou", "--dump=asm")):
            self.assertEqual(self.missing(shown, *words), [], words)
            self.assertTrue(self.missing(nothing, *words), words)

    def test_commands_flags_and_files_without_a_row(self):
        self.assertIn("no row", self.missing("1\n", "sing", "x.sou")[0])
        self.assertIn("no row for --loud", self.missing("1\n", "run", "x.sou", "--loud=3")[0])
        self.assertIn("is missing", self.missing("version", "opt", "x", "-o", "no_such_file")[0])


if __name__ == "__main__":
    unittest.main()
