#!/usr/bin/env python3
"""How many steps of the reference semantics O1 and O2 save, for each example and each program of
bench/: a table, and a check that what a program prints and how it ends stays the same (of a program
that gets stuck: also why). What a program reads stands in its file-test header.

usage: steps.py [--sourir PATH] [--pass PIPELINE,...] [FILE...]
Exits with 1 if a program behaves differently.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from filetest import FileTest  # noqa: E402

Run = namedtuple("Run", "behaviour steps")
MARK = {True: "", False: "  <-- DIFFERENT"}


class Failure(Exception):
    """The tool did not do what it was asked."""


def run(options, path, stdin, pipeline):
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        flags = [f"--pass={pipeline}"] if pipeline else []
        done = subprocess.run(
            [options.sourir, "run", *flags, "--engine=reference", f"--report={report}", str(path)],
            input=stdin.encode("utf-8", "surrogateescape"), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=600)
        if not report.exists() or not report.stat().st_size:
            raise Failure(f"sourir run --pass={pipeline} {path}: exit {done.returncode}\n"
                          + done.stderr.decode("utf-8", "replace")[:2000])
        outcome = json.loads(report.read_text(encoding="utf-8"))
    why = outcome.get("reason") or outcome.get("limit") or outcome.get("value")
    behaviour = (done.stdout, done.returncode, outcome["outcome"], json.dumps(why))
    return Run(behaviour, outcome["statistics"]["steps"])


def programs(files):
    """Those of FILE..., or all that a file test runs."""
    if not files:
        files = sorted(ROOT.glob("examples/*.sou")) + sorted(ROOT.glob("bench/**/*.sou"))
        # Those show exits that lead to wrong results: what they do depends on when they leave.
        files = [path for path in files if not path.stem.endswith("_wrong")]
    for path in files:
        test = FileTest(path)
        if any(command.arguments[0] == "run" for command in test.commands):
            yield path, test.stdin


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sourir", default="build/bin/sourir")
    parser.add_argument("--pass", dest="pipelines", action="append", metavar="PIPELINE",
                        help="instead of O1 and O2; several times")
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args()
    options.pipelines = options.pipelines or ["O1", "O2"]
    return options


def main():
    options = parse_arguments()
    wrong, ratios = [], [[] for _ in options.pipelines]
    print(f"{'program':28}{'steps':>10}" + "".join(f"{p:>12}{'':7}" for p in options.pipelines))
    for path, stdin in programs(options.files):
        try:
            before = run(options, path, stdin, "")
            runs = [run(options, path, stdin, pipeline) for pipeline in options.pipelines]
        except Failure as failure:
            print(failure)
            wrong.append(path.name)
            continue
        line = f"{path.stem:28}{before.steps:10}"
        for after, found in zip(runs, ratios):
            share = after.steps / before.steps if before.steps else 1
            found.append(share)
            line += f"{after.steps:12}{100 * share:6.0f}%"
        same = all(after.behaviour == before.behaviour for after in runs)
        if not same:
            wrong.append(path.name)
        print(line + MARK[same], flush=True)
    shown = "".join(f"{'':12}{100 * sum(r) / max(1, len(r)):6.0f}%" for r in ratios)
    print(f"{'mean':28}{'':10}{shown}")
    print(f"steps: {len(ratios[0])} programs, {len(wrong)} different"
          + (": " + " ".join(wrong) if wrong else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
