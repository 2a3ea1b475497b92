"""campaign of the program with seeded bugs, which `./dev test -L mutants` builds."""
import json
import subprocess
import unittest

from campaign_test import CampaignTest
from command_line import ENVIRONMENT, FINE, FOUND, SOURIR, UNREADABLE


class Mutants(CampaignTest):
    def mutation_run(self, *words):
        return subprocess.run([SOURIR + "-mutants", "campaign", *words], cwd=self.folder,
                              env=ENVIRONMENT, capture_output=True, text=True, timeout=300)

    def test_found(self):
        done = self.mutation_run("mutants", "2", "6", "--json", "--time", "30")
        rows = json.loads(done.stdout)["mutants"]
        self.assertEqual([row["number"] for row in rows], [2, 6])
        for row in rows:
            self.assertTrue(row["caught"], row)
            self.assertLessEqual(row["instructions"], 15)
        self.assertEqual(done.returncode, FINE)

    def test_not_found_without_anybody_to_ask(self):
        done = self.mutation_run("mutants", "2", "--oracles", "claims", "--programs", "20")
        self.assertIn("0 of 1 caught", done.stdout)
        self.assertEqual(done.returncode, FOUND)

    def test_a_campaign_with_a_bug(self):
        plain = self.campaign("--programs", "100", "--passes", "constprop").out
        done = self.mutation_run("--programs", "100", "--passes", "constprop", "--mutant", "2", "--db", "m.db")
        self.assertEqual(done.returncode, FOUND, done.stderr)
        self.assertIn("with the seeded bug 2", done.stdout)
        self.assertNotEqual(plain, done.stdout)
        file = sorted((self.folder / "m.db.failures").iterdir())[0]
        self.says(UNREADABLE, "sourir-mutants has it", words=["campaign", "replay", str(file)])
        again = self.mutation_run("replay", str(file))
        self.assertEqual(again.returncode, FOUND, again.stderr)
        self.assertIn("counterexample", again.stdout)

    def test_there_is_no_such_bug(self):
        self.assertIn("there is no seeded bug 999", self.mutation_run("mutants", "999").stderr)


if __name__ == "__main__":
    unittest.main()
