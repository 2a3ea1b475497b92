"""Flags and fields that were renamed: the former names work for one release, and are not shown."""
import json
import unittest

from command_line import FINE, ROOT, USAGE, CliTest
from engines_test import has_native_code

FORCED = str(ROOT / "examples/31_forced_exits.sou")
TIERS = str(ROOT / "examples/tiers.sou")


class FormerNames(CliTest):
    def test_flags_of_the_schedule(self):
        for command in (["run", FORCED], ["bisim", FORCED, "--transparency"]):
            now = self.sourir(*command, "--deopt=always")
            before = self.sourir(*command, "--leave=always")
            self.assertEqual((now.returncode, now.out), (before.returncode, before.out))
        self.says(USAGE, "--deopt: ", words=["run", FORCED, "--leave=sometimes"])
        self.says(USAGE, "--leave needs a value", words=["run", FORCED, "--leave"])

    def test_topics(self):
        for now, before in (("wrong-type", "wrong-kind"), ("AssumeForce", "AssumeLeave")):
            self.assertEqual(self.sourir("explain", now).out, self.sourir("explain", before).out)
            self.assertNotIn(before, self.sourir("explain").out)

    def test_they_are_not_shown(self):
        for command in ("run", "step", "bisim", "profile", "jit"):
            shown = self.sourir(command, "--help").out
            for name in ("--leave", "--tier-calls", "--no-watching", "--profile-enough",
                         "--profile-polluted", "--watch-only", "--result"):
                self.assertNotIn(name + " ", shown, command)
                self.assertNotIn(name + "=", shown, command)
        self.assertNotIn("--tier-calls", self.sourir("completion", "bash").out)

    def test_settings_of_the_tiers(self):
        listing = self.sourir("run", "--tier", "help")
        self.assertEqual(listing.returncode, FINE)
        for key in ("calls=", "iterations=", "feedback-resets=", "invalidations=", "passes="):
            self.assertIn(f"  {key}", listing.out)
        self.says(USAGE, "did you mean calls?", words=["run", TIERS, "--tier", "cals=1"])
        self.says(USAGE, "calls needs a value", words=["run", TIERS, "--tier", "calls"])
        self.says(USAGE, "calls: must be at least 1", words=["run", TIERS, "--tier=calls=0"])

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    def test_settings_do_what_the_flags_did(self):
        def counts(*flags):
            done = self.sourir("run", TIERS, "--engine=auto", "--jit-sync", "--stats=json", *flags)
            self.assertEqual(done.returncode, FINE, done.err)
            found = json.loads(done.err)
            return [found[key] for key in ("compiled", "deoptimizations", "osr_entries")]

        now = counts("--tier", "calls=7,iterations=9,passes=fix(constprop,dce),exits=3")
        before = counts("--tier-calls=7", "--tier-iterations=9", "--tier-exits=3",
                        "--tier-passes=fix(constprop,dce)")
        self.assertEqual(now, before)
        self.assertEqual(counts("--tier=calls=7", "--tier=feedback-resets=0"),
                         counts("--tier-calls=7", "--tier-forgets=0"))

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    def test_fields(self):
        done = self.sourir("run", TIERS, "--engine=auto", "--jit-sync", "--stats=json")
        found = json.loads(done.err)
        for now, before in (("bailouts", "resumes"), ("osr_entries", "loops_entered"),
                            ("watchpoints", "watched"), ("code_invalidated", "retired"),
                            ("watchpoints_invalidated", "invalidated")):
            self.assertEqual(found[now], found[before], now)

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    def test_a_log_of_version_1(self):
        events = {"osr-entry": "moved", "deopt": "left", "mapped-deopt": "mapped",
                  "bailout": "resumed"}
        fields = {"events": "clock", "deopt": "leave", "outlined": "cut_out"}
        self.says(FINE, words=["run", TIERS, "--engine=auto", "--jit-sync", "--tiers=schedule",
                               "--tiers-file=log"])
        lines = [json.loads(line) for line in (self.folder / "log").read_text().splitlines()]
        lines[0]["version"] = 1
        former = [{fields.get(key, key): events.get(value, value) if key == "event" else value
                   for key, value in line.items()} for line in lines]
        self.write("former", "".join(json.dumps(line) + "\n" for line in former))
        self.says(FINE, "the reference does the same",
                  words=["run", TIERS, "--engine=reference", "--jit-schedule=former"])

    def test_a_state_map_of_version_1(self):
        map_of = {"format": "sourir-state-map", "version": 1, "versions": []}
        same = {"function": "main", "version": "anon"}
        map_of["versions"] = [{**same, "identity": same, "states": [], "pending": []}]
        self.write("map", json.dumps(map_of))
        self.says(FINE, words=["bisim", FORCED, FORCED, "--map", "map"])
        map_of["versions"][0]["more"] = map_of["versions"][0].pop("pending")
        self.write("map", json.dumps(map_of))
        self.assertNotEqual(self.sourir("bisim", FORCED, FORCED, "--map", "map").returncode, FINE)

    def test_a_replay_file_of_version_1(self):
        self.sourir("campaign", "--programs", "2", "--seed", "1", "--db", "a.db")
        self.sourir("campaign", "replay", "1", "--db", "a.db", "-o", "1.json")
        case = json.loads((self.folder / "1.json").read_text())
        now = self.sourir("campaign", "replay", "1.json")
        case["version"] = 1
        case["leave"], case["tape"] = case.pop("deopt"), case.pop("choices")
        self.write("former.json", json.dumps(case))
        former = self.sourir("campaign", "replay", "former.json")
        self.assertEqual((now.returncode, now.out.replace("1.json", "")),
                         (former.returncode, former.out.replace("former.json", "")))


if __name__ == "__main__":
    unittest.main()
