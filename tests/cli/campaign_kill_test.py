"""campaign: kill -9 at random moments, of workers, of the campaign itself and of merges. What it
reports in the end is what an uninterrupted one reports, byte for byte.

SOURIR_KILLS (default 4; .ci/nightly: 50) says how many; SOURIR_KILL_SEED chooses the moments."""
import os
import random
import signal
import sqlite3
import subprocess
import time
import unittest

from command_line import ENVIRONMENT, FINE, SOURIR, CliTest

KILLS = int(os.environ.get("SOURIR_KILLS", "4"))
SEED = int(os.environ.get("SOURIR_KILL_SEED", "1"))
CAMPAIGN = ["campaign", "--programs", "480", "--batch", "12", "--size", "40", "--seed", "7"]
# Each of its cases takes its process with it.
CRASHES = ["campaign", "--programs", "150", "--batch", "25", "--passes", "exec:kill -SEGV $PPID",
           "--chain", "2"]


def workers(process):
    try:
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return []


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
        return 1
    except ProcessLookupError:
        return 0


class Kills(CliTest):
    def begin(self, *words):
        return subprocess.Popen([SOURIR, *words], cwd=self.folder, env=ENVIRONMENT,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def survive(self, words, kills, rng):
        """Runs the campaign to its end, with so many kills on the way; what it reports."""
        done, sittings = {"campaign": 0, "worker": 0}, 0
        while True:
            sittings += 1
            process = self.begin(*words, "--db", "k.db", "--jobs", "2")
            while process.poll() is None and sum(done.values()) < kills:
                time.sleep(rng.uniform(0, 0.25))
                victims = workers(process)
                if rng.random() < 0.5 or not victims:
                    if process.poll() is None:
                        done["campaign"] += kill(process.pid)
                        process.wait()
                else:
                    done["worker"] += kill(rng.choice(victims))
            out, err = process.communicate(timeout=600)
            if process.returncode >= 0:  # it came to its end
                report = out.decode()
                self.check_database()
                if sum(done.values()) >= kills:
                    return report, done
                self.remove()
            else:
                self.assertEqual(process.returncode, -signal.SIGKILL, err)

    def remove(self):
        for suffix in ("", "-journal"):
            (self.folder / f"k.db{suffix}").unlink(missing_ok=True)

    def check_database(self):
        with sqlite3.connect(self.folder / "k.db") as connection:
            programs, = connection.execute("SELECT sum(programs) FROM batches").fetchone()
            outcomes, = connection.execute(
                "SELECT sum(n) FROM counters WHERE name LIKE 'outcome/%'").fetchone()
            wanted, = connection.execute(
                "SELECT value FROM plan WHERE name = 'programs'").fetchone()
        connection.close()
        self.assertEqual((programs, outcomes), (int(wanted), int(wanted)))

    def test_campaign(self):
        rng = random.Random(SEED)
        whole = self.sourir(*CAMPAIGN, "--db", "whole.db").out
        self.assertIn("480 of 480 programs", whole)
        report, done = self.survive(CAMPAIGN, KILLS, rng)
        self.assertEqual(report, whole)
        if KILLS >= 50:
            self.assertTrue(done["campaign"] and done["worker"], done)

    def test_campaign_of_crashes(self):
        rng = random.Random(SEED + 1)
        whole = self.sourir(*CRASHES).out
        self.assertIn("150 of 150 programs", whole)
        self.assertIn("SIGSEGV", whole)
        report, _ = self.survive(CRASHES, (KILLS + 1) // 2, rng)
        self.assertEqual(report, whole)

    def test_merge(self):
        rng = random.Random(SEED + 2)
        words = ["campaign", "--programs", "300", "--batch", "1", "--size", "4", "--chain", "1"]
        whole = self.sourir(*words, "--db", "whole.db").out
        files = []
        for k in (1, 2, 3):
            self.sourir(*words, "--db", "s.db", "--shard", f"{k}/3")
            files.append(f"s.db.{k}-of-3")
        begin = time.monotonic()
        self.says(FINE, words=["campaign", "merge", "out.db", *files])
        took = time.monotonic() - begin
        (self.folder / "out.db").unlink()
        killed = 0
        while killed < KILLS:
            process = self.begin("campaign", "merge", "out.db", *files)
            time.sleep(rng.uniform(0, took))
            kill(process.pid)
            process.communicate()
            killed += process.returncode == -signal.SIGKILL
            if (self.folder / "out.db").exists():
                self.assertEqual(self.sourir("campaign", "report", "--db", "out.db").out, whole)
                (self.folder / "out.db").unlink()
            else:
                took *= 1.05  # machines are slower at times
        self.says(FINE, words=["campaign", "merge", "out.db", *files])
        self.assertEqual(self.sourir("campaign", "report", "--db", "out.db").out, whole)


if __name__ == "__main__":
    unittest.main()
