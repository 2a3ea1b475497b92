#!/usr/bin/env python3
"""Runs every `# test: run` with tiers that act early, logs what they do (--tiers=schedule), and lets
the reference do it again (--jit-schedule): it must come to the same states, output and end.

usage: run_replays.py --sourir PROGRAM [-k SUBSTR] [PATH...]
The last line is `replays: N agree (N versions, N OSR entries, N states), N differ, N tests left out`.
"""
import argparse
import json
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from filetest import FileTest
from run_engines import comparable
from run_filetests import Bench, Failure, environment, find_tests
from tool import Tool

# Tiers that give up soon, ones that do not, and one that works beside the program.
EARLY = ["--tier=calls=4", "--tier=iterations=10", "--tier=exits=2"]
MODES = (["--engine=auto", "--jit-sync", *EARLY],
         ["--engine=auto", "--jit-sync", "--no-inlining", *EARLY],
         ["--engine=auto", "--tier=calls=4", "--tier=iterations=10"],
         ["--engine=auto", "--jit-sync", *EARLY, "--tier=deoptless=on", "--tier=continuations=1"],
         ["--engine=native"])
SAME, DIFFERENT = 0, 1
NOT_RUN = (64, 65, 66)
OF_ITS_OWN = ("--stats", "--report", "--result", "--json")


def without_reports(words):
    return [word for word in words[1:] if not word.startswith(OF_ITS_OWN)]


def replay(options, test, words, mode):
    """What the reference says of a run, as JSON; a text that says what went wrong; None where
    nothing ran."""
    with tempfile.TemporaryDirectory(prefix="replays-") as folder:
        bench = Bench(options, test, folder)
        rest = without_reports(words)
        try:
            logged = bench.run(["run", *mode, "--tiers=schedule", "--tiers-file=log", *rest])
            if logged.status in NOT_RUN:
                return None
            done = bench.run(["run", "--engine=reference", "--jit-schedule=log", "--json", *rest])
        except Failure as failure:
            return str(failure)
        said = done.stderr.strip().split("\n")[-1]
        if done.status != SAME:
            shown = said if done.status != DIFFERENT else json.loads(said)["difference"]
            return f"sourir run {' '.join(mode + rest)}: exit {done.status}\n{shown}"
        return json.loads(said)


def run_test(options, path):
    test = FileTest(path)
    if test.only_reference:
        return None
    commands = [command for command in test.commands if command.arguments and comparable(command)
                and "--report" not in command.arguments]
    return [replay(options, test, command.arguments, mode) for command in commands
            for mode in options.modes]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", default=["tests/filetests/run", "examples", "bench"])
    parser.add_argument("--sourir", default="build/bin/sourir", help="the program to test")
    parser.add_argument("--server", help="tests/command_server, which then runs the commands")
    parser.add_argument("-k", default="", metavar="SUBSTR", help="only paths that contain it")
    parser.add_argument("-j", type=int, default=os.cpu_count(), help="tests at a time")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for each run")
    parser.add_argument("--no-native", action="store_true", help="a build without native code")
    options = parser.parse_args()
    options.tool = Tool(Path(options.sourir).resolve(), options.server, environment())
    options.modes = MODES[:1] if options.no_native else MODES
    return options


def main():
    options = parse_arguments()
    tests = find_tests(options.paths, options.k)
    differ = left_out = 0
    same = []
    with ThreadPoolExecutor(max_workers=options.j) as pool:
        for path, results in zip(tests, pool.map(lambda p: run_test(options, p), tests)):
            left_out += results is None
            for result in results or []:
                if isinstance(result, dict):
                    same.append(result)
                elif result is not None:
                    differ += 1
                    print(f"DIFFERS {path}\n  " + result.replace("\n", "\n  "))
    total = {key: sum(result[key] for result in same) for key in ("versions", "osr_entries", "states")}
    print(f"replays: {len(same)} agree ({total['versions']} versions, {total['osr_entries']} OSR entries, "
          f"{total['states']} states), {differ} differ, {left_out} tests left out")
    empty = not options.no_native and 0 in total.values()
    return 1 if differ or not same or empty and not options.k else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(main())
