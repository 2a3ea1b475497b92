"""campaign: results in a database, reports, single cases, shards."""
import html.parser
import json
import os
import pty
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

from command_line import (ENVIRONMENT, FINE, FOUND, INTERRUPTED, SOURIR, UNREADABLE, USAGE,
                          UNWRITABLE, CliTest)
from engines_test import has_native_code

INCONCLUSIVE = 2
SMALL = ["--programs", "60", "--batch", "8", "--size", "20"]
# A pass of the user's that takes the process of the case with it.
CRASHES = "exec:kill -SEGV $PPID"


class CampaignTest(CliTest):
    def campaign(self, *words, status=None, **more):
        done = self.sourir("campaign", *words, **more)
        allowed = (FINE, FOUND, INCONCLUSIVE) if status is None else (status,)
        self.assertIn(done.returncode, allowed, done.err)
        return done

    def report(self, db, *words):
        return self.sourir("campaign", "report", "--db", db, *words)


@unittest.skipUnless(has_native_code(), "no native code in this build")
class Engines(CampaignTest):
    def test_versions_of_the_tiers_are_checked_and_sampled(self):
        """Also with the sampler on; the report counts the versions and those that were decided."""
        done = self.campaign("--programs", "150", "--size", "20", "--engines=verified,sampled",
                             "--oracles=engines", "--json")
        self.assertNotEqual(done.returncode, FOUND)
        counts = json.loads(done.out)["others"]
        self.assertGreater(counts["engine/sampled/runs"], 50)
        self.assertGreater(counts["engine/verified/versions"], 5)
        self.assertGreater(counts["engine/verified/decided"], 0)
        self.assertLessEqual(counts["engine/verified/decided"], counts["engine/verified/versions"])

    def test_versions_with_and_without_guards_for_results(self):
        done = self.campaign("--programs", "80", "--size", "20", "--engines=auto,auto-jit",
                             "--oracles=engines", "--json")
        self.assertNotEqual(done.returncode, FOUND)
        counts = json.loads(done.out)["others"]
        for engine in ("auto", "auto-jit"):
            self.assertGreater(counts[f"engine/{engine}/runs"], 20)


class Results(CampaignTest):
    def test_same_results_however_it_is_cut(self):
        first = self.campaign(*SMALL, "--db", "a.db", "--jobs", "1").out
        self.assertIn("60 of 60 programs", first)
        self.assertEqual(first, self.campaign(*SMALL, "--jobs", "3").out)
        self.assertEqual(first, self.report("a.db").out)
        again = self.campaign(*SMALL, "--db", "a.db")
        self.assertEqual(first, again.out)
        other = ["--programs", "60", "--batch", "100", "--size", "20"]
        self.assertEqual(first, self.campaign(*other, "--jobs", "2").out)
        self.assertNotEqual(first, self.campaign(*SMALL, "--seed", "2").out)

    def test_impossible_counts_are_refused(self):
        self.sourir("campaign", "--programs=10", "--batch=5", "--size=10", "--db=c.db")
        with sqlite3.connect(self.folder / "c.db") as db:
            db.execute("UPDATE counters SET n = -7 WHERE name = 'cases'")
            db.execute("UPDATE batches SET programs = 1000000")
        db.close()
        done = self.sourir("campaign", "report", "--db", "c.db")
        self.assertEqual(done.returncode, UNREADABLE, done.out)
        self.assertIn("damaged", done.err)

    def test_goes_on_after_its_time(self):
        words = ["--programs", "600", "--batch", "15", "--db", "a.db", "--jobs"]
        stopped = self.campaign(*words, "1", "--time", "1") # some seconds of work
        if "NOT COMPLETE" in stopped.out:
            self.assertIn("the same command continues", stopped.err)
        whole = self.campaign(*words, "2")
        self.assertIn("600 of 600 programs", whole.out)
        self.assertEqual(whole.out, self.campaign(*words[:4]).out)

    def test_interrupt(self):
        process = self.start("campaign", "--programs", "100000", "--batch", "10", "--db", "a.db",
                             stdout=-1)
        self.addCleanup(process.stdout.close)
        while not self.stored("a.db"):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertIn(b"the same command continues", err)
        self.assertIn(b"of 100,000 programs", out)
        self.assertGreater(self.stored("a.db"), 0)

    def test_progress(self):
        controller, terminal = pty.openpty()
        self.addCleanup(os.close, controller)
        process = subprocess.Popen([SOURIR, "campaign", "--programs", "400", "--batch", "20"],
                                   stdout=subprocess.PIPE, stderr=terminal, env=ENVIRONMENT)
        os.close(terminal)
        out, _ = process.communicate(timeout=120)
        shown = os.read(controller, 1 << 20).decode()
        self.assertRegex(shown, r"\r\[[# ]{24}\] \d+ of 400 programs, \d+ a second, .* left")
        self.assertTrue(shown.endswith("\r\033[K"))
        self.assertNotIn(b"left", out)
        # Not on a terminal it is quiet, for a minute.
        self.assertEqual(self.campaign(*SMALL).err, "")

    def stored(self, db):
        try:
            with sqlite3.connect(f"file:{self.folder}/{db}?mode=ro", uri=True) as connection:
                return connection.execute("SELECT count(*) FROM batches").fetchone()[0]
        except sqlite3.Error:
            return 0

    def test_words(self):
        for words, fragment in (
                (["--programs", "0"], "must be at least 1"),
                (["--passes", "dcee"], "dce"),
                (["--oracles", "events,moon"], "there is no oracle 'moon'"),
                (["--without", "moon"], "there is no oracle 'moon'"),
                (["--shard", "0/3", "--db", "x"], "is no shard"),
                (["--shard", "4/3", "--db", "x"], "is no shard"),
                (["--shard", "1/3"], "needs --db"),
                (["--jobs", "100000"], "at most"),
                (["--size", "1000000000"], "at most"),
                (["--mutant", "1"], "sourir-mutants"),
                (["reprot"], "did you mean report?"),
                (["--json", "report"], "stands right after"),
                (["report"], "--db FILE is missing"),
                (["replay"], "CASE is missing"),
                (["replay", "3"], "needs --db"),
                (["merge", "out.db"], "OUT and IN are wanted here, and there is only 'out.db'"),
                (["slurm"], "--db FILE is missing"),
                (["mutants"], "sourir-mutants")):
            done = self.sourir("campaign", *words)
            self.assertIn(done.returncode, (USAGE, UNREADABLE), words)
            self.assertIn(fragment, done.err, words)

    def test_help(self):
        for word in ("report", "replay", "shrink", "merge", "slurm", "mutants"):
            self.assertIn("Examples:", self.says(FINE, words=["campaign", word, "--help"]).out)
            self.assertIn(f"\n  {word} ", self.sourir("campaign", "--help").out)
        self.assertIn("usage: sourir campaign merge OUT", self.sourir("help", "campaign", "merge").out)


