"""A case whose process hardly gets the processor, or is stopped."""
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

from command_line import ENVIRONMENT, FINE, SOURIR, CliTest

INCONCLUSIVE = 2 # fuel, perhaps

ON_THE_FIRST = "import os, sys, time\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
BUSY = ON_THE_FIRST + "while True: pass\n"
# A pass that changes nothing and only gets the time that others leave to it.
STARVED = ON_THE_FIRST + """\
open("pid", "w").write(str(os.getpid()))
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
while time.process_time() < 0.5: pass
print('{"program":' + sys.stdin.read() + "}")
"""


class Starved(CliTest):
    def test_to_wait_for_a_processor_is_no_hang(self):
        """It was one by the clock on the wall, and for passes of the user's."""
        self.write("starved.py", STARVED)
        busy = subprocess.Popen([sys.executable, "-c", BUSY])
        self.addCleanup(busy.wait)
        self.addCleanup(busy.kill)

        def relieve():
            pid = int((self.folder / "pid").read_text())
            os.sched_setscheduler(pid, os.SCHED_OTHER, os.sched_param(0))

        ends = threading.Timer(4, relieve)
        ends.start()
        self.addCleanup(ends.cancel)
        begun = time.monotonic()
        done = self.sourir("campaign", "--programs", "1", "--passes",
                           "exec:exec python3 starved.py", "--chain", "1", "--case-timeout", "1")
        self.assertIn(done.returncode, (FINE, INCONCLUSIVE), done.out)
        self.assertGreater(time.monotonic() - begun, 2)

    def test_to_be_stopped_is_no_hang(self):
        """Ctrl-Z, for longer than a case may take: all processes, or those of the cases alone."""
        self.write("slow.sh", "cat >$$.in; echo $PPID >>workers; sleep 0.3\n"
                              "printf '{\"program\":'; cat $$.in; echo '}'\n")
        for everyone in (True, False):
            with self.subTest(everyone=everyone):
                (self.folder / "workers").unlink(missing_ok=True)
                campaign = subprocess.Popen(
                    [SOURIR, "campaign", "--programs", "4", "--passes", "exec:sh slow.sh", "--chain",
                     "1", "--jobs", "1", "--case-timeout", "1"], cwd=self.folder, env=ENVIRONMENT,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                while not (self.folder / "workers").exists() or not self.worker():
                    time.sleep(0.02)
                stopped = [self.worker()] + ([campaign.pid] if everyone else [])
                for pid in stopped:
                    os.kill(pid, signal.SIGSTOP)
                time.sleep(3)
                for pid in stopped:
                    os.kill(pid, signal.SIGCONT)
                out, _ = campaign.communicate(timeout=60)
                self.assertIn(campaign.returncode, (FINE, INCONCLUSIVE), out)

    def worker(self):
        return int((self.folder / "workers").read_text().split("\n")[0] or 0)


if __name__ == "__main__":
    unittest.main()
