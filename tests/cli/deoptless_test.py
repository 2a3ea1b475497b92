"""Exits that continue by their context (docs/deoptless.md)."""
import json
import unittest

from command_line import ROOT, CliTest

PHASES = str(ROOT / "examples/53_deoptless.sou")
ON = ("--engine=auto", "--jit-sync", "--no-osr-in", "--tier=deoptless=on")


class Deoptless(CliTest):
    def statistics(self, *flags):
        done = self.sourir("run", PHASES, "--stats=json", *flags)
        self.assertEqual(done.out, self.sourir("run", PHASES, "--engine=reference").out, flags)
        return json.loads(done.err)

    # mutant 144: the outermost of the two frames is lost.
    def test_exits_inside_inlined_calls_stay_in_optimized_code(self):
        s = self.statistics(*ON)
        self.assertEqual((s["deoptless"], s["deoptless_misses"], s["deoptless_continuations"]),
                         (1996, 4, 1))
        self.assertEqual(s["code_invalidated"], 0)

    def test_without_it_each_phase_invalidates_the_code_of_the_one_before(self):
        s = self.statistics(*ON[:-1])
        self.assertEqual((s["deoptless"], s["deoptless_misses"]), (0, 0))
        self.assertGreater(s["code_invalidated"], 1)

    def test_forced_exits_have_continuations_too(self):
        for deopt in ("always", "p:0.1:7", "every:3"):
            s = self.statistics(*ON, f"--deopt={deopt}", "--tier=continuations=1")
            self.assertGreater(s["forced"], 0)
            self.assertGreater(s["deoptless"], 0)

    def test_the_log_names_the_context(self):
        done = self.sourir("run", PHASES, *ON, "--tiers")
        self.assertRegex(done.err, r"continuation at \+0 for elements \[a is float\[\], s is int, ")
        self.assertRegex(done.err, r"<- mean\.anon\+1, deoptless: for elements \[a is float\[\], ")
        records = [json.loads(line) for line in
                   self.sourir("run", PHASES, *ON, "--tiers=json").err.splitlines()]
        contexts = [r["context"]["guard"] for r in records if "context" in r]
        self.assertEqual((len(contexts), set(contexts)), (1997, {"elements"}))

    def test_the_verifier_decides_the_continuation(self):
        s = self.statistics(*ON, "--verify")
        self.assertEqual((s["verified"], s["differing"], s["undecided"]), (2, 0, 0))

    def test_a_log_for_the_reference_has_no_continuations(self):
        self.sourir("run", PHASES, *ON, "--tiers=schedule", "--tiers-file=log")
        done = self.sourir("run", PHASES, "--engine=reference", "--jit-schedule=log")
        self.assertIn("the reference does the same", done.err)



if __name__ == "__main__":
    unittest.main()
