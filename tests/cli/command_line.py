"""Running `sourir` and looking at what comes of it."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURIR = os.environ.get("SOURIR", str(ROOT / "build/bin/sourir"))
FINE, FOUND, USAGE, REJECTED, UNREADABLE, STUCK, LIMIT, UNWRITABLE = 0, 1, 64, 65, 66, 67, 68, 74
INTERRUPTED, NOBODY_READS = 130, 141
# `python3` is the one that runs this: another may be a script that looks for one.
ENVIRONMENT = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8",
                   PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
LOOP = "Loop:\n  goto Loop\n"
SPAM = "Loop:\n  print 12345\n  goto Loop\n"
READS = "var x\nread x\nprint x\nread x\nprint x\n"


class CliTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cli-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, text):
        data = text if isinstance(text, bytes) else text.encode()
        (self.folder / name).write_bytes(data)
        return name

    def sourir(self, *words, stdin="", env=ENVIRONMENT, **more):
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        done = subprocess.run([SOURIR, *words], cwd=self.folder, env=env, input=data,
                              capture_output=True, timeout=60, **more)
        done.out, done.err = done.stdout.decode(errors="replace"), done.stderr.decode(
            errors="replace")
        return done

    def says(self, status, *fragments, words, **more):
        """Runs, compares the exit status, looks for the fragments on standard error."""
        done = self.sourir(*words, **more)
        self.assertEqual(done.returncode, status, f"{words}: {done.err}")
        for fragment in fragments:
            self.assertIn(fragment, done.err, words)
        return done

    def start(self, *words, **more):
        process = subprocess.Popen([SOURIR, *words], cwd=self.folder, env=ENVIRONMENT,
                                   stderr=subprocess.PIPE, **more)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process
