#!/usr/bin/env python3
"""The commands in the pages of the book do what the page says. All pages run in a fresh folder:

  - a fenced block whose first line in front is `NAME:` (a file name alone in backticks and a colon)
    is written to that file;
  - in a ```console block each line `$ COMMAND` is run by bash, and what it prints, errors included,
    must be the lines after it; a line `...` stands for any lines. `$ COMMAND   # exits with N`
    says how it ends, otherwise with 0. Each call of sourir in it shows what tests/showcases.py
    demands of its kind, also where the page shows only a part or `...`.

The last line is `book: N commands, N wrong`.

usage: book_test.py [--sourir PATH] [--bless] [--no-native] [PAGE...]
--bless rewrites what the commands print, but for blocks with a line `...`.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import showcases

ROOT = Path(__file__).resolve().parents[1]
COURSE = [f"docs/course/{page.name}" for page in
          sorted((ROOT / "docs/course").glob("[1-9]*-*.md"), key=lambda page: int(page.name.split("-")[0]))]
BOOK = ["README.md", "docs/checking.md", "docs/own_passes.md", "docs/campaigns.md",
        *COURSE[:7]]
NATIVE = ["docs/runtime.md", "docs/contexts.md", "docs/deoptless.md", "docs/profiler.md",
          "docs/events.md", "docs/step.md", *COURSE[7:]]  # lessons from the eighth on are about the tiers
FILE = re.compile(r"(?m)^`([\w.-]+)`:\n\n```\w*\n(.*?)^```$", re.DOTALL)
CONSOLE = re.compile(r"(?m)^```console\n(.*?)^```$", re.DOTALL)
INCONCLUSIVE = 2
EXITS = re.compile(r"\s+# exits with (\d+)$")


def fits(expected, found):
    """Whether the lines are those expected, with `...` for any."""
    if not expected:
        return not found
    if expected[0] == "...":
        return any(fits(expected[1:], found[k:]) for k in range(len(found) + 1))
    return bool(found) and expected[0] == found[0] and fits(expected[1:], found[1:])


def run(command, folder):
    # `python3` is the one that runs this: another may be a script that looks for one.
    path = f"{folder}/build/bin:{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "NO_COLOR": "1",
                   "PYTHONPATH": str(ROOT / "examples/passes"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = done.stdout.decode("utf-8", "replace").replace(str(ROOT) + "/", "")
    return done.returncode, [line.rstrip() for line in text.splitlines()]


def commands(block):
    """Pairs of a command line and the lines after it."""
    pairs = []
    for line in block.splitlines():
        if line.startswith("$ "):
            pairs.append((line[2:], []))
        else:
            pairs[-1][1].append(line)
    return pairs


def nothing_shown(calls, status):
    """What is wrong with the calls of a command with that exit status, as a list."""
    problems = []
    for call in calls:
        said = call.status == status and status in showcases.NEVER | {INCONCLUSIVE}
        refused = call.status in showcases.NEVER
        found = [] if said else [f"exit {call.status}"] if refused else showcases.missing(call)
        problems += [f"`sourir {' '.join(call.arguments)}`: {problem}" for problem in found]
    return problems


class Page:
    def __init__(self, path, sourir):
        self.path, self.sourir = path, sourir
        self.text = path.read_text(encoding="utf-8")
        self.count = self.wrong = 0

    def check(self, bless):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "examples").symlink_to(ROOT / "examples")
            showcases.recorded_sourir(folder, self.sourir)
            for name, text in FILE.findall(self.text):
                (Path(folder) / name).write_text(text, encoding="utf-8")
            blessed = CONSOLE.sub(lambda m: self.block(m.group(1), folder), self.text)
        if bless and blessed != self.text:
            self.path.write_text(blessed, encoding="utf-8")

    def block(self, block, folder):
        lines = []
        for command, expected in commands(block):
            self.count += 1
            exits = EXITS.search(command)
            status, found = run(EXITS.sub("", command), folder)
            right = fits(expected, found) and status == (int(exits.group(1)) if exits else 0)
            empty = nothing_shown(showcases.calls(folder), status)
            if not right or empty:
                self.wrong += 1
                print(f"{self.path.relative_to(ROOT)}: $ {command}\n  exits with {status} and prints",
                      *found, *empty, sep="\n    ")
            lines += ["$ " + command, *(expected if right or "..." in expected else found)]
        return "```console\n" + "".join(line + "\n" for line in lines) + "```"


def find_package_in(sourir):
    """`find_package(sourir)` in the pages finds the folder that sourir was built in."""
    os.environ["CMAKE_PREFIX_PATH"] = str(sourir.parents[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sourir", type=Path, default=ROOT / "build/bin/sourir")
    parser.add_argument("--bless", action="store_true")
    parser.add_argument("--no-native", action="store_true", help="not the pages on native code")
    parser.add_argument("pages", nargs="*", type=Path)
    options = parser.parse_args()
    pages = [p.resolve() for p in options.pages] or [
        ROOT / name for name in BOOK + ([] if options.no_native else NATIVE)]
    find_package_in(options.sourir.resolve())
    count = wrong = 0
    for path in pages:
        page = Page(path, options.sourir.resolve())
        page.check(options.bless)
        count, wrong = count + page.count, wrong + page.wrong
    print(f"book: {count} commands, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