class Databases(CampaignTest):
    def test_other_plan(self):
        self.campaign(*SMALL, "--db", "a.db")
        for words in (["--seed", "2"], ["--size", "21"], ["--passes", "dce"], ["--fuel", "9"],
                      ["--oracles", "states"]):
            self.says(UNREADABLE, "is of another campaign", words[0][2:],
                      words=["campaign", *SMALL, *words, "--db", "a.db"])
        self.says(UNREADABLE, "batch is 8 there and 9 here",
                  words=["campaign", *SMALL, "--batch", "9", "--db", "a.db"])

    def test_other_files(self):
        self.write("text", "this is no database at all, but it is long enough to be looked at\n")
        self.write("empty", "")
        with sqlite3.connect(self.folder / "other") as connection:
            connection.execute("CREATE TABLE t(x)")
        connection.close()
        (self.folder / "folder").mkdir()
        for file, fragment in (("text", "is no database"), ("empty", "is empty"),
                               ("other", "of something else"), ("folder", "cannot open"),
                               ("none", "cannot open")):
            for words in (["report"], ["replay", "1"], ["shrink", "1"]):
                done = self.says(UNREADABLE, fragment, words=["campaign", *words, "--db", file])
                self.assertEqual(done.out, "")
        for file in ("text", "other"):
            before = (self.folder / file).read_bytes()
            self.says(UNREADABLE, words=["campaign", *SMALL, "--db", file])
            self.assertEqual(before, (self.folder / file).read_bytes())
        self.says(UNWRITABLE, "cannot write", words=["campaign", *SMALL, "--db", "no/a.db"])

    def test_damaged(self):
        self.campaign(*SMALL, "--db", "a.db")
        good = (self.folder / "a.db").read_bytes()
        seen = set()
        for at in range(0, len(good), 2999):
            bad = good[:at] + bytes(byte ^ 0x5A for byte in good[at:at + 64]) + good[at + 64:]
            self.write("b.db", bad)
            done = self.report("b.db")
            seen.add(done.returncode)
            self.assertIn(done.returncode, (FINE, FOUND, INCONCLUSIVE, UNREADABLE), (at, done.err))
        self.assertIn(UNREADABLE, seen)
        for length in (10, 100, 4096, len(good) // 2):
            self.write("b.db", good[:length])
            self.says(UNREADABLE, words=["campaign", "report", "--db", "b.db"])

    def test_numbers_that_cannot_be(self):
        self.campaign(*SMALL, "--db", "a.db")
        with sqlite3.connect(self.folder / "a.db") as connection:
            connection.execute("UPDATE batches SET batch = 1000000 WHERE batch = 1")
        connection.close()
        self.says(UNREADABLE, "damaged", words=["campaign", *SMALL, "--db", "a.db"])
        with sqlite3.connect(self.folder / "a.db") as connection:
            connection.execute("UPDATE plan SET value = 'many' WHERE name = 'programs'")
        connection.close()
        self.says(UNREADABLE, "damaged", words=["campaign", "report", "--db", "a.db"])


class Cases(CampaignTest):
    def test_crash_is_a_finding_and_not_the_end(self):
        words = ["--programs", "12", "--batch", "4", "--passes", CRASHES, "--chain", "1"]
        done = self.campaign(*words, "--db", "a.db", status=FOUND)
        self.assertIn("12 of 12 programs", done.out)
        self.assertIn("SIGSEGV", done.out)
        self.assertEqual(done.out, self.campaign(*words, "--jobs", "1").out)
        found = json.loads(self.report("a.db", "--json").out)["counterexamples"]
        self.assertEqual({row["oracle"] for row in found}, {"crash"})
        number = str(found[0]["first"][0])
        again = self.says(FOUND, words=["campaign", "replay", number, "--db", "a.db"])
        self.assertIn("SIGSEGV", again.out)
        file = f"a.db.failures/{number}.json"
        again = self.says(FOUND, words=["campaign", "replay", file, "--json"])
        self.assertEqual(json.loads(again.out)["now"]["oracle"], "crash")
        small = self.says(FOUND, words=["campaign", "shrink", number, "--db", "a.db", "--tries",
                                        "200", "-o", "small.json"])
        self.assertIn("function main", small.out)
        self.says(FOUND, words=["campaign", "replay", "small.json"])
        self.assertIn("shrunk to", self.report("a.db").out)

    def test_hang_is_a_finding(self):
        for name, hangs in (("asleep", "sleep 30"), ("busy", "while :; do :; done")):
            with self.subTest(name):
                done = self.campaign("--programs", "2", "--batch", "2", "--passes", f"exec:{hangs}",
                                     "--chain", "1", "--case-timeout", "1", status=FOUND)
                self.assertIn("hang", done.out)
                self.assertIn("2 of 2 programs", done.out)

    def test_killed_again_and_again(self):
        done = self.campaign("--programs", "2", "--passes", "exec:kill -KILL $PPID", "--chain", "1",
                             status=FOUND)
        self.assertIn("SIGKILL", done.out)

    def test_a_pass_that_says_nothing(self):
        done = self.campaign("--programs", "5", "--passes", "exec:true", "--chain", "1",
                             "--db", "a.db", status=FOUND)
        self.assertIn("exec:true", done.out)
        files = sorted((self.folder / "a.db.failures").iterdir())
        self.assertTrue(files)
        self.says(FOUND, "", words=["campaign", "replay", f"a.db.failures/{files[0].name}"])

    def test_what_a_pass_prints_before_it_fails(self):
        self.write("pass.py", "import sys\nsys.stderr.write('at\\tone\\n')\n"
                              "raise ValueError('no idea')\n")
        self.campaign("--programs", "2", "--passes", f"exec:{sys.executable} pass.py", "--chain", "1",
                      "--db", "a.db", status=FOUND)
        done = self.sourir("campaign", "replay", "0", "--db", "a.db")
        self.assertEqual(done.returncode, FOUND)
        self.assertIn("pass.py: it exited with 1\n  at\\x09one\n  Traceback", done.out)
        self.assertIn("\n  ValueError: no idea\n", done.out)

    def test_cases_by_number(self):
        self.campaign(*SMALL, "--db", "a.db")
        done = self.sourir("campaign", "replay", "59", "--db", "a.db", "-o", "59.json")
        self.assertIn("# case 59", done.out)
        again = self.sourir("campaign", "replay", "59.json")
        self.assertEqual((done.returncode, done.out), (again.returncode, again.out))
        self.says(UNREADABLE, "there is no case 60", words=["campaign", "replay", "60", "--db", "a.db"])

    def test_replay_files_that_are_none(self):
        self.campaign(*SMALL, "--db", "a.db")
        self.sourir("campaign", "replay", "1", "--db", "a.db", "-o", "1.json")
        good = json.loads((self.folder / "1.json").read_text())
        self.write("x.json", "{")
        self.says(UNREADABLE, "it is no JSON", words=["campaign", "replay", "x.json"])
        self.says(UNREADABLE, "cannot read", words=["campaign", "replay", "none.json"])
        for key, value, fragment in (
                ("format", "x", "sourir-replay"), ("version", 3, "version"),
                ("program", "goto x", "rejected"), ("program", 3, '"program"'),
                ("inputs", ["x y"], "is no literal"), ("pipeline", ["dcee"], "no pass 'dcee'"),
                ("deopt", "sometimes", "schedule"), ("plan", {}, "the plan has no"),
                ("feedback_seed", -1, "feedback_seed"), ("choices", None, '"choices"')):
            self.write("x.json", json.dumps(dict(good, **{key: value})))
            self.says(UNREADABLE, fragment, words=["campaign", "replay", "x.json"])
        self.write("x.json", json.dumps(dict(good, choices="zz")))
        self.sourir("campaign", "shrink", "x.json")


# A pass of the user's: the first sum of two variables becomes their difference.
WRONG_PASS = """\
import json, sys, time
def walk(node):
    if isinstance(node, dict) and node.get("binary") == "+" and "var" in node["left"]:
        node["binary"] = "-"
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else []:
        walk(part)
program = json.load(sys.stdin)
walk(program)
time.sleep(float(sys.argv[1]))
state_map = {"format": "sourir-state-map", "version": 2, "versions": []}
json.dump({"program": program, "state_map": state_map}, sys.stdout)
"""
TWENTY = "function main()\nversion base\n" + "".join(
    f"  var x{n} = {n}\n  print x{n}\n" for n in range(9)) + "  print (x3 + x8)\n  stop\n"


class Shrinking(CampaignTest):
    """Of a program of 20 instructions on which a pass of the user's is wrong."""

    def setUp(self):
        super().setUp()
        self.write("wrong.py", WRONG_PASS)

    def case_for(self, seconds):
        transform = f"exec:python3 wrong.py {seconds}"
        self.campaign("--passes", transform, "--programs", "1", "--db", "a.db")
        self.sourir("campaign", "replay", "0", "--db", "a.db", "-o", "x.json")
        case = json.loads((self.folder / "x.json").read_text())
        case.update(program=TWENTY, pipeline=[transform], inputs=[], deopt="never",
                    feedback_seed=0)
        self.write("x.json", json.dumps(case))

    def test_a_pass_of_the_users(self):
        self.case_for(0)
        done = self.says(FOUND, "instead of 20", words=["campaign", "shrink", "x.json", "--json"])
        self.assertNotIn("used up", done.err)
        small = json.loads(done.out)
        self.assertLessEqual(small["program"].count("\n"), 6)
        self.assertEqual(small["now"]["outcome"], "counterexample")

    def test_the_smallest_by_the_end_of_the_time(self):
        self.case_for(0.2)
        done = self.says(FOUND, "the time is used up, it may become smaller (--time)",
                         words=["campaign", "shrink", "x.json", "--time", "3"])
        self.assertIn("counterexample", done.out)

    def test_progress_and_interruption(self):
        self.case_for(0.1)
        controller, terminal = pty.openpty()
        self.addCleanup(os.close, controller)
        process = subprocess.Popen([SOURIR, "campaign", "shrink", "x.json"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=terminal, env=ENVIRONMENT)
        os.close(terminal)
        shown = b""
        while b" instead of 20, " not in shown:
            shown += os.read(controller, 1 << 16)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertRegex(shown.decode(), r"\d+ instructions? instead of 20, \d+ cases?, \d+ of 60 s")
        self.assertIn(b"function main", out)
        self.assertIn(b"stopped by Ctrl-C", os.read(controller, 1 << 16))


class Reports(CampaignTest):
    def test_a_pass_that_never_fires_is_said_loudly(self):
        done = self.campaign("--programs", "1", "--seed", "2", "--passes", "compose-assumes",
                             status=INCONCLUSIVE)
        self.assertIn("NEVER DID ANYTHING", done.out)
        self.assertIn("NOTHING IS SAID", done.out)

    def test_json(self):
        self.campaign(*SMALL, "--db", "a.db")
        document = json.loads(self.report("a.db", "--json").out)
        self.assertEqual(document["programs"], 60)
        self.assertEqual(sum(document["outcomes"].values()), 60)
        self.assertEqual(sum(document["sizes"].values()), 60)
        self.assertTrue(document["complete"])
        names = [row["pass"] for row in document["passes"]]
        self.assertIn("inline", names)

    def test_html(self):
        self.campaign("--programs", "3", "--passes", CRASHES + " '<b>'", "--db", "a.db")
        self.report("a.db", "--html", "a.html")
        page = (self.folder / "a.html").read_text()
        for word in ("<script", "http:", "https:", "<link", "<img", "url("):
            self.assertNotIn(word, page)
        self.assertIn("prefers-color-scheme: dark", page)
        self.assertIn("&lt;b&gt;", page)
        open_tags = []

        class Checker(html.parser.HTMLParser):
            def handle_starttag(self, tag, attrs):
                if tag not in ("meta", "rect"):
                    open_tags.append(tag)

            def handle_endtag(self, tag):
                if tag != "rect":
                    assert open_tags.pop() == tag, tag
        Checker().feed(page)
        self.assertEqual(open_tags, [])
        self.says(UNWRITABLE, words=["campaign", "report", "--db", "a.db", "--html", "no/a.html"])


class Shards(CampaignTest):
    def shards(self, n, *words):
        files = []
        for k in range(1, n + 1):
            self.campaign(*SMALL, *words, "--db", "s.db", "--shard", f"{k}/{n}")
            files.append(f"s.db.{k}-of-{n}")
            self.assertTrue((self.folder / files[-1]).exists())
            self.assertFalse((self.folder / (files[-1] + ".part")).exists())
        return files

    def test_union(self):
        whole = self.campaign(*SMALL).out
        files = self.shards(3)
        done = self.says(INCONCLUSIVE, words=["campaign", "merge", "two.db", *files[:2]])
        self.assertIn("6 of 8 batches", done.out)
        self.assertIn("NOT COMPLETE", self.report("two.db").out)
        self.says(FINE, words=["campaign", "merge", "s.db", files[2], "two.db", files[0], files[0]])
        self.assertEqual(self.report("s.db").out, whole)
        self.says(FINE, words=["campaign", "merge", "two.db", files[2]])  # what is there stays
        self.assertEqual(self.report("two.db").out, whole)
        self.assertFalse(list(self.folder.glob("*.merging*")))

    def test_again(self):
        self.shards(2)
        again = self.campaign(*SMALL, "--db", "s.db", "--shard", "1/2")
        self.assertIn("is complete already", again.err)
        self.says(UNREADABLE, "another campaign", words=[
            "campaign", *SMALL, "--seed", "4", "--db", "s.db", "--shard", "1/2"])

    def test_what_does_not_belong_together(self):
        files = self.shards(2)
        self.campaign(*SMALL, "--seed", "2", "--db", "b.db")
        self.says(UNREADABLE, "different campaigns: seed is",
                  words=["campaign", "merge", "out.db", files[0], "b.db"])
        self.says(UNREADABLE, "cannot open", words=["campaign", "merge", "out.db", files[0], "no"])
        self.write("text", "what stands here is kept\n")
        self.says(UNREADABLE, "is no database", words=["campaign", "merge", "text", files[0]])
        self.assertEqual((self.folder / "text").read_text(), "what stands here is kept\n")
        self.assertFalse((self.folder / "out.db").exists())
        with sqlite3.connect(self.folder / files[0]) as connection:
            connection.execute("UPDATE counters SET n = n + 1 WHERE name = 'states'")
        connection.close()
        self.campaign(*SMALL, "--db", "whole.db")
        self.says(UNREADABLE, "is not what another file says",
                  words=["campaign", "merge", "out.db", "whole.db", files[0]])

    def test_slurm_says_which(self):
        array = dict(ENVIRONMENT, SLURM_ARRAY_TASK_ID="4", SLURM_ARRAY_TASK_COUNT="3",
                     SLURM_ARRAY_TASK_MIN="3", SLURM_ARRAY_TASK_STEP="1")
        self.campaign(*SMALL, "--db", "s.db", env=array)
        self.assertTrue((self.folder / "s.db.2-of-3").exists())
        self.says(USAGE, "give --shard K/N", words=["campaign", *SMALL, "--db", "s.db"],
                  env=dict(array, SLURM_ARRAY_TASK_ID="9"))

    def test_batch_file(self):
        script = self.says(FINE, words=["campaign", "slurm", *SMALL, "--shards", "4", "--db",
                                        "it's.db", "--passes", "exec:echo 'a b'"]).out
        self.write("c.sh", script)
        self.assertEqual(os.system(f"bash -n '{self.folder}/c.sh'"), 0)
        self.assertIn("--array=1-4", script)
        self.assertIn("afterany:", script)


if __name__ == "__main__":
    unittest.main()
