"""run --verify: versions that the tiers make are checked on the run's own states."""
import json
import unittest

from command_line import FINE, ROOT, USAGE, CliTest
from engines_test import has_native_code

OUR_BUG = 70
TIERS = str(ROOT / "examples/tiers.sou")
VERIFY = ["--engine=auto", "--jit-sync", "--verify"]
# The first literal of the version at the front is another one.
WRONG = """\
import json, sys
program = json.load(sys.stdin)
for function in program["functions"]:
    for stmt in function["versions"][0]["body"]:
        instr = stmt["instr"]
        if function["name"] == "sum" and instr["op"] == "var" and instr["name"] == "s":
            instr["value"] = {"int": "1"}
json.dump({"program": program}, sys.stdout)
"""


@unittest.skipUnless(has_native_code(), "no native code in this build")
class Verify(CliTest):
    def test_right_versions_hold(self):
        done = self.says(FINE, words=["run", TIERS, *VERIFY, "--stats=json"])
        self.assertEqual(done.out, "680000.0\n")
        counts = json.loads(done.err)
        self.assertGreater(counts["verified"], 0)
        self.assertEqual(counts["differing"], 0)
        self.assertEqual(counts["optimized"], counts["verified"] + counts["undecided"])
        done = self.says(FINE, "  verified", "  undecided", words=["run", TIERS, *VERIFY, "--stats"])

    def test_a_wrong_version_is_not_used(self):
        self.write("wrong.py", WRONG)
        passes = "--tier=passes=fresh-version,exec:python3 wrong.py"
        done = self.says(OUR_BUG, "sum.opt, made for calls is wrong, and is not used:",
                         words=["run", TIERS, *VERIFY, passes, "--no-osr-in", "--report=r"])
        self.assertEqual(done.out, "680000.0\n")
        counts = json.loads((self.folder / "r").read_text())["statistics"]
        self.assertGreater(counts["differing"], 0)
        self.assertEqual(counts["verified"], 0)

    def test_flags(self):
        self.says(USAGE, "--verify is about", words=["run", TIERS, "--engine=native", "--verify"])
        self.says(USAGE, "only with --verify",
                  words=["run", TIERS, "--engine=auto", "--tier=passes=exec:cat"])


if __name__ == "__main__":
    unittest.main()
